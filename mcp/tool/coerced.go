package tool

import (
	"encoding/json"
	"maps"
	"slices"
)

// coerced are the arguments that were taken as another value than was sent: from
// another type, trimmed, or as the id in an address.
func coerced(sent, taken map[string]any) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if isCoerced(sent[name], taken[name]) {
			names = append(names, name)
		}
	}
	return names
}

func isCoerced(sent, taken any) bool {
	switch taken := taken.(type) {
	case string:
		return sent != taken
	case int64, float64:
		_, same := sent.(json.Number)
		return !same
	case bool:
		return sent != taken
	case []any:
		list, same := sent.([]any)
		return !same || !slices.EqualFunc(list, taken, func(sent, taken any) bool { return !isCoerced(sent, taken) })
	case map[string]any:
		object, same := sent.(map[string]any)
		return !same || len(coerced(object, taken)) > 0
	}
	return false
}
