package replica

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// A bucket is an S3 server on loopback that can be made to fail.
type bucket struct {
	url     string // of a replica in it
	address string
	s3      http.Handler

	mu     sync.Mutex
	server *http.Server             // nil while nothing listens
	fault  http.HandlerFunc         // answers instead of S3 while not nil
	when   func(*http.Request) bool // nil for every request
	freed  chan struct{}            // closed at the end of a fault
}

// newBucket is a bucket that nothing listens for yet.
func newBucket(t testing.TB) *bucket {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv(caBundle, "") // what Open takes out of the environment comes back after the test
	backend := s3mem.New()
	if err := backend.CreateBucket("trips"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &bucket{address: l.Addr().String(), s3: gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()}
	b.url = fmt.Sprintf("s3://trips/copy?endpoint=http://%s&region=us-east-1&force-path-style=true", b.address)
	l.Close()
	t.Cleanup(b.stop)
	return b
}

// startBucket is a bucket that answers.
func startBucket(t testing.TB) *bucket {
	b := newBucket(t)
	b.start(t)
	return b
}

// start listens.
func (b *bucket) start(t testing.TB) {
	t.Helper()
	l, err := net.Listen("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: b}
	b.mu.Lock()
	b.server = s
	b.mu.Unlock()
	go s.Serve(l)
}

// stop closes the listener and every connection.
func (b *bucket) stop() {
	b.mend()
	b.mu.Lock()
	s := b.server
	b.server = nil
	b.mu.Unlock()
	if s != nil {
		s.Close()
	}
}

// fail answers every request with 500.
func (b *bucket) fail() {
	b.faultWith(nil, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	})
}

// hang takes the requests that when picks and does not answer them, until mend.
func (b *bucket) hang(when func(*http.Request) bool) {
	freed := make(chan struct{})
	b.faultWith(when, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-freed:
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	})
	b.mu.Lock()
	b.freed = freed
	b.mu.Unlock()
}

func (b *bucket) faultWith(when func(*http.Request) bool, h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault, b.when = h, when
}

// mend ends a fault.
func (b *bucket) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.freed != nil {
		close(b.freed)
	}
	b.fault, b.when, b.freed = nil, nil, nil
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	fault, when := b.fault, b.when
	b.mu.Unlock()
	if fault != nil && (when == nil || when(r)) {
		fault(w, r)
		return
	}
	b.s3.ServeHTTP(w, r)
}
