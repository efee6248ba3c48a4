package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

const (
	// progressAfter is how long work takes before it shows how far it is.
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progress shows on a terminal how far slow work is, on one line that goes
// when the work is done. Elsewhere it shows nothing.
type progress struct {
	out   io.Writer // nil where nothing is shown
	what  string
	total int64 // bytes, 0 for unknown
	next  time.Time
	shown bool
}

func newProgress(out io.Writer, what string, total int64) *progress {
	p := &progress{what: what, total: total, next: time.Now().Add(progressAfter)}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.out = out
	}
	return p
}

// report says that so many bytes are done.
func (p *progress) report(bytes int64) {
	if p.out == nil || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressEvery)
	p.shown = true
	if p.total > 0 {
		fmt.Fprintf(p.out, "\r%s: %d %%", p.what, min(100, 100*bytes/p.total))
		return
	}
	fmt.Fprintf(p.out, "\r%s: %.1f MB", p.what, float64(bytes)/1e6)
}

// done takes the line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
