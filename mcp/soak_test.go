package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"biketrip/store/limit"
)

var soak = flag.Duration("soak", time.Second, "how long TestSoak lasts")

// A crowd are callers who all use the same ids, on one endpoint.
type crowd struct {
	t       *testing.T
	server  *httptest.Server
	until   time.Time
	running atomic.Int64    // calls in the tool
	sent    [8]atomic.Int64 // by action
	records sync.Map        // outcome → *atomic.Int64
}

// act is what a caller does of the eight things that it may do.
func (c *crowd) act(action int, user string, n int, r *rand.Rand) {
	c.sent[action].Add(1)
	switch action {
	case 0, 1:
		c.listen(user, n, r)
	case 2, 3:
		c.ask(user, n, r)
	case 4:
		c.cancelOthers(user, r)
	case 5:
		c.giveUp(user, n, r)
	case 6:
		c.askTogether(user, n)
	case 7:
		c.askInVain(user, r)
	}
}

// TestSoak: 64 callers of two users with the same ids, who listen to progress,
// cancel each other's calls and give up their own. No answer goes to another
// one, no notification is lost, and nothing is left behind.
func TestSoak(t *testing.T) {
	if testing.Short() && *soak == time.Second {
		*soak = 300 * time.Millisecond
	}
	c := &crowd{t: t}
	b := newBench(t, func(o *Options) {
		o.Calls, o.Writes = limit.New(1e9, time.Minute, nil), limit.New(1e9, time.Minute, nil)
		o.Tools = append(o.Tools, tool("report", "trips:read", c.report))
		o.Record = func(r Record) {
			n, _ := c.records.LoadOrStore(r.Outcome, new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
		}
	})
	c.server = b.serve(t)
	c.server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	c.until = time.Now().Add(*soak)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for n := 0; time.Now().Before(c.until) && !t.Failed(); n++ {
				user := []string{"ann", "ben"}[i%2]
				c.act(r.IntN(len(c.sent)), user, n*64+i, r)
			}
		})
	}
	all.Wait()
	c.server.Close() // waits for what was given up
	if n := c.running.Load(); n != 0 {
		t.Errorf("%d calls are still in the tool", n)
	}
	sent := func(i ...int) (sum int64) {
		for _, i := range i {
			sum += c.sent[i].Load()
		}
		return sum
	}
	ended := func(o Outcome) int64 {
		n, _ := c.records.LoadOrStore(o, new(atomic.Int64))
		return n.(*atomic.Int64).Load()
	}
	// What was given up may have been answered all the same, or never arrived.
	if got, want := ended(Answered)+ended(Abandoned), sent(0, 1, 2, 3)+2*sent(6); got < want || got > want+sent(5) {
		t.Errorf("%d calls are recorded as answered or abandoned, %d were to be, and %d given up", got, want, sent(5))
	}
	if got, want := ended(Refused), sent(7); got != want {
		t.Errorf("%d calls are recorded as refused, of %d", got, want)
	}
	if ended(Failed) != 0 || ended(Unauthenticated) != 0 || b.log.String() != "" {
		t.Errorf("%d failed: %.500s", ended(Failed), b.log)
	}
	t.Logf("in %v: %d with progress, %d without, %d cancellations, %d given up (%d abandoned), %d batches, %d refused", *soak, sent(0, 1), sent(2, 3), sent(4), sent(5), ended(Abandoned), sent(6), sent(7))
}

