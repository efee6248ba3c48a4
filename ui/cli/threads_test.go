package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
)

// TestThreads shows of each bug that public threads tell of other servers, or of
// clients that give up at what those answer, that this one does not have it. The
// numbers are those of a list of 31. What comes with authorization:
//   - 13: a client lists http://localhost/callback and asks under a port (anthropics/claude-code#37767)
//   - 14: one redirect URI of a client has a scheme of its own (makeplane/plane-mcp-server#159)
//   - 16: a refresh token that was rotated is sent days later (anthropics/claude-code#66210)
//   - 31: a request for authorization has no state (cursor/cursor#3576)
func TestThreads(t *testing.T) {
	dir := t.TempDir()
	v := &visitor{stay: startDemo(t), served: startServer(t, dir, nil, "--mcp-refusals", "result", "--mcp-origins", "https://web.example")}
	v.token = v.served.token(t, dir)
	for _, row := range []struct {
		name    string
		threads string
		check   func(v *visitor)
	}{
		{"01 a GET that is not answered 405 is fatal", "modelcontextprotocol/typescript-sdk#1635 QwenLM/qwen-code#8784 cap-js/mcp#36", (*visitor).otherMethods},
		{"02 a GET answered 400 is tried again without end", "punkpeye/mcp-proxy#62", (*visitor).resume},
		{"03 a GET opens a stream on which nothing comes", "modelcontextprotocol/python-sdk#3492", (*visitor).noStream},
		{"04 a client does not begin anew after its session is lost", "microsoft/vscode#253854 #296545 github/copilot-cli#1360 anthropics/claude-ai-mcp#99", (*visitor).restart},
		{"05 a session id is refused where there are no sessions", "mark3labs/mcp-go#370", (*visitor).strangeSession},
		{"06 progress is lost where the result follows at once", "mark3labs/mcp-go#670 stacklok/toolhive#6349", (*visitor).answerLast},
		{"07 callers with equal ids meet", "modelcontextprotocol/python-sdk#3137", (*visitor).equalIDs},
		{"08 a relative resource_metadata is ignored", "anthropics/claude-ai-mcp#136", (*visitor).absoluteMetadata},
		{"09 a 401 without resource_metadata is a failure to connect", "anthropics/claude-code#61376", (*visitor).alwaysMetadata},
		{"10 the metadata is looked for without reading the header", "anthropics/claude-code#71610 latitude-dev/latitude-llm#3122", (*visitor).bothMetadata},
		{"11 scopes are taken from another document", "anthropics/claude-code#7744 google-gemini/gemini-cli#21210 #10937", (*visitor).scopesEverywhere},
		{"12 only the scopes of the challenge are asked for", "discourse/discourse#43565", (*visitor).challengeScopes},
		{"15 the resource gets a slash or loses its path", "anthropics/claude-code#52871 vercel/ai#13988 sigbit/mcp-auth-proxy#123", (*visitor).resource},
		{"17 numbers and lists are sent as texts", "github/github-mcp-server#2044 PostHog/posthog#48923 PrefectHQ/fastmcp#4784", (*visitor).texts},
		{"18 one schema with a choice at its root breaks every tool", "github/github-mcp-server#3126 anthropics/claude-code#5973 makenotion/notion-mcp-server#341", (*visitor).flatSchemas},
		{"19 an output schema without a type breaks every tool", "opentokenz/mcpx#28", (*visitor).typedOutputs},
		{"20 the structure of an error is held against the schema of answers", "modelcontextprotocol/typescript-sdk#654 cyanheads/mcp-ts-core#241", (*visitor).noStructure},
		{"21 the text is dropped where there is a structure", "anthropics/claude-code#55677 #79944 #9962", (*visitor).textAndStructure},
		{"22 the structure is dropped where there is an error", "anthropics/claude-code#86032", (*visitor).allInText},
		{"23 the data of an error is dropped", "anthropics/claude-code#85833", (*visitor).hintInMessage},
		{"24 an error ends the run of an agent", "openai/openai-agents-python#879 langchain-ai/deepagents#6239", (*visitor).refusalsAsResults},
		{"25 an error is shown as a closed connection", "anthropics/claude-code#50025", (*visitor).prefixed},
		{"26 an error without the id of its request breaks the look for an era", "adcontextprotocol/adcp-client#2408 ai-ecoverse/slicc#3001", (*visitor).idsInErrors},
		{"27 the look for an era meets a 401", "adcontextprotocol/adcp-client#2434", (*visitor).discoverUnauthorized},
		{"28 a proxy on the same machine is refused by its host", "bytebase/bytebase#20585 smart-mcp-proxy/mcpproxy-go#898 PrefectHQ/fastmcp#4468", (*visitor).proxied},
		{"29 a browser may not read the challenge", "ai-ecoverse/slicc#1824", (*visitor).exposed},
		{"30 a notification without _meta is refused", "modelcontextprotocol/go-sdk", (*visitor).bareNotification},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.check(&visitor{t: t, stay: v.stay, served: v.served, token: v.token})
		})
	}
}

