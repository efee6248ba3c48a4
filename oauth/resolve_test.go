package oauth

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/jobs/plan/fetch"
	"biketrip/store"
)

// A host is the one that serves documents, in place of the outside world.
type host struct {
	mu     sync.Mutex
	asked  []string
	answer func(*http.Request) *http.Response
}

func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.asked = append(h.asked, r.URL.String())
	answer := h.answer
	h.mu.Unlock()
	return answer(r), nil
}

// says is an answer with a body and header fields, in turn name and value.
func says(status int, body string, fields ...string) func(*http.Request) *http.Response {
	return func(*http.Request) *http.Response {
		h := http.Header{}
		for i := 0; i < len(fields); i += 2 {
			h.Add(fields[i], fields[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body))}
	}
}

const (
	testDocument = "https://client.example/oauth/client.json"
	testCallback = "http://127.0.0.1:33418/cb"
)

// metadataOf is a document, with other members; nil takes one away.
func metadataOf(clientID string, others fields) string {
	text, err := json.Marshal(fields{"client_id": clientID, "client_name": "Anna's agent", "redirect_uris": []string{"http://127.0.0.1/cb"}}.with(others))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A hall is a door that fetches documents from a host.
type hall struct {
	*door
	*host
}

func newHall(t testing.TB) *hall {
	h := &hall{newDoor(t), &host{}}
	h.answer = func(r *http.Request) *http.Response { return says(200, metadataOf(r.URL.String(), nil))(r) }
	h.server.client = fetch.New(fetch.Options{Transport: h.host, Now: func() time.Time { return h.now }})
	return h
}

// ask asks as anna for an application that names itself.
func (h *hall) ask(clientID string, pairs ...string) got {
	h.t.Helper()
	return h.visit("anna", h.wish(append([]string{"client_id", clientID, "redirect_uri", testCallback}, pairs...)...).Encode())
}

// admitted says whether an application may ask, and refuses in the one way there is.
func (h *hall) admitted(clientID string) bool {
	h.t.Helper()
	g := h.ask(clientID)
	if strings.HasPrefix(g.to(), ConsentPath) {
		return true
	}
	h.refusedHere(cut(clientID), g, 400, "invalid_client")
	if want := string(document(struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{"invalid_client", unknownClient().description})); g.body != want {
		h.t.Errorf("102 %s: the answer says more than that: %s", clientID, g.body)
	}
	return false
}

// TestClientDocument: an application that nobody knows names itself, and is granted
// access.
func TestClientDocument(t *testing.T) {
	h := newHall(t)
	handle := strings.TrimPrefix(h.ask(testDocument).to(), ConsentPath)
	shown, err := h.server.Request(t.Context(), h.people["anna"], handle)
	if err != nil || shown.ClientHost != "client.example" || shown.Kind != store.ClientDocument || !shown.Loopback || shown.ClientName != "Anna's agent" {
		t.Errorf("%+v, %v", shown, err)
	}
	g := h.decide(handle, store.Authorize)
	code := strings.TrimPrefix(g.to(), testCallback+"?code=")
	code, _, _ = strings.Cut(code, "&")
	h.answer = says(500, "") // from here on nobody asks it
	h.now = h.now.Add(time.Minute)
	first := h.post(with(h.form(code), "client_id", testDocument))
	if first.status != 200 || !h.opens(first.AccessToken) {
		t.Fatalf("%d %s", first.status, first.body)
	}
	h.now = h.now.Add(20 * 24 * time.Hour)
	if err := h.server.forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := h.post(with(h.renewal(first.RefreshToken), "client_id", testDocument)); again.status != 200 {
		t.Errorf("renewed without its host: %d %s", again.status, again.body)
	}
	if len(h.asked) != 1 || h.asked[0] != testDocument {
		t.Errorf("asked for %v", h.asked)
	}
}

// TestLocalhost: what becomes of redirect URIs there is for the operator to say,
// for those who name or register themselves.
func TestLocalhost(t *testing.T) {
	for _, c := range []struct {
		rule             Localhost
		both, alone      bool // whether a document with 127.0.0.1 beside localhost, and with localhost alone, is admitted
		localhostCounted bool
	}{
		{"", false, false, false}, {RefuseLocalhost, false, false, false}, {IgnoreLocalhost, true, false, false}, {AllowLocalhost, true, true, true},
	} {
		h := newHall(t)
		h.server.localhost = c.rule
		h.answer = func(r *http.Request) *http.Response {
			uris := []string{"http://localhost/cb"}
			if r.URL.Path == "/both" {
				uris = append(uris, "http://127.0.0.1/cb")
			}
			return says(200, metadataOf(r.URL.String(), fields{"redirect_uris": uris}))(r)
		}
		if got := h.admitted("https://client.example/both"); got != c.both {
			t.Errorf("%q: both: %v", c.rule, got)
		}
		g := h.ask("https://client.example/alone", "redirect_uri", "http://localhost:5/cb")
		if got := g.status == 302; got != c.alone {
			t.Errorf("%q: alone: %d %s", c.rule, g.status, g.body)
		}
		g = h.ask("https://client.example/both", "redirect_uri", "http://localhost:5/cb")
		if got := g.status == 302; got != c.localhostCounted {
			t.Errorf("%q: %d %s", c.rule, g.status, g.body)
		}
		h.server.localhost = AllowLocalhost // what is kept is what the document says
		if g := h.ask("https://client.example/both", "redirect_uri", "http://localhost:5/cb"); g.status != 302 {
			t.Errorf("%q, then allowed: %d %s", c.rule, g.status, g.body)
		}
	}
}

// TestRuleChangesMeanwhile: what counts is what the operator says when the
// application is to hear of the decision.
func TestRuleChangesMeanwhile(t *testing.T) {
	h := newHall(t)
	h.server.localhost = AllowLocalhost
	h.answer = says(200, metadataOf(testDocument, fields{"redirect_uris": []string{"http://localhost/cb"}}))
	handle := strings.TrimPrefix(h.ask(testDocument, "redirect_uri", "http://localhost:5/cb").to(), ConsentPath)
	if _, err := h.server.Request(t.Context(), h.people["anna"], handle); err != nil {
		t.Fatal(err)
	}
	h.server.localhost = RefuseLocalhost
	if _, err := h.server.Request(t.Context(), h.people["anna"], handle); err != ErrNoRequest {
		t.Errorf("it is shown: %v", err)
	}
	h.refusedHere("it is delivered", h.decide(handle, store.Authorize), 400, "invalid_client")
}

// TestPinnedMeanwhile: what the operator pins while a document is fetched counts, and
// a browser that leaves takes nothing from the others that wait.
func TestPinnedMeanwhile(t *testing.T) {
	h := newHall(t)
	h.answer = func(r *http.Request) *http.Response {
		if _, err := Pin(t.Context(), h.file, testURI, testDocument, []byte(metadataOf(testDocument, fields{"client_name": "Pinned"}))); err != nil {
			t.Error(err)
		}
		return says(200, metadataOf(testDocument, fields{"client_name": "Fetched"}))(r)
	}
	c, err := h.server.fetchOnce(t.Context(), h.people["anna"], testDocument)
	if err != nil || c.Name != "Pinned" {
		t.Errorf("%+v, %v", c, err)
	}
	h = newHall(t)
	gone, leave := context.WithCancel(t.Context())
	h.answer = func(r *http.Request) *http.Response {
		leave()
		return says(200, metadataOf(testDocument, nil))(r)
	}
	if _, err := h.server.fetchOnce(gone, h.people["anna"], testDocument); err != nil {
		t.Errorf("who left takes it from the others: %v", err)
	}
}

// TestPinnedOnThisServer: what was pinned for another address is refused at its own.
func TestPinnedOnThisServer(t *testing.T) {
	h := newHall(t)
	const own = testURI + "/client.json"
	if _, err := Pin(t.Context(), h.file, "http://localhost:8080", own, []byte(metadataOf(own, nil))); err != nil {
		t.Fatal(err)
	}
	if h.admitted(own) {
		t.Error("it is admitted")
	}
}

// TestLogHoldsNoPassword: nor what stands behind a question mark.
func TestLogHoldsNoPassword(t *testing.T) {
	for address, want := range map[string]string{"https://u:secret@h/x?token=t": `"https://h/x"`, "no address": `"no address"`, "https://h/%zz": `"https://h/%zz"`} {
		if got := logged(address); got != want {
			t.Errorf("%s is logged as %s", address, got)
		}
	}
}

// TestHosts: where the operator names hosts, those of others are not even asked.
func TestHosts(t *testing.T) {
	h := newHall(t)
	if !h.admitted("https://other.example/a") {
		t.Fatal("refused")
	}
	h.server.hosts = []string{"client.example"}
	for id, want := range map[string]bool{testDocument: true, "https://CLIENT.example:8443/a": true, "https://other.example/a": false, "https://client.example.evil.example/a": false, "https://sub.client.example/a": false} {
		if h.admitted(id) != want {
			t.Errorf("%s: %v", id, !want)
		}
	}
	if _, err := Pin(t.Context(), h.file, testURI, "https://pinned.example/a", []byte(metadataOf("https://pinned.example/a", nil))); err != nil || !h.admitted("https://pinned.example/a") {
		t.Errorf("one that the operator has pinned: %v", err)
	}
	h.server.registration = true
	d := store.Client{Kind: store.ClientDynamic, Name: "x", RedirectURIs: []string{"http://127.0.0.1/cb"}}
	h.update(func(tx *store.Tx) error { return tx.CreateClient(&d) })
	if h.admitted(d.ID) {
		t.Error("one that has registered itself is admitted")
	}
}
