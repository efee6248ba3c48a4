package replica

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// repeatAfter is the time for which a message of Litestream is not said again.
const repeatAfter = 10 * time.Minute

// A quiet handler passes on what Litestream warns of, with the error and
// nothing else, each message once in ten minutes: a replica that is out of
// reach fails every few seconds, in four places.
type quiet struct {
	next slog.Handler

	mu   sync.Mutex
	said map[string]time.Time
}

// quietLogger is what Litestream logs to.
func quietLogger(log *slog.Logger) *slog.Logger {
	return slog.New(&quiet{next: log.Handler(), said: map[string]time.Time{}})
}

func (q *quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.next.Enabled(ctx, level)
}

func (q *quiet) Handle(ctx context.Context, r slog.Record) error {
	q.mu.Lock()
	last, said := q.said[r.Message]
	repeated := said && r.Time.Sub(last) < repeatAfter
	if !repeated {
		q.said[r.Message] = r.Time
	}
	q.mu.Unlock()
	if repeated {
		return nil
	}
	passed := slog.NewRecord(r.Time, r.Level, "litestream: "+r.Message, 0)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			passed.AddAttrs(slog.Any("error", a.Value.Any()))
		}
		return true
	})
	return q.next.Handle(ctx, passed)
}

// WithAttrs leaves Litestream's own keys out.
func (q *quiet) WithAttrs([]slog.Attr) slog.Handler { return q }

// WithGroup leaves Litestream's own groups out.
func (q *quiet) WithGroup(string) slog.Handler { return q }
