package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: quick work shows nothing, slow work shows how far it is, now
// and then, and leaves nothing behind.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		name  string
		shown bool
		total int64
		want  string
	}{
		{"of a file", true, 1_000_000, "\rreading x: 40 %\rreading x: 60 %\r\x1b[K"},
		{"of a stream", true, 0, "\rreading x: 0.4 MB\rreading x: 0.6 MB\r\x1b[K"},
		{"not on a terminal", false, 1_000_000, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := newProgress(&out, c.shown, "reading x", c.total)
				for _, step := range []struct {
					after time.Duration
					bytes int64
				}{{progressAfter / 2, 200_000}, {progressAfter / 2, 400_000}, {progressEvery / 2, 500_000}, {progressEvery / 2, 600_000}} {
					time.Sleep(step.after)
					p.report(step.bytes)
				}
				p.done()
				if out.String() != c.want {
					t.Errorf("%q, want %q", out.String(), c.want)
				}
			})
		})
	}
	var quick bytes.Buffer
	p := newProgress(&quick, true, "reading x", 10)
	p.report(5)
	p.done()
	if quick.Len() > 0 {
		t.Errorf("quick work shows %q", quick.String())
	}
}
