package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"

	"biketrip/store"
	"biketrip/store/limit"
)

// A desk is where clients register themselves, over HTTP, with the other endpoints
// beside it.
type desk struct{ *door }

func newDesk(t testing.TB, change ...func(*Server)) *desk {
	t.Helper()
	d := &desk{newDoor(t)}
	d.server.registration = true
	for _, change := range change {
		change(d.server)
	}
	router := chi.NewRouter()
	d.server.Routes(router)
	s := httptest.NewServer(router)
	t.Cleanup(s.Close)
	d.url = s.URL + "/oauth/token"
	return d
}

// register sends a registration.
func (d *desk) register(body string, change ...func(*http.Request)) got {
	d.t.Helper()
	r, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(d.url, "/token")+"/register", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, change := range change {
		change(r)
	}
	return d.send(r)
}

// TestRegistration: whatever a client asks for, it is a public one of all scopes,
// and works.
func TestRegistration(t *testing.T) {
	d := newDesk(t)
	g := d.register(`{"client_name":"Anna’s agent","redirect_uris":["http://127.0.0.1:5/cb","https://client.example/cb"],"grant_types":["client_credentials"],"token_endpoint_auth_method":"client_secret_basic","scope":"","application_type":"native","logo_uri":5}`)
	var told struct {
		ID     string `json:"client_id"`
		Issued int64  `json:"client_id_issued_at"`
	}
	if err := json.Unmarshal([]byte(g.body), &told); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"client_id":%q,"client_id_issued_at":%d,"client_name":"Anna’s agent","redirect_uris":["http://127.0.0.1:5/cb","https://client.example/cb"],`+
		`"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"trips:read trips:write"}`, told.ID, testNow.Unix())
	if d := cmp.Diff(want, g.body); g.status != 201 || d != "" || g.header.Get("Content-Type") != "application/json" || g.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v (-want +got):\n%s", g.status, g.header, d)
	}
	if g := d.visit("anna", d.wish("client_id", told.ID).Encode()); !strings.HasPrefix(g.to(), ConsentPath) {
		t.Errorf("%d %s", g.status, g.body)
	}
	if g := d.register(`{"redirect_uris":["https://client.example/cb"]}`); g.status != 201 || !strings.Contains(g.body, `"client_name":"unnamed"`) {
		t.Errorf("without a name: %d %s", g.status, g.body)
	}
}

