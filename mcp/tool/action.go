package tool

import (
	"fmt"
	"slices"
	"strings"

	"biketrip/store/trip"
)

// An action is one of those of edit_stages, and the fields that belong to it.
type action struct {
	name   string
	fields []string
}

func actions() []action {
	return []action{
		{"add", []string{"startPoint", "endPoint", "position", "label"}},
		{"update", []string{"stageId", "startPoint", "endPoint", "label", "distance"}},
		{"move", []string{"stageId", "toIndex"}},
		{"delete", []string{"stageId"}},
		{"rest_day", []string{"stageId"}},
	}
}

// fieldsOfActions are the arguments that belong to some actions only.
func fieldsOfActions() []string {
	return []string{"stageId", "position", "toIndex", "startPoint", "endPoint", "label", "distance"}
}

// checkAction refuses an action that there is not, and fields that it lacks or has
// no use for. tripID is what the call is about.
func checkAction(given map[string]any, tripID string) error {
	name, isText := given["action"].(string)
	if name = strings.TrimSpace(name); !isText && given["action"] != nil {
		name = shown(given["action"])
	}
	i := slices.IndexFunc(actions(), func(a action) bool { return a.name == name })
	if i < 0 {
		var names []string
		for _, a := range actions() {
			names = append(names, a.name)
		}
		near, told := nearest(name, names), ""
		if near != "" {
			told = quoted(near)
		}
		refusal := trip.ErrUnknownAction(name, told)
		refusal.Near = near
		return refusal
	}
	a := actions()[i]
	has := func(field string) bool { return given[field] != nil }
	if slices.Contains(a.fields, "stageId") && !has("stageId") {
		return trip.ErrNeedsStage(a.name, tripID)
	}
	for _, point := range []string{"startPoint", "endPoint"} {
		if a.name == "update" && has(point) && has("distance") {
			return trip.ErrDistanceOrPoint(point)
		}
	}
	foreign := slices.DeleteFunc(fieldsOfActions(), func(field string) bool { return !has(field) || slices.Contains(a.fields, field) })
	needs := a.needs(has)
	if needs == "" && len(foreign) == 0 {
		return nil
	}
	var refusal *trip.Refusal
	meant := ""
	if needs != "" {
		refusal = trip.ErrNeedsField(a.name, needs)
	} else {
		refusal = trip.ErrFieldOfOtherAction(foreign[0], a.name, whose(foreign[0]))
	}
	for _, field := range foreign {
		if meant = nearest(field, slices.DeleteFunc(slices.Clone(a.fields), has)); meant != "" {
			refusal.Hint = fmt.Sprintf("Did you mean %s for %s? %s", quoted(meant), quoted(field), refusal.Hint)
			break
		}
	}
	refusal.Near = meant
	return refusal
}

// needs are the fields that an action lacks, empty for none.
func (a action) needs(has func(string) bool) string {
	var lacks []string
	switch a.name {
	case "move":
		lacks = []string{"toIndex"}
	case "add":
		lacks = []string{"startPoint", "endPoint"}
	case "update":
		if !slices.ContainsFunc(a.fields[1:], has) {
			return "at least one of " + strings.Join(a.fields[1:], ", ")
		}
	}
	lacks = slices.DeleteFunc(lacks, has)
	for i := range lacks {
		lacks[i] = quoted(lacks[i])
	}
	return strings.Join(lacks, " and ")
}

// whose are the actions that a field belongs to.
func whose(field string) string {
	var names []string
	for _, a := range actions() {
		if slices.Contains(a.fields, field) {
			names = append(names, a.name)
		}
	}
	return strings.Join(names, ", ")
}