// A visitor sends what such clients send.
type visitor struct {
	t      *testing.T
	stay   *stay
	served *server // with refusals as results, for the pages of https://web.example too, and limits
	token  string  // of both scopes there
}

// send sends a request with the token of both scopes and gives what it gets.
func (v *visitor) send(method, body string, header ...string) (*http.Response, string) {
	v.t.Helper()
	return v.sendTo(v.stay.URL, method, body, append([]string{"Authorization", "Bearer " + v.stay.both()}, header...)...)
}

// sendTo sends a request with no other headers than those given, name and value
// by turns; a Host among them is what the request is asked of.
func (v *visitor) sendTo(url, method, body string, header ...string) (*http.Response, string) {
	v.t.Helper()
	res, body, err := v.try(url, method, body, header...)
	if err != nil {
		v.t.Fatal(err)
	}
	return res, body
}

func (v *visitor) try(url, method, body string, header ...string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(v.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Host = r.Header.Get("Host")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

// call calls a tool in an earlier era.
func (v *visitor) call(token, tool, arguments string) string {
	v.t.Helper()
	_, body := v.sendTo(v.stay.URL, "POST", callOf(tool, arguments), "Authorization", "Bearer "+token)
	return body
}

func callOf(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

// callServed calls a tool of the server that tells refusals as results.
func (v *visitor) callServed(tool, arguments string) string {
	v.t.Helper()
	_, body := v.sendTo(v.served.address+"/mcp", "POST", callOf(tool, arguments), "Authorization", "Bearer "+v.token)
	return body
}

// origin is the server without the path of the endpoint.
func (v *visitor) origin() string { return strings.TrimSuffix(v.stay.URL, "/mcp") }

func (v *visitor) wants(what string, ok bool, got ...any) {
	v.t.Helper()
	if !ok {
		v.t.Errorf("%s: %v", what, got)
	}
}

func (v *visitor) otherMethods() {
	for _, method := range []string{"GET", "DELETE", "HEAD", "PUT"} {
		for _, era := range eras {
			res, _ := v.send(method, "", "MCP-Protocol-Version", era, "Accept", "text/event-stream")
			v.wants(method+" in "+era, res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "POST", res.Status, res.Header)
		}
	}
}

func (v *visitor) resume() {
	res, _ := v.send("GET", "", "Accept", "text/event-stream", "Last-Event-ID", "7", "Mcp-Session-Id", "lost")
	v.wants("a stream that is taken up again", res.StatusCode == http.StatusMethodNotAllowed, res.Status)
}

func (v *visitor) noStream() {
	res, body := v.send("GET", "", "Accept", "text/event-stream")
	v.wants("a stream", res.Header.Get("Content-Type") == "application/json" && json.Valid([]byte(body)), res.Header, body)
}

func (v *visitor) restart() {
	const uri = "http://localhost:8099"
	dir := v.t.TempDir()
	first := startServer(v.t, dir, nil, "--default-uri", uri)
	_, out, errs := biketrip("", "user", "add", "anna@example.org", "--db", dbIn(dir))
	_, id, errs2 := biketrip("", "client", "add", "--name", "My agent", "--json", "--db", dbIn(dir))
	var client struct{ ID string }
	if err := json.Unmarshal([]byte(id), &client); err != nil {
		v.t.Fatal(err, out, errs, errs2)
	}
	_, token, _ := biketrip("", "token", "--user", "anna@example.org", "--client", client.ID, "--db", dbIn(dir), "--default-uri", uri)
	ask := func(s *server, body string) (*http.Response, string) {
		return v.sendTo("http://"+s.logged("serving", "listening")+"/mcp", "POST", body, "Host", "localhost:8099", "Authorization", "Bearer "+strings.TrimSpace(token))
	}
	res, body := ask(first, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	v.wants("a session", res.StatusCode == http.StatusOK && res.Header.Get("Mcp-Session-Id") == "", res.Status, res.Header, body)
	first.stop()
	_, body = ask(startServer(v.t, dir, nil, "--default-uri", uri), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_trips"}}`)
	v.wants("another process goes on", strings.Contains(body, `"totalItems":0`), body)
}

func (v *visitor) strangeSession() {
	res, body := v.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", "of somewhere else")
	v.wants("a list", res.StatusCode == http.StatusOK && strings.Contains(body, "list_trips") && res.Header.Get("Mcp-Session-Id") == "", res.Status, body)
}

// answerLast: a stream ends with the answer, after which nothing comes. That none
// of what is told before is lost is shown beside the endpoint, with tools that
// tell something.
func (v *visitor) answerLast() {
	res, body := v.send("POST", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"create_trip","arguments":{"sourceUrl":"`+world.PlainLink+`"},"_meta":{"progressToken":"p"}}}`, "Accept", "application/json, text/event-stream")
	last := body[strings.LastIndex("\n"+body, "\nevent: message\n"):]
	v.wants("the answer", res.Header.Get("Content-Type") == "text/event-stream" && strings.HasPrefix(last, "event: message\ndata: "+`{"jsonrpc":"2.0","id":"a","result":{`) && strings.HasSuffix(last, "}\n\n"), res.Header, body)
}

// equalIDs: two users ask at once, under one id, and each gets its own trips.
func (v *visitor) equalIDs() {
	f := newForger(v.t, v.stay)
	f.change(func(tx *store.Tx) error {
		ben, err := tx.CreateUser("ben@example.org", "en")
		f.userID = ben.ID
		return err
	})
	tokens := map[string]string{"Trip of Anna": v.stay.both(), "Trip of Ben": f.issue(func(*oauth.Options) {})}
	for title, token := range tokens {
		v.call(token, "create_trip", `{"sourceUrl":"`+world.LoopLink+`","title":"`+title+`"}`)
	}
	var all sync.WaitGroup
	for title, token := range tokens {
		for range 16 {
			all.Go(func() {
				_, body, err := v.try(v.stay.URL, "POST", callOf("list_trips", `{"title":"Trip of"}`), "Authorization", "Bearer "+token)
				v.wants(title, err == nil && strings.Contains(body, title) && strings.Contains(body, `"totalItems":1,`), body, err)
			})
		}
	}
	all.Wait()
}

// challenge is WWW-Authenticate of a request with a token, or none.
func (v *visitor) challenge(header ...string) string {
	v.t.Helper()
	res, body := v.sendTo(v.stay.URL, "POST", "{}", header...)
	v.wants("a 401", res.StatusCode == http.StatusUnauthorized, res.Status, body)
	return res.Header.Get("WWW-Authenticate")
}

func (v *visitor) absoluteMetadata() {
	_, url, _ := strings.Cut(v.challenge(), `resource_metadata="`)
	url, _, _ = strings.Cut(url, `"`)
	res, body := v.sendTo(url, "GET", "")
	v.wants("the document", strings.HasPrefix(url, v.origin()+"/") && res.StatusCode == http.StatusOK && json.Valid([]byte(body)), url, res.Status, body)
}

func (v *visitor) alwaysMetadata() {
	expired := newForger(v.t, v.stay).issue(func(o *oauth.Options) {
		o.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	})
	for _, header := range [][]string{nil, {"Authorization", "Bearer " + expired}, {"Authorization", "Bearer x"}, {"Authorization", "Bearer " + v.stay.both() + "x"}, {"Authorization", "Basic eDp5"}} {
		challenge := v.challenge(header...)
		v.wants("the challenge", strings.HasPrefix(challenge, `Bearer resource_metadata="http`), header, challenge)
	}
}

// document is one of the documents under /.well-known/.
func (v *visitor) document(path string) (o object) {
	v.t.Helper()
	_, body := v.sendTo(v.origin()+"/.well-known/"+path, "GET", "")
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		v.t.Fatalf("%s: %v: %s", path, err, body)
	}
	return o
}

func (v *visitor) bothMetadata() {
	one, other := v.document("oauth-protected-resource/mcp"), v.document("oauth-protected-resource")
	v.wants("the same at both", reflect.DeepEqual(one, other) && one["resource"] == v.stay.URL, one, other)
}

func (v *visitor) scopesEverywhere() {
	want := []any{trip.ScopeRead, trip.ScopeWrite}
	for _, path := range []string{"oauth-protected-resource", "oauth-authorization-server"} {
		v.wants(path, reflect.DeepEqual(v.document(path)["scopes_supported"], want), v.document(path))
	}
}

func (v *visitor) challengeScopes() {
	challenge := v.challenge()
	v.wants("both scopes", strings.HasSuffix(challenge, `, scope="trips:read trips:write"`), challenge)
}

func (v *visitor) resource() {
	for _, path := range []string{"oauth-protected-resource", "oauth-protected-resource/mcp"} {
		v.wants(path, v.document(path)["resource"] == v.origin()+"/mcp", v.document(path))
	}
	for _, other := range []string{v.origin() + "/mcp/", v.origin(), v.origin() + "/"} {
		v.challenge("Authorization", "Bearer "+newForger(v.t, v.stay).signed("at+jwt", func(claims map[string]any) { claims["aud"] = other }))
	}
}

func (v *visitor) texts() {
	for tool, arguments := range map[string]string{
		"list_trips":  `{"page":"1","itemsPerPage":"5"}`,
		"create_trip": `{"sourceUrl":"` + world.LoopLink + `","ebikeMode":"true","maxDistancePerDay":"60","enabledAccommodationTypes":"[\"hotel\"]"}`,
	} {
		body := v.call(v.stay.both(), tool, arguments)
		v.wants(tool, strings.Contains(body, `"structuredContent"`), body)
	}
	message, _ := v.refused(v.stay.both(), "list_trips", `{"page":"two"}`)
	v.wants("what is no number", strings.Contains(message, `"page" must be an integer, got "two".`), message)
}

// schemas walks all schemas of the tools as they are listed.
func (v *visitor) schemas(visit func(tool, path string, schema object)) {
	v.t.Helper()
	_, body := v.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Result struct{ Tools []object }
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Result.Tools) != 13 {
		v.t.Fatalf("%v: %s", err, body)
	}
	for _, tool := range list.Result.Tools {
		for _, root := range []string{"inputSchema", "outputSchema"} {
			var walk func(path string, value any)
			walk = func(path string, value any) {
				switch value := value.(type) {
				case object:
					visit(tool["name"].(string), path, value)
					for name, inner := range value {
						walk(path+"."+name, inner)
					}
				case []any:
					for _, inner := range value {
						walk(path+"[]", inner)
					}
				}
			}
			walk(root, tool[root])
		}
	}
}

func (v *visitor) flatSchemas() {
	v.schemas(func(tool, path string, schema object) {
		for _, word := range []string{"$ref", "$defs", "oneOf", "anyOf", "allOf", "not", "if"} {
			_, there := schema[word]
			v.wants(tool+" "+path+" has no "+word, !there)
		}
	})
}

func (v *visitor) typedOutputs() {
	roots := 0
	v.schemas(func(tool, path string, schema object) {
		if path == "inputSchema" || path == "outputSchema" {
			roots++
			v.wants(tool+" "+path, schema["type"] == "object", schema["type"])
		}
	})
	v.wants("a schema each way", roots == 26, roots)
}

func (v *visitor) textAndStructure() {
	var got struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	body := v.call(v.stay.both(), "create_trip", `{"sourceUrl":"`+world.TourLink+`"}`)
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		v.t.Fatal(err)
	}
	v.wants("the same bytes", got.Result.Content[0].Text == string(got.Result.StructuredContent), body)
	v.wants("the next action", strings.Contains(string(got.Result.StructuredContent), `"nextAction":"Call get_trip`), body)
}

// refused is a call that is refused.
func (v *visitor) refused(token, tool, arguments string) (message string, data map[string]any) {
	v.t.Helper()
	body := v.call(token, tool, arguments)
	var got struct {
		Error struct {
			Message string
			Data    map[string]any
		}
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Error.Message == "" {
		v.t.Fatalf("%v: %s", err, body)
	}
	return got.Error.Message, got.Error.Data
}

func (v *visitor) hintInMessage() {
	for tool, arguments := range map[string]string{"get_trip": `{"id":"x"}`, "list_trips": `{"page":0}`, "create_trip": `{"sourceUrl":"x"}`, "edit_stages": `{}`, "no_tool": `{}`} {
		message, data := v.refused(v.stay.both(), tool, arguments)
		hint, _ := data["hint"].(string)
		v.wants(tool, hint != "" && strings.HasSuffix(message, hint), message, data)
	}
}

func (v *visitor) prefixed() {
	message, _ := v.refused(v.stay.Tokens[trip.ScopeRead], "create_trip", `{"sourceUrl":"x"}`)
	v.wants("a scope that is missing", strings.HasPrefix(message, "insufficient_scope: "), message)
	told := ""
	for range publishedLimits().calls + 1 {
		told = v.callServed("list_trips", "{}")
	}
	v.wants("a limit", strings.Contains(told, `"error":{"code":-32000,"message":"rate_limited: too many calls`), told)
}

// asResult is what is refused by the server that tells it as a result, and by the
// one that does not, whole.
func (v *visitor) asResult(tool, arguments string) (result object, message string) {
	v.t.Helper()
	var got struct{ Result object }
	body := v.callServed(tool, arguments)
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Result == nil {
		v.t.Fatalf("%v: %s", err, body)
	}
	message, _ = v.refused(v.stay.both(), tool, arguments)
	return got.Result, message
}

func (v *visitor) noStructure() {
	result, _ := v.asResult("get_trip", `{"id":"5"}`)
	_, there := result["structuredContent"]
	v.wants("an error", result["isError"] == true && !there, result)
}

func (v *visitor) allInText() {
	result, message := v.asResult("get_trip", `{"id":"5"}`)
	want := []any{object{"type": "text", "text": message}}
	v.wants("the message", reflect.DeepEqual(result["content"], want), result, message)
}

func (v *visitor) refusalsAsResults() {
	for tool, arguments := range map[string]string{"get_trip": `{"id":"5"}`, "get_stage": `{"tripId":"5","stageId":"6"}`, "create_trip": `{"sourceUrl":"https://elsewhere.example/1"}`, "delete_trip": `{"id":"5"}`} {
		result, _ := v.asResult(tool, arguments)
		v.wants(tool, result["isError"] == true, result)
	}
	for tool, arguments := range map[string]string{"no_tool": "{}", "list_trips": `{"page":0}`} {
		body := v.callServed(tool, arguments)
		v.wants(tool+" stays an error", strings.HasPrefix(body, `{"jsonrpc":"2.0","id":1,"error":{`), body)
	}
}

func (v *visitor) idsInErrors() {
	modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover"}
	for _, c := range []struct {
		body   string
		header []string
	}{
		{`{"jsonrpc":"2.0","id":"probe","method":"server/discover"}`, nil},
		{`{"jsonrpc":"2.0","id":"probe","method":"server/discover"}`, []string{"MCP-Protocol-Version", "2027-01-01"}},
		{`{"jsonrpc":"2.0","id":"probe","method":"server/discover"}`, modern},
		{`{"jsonrpc":"2.0","id":"probe","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, modern[:2]},
		{`{"jsonrpc":"1.0","id":"probe","method":"server/discover"}`, nil},
	} {
		_, body := v.send("POST", c.body, c.header...)
		v.wants(c.body, strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"probe","error":`), c.header, body)
	}
}

func (v *visitor) discoverUnauthorized() {
	res, _ := v.sendTo(v.stay.URL, "POST", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover")
	v.wants("the challenge", res.StatusCode == http.StatusUnauthorized && res.Header.Get("WWW-Authenticate") != "", res.Status)
}

func (v *visitor) proxied() {
	dir := v.t.TempDir()
	s := startServer(v.t, dir, nil, "--domain", "trips.example", "--tls", "off")
	at := "http://" + s.logged("serving", "listening") + "/mcp"
	for host, want := range map[string]int{"trips.example": 401, "trips.example:443": 401, "TRIPS.example": 401, "127.0.0.1": 403, "evil.example": 403} {
		res, body := v.sendTo(at, "POST", "{}", "Host", host, "X-Forwarded-Host", "trips.example")
		v.wants(host, res.StatusCode == want, res.Status, body)
	}
	res, body := v.sendTo(at, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Host", "trips.example", "Authorization", "Bearer "+s.token(v.t, dir))
	v.wants("a list", res.StatusCode == http.StatusOK && strings.Contains(body, "list_trips"), res.Status, body)
}

func (v *visitor) exposed() {
	for _, origin := range []string{v.served.address, "https://web.example"} {
		res, _ := v.sendTo(v.served.address+"/mcp", "POST", "{}", "Origin", origin)
		v.wants(origin, res.StatusCode == 401 && res.Header.Get("Access-Control-Expose-Headers") == "WWW-Authenticate" && res.Header.Get("Access-Control-Allow-Origin") == origin, res.Status, res.Header)
	}
}

func (v *visitor) bareNotification() {
	for _, method := range []string{"notifications/cancelled", "notifications/initialized"} {
		res, body := v.send("POST", `{"jsonrpc":"2.0","method":"`+method+`","params":{"requestId":1}}`, "MCP-Protocol-Version", "2026-07-28")
		v.wants(method, res.StatusCode == http.StatusAccepted && body == "", res.Status, body)
	}
}
