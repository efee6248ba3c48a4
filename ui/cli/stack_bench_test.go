package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rounds of the benchmark, in each of which both servers have their turn for so
// long.
const (
	stackRounds = 5
	stackTime   = time.Second
)

// BenchmarkStack compares get_trip of a trip of 14 days through the whole server,
// with token, grant, schema and SQLite, and without limits, to the server of the
// official Go SDK, which answers the same bytes as a constant and asks nobody who
// it is. Its figures are medians of rounds that change off; those of the SDK are
// named sdk, and what is per call counts both sides of the connection.
func BenchmarkStack(b *testing.B) {
	ours := startDemo(b)
	answer, id := fortnight(b, ours)
	sdk := constantServer(answer)
	defer sdk.Close()
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for _, connections := range []int{16, 64} {
			b.Run(fmt.Sprintf("era=%s/connections=%d", era, connections), func(b *testing.B) {
				servers := []*load{
					{request: tripRequest(b, ours.URL, ours.both(), era, id), answer: answer},
					{request: tripRequest(b, sdk.URL+"/mcp", "none", era, id), answer: answer},
				}
				for b.Loop() {
					for range stackRounds {
						for _, s := range servers {
							s.round(b, connections)
						}
					}
				}
				us, them := servers[0], servers[1]
				ratio := func(a, b []float64) []float64 {
					var r []float64
					for i := range a {
						r = append(r, a[i]/b[i])
					}
					return r
				}
				for _, m := range []struct {
					values []float64
					unit   string
				}{
					{us.perSecond, "calls/s"}, {them.perSecond, "sdk-calls/s"}, {ratio(us.perSecond, them.perSecond), "calls/sdk-calls"},
					{us.p99, "p99-ms"}, {them.p99, "sdk-p99-ms"}, {ratio(us.p99, them.p99), "p99/sdk-p99"},
					{us.allocs, "allocs/call"}, {them.allocs, "sdk-allocs/call"}, {us.bytes, "B/call"}, {them.bytes, "sdk-B/call"},
				} {
					b.ReportMetric(median(m.values), m.unit)
				}
			})
		}
	}
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// fortnight makes a trip of 14 days, and gives what get_trip answers, and its id.
func fortnight(b *testing.B, s *stay) (answer []byte, id string) {
	b.Helper()
	a := s.agent(s.both())
	made, err := call[view.TripCreation](b.Context(), a, "create_trip", map[string]any{
		"sourceUrl": world.TourLink, "title": "Two weeks", "startDate": "2099-07-01", "endDate": "2099-07-14",
	})
	if err != nil {
		b.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		body := send(b, tripRequest(b, s.URL, s.both(), "2025-11-25", made.ID))
		var got struct {
			Result struct{ StructuredContent json.RawMessage }
		}
		var whole view.Trip
		if err := json.Unmarshal(body, &got); err != nil {
			b.Fatalf("%v: %.300s", err, body)
		}
		if err := json.Unmarshal(got.Result.StructuredContent, &whole); err != nil {
			b.Fatalf("%v: %.300s", err, body)
		}
		if len(whole.Stages) == 14 {
			return got.Result.StructuredContent, made.ID
		}
		if time.Now().After(deadline) {
			b.Fatalf("the trip stays %.300s", body)
		}
	}
}

// constantServer is the server of the official SDK with one tool, get_trip, that
// always answers the same.
func constantServer(answer []byte) *httptest.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "constant", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "get_trip", InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(answer)}}, StructuredContent: json.RawMessage(answer)}, nil
		})
	return httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}

// tripRequest is a call of get_trip.
func tripRequest(b *testing.B, url, token, era, id string) *http.Request {
	b.Helper()
	meta := ""
	if era >= "2026" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"}}`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_trip","arguments":{"id":"` + id + `"}` + meta + `}}`
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": era, "Mcp-Method": "tools/call", "Mcp-Name": "get_trip",
	} {
		r.Header.Set(name, value)
	}
	return r
}

// send is the body of the answer to a request.
func send(b *testing.B, r *http.Request) []byte {
	b.Helper()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		b.Fatalf("%s %v: %.300s", res.Status, err, body)
	}
	return body
}

// A load is one request, sent over and over, and what came of each round.
type load struct {
	request                       *http.Request
	answer                        []byte
	perSecond, p99, allocs, bytes []float64 // p99 in ms
}

// round sends the request over so many connections at once for a while.
func (l *load) round(b *testing.B, connections int) {
	var sent bytes.Buffer
	body, err := l.request.GetBody()
	if err != nil {
		b.Fatal(err)
	}
	l.request.Body = body
	if err := l.request.Write(&sent); err != nil {
		b.Fatal(err)
	}
	var clients []*loader
	for range connections {
		c, err := dial(l.request.URL.Host, sent.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		defer c.close()
		if got, err := c.body(); err != nil || !bytes.Contains(got, l.answer) {
			b.Fatalf("%v: %.300s", err, got)
		}
		clients = append(clients, c)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	failed := make(chan error, connections)
	began := time.Now()
	for _, c := range clients {
		go func() { failed <- c.repeat(began.Add(stackTime)) }()
	}
	for range clients {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	var each []time.Duration
	for _, c := range clients {
		each = append(each, c.took...)
	}
	slices.Sort(each)
	n := float64(len(each))
	l.perSecond = append(l.perSecond, n/took.Seconds())
	l.p99 = append(l.p99, float64(each[len(each)*99/100].Microseconds())/1000)
	l.allocs = append(l.allocs, float64(after.Mallocs-before.Mallocs)/n)
	l.bytes = append(l.bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
}
