package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"biketrip/jobs/plan/world"
	"biketrip/mcp"
	"biketrip/store/limit"
	"biketrip/store/trip"
)

// A recoverer is an agent that has made a mistake. Of the server it knows the
// schemas, and the words of the refusal; with data, those as well.
type recoverer struct {
	t        *testing.T
	o        *office
	endpoint http.Handler
	withData bool
	link     string // of a route, that its user can give
	wishes   object // what the user wants for what no message can know
}

// A mistake that an agent makes, and what is known only to its user.
type slip struct {
	id, tool string
	args     any
	code     string // of the refusal; empty: it is understood
	wishes   object // values by argument, as the user would give them
	after    string // tool of the second call, where it is another one
}

// told is what a call was refused with.
type told struct {
	code    string // which the agent is not always shown
	Code    int
	Message string
	Data    struct {
		Code, Hint                 string
		CurrentVersion, RetryAfter int
	}
}

// call calls a tool over the wire.
func (r recoverer) call(tool string, args any) (object, *told) {
	r.t.Helper()
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": tool, "arguments": args}})
	if err != nil {
		r.t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "http://localhost:8080/mcp", bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer anna")
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	r.endpoint.ServeHTTP(w, request)
	answer := decode[struct {
		Result *struct{ StructuredContent object }
		Error  *told
	}](r.t, w.Body.Bytes())
	if answer.Error != nil {
		answer.Error.code = answer.Error.Data.Code
		if !r.withData {
			answer.Error.Data.Code, answer.Error.Data.Hint, answer.Error.Data.CurrentVersion, answer.Error.Data.RetryAfter = "", "", 0, 0
		}
		return nil, answer.Error
	}
	return answer.Result.StructuredContent, nil
}

// A repair is what a sentence of a refusal asks for. It gives the tool and the
// arguments of the second call.
type repair struct {
	sentence *regexp.Regexp
	apply    func(r recoverer, m []string, tool string, args object) (string, object)
}

// repairs are all sentences that ask for something. Every one that stands in a
// message is followed, in this order.
func repairs() []repair {
	same := func(change func(r recoverer, m []string, args object)) func(recoverer, []string, string, object) (string, object) {
		return func(r recoverer, m []string, tool string, args object) (string, object) {
			change(r, m, args)
			return tool, args
		}
	}
	re := regexp.MustCompile
	return []repair{
		{re(`no tool named "[^"]*" is available\. Did you mean "(\w+)"\?`), func(_ recoverer, m []string, _ string, args object) (string, object) { return m[1], args }},
		{re(`it was found inside "(\w+)"`), func(_ recoverer, m []string, tool string, args object) (string, object) {
			if inner, ok := args[m[1]].(object); ok { // it is said of each argument
				return tool, inner
			}
			return tool, args
		}},
		{re(`Call \w+ again without it, with the arguments you want`), same(func(r recoverer, _ []string, args object) {
			delete(args, "confirmationToken")
			maps.Copy(args, r.wishes)
		})},
		{re(`"([\w]+)" for "([^"]+)"`), same(func(_ recoverer, m []string, args object) {
			args[m[1]] = args[m[2]]
			delete(args, m[2])
		})},
		{re(`^Unknown argument\(s\): (.*?)\. This tool accepts`), same(func(_ recoverer, m []string, args object) {
			for _, name := range re(`"([^"]*)"`).FindAllStringSubmatch(m[1], -1) {
				delete(args, name[1]) // what was meant is renamed by now
			}
		})},
		{re(`call (create_trip) with the new sourceUrl`), func(r recoverer, m []string, _ string, _ object) (string, object) {
			return m[1], object{"sourceUrl": r.link}
		}},
		{re(`^Unknown "action": .* Did you mean "(\w+)"\?`), same(func(_ recoverer, m []string, args object) { args["action"] = m[1] })},
		{re(`^Unknown "action": .* It must be one of [\w, ]+\.$`), same(func(r recoverer, _ []string, args object) { args["action"] = r.wishes["action"] })},
		{re(`"([\w.]+)" is required \(you sent "([^"]+)"\)`), same(func(_ recoverer, m []string, args object) {
			in, name := within(args, m[1])
			in[name] = in[m[2]]
			delete(in, m[2])
		})},
		{re(`"([\w.]+)" has no "([^"]+)", only [\w, ]+(?: \(did you mean "(\w+)"\?\))?`), same(func(_ recoverer, m []string, args object) {
			in, _ := within(args, m[1]+".x")
			if m[3] != "" {
				in[m[3]] = in[m[2]]
			}
			delete(in, m[2])
		})},
		{re(`"(\w+)\[(\d+)\]" must be one of [\w, ]+, got "[^"]*"(?: \(did you mean "(\w+)"\?\))?`), same(func(r recoverer, m []string, args object) {
			i, _ := strconv.Atoi(m[2])
			if m[3] == "" {
				m[3] = r.wishes[m[1]].(string)
			}
			args[m[1]].([]any)[i] = m[3]
		})},
		{re(`"(\w+)" must be an array, got .*; send (\[.*?\])`), same(func(r recoverer, m []string, args object) { args[m[1]] = decode[any](r.t, []byte(m[2])) })},
		{re(`"(\w+)" must be an object \{"(\w+)", "(\w+)"\}, got an array`), same(func(_ recoverer, m []string, args object) {
			pair := args[m[1]].([]any)
			args[m[1]] = object{m[2]: pair[0], m[3]: pair[1]}
		})},
		{re(`"([\w.]+)" must be an? (?:number|integer), got "?([^"]*)"?`), same(func(r recoverer, m []string, args object) {
			in, name := within(args, m[1])
			number, err := strconv.ParseFloat(re(`-?[0-9]+(\.[0-9]+)?`).FindString(strings.ReplaceAll(m[2], ",", ".")), 64)
			if wished, ok := r.wishes[name].(float64); ok || err != nil {
				number = wished
			}
			in[name] = number
		})},
		{re(`"(\w+)" must be true or false, got "(\w+)"`), same(func(_ recoverer, m []string, args object) {
			args[m[1]] = slices.Contains([]string{"yes", "on", "True", "y"}, m[2])
		})},
		{re(`"([\w.]*?)(Lat|lat)" must be between -90 and 90, got [-\d.]+; latitude comes first`), same(func(_ recoverer, m []string, args object) {
			in, lat := within(args, m[1]+m[2])
			lon := strings.NewReplacer("Lat", "Lon", "lat", "lon").Replace(lat)
			in[lat], in[lon] = in[lon], in[lat]
		})},
		{re(`"([\w.]+)" must be (?:between (-?[\d.]+) and (-?[\d.]+)|at least (-?[\d.]+)|above (-?[\d.]+) and at most (-?[\d.]+)), got (-?[\d.]+)(?:[^;\d]|$)`), same(func(r recoverer, m []string, args object) {
			in, name := within(args, m[1])
			if strings.HasSuffix(strings.ToLower(name), "lat") {
				return
			}
			value, wished := r.wishes[name].(float64)
			if !wished {
				value, _ = strconv.ParseFloat(m[3]+m[4]+m[6], 64) // the bound
			}
			in[name] = value
		})},
		{re(`"(\w+)" must have (\d+) to \d+ characters`), same(func(_ recoverer, m []string, args object) {
			n, _ := strconv.Atoi(m[2])
			args[m[1]] = strings.Repeat("k", n)
		})},
		{re(`"(\w+)" must have at most (\d+) characters`), same(func(_ recoverer, m []string, args object) {
			n, _ := strconv.Atoi(m[2])
			args[m[1]] = args[m[1]].(string)[:n]
		})},
		{re(`"(\w+)" must have at least (\d+), got 0`), same(func(r recoverer, m []string, args object) { args[m[1]] = []any{r.wishes[m[1]]} })},
		{re(`"(\w+)" must match \^\[A-Za-z0-9_-\]`), same(func(_ recoverer, m []string, args object) {
			args[m[1]] = re(`[^A-Za-z0-9_-]`).ReplaceAllString(args[m[1]].(string), "-")
		})},
		{re(`"(\w+)" is required[.;]`), same(func(r recoverer, m []string, args object) {
			if value, wished := r.wishes[m[1]]; wished {
				args[m[1]] = value
			}
		})},
		{re(`Call get_trip with id="([^"]+)", then send its version`), same(func(r recoverer, m []string, args object) {
			read, _ := r.call("get_trip", object{"id": m[1]})
			args["version"] = read["version"]
		})},
		{re(`Call get_trip with id="([^"]+)", check .* send it once with version (\d+)`), same(func(_ recoverer, m []string, args object) { args["version"] = json.Number(m[2]) })},
		{re(`Call get_trip with id="([^"]+)" after (\d+) seconds, until partial is false`), same(func(r recoverer, m []string, args object) {
			r.o.work()
			for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				read, _ := r.call("get_trip", object{"id": m[1]})
				if read["partial"] == false || time.Now().After(deadline) {
					args["version"], args["stageId"] = read["version"], read["stages"].([]any)[0].(object)["stageId"]
					return
				}
			}
		})},
		{re(`Day \d+ has stageId="([^"]+)"`), same(func(_ recoverer, m []string, args object) { args["stageId"] = m[1] })},
		{re(`copy it from the stages of get_trip\. Call get_trip with id="([^"]+)"`), same(func(r recoverer, m []string, args object) {
			read, _ := r.call("get_trip", object{"id": m[1]})
			args["stageId"] = read["stages"].([]any)[1].(object)["stageId"]
		})},
		{re(`Call list_trips and copy the id exactly`), same(func(r recoverer, _ []string, args object) {
			list, _ := r.call("list_trips", object{})
			for _, name := range []string{"id", "tripId"} {
				if args[name] != nil {
					args[name] = list["member"].([]any)[0].(object)["id"]
				}
			}
		})},
		{re(`^"(\w+)" is not a date: .* For example (\S+)\.$`), same(func(_ recoverer, m []string, args object) { args[m[1]] = m[2] })},
		{re(`is today or in the past: .* Today is (\d+)-`), same(func(_ recoverer, m []string, args object) {
			year, _ := strconv.Atoi(m[1])
			args["startDate"] = strconv.Itoa(year+1) + args["startDate"].(string)[4:]
		})},
		{re(`or leave (endDate) out`), same(func(_ recoverer, m []string, args object) { delete(args, m[1]) })},
		{re(`Send the https link of a public`), same(func(r recoverer, _ []string, args object) { args["sourceUrl"] = r.link })},
		{re(`Send both "(\w+)" and "(\w+)", or neither`), same(func(r recoverer, m []string, args object) {
			for _, name := range m[1:] {
				if args[name] == nil {
					args[name] = r.wishes[name]
				}
			}
		})},
		{re(`^"(\w+)" does not belong to .* Leave it out`), same(func(_ recoverer, m []string, args object) { delete(args, m[1]) })},
		{re(`^The "\w+" action needs ("[^.]*")\.`), same(func(r recoverer, m []string, args object) {
			for _, name := range re(`"(\w+)"`).FindAllStringSubmatch(m[1], -1) {
				if args[name[1]] == nil {
					args[name[1]] = r.wishes[name[1]]
				}
			}
		})},
		{re(`needs at least one of ([\w, ]+)\.`), same(func(r recoverer, m []string, args object) {
			for _, name := range strings.Split(m[1], ", ") {
				if value, wished := r.wishes[name]; wished {
					args[name] = value
				}
			}
		})},
		{re(`needs either "distance" or "(\w+)", not both`), same(func(_ recoverer, m []string, args object) { delete(args, m[1]) })},
		{re(`^"(\w+)" \d+ is out of range: this trip has \d+ days, so 0 to (\d+)\.`), same(func(_ recoverer, m []string, args object) { args[m[1]] = json.Number(m[2]) })},
		{re(`^"distance" [\d.]+ km is out of range for this day: at most ([\d.]+) km`), same(func(_ recoverer, m []string, args object) { args["distance"] = json.Number(m[1]) })},
		{re(`^Day (\d+) is a rest day: it has no route\. Choose the day before or after it`), same(func(r recoverer, m []string, args object) {
			read, _ := r.call("get_trip", object{"id": args["tripId"]})
			day, _ := strconv.Atoi(m[1])
			args["stageId"] = read["stages"].([]any)[day-2].(object)["stageId"]
		})},
		{re(`Copy stageId from the stages of get_trip\.$`), same(func(r recoverer, _ []string, args object) {
			read, _ := r.call("get_trip", object{"id": args["tripId"]})
			args["stageId"] = read["stages"].([]any)[1].(object)["stageId"]
		})},
		{re(`look swapped\. Send latitude (\S+) and longitude (\S+), if`), same(func(_ recoverer, m []string, args object) {
			for name, value := range args {
				if point, ok := value.(object); ok {
					if fmt.Sprint(point["lon"]) == m[1] {
						point["lat"], point["lon"] = json.Number(m[1]), json.Number(m[2])
					}
				}
				if lat, ok := strings.CutSuffix(name, "Lat"); ok {
					args[name], args[lat+"Lon"] = json.Number(m[1]), json.Number(m[2])
				}
			}
		})},
		{re(`already[.:] [Ss]end (?:another one|at least one of .*, with another value)`), same(func(r recoverer, _ []string, args object) { maps.Copy(args, r.wishes) })},
		{re(`No setting to change was sent\. Send at least one of`), same(func(r recoverer, _ []string, args object) { maps.Copy(args, r.wishes) })},
		{re(`To remove the whole trip use (delete_trip)`), func(_ recoverer, m []string, _ string, args object) (string, object) {
			return m[1], object{"id": args["tripId"]}
		}},
	}
}

