package source

import (
	"strings"
	"testing"
)

func TestSignInPages(t *testing.T) {
	page := func(form string) answer {
		return answer{body: "<!DOCTYPE html><html>" + form + "</html>", kind: "text/html"}
	}
	for form, private := range map[string]bool{
		`<input type="password">`:                              true,
		`<input type='password'>`:                              true,
		`<input type=password>`:                                true,
		`<INPUT NAME=p TYPE="PASSWORD">`:                       true,
		"<input\n  name=\"p\"\n  type = \"password\"/>":        true,
		`<form method=post action="/users/sign_in">`:           true,
		`<FORM ACTION='https://account.example/Login?x=1'>`:    true,
		`<form action=/signin>`:                                true,
		`<input type="text" placeholder="password">`:           false,
		`<p>type="password"</p>`:                               false,
		`<form action="/search?back=x">`:                       false,
		`<form action="/blogindex">`:                           false,
		strings.Repeat("x", 1<<20) + `<input type="password">`: false,
	} {
		_, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: page(form)})
		if private {
			wantProblem(t, err, ErrPrivate, "is private")
		} else {
			wantProblem(t, err, ErrUnavailable, "something else")
		}
	}
	_, _, err := fetchFrom(t, rwgpsURL, map[string]answer{rwgpsJSON: {body: `{"help":"<input type=password>"}`, kind: "application/json"}})
	wantProblem(t, err, ErrUnavailable, "something else")

	// A page that holds a route is a route, whatever else is in it.
	r, _, err := fetchFrom(t, stravaURL, map[string]answer{embedAddress: {kind: "text/html", body: signIn + embedOf(`{"name":"Col","coordinates":[[2,1,10.5],[4,3,12]]}`).body}})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, r, high)
}
