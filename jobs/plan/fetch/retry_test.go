package fetch

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script answers in turn, the last one for ever, and notes when it was asked.
type script struct {
	start   time.Time
	answers []func() (*http.Response, error)
	asked   []time.Duration
}

func newScript(answers ...func() (*http.Response, error)) *script {
	return &script{start: time.Now(), answers: answers}
}

func (s *script) RoundTrip(*http.Request) (*http.Response, error) {
	n := min(len(s.asked), len(s.answers)-1)
	s.asked = append(s.asked, time.Since(s.start))
	return s.answers[n]()
}

func says(status int, fields ...string) func() (*http.Response, error) {
	return func() (*http.Response, error) { return answer(status, "", fields...), nil }
}

func fails(err error) func() (*http.Response, error) {
	return func() (*http.Response, error) { return nil, err }
}

func breaksOff() (*http.Response, error) {
	res := answer(200, "")
	res.Body = io.NopCloser(errorReader{})
	return res, nil
}

func noGzip() (*http.Response, error) {
	return answer(200, "<html>not gzip</html>", "Content-Encoding", "gzip"), nil
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestRetries(t *testing.T) {
	const s = time.Second
	half := s / 2
	unreachable := errors.New("no route to host")
	for name, c := range map[string]struct {
		answers []func() (*http.Response, error)
		asked   []time.Duration
		kind    Kind // empty for an answer
		after   time.Duration
	}{
		"at once":                      {[]func() (*http.Response, error){says(200)}, []time.Duration{0}, "", 0},
		"second time":                  {[]func() (*http.Response, error){says(502), says(200)}, []time.Duration{0, half}, "", 0},
		"third time":                   {[]func() (*http.Response, error){fails(unreachable), says(504), says(200)}, []time.Duration{0, half, 3 * half}, "", 0},
		"never":                        {[]func() (*http.Response, error){says(500)}, []time.Duration{0, half, 3 * half}, ErrUnavailable, 0},
		"no connection":                {[]func() (*http.Response, error){fails(unreachable)}, []time.Duration{0, half, 3 * half}, ErrUnavailable, 0},
		"broken off":                   {[]func() (*http.Response, error){breaksOff, says(200)}, []time.Duration{0, half}, "", 0},
		"refused by the guard":         {[]func() (*http.Response, error){fails(guard("tcp4", "10.0.0.1:443", nil))}, []time.Duration{0}, ErrRefused, 0},
		"not found meanwhile":          {[]func() (*http.Response, error){says(503), says(404)}, []time.Duration{0, half}, ErrNotFound, 0},
		"429 with nothing said":        {[]func() (*http.Response, error){says(429), says(200)}, []time.Duration{0}, ErrRateLimited, 30 * s},
		"503 with nothing said":        {[]func() (*http.Response, error){says(503)}, []time.Duration{0, half, 3 * half}, ErrUnavailable, 30 * s},
		"hopeless, coding":             {[]func() (*http.Response, error){says(200, "Content-Encoding", "br")}, []time.Duration{0}, ErrUnavailable, 0},
		"hopeless, no gzip":            {[]func() (*http.Response, error){noGzip}, []time.Duration{0}, ErrUnavailable, 0},
		"gzip cut short":               {[]func() (*http.Response, error){says(200, "Content-Encoding", "gzip"), says(200)}, []time.Duration{0, half}, "", 0},
		"429, seconds":                 {[]func() (*http.Response, error){says(429, "Retry-After", "3"), says(200)}, []time.Duration{0, 3 * s}, "", 0},
		"503, seconds":                 {[]func() (*http.Response, error){says(503, "Retry-After", "3"), says(200)}, []time.Duration{0, 3 * s}, "", 0},
		"less than the back-off":       {[]func() (*http.Response, error){says(429, "Retry-After", "0"), says(200)}, []time.Duration{0, half}, "", 0},
		"429, date":                    {[]func() (*http.Response, error){says(429, "Retry-After", "Sat, 01 Jan 2000 00:00:04 GMT"), says(200)}, []time.Duration{0, 4 * s}, "", 0},
		"429, date gone by":            {[]func() (*http.Response, error){says(429, "Retry-After", "Fri, 31 Dec 1999 00:00:00 GMT"), says(200)}, []time.Duration{0, half}, "", 0},
		"429, limit in seconds":        {[]func() (*http.Response, error){says(429, "X-RateLimit-Reset", "2"), says(200)}, []time.Duration{0, 2 * s}, "", 0},
		"retry-after wins":             {[]func() (*http.Response, error){says(429, "Retry-After", "1", "X-RateLimit-Reset", "2"), says(200)}, []time.Duration{0, s}, "", 0},
		"a limit that did not matter":  {[]func() (*http.Response, error){says(500, "X-RateLimit-Reset", "900"), says(200)}, []time.Duration{0, half}, "", 0},
		"nonsense":                     {[]func() (*http.Response, error){says(429, "Retry-After", "soon", "X-RateLimit-Reset", "-5"), says(200)}, []time.Duration{0}, ErrRateLimited, 30 * s},
		"asked for more each time":     {[]func() (*http.Response, error){says(429, "Retry-After", "4"), says(429, "Retry-After", "5"), says(200)}, []time.Duration{0, 4 * s, 9 * s}, "", 0},
		"too long, seconds":            {[]func() (*http.Response, error){says(429, "Retry-After", "10")}, []time.Duration{0}, ErrRateLimited, 10 * s},
		"too long, date":               {[]func() (*http.Response, error){says(429, "Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT")}, []time.Duration{0}, ErrRateLimited, 60 * s},
		"too long, limit":              {[]func() (*http.Response, error){says(429, "X-RateLimit-Reset", "900")}, []time.Duration{0}, ErrRateLimited, 900 * s},
		"too long, 503":                {[]func() (*http.Response, error){says(503, "Retry-After", "60")}, []time.Duration{0}, ErrUnavailable, 60 * s},
		"too long the second time":     {[]func() (*http.Response, error){says(429, "Retry-After", "5"), says(429, "Retry-After", "6")}, []time.Duration{0, 5 * s}, ErrRateLimited, 6 * s},
		"too long for a pause":         {[]func() (*http.Response, error){says(429, "Retry-After", "6")}, []time.Duration{0}, ErrRateLimited, 6 * s},
		"too long to be meant":         {[]func() (*http.Response, error){says(429, "Retry-After", "9223372036854775807")}, []time.Duration{0}, ErrRateLimited, 24 * time.Hour},
		"until a day that never comes": {[]func() (*http.Response, error){says(429, "X-RateLimit-Reset", "32503680000")}, []time.Duration{0}, ErrRateLimited, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := newScript(c.answers...)
				_, err := client(host).Get(t.Context(), "https://example.org/", Policy{Timeout: 10 * s})
				if c.kind != "" {
					if e := wantError(t, err, c.kind); e.RetryAfter != c.after {
						t.Errorf("retry after %v, want %v", e.RetryAfter, c.after)
					}
				} else if err != nil {
					t.Error(err)
				}
				if d := cmp.Diff(c.asked, host.asked); d != "" {
					t.Errorf("asked at other times:\n%s", d)
				}
			})
		})
	}
}