// within is the object that holds a member, and the name of it there.
func within(args object, path string) (object, string) {
	at, name, nested := strings.Cut(path, ".")
	if !nested {
		return args, path
	}
	in, _ := args[at].(object)
	return in, name
}

// follow makes the mistake, follows what is said of it, and calls once more.
func (r recoverer) follow(s slip) {
	r.t.Helper()
	r.wishes = s.wishes
	args := decode[any](r.t, encode(r.t, s.args))
	_, refused := r.call(s.tool, args)
	if got := codeOf(refused); got != s.code {
		r.t.Errorf("%s %s %s: refused as %q, want %q", s.id, s.tool, encode(r.t, s.args), got, s.code)
	}
	if codeOf(refused) == "" {
		return // understood
	}
	given, _ := args.(object)
	tool, given := s.tool, maps.Clone(given)
	text := refused.Message
	if r.withData {
		text = refused.Message[:len(refused.Message)-len(refused.Data.Hint)] + refused.Data.Hint
		if refused.Data.CurrentVersion > 0 {
			given["version"] = refused.Data.CurrentVersion
		}
	}
	followed := 0
	for _, repair := range repairs() {
		for _, m := range repair.sentence.FindAllStringSubmatch(text, -1) {
			tool, given = repair.apply(r, m, tool, given)
			followed++
		}
	}
	if s.after != "" && tool != s.after {
		r.t.Errorf("%s %s %s: leads to %s, not to %s: %s", s.id, s.tool, encode(r.t, s.args), tool, s.after, refused.Message)
	}
	if followed == 0 {
		r.t.Errorf("%s: nothing to follow in %s", s.id, refused.Message)
	}
	answer, again := r.call(tool, given)
	if codeOf(again) != "" && !(tool == "unshare_trip" && strings.HasPrefix(again.Message, trip.ErrNoLink().Message)) {
		r.t.Errorf("%s %s %s\nis refused with  %s\nof which %d sentences were followed, and %s %s\nis refused with  %s", s.id, s.tool, encode(r.t, s.args), refused.Message, followed, tool, encode(r.t, given), again.Message)
	}
	if again == nil && answer["@id"] == nil {
		r.t.Errorf("%s: %v", s.id, answer)
	}
}

// codeOf is the code of a refusal, empty for none and for what only waits for its
// tool.
func codeOf(refused *told) string {
	if refused == nil || refused.code == trip.ErrUnavailable().Code {
		return ""
	}
	return refused.code
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// newRecoverer is an agent of anna's, on the golden trip.
func newRecoverer(t *testing.T, withData bool, calls *limit.Limiter) recoverer {
	o := newOffice(t)
	o.at(time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	o.goldenTrip()
	var tools []mcp.Tool
	for _, d := range registry(desk{}) {
		tools = append(tools, o.tools[d.name])
	}
	endpoint := mcp.New(mcp.Options{
		DefaultURI: "http://localhost:8080", Scopes: trip.Scopes(), Tools: tools, Calls: calls, Log: slog.New(slog.DiscardHandler),
		Verify: func(context.Context, string) (mcp.Caller, error) { return o.anna, nil },
	})
	return recoverer{t: t, o: o, endpoint: endpoint, withData: withData, link: world.TourLink}
}
