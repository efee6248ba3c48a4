//go:build unix

package tool

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store"
	"biketrip/store/trip"
)

// month makes a trip of thirty days, the tenth of which is a rest day.
func (o *office) month() (id string) {
	id = o.answer("create_trip", object{"sourceUrl": world.LongLink})["id"].(string)
	o.update(func(tx *store.Tx) error {
		var stages []trip.Stage
		for i := range 30 {
			s := trip.Stage{ID: tx.NewID(), StartLabel: fmt.Sprintf("Town %d", i), EndLabel: fmt.Sprintf("Town %d", i+1), RestDay: i == 9}
			if !s.RestDay {
				s.DistanceM, s.AscentM, s.DescentM = 61234.5+float64(i), new(870.4), new(801.2)
			}
			stages = append(stages, s)
		}
		return tx.SaveStages(id, stages)
	})
	return id
}

// BenchmarkGetTrip is get_trip of thirty days, from the arguments to the bytes
// of the answer, and the time that the processor spends on it.
func BenchmarkGetTrip(b *testing.B) {
	o := newOffice(b)
	arguments, _ := json.Marshal(object{"id": o.month()})
	tool := o.tools["get_trip"]
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if _, err := tool.Call(b.Context(), &mcp.Call{Caller: o.anna, Arguments: arguments}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkGetStage is get_stage of a day among thirty.
func BenchmarkGetStage(b *testing.B) {
	o := newOffice(b)
	id := o.month()
	stage := o.answer("get_trip", object{"id": id})["stages"].([]any)[15].(object)["stageId"]
	arguments, _ := json.Marshal(object{"tripId": id, "stageId": stage})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := o.tools["get_stage"].Call(b.Context(), &mcp.Call{Caller: o.anna, Arguments: arguments}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkListTrips is a page of twenty of so many trips, of five days each.
func BenchmarkListTrips(b *testing.B) {
	for _, n := range []int{20, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			o := newOffice(b)
			o.update(func(tx *store.Tx) error {
				for i := range n {
					t := trip.Trip{OwnerID: o.anna.UserID, Title: fmt.Sprintf("Trip %d", i), SourceType: trip.FileUpload, Settings: trip.DefaultSettings()}
					if err := tx.CreateTrip(&t); err != nil {
						return err
					}
					var stages []trip.Stage
					for range 5 {
						stages = append(stages, trip.Stage{ID: tx.NewID(), DistanceM: 61000})
					}
					if err := tx.SaveStages(t.ID, stages); err != nil {
						return err
					}
				}
				return nil
			})
			for name, arguments := range map[string]string{"all": `{}`, "title": `{"title":"trip 7"}`} {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := o.tools["list_trips"].Call(b.Context(), &mcp.Call{Caller: o.anna, Arguments: []byte(arguments)}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// processorTime is how long the processor has worked for this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
