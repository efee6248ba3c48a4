package oauth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"biketrip/store"
)

// BenchmarkVerify is the cost of the bearer check of every call, in a file with
// 20,000 grants.
func BenchmarkVerify(b *testing.B) {
	o := newOffice(b)
	o.update(func(tx *store.Tx) error {
		for i := range 20_000 {
			g := store.Grant{UserID: o.user.ID, ClientID: fmt.Sprint("https://client.example/", i), ClientName: "x", Scopes: []string{testRead}}
			if err := tx.CreateGrant(&g); err != nil {
				return err
			}
		}
		return nil
	})
	token := o.issue(testRead, testWrite).Token
	b.ReportAllocs()
	for b.Loop() {
		if _, err := o.server.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignature is what the first call with a token costs on top.
func BenchmarkSignature(b *testing.B) {
	o := newOffice(b)
	token := o.issue(testRead, testWrite).Token
	b.ReportAllocs()
	for b.Loop() {
		o.server.verified.forget(HashOf(token))
		if _, err := o.server.read(token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExchange is what 64 callers get of new tokens for their refresh tokens,
// each exchange committed to disk.
func BenchmarkExchange(b *testing.B) {
	c := newCounter(b)
	const callers = 64
	tokens := make(chan string, callers)
	for range callers {
		tokens <- c.post(c.form(c.code(c.grant(testRead, testWrite)))).RefreshToken
	}
	router := chi.NewRouter()
	c.server.Routes(router)
	b.SetParallelism(callers / runtime.GOMAXPROCS(0))
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		token := <-tokens
		for pb.Next() {
			r := httptest.NewRequest(http.MethodPost, "/oauth/token", strings.NewReader(c.renewal(token).Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			router.ServeHTTP(w, r)
			var g struct {
				RefreshToken string `json:"refresh_token"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &g); err != nil || w.Code != http.StatusOK {
				b.Errorf("%d %s", w.Code, w.Body)
				return
			}
			token = g.RefreshToken
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

// BenchmarkMetadata is how often the documents are read by clients that keep their
// connections, each over real HTTP.
func BenchmarkMetadata(b *testing.B) {
	c := newCounter(b)
	address := strings.TrimPrefix(strings.TrimSuffix(c.url, tokenPath), "http://")
	request := []byte("GET " + serverPath + " HTTP/1.1\r\nHost: x\r\n\r\n")
	b.SetParallelism(32 / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for pb.Next() {
			if _, err := conn.Write(request); err != nil {
				b.Error(err)
				return
			}
			res, err := http.ReadResponse(answers, nil)
			if err == nil {
				_, err = io.Copy(io.Discard, res.Body)
			}
			if err != nil || res.StatusCode != http.StatusOK {
				b.Errorf("%v, %v", res, err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
