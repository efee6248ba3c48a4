package tool

import (
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
		near := nearest(name, names)
		if near != "" {
			near = quoted(near)
		}
		return trip.ErrUnknownAction(name, near)
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
	if needs := a.needs(has); needs != "" {
		return trip.ErrNeedsField(a.name, needs)
	}
	for _, field := range fieldsOfActions() {
		if has(field) && !slices.Contains(a.fields, field) {
			return trip.ErrFieldOfOtherAction(field, a.name, whose(field))
		}
	}
	return nil
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