// report tells so many steps and answers who has asked for them.
func (c *crowd) report(ctx context.Context, call *Call) (json.RawMessage, error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	var a struct {
		N, Steps int
		Wait     bool
	}
	if err := json.Unmarshal(call.Arguments, &a); err != nil {
		return nil, err
	}
	for i := range a.Steps {
		call.Progress.Step(fmt.Sprintf("%s %d %d", call.Caller.UserID, a.N, i+1))
	}
	if a.Wait {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(fmt.Sprintf(`{"user":%q,"n":%d}`, call.Caller.UserID, a.N)), nil
}

// call is a call of report in one of the eras, its id one of eight that all use.
func (c *crowd) call(user string, n, steps int, wait bool, r *rand.Rand) (p post, id string) {
	id = fmt.Sprint(r.IntN(8))
	call := legacyCall
	if r.IntN(2) == 0 {
		call = modernCall
	}
	return call(user+"-both", id, "report", fmt.Sprintf(`{"n":%d,"steps":%d,"wait":%v}`, n, steps, wait)), id
}

// listen calls with a token that others use as well, and wants all that is told.
func (c *crowd) listen(user string, n int, r *rand.Rand) {
	steps := r.IntN(20)
	p, id := c.call(user, n, steps, false, r)
	_, body, err := withToken(p, id).try(context.Background(), c.server)
	if err != nil {
		c.t.Error(err)
		return
	}
	var want strings.Builder
	for i := range steps {
		fmt.Fprintf(&want, "event: message\ndata: "+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":"%s %d %d"}}`+"\n\n", id, i+1, user, n, i+1)
	}
	told, answer, _ := strings.Cut(body, fmt.Sprintf("event: message\ndata: "+`{"jsonrpc":"2.0","id":%s,"result":{`, id))
	if told != want.String() || !strings.HasSuffix(answer, fmt.Sprintf(`"structuredContent":{"user":"%s","n":%d}}}`+"\n\n", user, n)) {
		c.t.Errorf("%s %d was told %q", user, n, body)
	}
}

// ask calls and wants its own answer.
func (c *crowd) ask(user string, n int, r *rand.Rand) {
	p, id := c.call(user, n, r.IntN(3), false, r)
	_, body, err := p.try(context.Background(), c.server)
	if err != nil || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":`+id+`,`) || !strings.HasSuffix(body, fmt.Sprintf(`"structuredContent":{"user":"%s","n":%d}}}`, user, n)) {
		c.t.Errorf("%s %d: %v %s", user, n, err, body)
	}
}

// cancelOthers cancels whatever runs under an id that all use.
func (c *crowd) cancelOthers(user string, r *rand.Rand) {
	p := post{token: user + "-both", body: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, r.IntN(8))}
	if status, body, err := p.try(context.Background(), c.server); err != nil || status != http.StatusAccepted || body != "" {
		c.t.Errorf("a cancellation: %d %s %v", status, body, err)
	}
}

// giveUp leaves while its call is under way.
func (c *crowd) giveUp(user string, n int, r *rand.Rand) {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	p, id := c.call(user, n, 1, true, r)
	res, err := c.server.Client().Do(withToken(p, id).request(ctx, c.server.URL))
	if err != nil {
		c.t.Error(err)
		return
	}
	defer res.Body.Close()
	line, err := bufio.NewReader(res.Body).ReadString('\n') // it has begun
	if err != nil || line != "event: message\n" {
		c.t.Errorf("%s %d: %q %v", user, n, line, err)
	}
}

// askTogether asks for two things at once, of an earlier era.
func (c *crowd) askTogether(user string, n int) {
	one := legacyCall("", "1", "report", fmt.Sprintf(`{"n":%d}`, n)).body
	p := post{token: user + "-both", body: "[" + one + "," + strings.Replace(one, `"id":1`, `"id":2`, 1) + "]"}
	answer := func(id int) string {
		text := fmt.Sprintf(`{"user":%q,"n":%d}`, user, n)
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}],"structuredContent":%s}}`, id, text, text)
	}
	if _, body, err := p.try(context.Background(), c.server); err != nil || body != "["+answer(1)+","+answer(2)+"]" {
		c.t.Errorf("%s %d: %v %s", user, n, err, body)
	}
}

// askInVain calls what is refused.
func (c *crowd) askInVain(user string, r *rand.Rand) {
	p := legacyCall(user+"-read", "1", []string{"refuse", "create_trip", "nothing"}[r.IntN(3)], "{}")
	if _, body, err := p.try(context.Background(), c.server); err != nil || !bytes.Contains([]byte(body), []byte(`"error":{"code":-32`)) {
		c.t.Errorf("%v %s", err, body)
	}
}
