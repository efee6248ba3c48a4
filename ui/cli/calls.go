package cli

import (
	"context"
	"log/slog"
	"time"

	"biketrip/mcp"
)

// logCall writes the line of a call: how often which tool is called, how long it
// takes, and what agents get wrong.
func logCall(log *slog.Logger) func(mcp.Record) {
	return func(r mcp.Record) {
		coerced := r.Coerced
		if coerced == nil {
			coerced = []string{} // a list in every line
		}
		attrs := []slog.Attr{
			slog.String("tool", r.Tool),
			slog.Float64("durationMS", float64(r.Duration.Round(time.Microsecond))/float64(time.Millisecond)),
			slog.String("outcome", string(r.Outcome)),
			slog.String("code", r.Code),
			slog.Any("coerced", coerced),
			slog.String("nearMiss", r.NearMiss),
		}
		if r.Reason != "" {
			attrs = append(attrs, slog.String("reason", r.Reason))
		}
		if r.Reference != "" {
			attrs = append(attrs, slog.String("reference", r.Reference))
		}
		log.LogAttrs(context.Background(), slog.LevelInfo, "call", attrs...)
	}
}
