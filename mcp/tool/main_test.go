package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/jobs"
	"biketrip/jobs/plan"
	"biketrip/jobs/plan/fetch"
	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store"
	"biketrip/store/trip"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// An office is all tools on a file of its own in the made-up world, and a person
// who calls them.
type office struct {
	t      testing.TB
	file   *store.Store
	tools  map[string]mcp.Tool
	runner *jobs.Runner
	anna   mcp.Caller

	mu  sync.Mutex
	now time.Time // where a test sets it
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{t: t, tools: map[string]mcp.Tool{}}
	file, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "trips.db"), Now: o.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	o.file = file
	queue := jobs.NewQueue()
	planner := plan.New(plan.Options{
		Store: file, Queue: queue,
		Client: fetch.New(fetch.Options{Transport: world.New().Transport(), Store: file}),
	})
	o.runner = jobs.NewRunner(jobs.Options{Store: file, Queue: queue, Handlers: planner.Handlers(), Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	for _, tool := range Tools(Options{Planner: planner, Now: o.clock}) {
		o.tools[tool.Name] = tool
	}
	o.anna = o.person("anna@example.org")
	return o
}

func (o *office) clock() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now.IsZero() {
		return time.Now()
	}
	return o.now
}

// at sets the time.
func (o *office) at(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = now
}

func (o *office) person(email string) mcp.Caller {
	o.t.Helper()
	var u store.User
	o.update(func(tx *store.Tx) (err error) {
		u, err = tx.CreateUser(email, "en")
		return err
	})
	return mcp.Caller{UserID: u.ID, ClientID: "test", Email: u.Email, Scopes: trip.Scopes()}
}

func (o *office) update(fn func(*store.Tx) error) {
	o.t.Helper()
	if err := o.file.Update(o.t.Context(), fn); err != nil {
		o.t.Fatal(err)
	}
}

// work begins the work in the background.
func (o *office) work() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- o.runner.Run(ctx) }()
	o.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			o.t.Error(err)
		}
	})
}

// An object is a JSON object.
type object = map[string]any

// call calls a tool, and holds its answer against its schema.
func (o *office) call(c mcp.Caller, name string, arguments any) (object, error) {
	o.t.Helper()
	sent, err := json.Marshal(arguments)
	if err != nil {
		o.t.Fatal(err)
	}
	answer, err := o.tools[name].Call(o.t.Context(), &mcp.Call{Caller: c, Arguments: sent})
	if err != nil {
		return nil, err
	}
	checkAnswer(o.t, o.tools[name], answer)
	return decode[object](o.t, answer), nil
}

// answer is the answer of a call of anna's that must come.
func (o *office) answer(name string, arguments any) object {
	o.t.Helper()
	answer, err := o.call(o.anna, name, arguments)
	if err != nil {
		o.t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return answer
}

// create creates a trip and waits for its days.
func (o *office) create(arguments object) object {
	o.t.Helper()
	id := o.answer("create_trip", arguments)["id"]
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		r := o.answer("get_trip", object{"id": id})
		if r["partial"] == false {
			return r
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("the trip stays %v", r)
		}
	}
}

// checkAnswer holds an answer against the published schema of its tool, and
// against a copy that allows no member that is not published.
func checkAnswer(t testing.TB, tool mcp.Tool, answer []byte) {
	t.Helper()
	for name, schema := range map[string]*jsonschema.Schema{
		"published": compile(t, decode[any](t, tool.Output)), "closed": compile(t, closed(decode[any](t, tool.Output))),
	} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s does not fit its %s schema: %v\n%s", tool.Name, name, err, answer)
		}
	}
}

// closed is a schema whose objects have no member that is not published.
func closed(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		for k, v := range s {
			s[k] = closed(v)
		}
		if s["type"] != nil && s["properties"] != nil {
			s["additionalProperties"] = false
		}
	case []any:
		for i := range s {
			s[i] = closed(s[i])
		}
	}
	return schema
}

func compile(t testing.TB, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///schema")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func decode[T any](t testing.TB, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func readJSON[T any](t testing.TB, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return decode[T](t, text)
}

// refusal is what a call was refused with.
func refusal(t testing.TB, err error) *mcp.Problem {
	t.Helper()
	var p *mcp.Problem
	if !errors.As(err, &p) {
		t.Fatalf("no refusal: %v", err)
	}
	return p
}

func mustRefuse(t testing.TB, err error, message string) {
	t.Helper()
	if p := refusal(t, err); !strings.HasPrefix(p.Message, message) {
		t.Errorf("refused with %q, want %q", p.Message, message)
	}
}
