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

// progress shows how far slow work is, on one line that goes when the work is
// done. Where it is not shown it does nothing.
type progress struct {
	out   io.Writer
	shown bool
	what  string
	total int64 // bytes, 0 for unknown
	next  time.Time
	begun bool // a line stands there
}

func newProgress(out io.Writer, shown bool, what string, total int64) *progress {
	return &progress{out: out, shown: shown, what: what, total: total, next: time.Now().Add(progressAfter)}
}

// isTerminal says whether a person looks at what is written.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// report says that so many bytes are done.
func (p *progress) report(bytes int64) {
	if !p.shown || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressEvery)
	p.begun = true
	if p.total > 0 {
		fmt.Fprintf(p.out, "\r%s: %d %%", p.what, min(100, 100*bytes/p.total))
		return
	}
	fmt.Fprintf(p.out, "\r%s: %.1f MB", p.what, float64(bytes)/1e6)
}

// done takes the line away.
func (p *progress) done() {
	if p.begun {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
