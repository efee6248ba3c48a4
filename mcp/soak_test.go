package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store/limit"
)

var soak = flag.Duration("soak", 0, "how long TestSoak lasts (1s, with -short 300ms)")

const (
	// soakers are how many call at once.
	soakers = 64
	// soakIDs are how many ids they all use.
	soakIDs = 8
	// soakPatience is how long one of them waits for what must come.
	soakPatience = 30 * time.Second
)

// A crowd are callers who all use the same ids, on one endpoint.
type crowd struct {
	t       *testing.T
	server  *httptest.Server
	held    sync.Map     // n of a call → channel that lets it go
	running atomic.Int64 // calls in the tool

	mu       sync.Mutex
	recorded map[string]int // by tool, outcome and code
	expected map[string]int
	done     map[string]int // by what was done
}

// TestSoak: 64 callers of two users with the same ids, who listen to progress,
// cancel each other's calls and give up their own. No answer goes to another
// one, no notification is lost, each call is recorded as what came of it, and
// nothing is left behind.
func TestSoak(t *testing.T) {
	lasts := *soak
	switch {
	case lasts == 0 && testing.Short():
		lasts = 300 * time.Millisecond
	case lasts == 0:
		lasts = time.Second
	}
	before := runtime.NumGoroutine()
	c := &crowd{t: t, recorded: map[string]int{}, expected: map[string]int{}, done: map[string]int{}}
	b := newBench(t, func(o *Options) {
		o.Calls, o.Writes = limit.New(1e9, time.Minute, nil), limit.New(1e9, time.Minute, nil)
		o.Tools = append(o.Tools, tool("report", "trips:read", c.report))
		o.Record = func(r Record) {
			c.count(c.recorded, strings.TrimSpace(fmt.Sprint(r.Tool, " ", r.Outcome, " ", r.Code)))
		}
	})
	b.handler = Envelope(limit.New(1e9, time.Minute, nil), func(*http.Request) string { return "a" })(b.handler)
	c.server = b.serve(t)
	c.server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = soakers
	until := time.Now().Add(lasts)
	var all sync.WaitGroup
	for i := range soakers {
		all.Go(func() {
			s := &soaker{crowd: c, user: []string{"ann", "ben"}[i%2], other: []string{"ben", "ann"}[i%2], r: rand.New(rand.NewPCG(1, uint64(i)))}
			for turn := 0; time.Now().Before(until) && !t.Failed(); turn++ {
				s.n = turn*soakers + i
				s.act()
			}
		})
	}
	all.Wait()
	c.server.Close() // waits for what was given up
	if n := c.running.Load(); n != 0 {
		t.Errorf("%d calls are still in the tool", n)
	}
	if diff := cmp.Diff(c.expected, c.recorded); diff != "" {
		t.Errorf("what is recorded is not what was done (-done +recorded):\n%s", diff)
	}
	if log := b.log.String(); log != "" {
		t.Errorf("log: %.500s", log)
	}
	for deadline := time.Now().Add(soakPatience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
	t.Logf("in %v: %v", lasts, c.done)
}

func (c *crowd) count(of map[string]int, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of[what]++
}

// report tells so many steps and answers who has asked for them, where it is to
// be held once it is let go.
func (c *crowd) report(ctx context.Context, call *Call) (json.RawMessage, error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	var a struct{ N, Steps int }
	if err := json.Unmarshal(call.Arguments, &a); err != nil {
		return nil, err
	}
	for i := range a.Steps {
		call.Progress.Step(fmt.Sprintf("%s %d %d", call.Caller.UserID, a.N, i+1))
		runtime.Gosched() // so that some are written while others are told
	}
	if release, ok := c.held.Load(a.N); ok {
		select {
		case <-release.(chan struct{}):
		case <-ctx.Done():
		}
	}
	// Whatever ended the context has ended the call, even of one that was let go
	// in the meantime.
	return json.RawMessage(fmt.Sprintf(`{"user":%q,"n":%d}`, call.Caller.UserID, a.N)), ctx.Err()
}

// A soaker is one of the crowd.
type soaker struct {
	*crowd
	user, other string
	r           *rand.Rand
	n           int // of what is done now, no other one's
}

// act does one of the things that callers do.
func (s *soaker) act() {
	acts := []struct {
		name string
		do   func(context.Context) error
	}{
		{"listen", s.listen}, {"listen", s.listen}, {"ask", s.ask}, {"ask", s.ask}, {"cancel", s.cancel},
		{"hold", s.hold}, {"give up", s.giveUp}, {"batch", s.batch}, {"in vain", s.inVain},
	}
	act := acts[s.r.IntN(len(acts))]
	ctx, over := context.WithTimeout(context.Background(), soakPatience)
	defer over()
	s.count(s.done, act.name)
	if err := act.do(ctx); err != nil {
		s.t.Errorf("%s, %s %d: %v", act.name, s.user, s.n, err)
	}
}

// id is one of those that all use.
func (s *soaker) id() string { return fmt.Sprint(s.r.IntN(soakIDs)) }

// call is a call in one of the eras.
func (s *soaker) call(token, id, name, arguments string) post {
	if s.r.IntN(2) == 0 {
		return modernCall(token, id, name, arguments)
	}
	return legacyCall(token, id, name, arguments)
}

// report is a call of the tool report.
func (s *soaker) report(id string, steps int) post {
	return s.call(s.user+"-both", id, "report", fmt.Sprintf(`{"n":%d,"steps":%d}`, s.n, steps))
}

// ending is how the answer to report ends, whatever the era.
func (s *soaker) ending() string {
	return fmt.Sprintf(`"structuredContent":{"user":"%s","n":%d}}}`, s.user, s.n)
}

// told are the events of so many steps, under a token.
func (s *soaker) told(token string, steps int) string {
	var b strings.Builder
	for i := range steps {
		fmt.Fprintf(&b, "event: message\ndata: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":"%s %d %d"}}`+"\n\n", token, i+1, s.user, s.n, i+1)
	}
	return b.String()
}

// checkEvents wants all steps in their order, then the answer, and nothing else.
func (s *soaker) checkEvents(body, id string, steps int) error {
	told := s.told(id, steps)
	answer, ok := strings.CutPrefix(body, told+fmt.Sprintf("event: message\ndata: "+`{"jsonrpc":"2.0","id":%s,"result":{`, id))
	if !ok || !strings.HasSuffix(answer, s.ending()+"\n\n") || strings.Count(answer, "data: ") != 0 {
		return fmt.Errorf("told %q, want %d steps and the answer", body, steps)
	}
	return nil
}

// listen calls under a token that others use as well, and wants all that is told.
func (s *soaker) listen(ctx context.Context) error {
	id, steps := s.id(), s.r.IntN(20)
	s.count(s.expected, "report answered")
	_, body, err := withToken(s.report(id, steps), id).try(ctx, s.server)
	if err != nil {
		return err
	}
	return s.checkEvents(body, id, steps)
}

// ask calls and wants its own answer, and nothing of its progress.
func (s *soaker) ask(ctx context.Context) error {
	id := s.id()
	s.count(s.expected, "report answered")
	_, body, err := s.report(id, s.r.IntN(3)).try(ctx, s.server)
	if err != nil || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`+id+`,"result":{`) || !strings.HasSuffix(body, s.ending()) {
		return fmt.Errorf("%v %s", err, body)
	}
	return nil
}

// cancel cancels whatever runs under an id that all use.
func (s *soaker) cancel(ctx context.Context) error { return s.cancelAs(ctx, s.user, s.id()) }

func (s *soaker) cancelAs(ctx context.Context, user, id string) error {
	p := post{token: user + "-both", body: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`}
	if s.r.IntN(2) == 0 {
		p.header = map[string]string{headerVersion: string(firstModern), headerMethod: "notifications/cancelled"}
	}
	if status, body, err := p.try(ctx, s.server); err != nil || status != http.StatusAccepted || body != "" {
		return fmt.Errorf("%v %d %s", err, status, body)
	}
	return nil
}

// begin begins a call that is held until the channel is closed, and reads the one
// step that it tells.
func (s *soaker) begin(ctx context.Context, id string) (*http.Response, *bufio.Reader, chan struct{}, error) {
	release := make(chan struct{})
	s.held.Store(s.n, release)
	res, err := s.server.Client().Do(withToken(s.report(id, 1), id).request(ctx, s.server.URL))
	if err != nil {
		return nil, nil, nil, err
	}
	events, step := bufio.NewReader(res.Body), make([]byte, len(s.told(id, 1)))
	if _, err := io.ReadFull(events, step); err != nil || string(step) != s.told(id, 1) {
		res.Body.Close()
		return nil, nil, nil, fmt.Errorf("%v %q", err, step)
	}
	return res, events, release, nil
}

// hold is a call that both users cancel by its id while it is under way. It is
// answered all the same.
func (s *soaker) hold(ctx context.Context) error {
	id := s.id()
	s.count(s.expected, "report answered")
	res, events, release, err := s.begin(ctx, id)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	defer s.held.Delete(s.n)
	for _, user := range []string{s.other, s.user} {
		if err := s.cancelAs(ctx, user, id); err != nil {
			return err
		}
	}
	close(release)
	rest, err := io.ReadAll(events)
	if err != nil {
		return err
	}
	return s.checkEvents(s.told(id, 1)+string(rest), id, 1)
}

// giveUp leaves while its call is under way, which ends by that alone.
func (s *soaker) giveUp(ctx context.Context) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	s.count(s.expected, "report abandoned")
	res, _, _, err := s.begin(ctx, s.id())
	if err == nil {
		leave()
		res.Body.Close()
	}
	return err
}

// batch asks for several things at once, under one id, in an earlier era.
func (s *soaker) batch(ctx context.Context) error {
	id := s.id()
	one := legacyCall("", id, "report", fmt.Sprintf(`{"n":%d}`, s.n)).body
	refused := legacyCall("", id, "refuse", "{}").body
	p := post{token: s.user + "-both", body: `[` + one + `,{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}},` + refused + `,` + one + `]`}
	s.count(s.expected, "report answered")
	s.count(s.expected, "report answered")
	s.count(s.expected, "refuse refused stale_version")
	text := fmt.Sprintf(`{"user":%q,"n":%d}`, s.user, s.n)
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}],"structuredContent":%s}}`, id, text, text)
	_, body, err := p.try(ctx, s.server)
	if err != nil || !strings.HasPrefix(body, `[`+answer+`,{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32603,`) || !strings.HasSuffix(body, `},`+answer+`]`) {
		return fmt.Errorf("%v %s", err, body)
	}
	return nil
}

// inVain calls what is refused, or nobody knows who calls.
func (s *soaker) inVain(ctx context.Context) error {
	id := s.id()
	vain := []struct{ token, tool, recorded, told string }{
		{s.user + "-both", "refuse", "refuse refused stale_version", `"code":"stale_version"`},
		{s.user + "-read", "create_trip", "create_trip refused insufficient_scope", `insufficient_scope`},
		{s.user + "-both", "nothing", "refused unknown_tool", `"code":"unknown_tool"`},
		{s.user + "-nothing", "report", "unauthenticated invalid_token", `"error":"invalid_token"`},
	}[s.r.IntN(4)]
	p := s.call(vain.token, id, vain.tool, "{}")
	if name := p.header[headerName]; vain.tool == "report" && name != "" {
		vain.recorded = name + " " + vain.recorded // the header tells it
	}
	s.count(s.expected, vain.recorded)
	_, body, err := p.try(ctx, s.server)
	if inHTTP := strings.HasPrefix(body, `{"error":`); err != nil || !strings.Contains(body, vain.told) || !inHTTP && !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`+id+`,"error":`) {
		return fmt.Errorf("%v %s", err, body)
	}
	return nil
}
