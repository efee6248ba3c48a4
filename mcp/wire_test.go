package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/textproto"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"biketrip/store/limit"
)

// A wire script is what is sent over a connection and what comes back, byte for
// byte but for the date. Each request stands under "-- request: why --", its
// answer under "-- answer --". What nearly every request says is left out of
// them and added here: Host, Content-Type unless it is given (- for none), and
// Content-Length.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			b := newBench(t, scriptOptions(name))
			address := b.serve(t).Listener.Addr().String()
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			preamble, steps := splitScript(string(script))
			var played strings.Builder
			played.WriteString(preamble)
			for _, s := range steps {
				s.answer = exchangeRaw(t, address, s.request)
				fmt.Fprintf(&played, "-- request: %s --\n%s\n-- answer --\n%s\n\n", s.why, s.request, s.answer)
			}
			if *update {
				if err := os.WriteFile(file, []byte(played.String()), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(script), played.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// scriptOptions are what an endpoint is made of for the script of a name.
func scriptOptions(script string) func(*Options) {
	return func(o *Options) {
		switch script {
		case "stream":
			o.Tools = append(o.Tools, stepsTool())
		case "origins":
			o.Origins = []string{"https://agent.example", "http://127.0.0.1:6274"}
		case "results":
			o.RefusalsAsResults = true
			o.Calls = limit.New(6, time.Minute, nil)
		}
	}
}

type step struct{ why, request, answer string }

var sectionMark = regexp.MustCompile(`(?m)^-- (?:request: (.*)|answer) --\n`)

// splitScript is what stands before the first request, and the steps.
func splitScript(script string) (string, []step) {
	marks := sectionMark.FindAllStringSubmatchIndex(script, -1)
	var steps []step
	for i, m := range marks {
		end := len(script)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		content := strings.TrimRight(script[m[1]:end], "\n")
		if m[2] >= 0 {
			steps = append(steps, step{why: script[m[2]:m[3]], request: content})
		}
	}
	return script[:marks[0][0]], steps
}

// exchangeRaw is what a server answers to a request of a script.
func exchangeRaw(t *testing.T, address, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(head, "\n")
	names := map[string]bool{}
	for _, line := range lines[1:] {
		name, _, _ := strings.Cut(line, ":")
		names[textproto.CanonicalMIMEHeaderKey(name)] = true
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "Content-Type: -" })
	if !names["Host"] {
		lines = append(lines, "Host: "+strings.TrimPrefix(testURI, "http://"))
	}
	if !names["Content-Type"] {
		lines = append(lines, "Content-Type: application/json")
	}
	lines[0] += " HTTP/1.1"
	lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)), "Connection: close", "", body)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, strings.Join(lines, "\r\n")); err != nil {
		t.Fatal(err)
	}
	return readRaw(t, conn)
}

// readRaw reads an answer to its end and leaves out what is another one each
// time.
func readRaw(t *testing.T, r io.Reader) string {
	t.Helper()
	raw, err := io.ReadAll(bufio.NewReader(r))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
	lines := slices.DeleteFunc(strings.Split(string(head), "\r\n"), func(line string) bool {
		return strings.HasPrefix(line, "Date: ") || line == "Connection: close" || strings.HasPrefix(line, "Content-Length: ")
	})
	if slices.Contains(lines, "Transfer-Encoding: chunked") { // where it is cut is another place each time
		if body, err = io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body))); err != nil {
			t.Fatal(err)
		}
	}
	answer := strings.Join(lines, "\n")
	if len(body) > 0 {
		answer += "\n\n" + string(body)
	}
	return answer
}
