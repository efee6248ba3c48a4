package world

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// requests counts what was asked for.
type requests struct {
	mu     sync.Mutex
	counts map[string]int // by host and path
}

// count counts a request and says how many of the kind there were, it included.
func (l *requests) count(r *http.Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[r.URL.Host+r.URL.Path]++
	return l.counts[r.URL.Host+r.URL.Path]
}

// Requests are the requests made so far, each redirect and retry one, by host
// and path.
func (w *World) Requests() map[string]int {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return maps.Clone(w.log.counts)
}

// Transport is the outside world for a client: every host of this world answers
// as the one it stands for does. It never dials. Asking for anything that is
// not in this world is an error, which names the host and the path.
func (w *World) Transport() http.RoundTripper { return transport{w} }

type transport struct{ world *World }

// RoundTrip answers a request. Its error is that of the context, or says that
// the world has no such address.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	nth := t.world.log.count(r)
	var a answer
	known := false
	if r.Method == http.MethodGet && r.URL.Scheme == "https" {
		a, known = t.world.answer(r, nth)
	}
	if !known {
		return nil, fmt.Errorf("the made-up world has no %s %s://%s%s", r.Method, r.URL.Scheme, r.URL.Host, r.URL.Path)
	}
	return a.response(r), nil
}

// answer is what the host of a request says; nth is how often it was asked. It
// is false for an address that is not in this world.
func (w *World) answer(r *http.Request, nth int) (answer, bool) {
	switch r.URL.Host {
	case "api.komoot.de":
		return w.komootAPI(r)
	case "www.komoot.com":
		return w.komootPage(r)
	case "ridewithgps.com":
		return w.rideWithGPS(r, nth)
	case "strava-embeds.com":
		return w.stravaEmbed(r)
	case "www.strava.com":
		return stravaSite(r)
	}
	return answer{}, false
}

// numberIn is the number of a route in a path, between what comes before it and
// what comes after; ok is false for a path of another form.
func numberIn(path, before, after string) (number string, ok bool) {
	number, begins := strings.CutPrefix(path, before)
	number, ends := strings.CutSuffix(number, after)
	return number, begins && ends && number != "" && strings.Trim(number, "0123456789") == ""
}

// answer is a status with a body. The zero status is 200.
type answer struct {
	status   int
	kind     string // the Content-Type
	body     []byte
	location string // where a redirect leads
}

const (
	kindHTML = "text/html; charset=utf-8"
	kindHAL  = "application/hal+json;charset=UTF-8"
	kindJSON = "application/json; charset=utf-8"
)

// page is a page of a title and what its body holds.
func page(status int, title, body string) answer {
	return answer{status: status, kind: kindHTML, body: []byte(
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title></head>\n<body>" + body + "</body></html>\n")}
}

// inJSON is an answer of the value, which JSON can hold.
func inJSON[T any](status int, kind string, value T) answer {
	return answer{status: status, kind: kind, body: encode(value)}
}

// encode is the value in JSON, as text that may stand in a script.
func encode[T any](value T) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // a height or a place that is no number: a fault of this world
	}
	return body
}

// response is the answer to a request, compressed where that is asked for.
func (a answer) response(r *http.Request) *http.Response {
	status, body := a.status, a.body
	if status == 0 {
		status = http.StatusOK
	}
	h := http.Header{"Content-Type": {a.kind}, "Vary": {"Accept-Encoding"}}
	if a.location != "" {
		h.Set("Location", a.location)
	}
	if len(body) > 0 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = compressed(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: r,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// compressed is the body in gzip. Writing to memory does not fail.
func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(body)
	z.Close()
	return b.Bytes()
}