// TestUnixReset has a clock of its own: that of a bubble starts before the
// numbers that can be told from seconds.
func TestUnixReset(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	h := http.Header{"X-Ratelimit-Reset": {"1777636860"}}
	if got := wantedWait(429, h, now); got != time.Minute {
		t.Errorf("got %v", got)
	}
	if got := wantedWait(429, h, now.Add(time.Hour)); got != 0 {
		t.Errorf("an hour later: got %v", got)
	}
	h = http.Header{"X-Ratelimit-Reset": {"1777636860500"}}
	if got := wantedWait(429, h, now); got != time.Minute+500*time.Millisecond {
		t.Errorf("in milliseconds: got %v", got)
	}
}

func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newScript(says(500))
		spread := []float64{0.5, 0.999}
		c := New(Options{Transport: host, Jitter: func() float64 {
			j := spread[0]
			spread = slices.Delete(spread, 0, 1)
			return j
		}})
		_, err := c.Get(t.Context(), "https://example.org/", Policy{})
		wantError(t, err, ErrUnavailable)
		want := []time.Duration{0, 625 * time.Millisecond, 625*time.Millisecond + 1499500*time.Microsecond}
		if d := cmp.Diff(want, host.asked); d != "" {
			t.Error(d)
		}
	})
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newScript(says(429, "Retry-After", "60"), says(200))
		c := client(host)
		get := func(url string) error {
			_, err := c.Get(t.Context(), url, Policy{})
			return err
		}
		if e := wantError(t, get("https://example.org/a"), ErrRateLimited); e.RetryAfter != time.Minute || e.Status != 429 {
			t.Errorf("got %+v", e)
		}
		time.Sleep(20 * time.Second)
		for _, url := range []string{"https://example.org/b", "https://EXAMPLE.org./c"} {
			start := time.Now()
			e := wantError(t, get(url), ErrRateLimited)
			if e.RetryAfter != 40*time.Second || e.Status != 0 || time.Since(start) != 0 {
				t.Errorf("got %+v after %v", e, time.Since(start))
			}
		}
		if len(host.asked) != 1 {
			t.Errorf("asked at %v", host.asked)
		}
		if err := get("https://www.example.org/"); err != nil {
			t.Errorf("another host: %v", err)
		}
		time.Sleep(35 * time.Second)
		start := time.Now()
		if err := get("https://example.org/b"); err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("a rest that fits the time of the request: %v after %v", err, time.Since(start))
		}
	})
}

