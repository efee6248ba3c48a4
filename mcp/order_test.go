package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestOrderOfChecks sends a request with everything wrong and mends one thing
// after the other, the one that is checked first: each time the next one is
// told. The order is that of Endpoint.ServeHTTP and Endpoint.answer.
func TestOrderOfChecks(t *testing.T) {
	s := newBench(t).serve(t)
	p := post{
		method: http.MethodGet,
		host:   "evil.example",
		token:  "ann-nothing",
		body:   strings.Repeat("[", maxBodyBytes+1),
		header: map[string]string{"Origin": "null", "Content-Type": "text/plain", headerName: "create_trip", headerVersion: "2024-11-05"},
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`
	for _, check := range []struct {
		want string // what the answer to the request as it stands holds
		mend func()
	}{
		{`403 {"error":"invalid_host"`, func() { p.host = "" }},
		{`403 {"error":"invalid_origin"`, func() { delete(p.header, "Origin") }},
		{`401 {"error":"invalid_token"`, func() { p.token = "ann-read" }},
		{`405 {"error":"method_not_allowed"`, func() { p.method = http.MethodPost }},
		{`415 {"error":"unsupported_media_type"`, func() { delete(p.header, "Content-Type") }},
		{`403 {"error":"insufficient_scope"`, func() { delete(p.header, headerName) }},
		{`413 {"error":"request_too_large"`, func() { p.body = `[{]` }},
		{`400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700`, func() { p.body = `{"jsonrpc":"1.0","id":1,"method":"trips"}` }},
		{`400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022`, func() { p.header[headerVersion] = string(lastLegacy) }},
		{`200 {"jsonrpc":"2.0","id":1,"error":{"code":-32600`, func() {
			p.body = `{"jsonrpc":"2.0","id":1,"method":"trips","params":{"name":"nothing"}}`
		}},
		{`200 {"jsonrpc":"2.0","id":1,"error":{"code":-32601`, func() { p.body = fmt.Sprintf(call, "nothing", "[]") }},
		{`200 {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"insufficient_scope: no tool`, func() { p.body = fmt.Sprintf(call, "create_trip", "[]") }},
		{`200 {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"insufficient_scope: this token`, func() { p.body = fmt.Sprintf(call, "refuse", "[]") }},
		{`200 {"jsonrpc":"2.0","id":1,"error":{"code":-32603`, func() {}},
	} {
		status, body := p.send(t, s)
		if got := fmt.Sprint(status, " ", body); !strings.HasPrefix(got, check.want) {
			t.Errorf("want %s, got %.200s", check.want, got)
		}
		check.mend()
	}
}

// TestOrderInTheModernEra: what is wrong with _meta is told before a header that
// disagrees, and both before the shape and the method.
func TestOrderInTheModernEra(t *testing.T) {
	s := newBench(t).serve(t)
	p := post{token: "ann-read", header: map[string]string{headerVersion: string(firstModern)}}
	p.body = `{"jsonrpc":"1.0","id":1,"method":"trips","params":{}}`
	for _, check := range []struct {
		want string
		mend func()
	}{
		{`400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602`, func() { p.body = strings.Replace(p.body, `{}`, `{`+modernMeta+`}`, 1) }},
		{`400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`, func() { p.header[headerMethod] = "trips" }},
		{`400 {"jsonrpc":"2.0","id":1,"error":{"code":-32600`, func() { p.body = strings.Replace(p.body, "1.0", "2.0", 1) }},
		{`404 {"jsonrpc":"2.0","id":1,"error":{"code":-32601`, func() {
			p.header[headerMethod] = methodList
			p.body = strings.Replace(p.body, "trips", methodList, 1)
		}},
		{`200 {"jsonrpc":"2.0","id":1,"result":{"_meta"`, func() {}},
	} {
		status, body := p.send(t, s)
		if got := fmt.Sprint(status, " ", body); !strings.HasPrefix(got, check.want) {
			t.Errorf("want %s, got %.200s", check.want, got)
		}
		check.mend()
	}
}
