package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"biketrip/store/trip"
)

// wrapper is the name under which some clients send the arguments once more.
const wrapper = "arguments"

// maxArguments is how many names a call may bring, and a point: each is looked at
// for what it may be meant for.
const maxArguments = 50

// check gives the arguments of a call as the schema has them: only those that
// are published, each of its type where it can be read as one without loss, and
// the names of those that were read from something else. Its errors are refusals.
func (s *schema) check(tool string, sent json.RawMessage) (checked json.RawMessage, coercedNames []string, err error) {
	d := json.NewDecoder(bytes.NewReader(sent))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, nil, err
	}
	given, ok := parsed[map[string]any](value)
	if !ok {
		return nil, nil, trip.ErrInvalidParameters(tool, []string{"the arguments must be an object, got " + shown(value)})
	}
	if len(given) > maxArguments {
		return nil, nil, trip.ErrInvalidParameters(tool, []string{fmt.Sprintf("there are %d arguments, more than any tool has", len(given))})
	}
	maps.DeleteFunc(given, func(name string, value any) bool {
		return s.Properties.named(name) != nil && isAbsent(value) && !clearsName(name, value, given) && !slices.Contains(s.Required, name)
	})
	if err := s.checkNames(tool, given); err != nil {
		return nil, nil, err
	}
	if err := s.checkFirst(given); err != nil && !s.wraps(given) {
		return nil, nil, err
	}
	taken, mistakes := s.takeObject("", given)
	coercedNames = coerced(given, taken)
	if _, isText := value.(string); isText {
		coercedNames = append(coercedNames, wrapper) // all of them, from one text
	}
	if len(mistakes) > 0 {
		return nil, coercedNames, refusalOf(tool, mistakes)
	}
	checked, err = json.Marshal(taken)
	return checked, coercedNames, err
}

// clearsName says that an empty text takes the name of a day away.
func clearsName(name string, value any, given map[string]any) bool {
	text, isText := value.(string)
	action, _ := given["action"].(string)
	return name == "label" && isText && strings.TrimSpace(text) == "" && slices.Contains([]string{"add", "update"}, strings.TrimSpace(action))
}

// checkFirst refuses what has a sentence of its own, though the schema says it as
// well: a version that is missing, and an action without what it needs.
func (s *schema) checkFirst(given map[string]any) error {
	tripID := idIn(given)
	if s.Properties.named("version") != nil {
		if _, wrong := (&schema{Type: "integer"}).take("version", given["version"]); len(wrong) > 0 {
			return trip.ErrMissingVersion(tripID)
		}
	}
	if s.Properties.named("action") != nil {
		return checkAction(given, tripID)
	}
	return nil
}

// checkNames refuses names that are not published: all of them where the schema
// is closed, and else those that are probably meant for an optional one.
func (s *schema) checkNames(tool string, given map[string]any) error {
	var unknown, near []string
	more, first := 0, ""
	missing := s.missing(given)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if s.Properties.named(name) != nil || name == wrapper && s.wraps(given) {
			continue
		}
		if len(unknown) == maxTold {
			more++
			continue
		}
		meant := nearest(name, missing)
		if !s.closed() && (meant == "" || slices.Contains(s.Required, meant)) {
			continue
		}
		unknown = append(unknown, name)
		if meant != "" {
			near = append(near, trip.Quoted(meant)+" for "+trip.Quoted(name))
			first = cmp.Or(first, meant)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	refusal := trip.ErrUnknownArguments(unknown, more, s.Properties.names(), strings.Join(near, " and "))
	refusal.Near = first
	switch {
	case tool == "update_trip_settings" && slices.Contains(unknown, "sourceUrl"):
		refusal.Hint = "The route of a trip cannot be changed: call create_trip with the new sourceUrl instead."
	case s.Properties.named("endDate") != nil && slices.ContainsFunc(unknown, isDayCount):
		refusal.Hint = "The number of days is set by startDate and endDate. " + refusal.Hint
	case tool == "choose_accommodation" && len(near) == 0 && given["selectedAccommodationLat"] == nil && given["selectedAccommodationLon"] == nil:
		refusal.Hint = "A bed is chosen by selectedAccommodationLat and selectedAccommodationLon, copied from accommodations in get_stage; a call without them clears the present choice."
	}
	return refusal
}

// isDayCount says that an argument is probably how many days a trip is to have.
func isDayCount(name string) bool {
	return slices.Contains([]string{"days", "numberOfDays", "number_of_days", "dayCount", "stageCount", "duration", "nights"}, name)
}

// idIn is the id of the trip that a call is about, as far as it says so.
func idIn(given map[string]any) string {
	for _, name := range []string{"id", "tripId"} {
		if id, wrong := (&schema{Type: "string"}).take(name, given[name]); len(wrong) == 0 {
			return id.(string)
		}
	}
	return ""
}

// missing are the published names that were not sent.
func (s *schema) missing(given map[string]any) []string {
	return slices.DeleteFunc(s.Properties.names(), func(name string) bool {
		_, sent := given[name]
		return sent
	})
}

// lacking are the required names that were not sent.
func (s *schema) lacking(given map[string]any) []string {
	return slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return given[name] != nil })
}