// TestPaceAfterUnavailable: a host may also ask to be left alone when it is
// down.
func TestPaceAfterUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newScript(says(503, "Retry-After", "3600"), says(200))
		c := client(host)
		for range 3 {
			_, err := c.Get(t.Context(), "https://example.org/a", Policy{})
			var e *Error
			if !errors.As(err, &e) || e.RetryAfter != time.Hour {
				t.Errorf("got %v", err)
			}
		}
		if len(host.asked) != 1 {
			t.Errorf("asked at %v", host.asked)
		}
	})
}

// TestPaceWithNothingSaid: a host that does not say how long is left alone for
// half a minute, after a 503 only once it has been asked again.
func TestPaceWithNothingSaid(t *testing.T) {
	for status, tries := range map[int]int{429: 1, 503: 3} {
		synctest.Test(t, func(t *testing.T) {
			answers := slices.Repeat([]func() (*http.Response, error){says(status)}, tries)
			host := newScript(append(answers, says(200))...)
			c := client(host)
			if _, err := c.Get(t.Context(), "https://example.org/", Policy{}); err == nil {
				t.Error("no error")
			}
			time.Sleep(10 * time.Second)
			_, err := c.Get(t.Context(), "https://example.org/other", Policy{})
			if e := wantError(t, err, ErrRateLimited); e.RetryAfter != 20*time.Second || len(host.asked) != tries {
				t.Errorf("%d: %+v, asked at %v", status, e, host.asked)
			}
			time.Sleep(20 * time.Second)
			if _, err := c.Get(t.Context(), "https://example.org/other", Policy{}); err != nil {
				t.Errorf("%d: %v", status, err)
			}
		})
	}
}

// TestPaceOnRedirect: a host that wants to be left alone is not reached through
// another one either.
func TestPaceOnRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[string]int{}
		c := client(world(func(r *http.Request) (*http.Response, error) {
			asked[r.URL.Host]++
			if r.URL.Host == "a.example" {
				return answer(302, "", "Location", "https://b.example/"), nil
			}
			return answer(429, "", "Retry-After", "60"), nil
		}))
		for range 2 {
			_, err := c.Get(t.Context(), "https://a.example/", Policy{Hosts: []string{"b.example"}})
			if e := wantError(t, err, ErrRateLimited); e.Host != "b.example" || e.RetryAfter != time.Minute {
				t.Errorf("got %+v", e)
			}
		}
		if d := cmp.Diff(map[string]int{"a.example": 2, "b.example": 1}, asked); d != "" {
			t.Error(d)
		}
	})
}

func TestPaceForgets(t *testing.T) {
	p := pace{until: map[string]time.Time{}}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	p.hold("a.example", now, time.Minute)
	p.hold("a.example", now, time.Second)
	if rest := p.rest("a.example", now); rest != time.Minute {
		t.Errorf("a shorter wait replaced a longer one: %v", rest)
	}
	p.hold("b.example", now.Add(time.Minute), 0)
	if len(p.until) != 0 {
		t.Errorf("kept %v", p.until)
	}
}

func TestPassing(t *testing.T) {
	for name, c := range map[string]struct {
		answer func() (*http.Response, error)
		want   bool
	}{
		"429": {says(429), true}, "500": {says(500), true}, "501": {says(501), true}, "503": {says(503, "Retry-After", "99"), true},
		"no connection": {fails(io.EOF), true}, "broken off": {breaksOff, true},
		"404": {says(404), false}, "403": {says(403), false}, "418": {says(418), false}, "coding": {says(200, "Content-Encoding", "br"), false},
		"no gzip": {noGzip, false}, "redirect": {says(302, "Location", "https://example.net/"), false},
		"too large": {func() (*http.Response, error) { return answer(200, strings.Repeat("x", defaultMaxBytes+1)), nil }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := client(newScript(c.answer)).Get(t.Context(), "https://example.org/", Policy{})
			var e *Error
			if !errors.As(err, &e) || e.Passing() != c.want {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
