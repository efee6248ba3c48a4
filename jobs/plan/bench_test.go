package plan

import (
	"fmt"
	"testing"

	"biketrip/jobs/plan/world"
)

// BenchmarkCreateToDays is the time from the request for a trip of 100,000
// points to the commit of its days; its route comes from memory, but is read as
// from the network.
func BenchmarkCreateToDays(b *testing.B) {
	h := newHouse(b, nil)
	h.work()
	for i := 0; b.Loop(); i++ {
		c := ask(world.HugeLink)
		c.Title = fmt.Sprint(i)
		if r := h.settled(h.create(c).TripID); len(r.Stages) == 0 {
			b.Fatalf("%+v", r)
		}
	}
}