// takeObject takes the published members of an object, and says what is wrong
// with them. at is its name, empty for the arguments themselves.
func (s *schema) takeObject(at string, given map[string]any) (taken map[string]any, mistakes []mistake) {
	taken = map[string]any{}
	for _, p := range s.Properties {
		value, sent := given[p.name]
		switch {
		case sent && at != "" && isAbsent(value) && !slices.Contains(s.Required, p.name): // an optional one of a point
		case sent && (value != nil || !slices.Contains(s.Required, p.name)):
			v, wrong := p.schema.take(member(at, p.name), value)
			if len(wrong) == 0 {
				taken[p.name] = v
			}
			mistakes = append(mistakes, wrong...)
		case slices.Contains(s.Required, p.name):
			instead, near := s.instead(p.name, given)
			if near != "" {
				near = member(at, near)
			}
			mistakes = append(mistakes, mistake{quoted(member(at, p.name)) + " is required" + instead, near})
		}
	}
	if at != "" && s.closed() && len(mistakes) == 0 {
		mistakes = s.unknownMembers(at, given)
	}
	return taken, mistakes
}

// unknownMembers are the members of an object, the name of which is at, that are
// not published.
func (s *schema) unknownMembers(at string, given map[string]any) (mistakes []mistake) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if s.Properties.named(name) != nil || len(mistakes) == maxTold {
			continue
		}
		text := fmt.Sprintf("%s has no %s, only %s", quoted(at), trip.Quoted(name), strings.Join(s.Properties.names(), ", "))
		meant := nearest(name, s.missing(given))
		if meant != "" {
			text += " (did you mean " + quoted(meant) + "?)"
			meant = member(at, meant)
		}
		mistakes = append(mistakes, mistake{text, meant})
	}
	return mistakes
}

// instead is what was sent in place of a required member, if that can be told, and
// the member again where it was meant by another word.
func (s *schema) instead(name string, given map[string]any) (told, near string) {
	for _, other := range slices.Sorted(maps.Keys(given)) {
		if s.Properties.named(other) == nil && nearest(other, s.lacking(given)) == name {
			return " (you sent " + trip.Quoted(other) + ")", name
		}
	}
	if wrapped(given)[name] != nil {
		return "; it was found inside " + quoted(wrapper), ""
	}
	return "", ""
}

// wraps says that a required member is found among the arguments that are sent
// inside the arguments.
func (s *schema) wraps(given map[string]any) bool {
	return slices.ContainsFunc(s.Required, func(name string) bool { return given[name] == nil && wrapped(given)[name] != nil })
}

// wrapped are the arguments that are sent inside the arguments, none where there
// are no such.
func wrapped(given map[string]any) map[string]any {
	inner, _ := given[wrapper].(map[string]any)
	return inner
}

func member(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func quoted(name string) string { return `"` + name + `"` }