// TestRegistrationAttacks are the attacks on registration, by their number, and what
// they get.
func TestRegistrationAttacks(t *testing.T) {
	for name, attack := range map[string]func(d *desk){
		"103 what cannot be registered": func(d *desk) {
			uri := func(uris string) string { return `{"client_name":"x","redirect_uris":` + uris + `}` }
			for body, code := range map[string]string{
				uri(`["http://evil.example/cb"]`):                     "invalid_redirect_uri",
				uri(`["https://a.example/cb#f"]`):                     "invalid_redirect_uri",
				uri(`["http://localhost/cb"]`):                        "invalid_redirect_uri",
				uri(`["https://a.example/cb","http://localhost/cb"]`): "invalid_redirect_uri",
				uri(`["javascript:alert(1)"]`):                        "invalid_redirect_uri",
				uri(`["cursor://x/cb"]`):                              "invalid_redirect_uri",
				uri(`["https://u:p@a.example/cb"]`):                   "invalid_redirect_uri",
				uri(`["https://a.example/cb?code=1"]`):                "invalid_redirect_uri",
				uri(`[]`):                                             "invalid_redirect_uri",
				uri(`"https://a.example/cb"`):                         "invalid_redirect_uri",
				uri(`[` + strings.Repeat(`"https://a.example/cb",`, 10) + `"https://a.example/cb"]`): "invalid_redirect_uri",
				`{"client_name":"x"}`: "invalid_redirect_uri",
				`{"client_name":5,"redirect_uris":["https://a.example/cb"]}`:                                     "invalid_client_metadata",
				`{"client_name":"` + strings.Repeat("x", 129) + `","redirect_uris":["https://a.example/cb"]}`:    "invalid_client_metadata",
				`{"client_name":"\u202e","redirect_uris":["https://a.example/cb"]}`:                              "invalid_client_metadata",
				`{"client_name":"` + strings.Repeat("x", 17<<10) + `","redirect_uris":["https://a.example/cb"]}`: "invalid_client_metadata",
				`{"redirect_uris":["https://a.example/cb"],"redirect_uris":["https://evil.example/cb"]}`:         "invalid_client_metadata",
				`{"redirect_uris":["https://a.example/cb"]}x`:                                                    "invalid_client_metadata",
				`[]`: "invalid_client_metadata", ``: "invalid_client_metadata", "{\"x\":\"\xff\"}": "invalid_client_metadata",
			} {
				d.refused(fmt.Sprintf("%.80s", body), d.register(body), 400, code)
			}
			good := `{"redirect_uris":["https://a.example/cb"]}`
			for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded"} {
				d.refused(kind, d.register(good, func(r *http.Request) { r.Header.Set("Content-Type", kind) }), 400, "invalid_client_metadata")
			}
			if g := d.register("", func(r *http.Request) { r.Method = http.MethodGet }); g.status != 405 || g.header.Get("Allow") != "POST" {
				d.t.Errorf("GET: %d %v", g.status, g.header)
			}
			d.update(func(tx *store.Tx) error {
				clients, err := tx.Clients()
				for _, c := range clients {
					if c.Kind != store.ClientOperator {
						d.t.Errorf("%+v is kept", c)
					}
				}
				return err
			})
		},
		"103 too often": func(d *desk) {
			d.server.registrations = limit.New(10, time.Minute, func() time.Time { return d.now })
			d.server.address = func(r *http.Request) string { return r.Header.Get("X-From") }
			from := func(a string) func(*http.Request) { return func(r *http.Request) { r.Header.Set("X-From", a) } }
			for range 10 {
				d.register("", from("a"))
			}
			g := d.register(`{"redirect_uris":["https://a.example/cb"]}`, from("a"))
			if d.refused("an eleventh", g, 429, "rate_limited"); g.header.Get("Retry-After") != "60" {
				d.t.Errorf("%v", g.header)
			}
			if g := d.register(`{"redirect_uris":["https://a.example/cb"]}`, from("b")); g.status != 201 {
				d.t.Errorf("from elsewhere: %d %s", g.status, g.body)
			}
		},
		"103 too many": func(d *desk) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range maxRegistrations/8 + 10 {
						d.update(func(tx *store.Tx) error {
							c := store.Client{Kind: store.ClientDynamic, Name: "x", RedirectURIs: []string{"https://a.example/cb"}}
							return tx.CreateClient(&c)
						})
					}
				})
			}
			all.Wait()
			if g := d.register(`{"redirect_uris":["https://a.example/cb"]}`); g.status != 201 {
				d.t.Fatalf("%d %s", g.status, g.body)
			}
			count := func() (n int) {
				d.update(func(tx *store.Tx) error {
					clients, err := tx.Clients()
					for _, c := range clients {
						if c.Kind == store.ClientDynamic {
							n++
						}
					}
					return err
				})
				return n
			}
			if n := count(); n != maxRegistrations {
				d.t.Errorf("%d are kept", n)
			}
			d.now = d.now.Add(idleRegistration + time.Millisecond)
			if err := d.server.forget(d.t.Context()); err != nil {
				d.t.Fatal(err)
			}
			if n := count(); n != 0 {
				d.t.Errorf("%d are kept after a day", n)
			}
		},
		"104 off": func(d *desk) {
			d = newDesk(d.t, func(s *Server) { s.registration = false })
			if g := d.register(`{"redirect_uris":["https://a.example/cb"]}`); g.status != 404 {
				d.t.Errorf("%d %s", g.status, g.body)
			}
			if strings.Contains(string(d.server.metadata.server), "registration_endpoint") {
				d.t.Error("it is advertised")
			}
			on := New(Options{DefaultURI: testURI, Resource: "/mcp", Registration: true})
			if !strings.Contains(string(on.metadata.server), `"registration_endpoint":"`+testURI+`/oauth/register"`) {
				d.t.Errorf("it is not advertised: %s", on.metadata.server)
			}
		},
		"63 web pages": func(d *desk) {
			d = newDesk(d.t, func(s *Server) { s.origins = []string{"https://inspector.example"} })
			from := func(origin string) func(*http.Request) {
				return func(r *http.Request) { r.Header.Set("Origin", origin) }
			}
			preflight := func(r *http.Request) { r.Method = http.MethodOptions }
			for _, path := range []string{"/token", "/register"} {
				to := func(r *http.Request) { r.URL.Path = "/oauth" + path }
				for origin, want := range map[string]string{"https://inspector.example": "https://inspector.example", "https://evil.example": "", "null": "", "https://inspector.example.evil.example": ""} {
					for _, g := range []got{d.register("{}", to, from(origin)), d.register("", to, from(origin), preflight)} {
						if got := g.header.Get("Access-Control-Allow-Origin"); got != want || g.header.Get("Access-Control-Allow-Credentials") != "" || g.header.Get("Vary") != "Origin" {
							d.t.Errorf("%s from %s: %d %v", path, origin, g.status, g.header)
						}
					}
				}
				if g := d.register("", to, from("https://inspector.example"), preflight); g.status != 204 || g.header.Get("Access-Control-Allow-Methods") != "POST" {
					d.t.Errorf("%s: %d %v", path, g.status, g.header)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) { attack(newDesk(t)) })
	}
}
