package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A secretary keeps what is another one each time under a name, $code or $code2,
// and puts the one for the other.
type secretary struct{ names, values []string }

// learned are what it looks for in answers, by name.
var learned = []struct {
	name  string
	where *regexp.Regexp
}{
	{"handle", regexp.MustCompile(`/oauth/consent/([\w-]{43})`)},
	{"code", regexp.MustCompile(`[?&]code=([\w-]{43})`)},
	{"access", regexp.MustCompile(`"access_token":"([\w.-]+)"`)},
	{"refresh", regexp.MustCompile(`"refresh_token":"([\w-]+)"`)},
	{"session", regexp.MustCompile(`biketrip=([\w-]{43})`)},
	{"registered", regexp.MustCompile(`"client_id":"([\w-]{36})"`)},
	{"second", regexp.MustCompile(`"client_id_issued_at":(\d+)`)},
	{"grant", regexp.MustCompile(`/account/applications/([\w-]{36})`)},
	{"today", regexp.MustCompile(`datetime="([\d-]{10})"`)},
}

func (s *secretary) know(name, value string) {
	if slices.Contains(s.values, value) {
		return
	}
	full := name
	for n := 2; slices.Contains(s.names, full); n++ {
		full = fmt.Sprint(name, n)
	}
	s.names, s.values = append(s.names, full), append(s.values, value)
}

// hide puts names for what is another one each time.
func (s *secretary) hide(text string) string {
	for _, l := range learned {
		for _, found := range l.where.FindAllStringSubmatch(text, -1) {
			s.know(l.name, found[1])
		}
	}
	for i, value := range s.values {
		text = strings.ReplaceAll(text, value, "$"+s.names[i])
	}
	return text
}

var named = regexp.MustCompile(`\$[a-z]+\d*`)

// fill puts what is meant for names.
func (s *secretary) fill(text string) string {
	return named.ReplaceAllStringFunc(text, func(name string) string {
		if i := slices.Index(s.names, name[1:]); i >= 0 {
			return s.values[i]
		}
		return name
	})
}

var scriptMark = regexp.MustCompile(`(?m)^-- request: .* --\n|^-- answer --\n`)

// TestOAuthWire plays the scripts of the authorization server and of the pages
// around it: each answer is compared whole, with its header.
func TestOAuthWire(t *testing.T) {
	files, err := filepath.Glob("testdata/oauth/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file, playOAuth(t, string(script)))
		})
	}
}

// playOAuth plays a script on a server of its own, and gives what it has become.
func playOAuth(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	s := startServer(t, dir, nil, "--oauth-dynamic-registration", "on", "--mcp-origins", "https://inspector.example")
	v := &consenter{newBrowser(t), s, dbIn(dir)}
	var user struct{ Link string }
	v.read(&user, "user", "add", "anna@example.org", "--json", "--default-uri", s.address)
	var client struct{ ID string }
	v.read(&client, "client", "add", "--name", "Anna's <agent>", "--redirect-uri", "http://127.0.0.1/cb", "--json")
	file := filepath.Join(dir, "document.json")
	document, err := json.Marshal(map[string]any{"client_id": "https://client.example/doc.json", "client_name": "Named by a document", "redirect_uris": []string{"https://client.example/cb"}})
	if err == nil {
		err = os.WriteFile(file, document, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	v.run("client", "pin", "https://client.example/doc.json", file)
	known := &secretary{}
	known.know("base", s.address)
	known.know("link", strings.TrimPrefix(user.Link, s.address))
	known.know("client", client.ID)
	known.know("escaped", strings.NewReplacer(":", "%3A", "/", "%2F").Replace(s.address))

	marks := scriptMark.FindAllStringIndex(script, -1)
	var played strings.Builder
	played.WriteString(script[:marks[0][0]])
	for i, mark := range marks {
		if strings.HasPrefix(script[mark[0]:], "-- answer") {
			continue
		}
		end := len(script)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		request := strings.TrimRight(script[mark[1]:end], "\n")
		fmt.Fprintf(&played, "%s%s\n-- answer --\n%s\n\n", script[mark[0]:mark[1]], request, known.hide(sendScript(t, s.address, known.fill(request))))
	}
	return played.String()
}

// sendScript sends a request as it stands in a script, and gives the whole answer
// but for its date.
func sendScript(t *testing.T, address, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	line, header, _ := strings.Cut(head, "\n")
	text := line + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(address, "http://") + "\r\n"
	if header != "" {
		text += strings.ReplaceAll(header, "\n", "\r\n") + "\r\n"
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	r.URL.Scheme, r.URL.Host, r.RequestURI = "http", strings.TrimPrefix(address, "http://"), ""
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Header.Del("Date")
	res.Header.Del("Content-Length")
	var fields strings.Builder
	if err := res.Header.Write(&fields); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(res.Status+"\n"+strings.ReplaceAll(fields.String(), "\r\n", "\n")+"\n"+string(answer), "\n")
}
