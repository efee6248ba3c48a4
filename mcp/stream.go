package mcp

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// writeTime is how long a caller may take to read what was written last.
const writeTime = 30 * time.Second

// progressToken is the key of _meta by which a caller asks to be told of the
// progress. Source: MCP 2026-07-28, "Progress".
const progressToken = "progressToken"

// wantsStream says whether progress is asked for, and the client reads an event
// stream.
func wantsStream(h http.Header, m message) bool {
	return m.method == methodCall && isID(m.meta[progressToken]) && slices.ContainsFunc(strings.Split(strings.Join(h.Values("Accept"), ","), ","), isStream)
}

// isStream says whether a part of Accept is an event stream, which is wanted unless
// its weight is 0 (RFC 9110, section 12.4.2).
func isStream(part string) bool {
	kind, parameters, err := mime.ParseMediaType(part)
	weight, bad := strconv.ParseFloat(parameters["q"], 64)
	return err == nil && kind == mediaStream && (bad != nil || weight > 0)
}

// stream does a call and writes its progress and its answer as events. All of it
// is written from here, so that nothing is written after the answer, and the
// answer comes after all that was told before. Source: MCP 2026-07-28,
// "Streamable HTTP".
func (e *Endpoint) stream(ctx context.Context, w http.ResponseWriter, t *turn) []Record {
	p := newProgress(t.token, e.now)
	t.call.Progress = p
	done := make(chan reply, 1)
	go func() {
		defer func() {
			if recover() != nil { // where even that could not be told
				done <- t.reply(internal("none"))
			}
		}()
		done <- e.perform(ctx, t)
	}()
	events := startEvents(w)
	defer events.end()
	for {
		select {
		case <-p.wake:
			events.write(p.take()...)
		case answer := <-done:
			events.write(append(p.take(), answer.body)...)
			return answer.records
		}
	}
}

// events are what is written to an event stream.
type events struct {
	w          http.ResponseWriter
	connection *http.ResponseController
	err        error // why nothing is written any more
}

// startEvents begins an event stream, which no proxy is to hold back.
func startEvents(w http.ResponseWriter) *events {
	header := w.Header()
	header.Set("Content-Type", mediaStream)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &events{w: w, connection: http.NewResponseController(w)}
	s.err = s.connection.Flush()
	return s
}

// write writes messages, each as an event. A message holds no line break: it is
// JSON without spaces.
func (s *events) write(messages ...json.RawMessage) {
	if s.err != nil {
		return
	}
	_ = s.connection.SetWriteDeadline(time.Now().Add(writeTime)) // none where there is no connection
	var b []byte
	for _, m := range messages {
		b = append(append(append(b, "event: message\ndata: "...), m...), "\n\n"...)
	}
	if _, s.err = s.w.Write(b); s.err == nil {
		s.err = s.connection.Flush()
	}
}

// end lifts the deadline: the connection is used again.
func (s *events) end() { _ = s.connection.SetWriteDeadline(time.Time{}) }
