package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// TestBodyIsBounded: a body has at most 1 MiB, whether its length is told before
// or not: 413, the last thing that is told of a request before its message.
func TestBodyIsBounded(t *testing.T) {
	s := newBench(t).serve(t)
	full := post{token: "ann-both", body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`}
	full.body += strings.Repeat(" ", maxBodyBytes-len(full.body))
	if status, body := full.send(t, s); status != 200 {
		t.Errorf("1 MiB: %d %s", status, body)
	}
	full.body += " "
	if status, body := full.send(t, s); status != 413 {
		t.Errorf("one byte more: %d %s", status, body)
	}
	r := full.request(t.Context(), s.URL)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(full.body)), -1
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 413 {
		t.Errorf("one byte more of unknown length: %d", res.StatusCode)
	}
}

// TestBodyIsText: what is no UTF-8 is no JSON (RFC 8259 section 8.1), and neither
// is what nests deeper than anything reads.
func TestBodyIsText(t *testing.T) {
	s := newBench(t).serve(t)
	const deep = 400_000
	for what, body := range map[string]string{
		"no UTF-8":             "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
		"half a character":     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xc3\"}}",
		"lists without end":    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}}`,
		"objects without end":  strings.Repeat(`{"a":`, deep/4) + "1" + strings.Repeat("}", deep/4),
		"a list cut off":       strings.Repeat("[", deep),
		"more after the end":   `{"jsonrpc":"2.0","id":1,"method":"ping"} x`,
		"a number of no value": `{"jsonrpc":"2.0","id":01,"method":"ping"}`,
	} {
		status, got := post{token: "ann-both", body: body}.send(t, s)
		if status != 400 || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`) {
			t.Errorf("%s: %d %.200s", what, status, got)
		}
	}
}

// A slowConnection is a connection that notes until when it may be read, and a
// body that is not there by then.
type slowConnection struct {
	*httptest.ResponseRecorder
	until []time.Time
}

func (s *slowConnection) SetReadDeadline(t time.Time) error {
	s.until = append(s.until, t)
	return nil
}

func (s *slowConnection) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// TestBodyInTime: who sends a body drop by drop holds nothing for longer than 30
// seconds, and the deadline does not end the call that follows.
func TestBodyInTime(t *testing.T) {
	b := newBench(t)
	slow := &slowConnection{ResponseRecorder: httptest.NewRecorder()}
	r := post{token: "ann-both"}.request(t.Context(), testURI)
	r.Body = io.NopCloser(slow)
	begun := time.Now()
	b.handler.ServeHTTP(slow, r)
	if slow.Code != http.StatusRequestTimeout || !json.Valid(slow.Body.Bytes()) {
		t.Errorf("%d %s", slow.Code, slow.Body)
	}
	if len(slow.until) != 2 || slow.until[0].Before(begun.Add(bodyTime)) || slow.until[0].After(time.Now().Add(bodyTime)) || !slow.until[1].IsZero() {
		t.Errorf("deadlines %v", slow.until)
	}
}

// TestNothingIsReadWithoutAToken: the challenge does not wait for a body.
func TestNothingIsReadWithoutAToken(t *testing.T) {
	b := newBench(t)
	w := &slowConnection{ResponseRecorder: httptest.NewRecorder()}
	r := post{method: http.MethodGet}.request(t.Context(), testURI)
	r.Body = io.NopCloser(readFails{t})
	b.handler.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized || len(w.until) != 0 {
		t.Errorf("%d, deadlines %v", w.Code, w.until)
	}
}

type readFails struct{ t *testing.T }

func (r readFails) Read([]byte) (int, error) {
	r.t.Error("the body was read")
	return 0, io.EOF
}
