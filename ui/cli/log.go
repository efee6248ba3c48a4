package cli

import (
	"io"
	"log/slog"
)

// newLog is the log of the server: lines for a person who looks on, JSON for
// whatever else reads it.
func newLog(out io.Writer) *slog.Logger {
	if isTerminal(out) {
		return slog.New(slog.NewTextHandler(out, nil))
	}
	return slog.New(slog.NewJSONHandler(out, nil))
}
