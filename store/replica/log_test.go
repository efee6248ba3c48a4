package replica

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestQuiet: warnings pass once in a while, with the error alone.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &record{}
		log := quietLogger(slog.New(slog.NewTextHandler(to, nil))).With("db", "trips.db").WithGroup("file")
		for range 3 {
			log.Info("a snapshot", "size", 7)
			log.Error("compaction failed", "level", 2, "error", errors.New("refused"))
			log.Warn("something else")
			time.Sleep(repeatAfter / 2)
		}
		var got []string
		for line := range strings.Lines(to.String()) {
			_, line, _ = strings.Cut(line, "level=")
			got = append(got, line)
		}
		want := "ERROR msg=\"litestream: compaction failed\" error=refused\nWARN msg=\"litestream: something else\"\n"
		if strings.Join(got, "") != want+want {
			t.Errorf("logged:\n%s", strings.Join(got, ""))
		}
	})
}
