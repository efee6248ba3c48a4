package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"biketrip/store/trip"
)

// maxTold is how many mistakes of a kind one refusal tells.
const maxTold = 8

// maxExact is the largest integer that a double holds exactly (RFC 8259,
// section 6).
const maxExact = 1<<53 - 1

// decimal is a number as a model writes it into a text.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// uuid is an id as all of ours are, in whatever case (RFC 9562, section 4).
var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// isAbsent says that a value stands for an optional one that is not sent.
func isAbsent(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		v = strings.TrimFunc(v, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
		return v == "" || v == "null"
	}
	return false
}

// take is a value as the schema has it, taken from another type where nothing
// is lost, and what is wrong with it. at is its name.
func (s *schema) take(at string, value any) (taken any, problems []mistake) {
	switch s.Type {
	case "string":
		return s.takeString(at, value)
	case "integer", "number":
		return s.takeNumber(at, value)
	case "boolean":
		return s.takeBoolean(at, value)
	case "array":
		return s.takeArray(at, value)
	case "object":
		object, ok := parsed[map[string]any](value)
		if !ok {
			return nil, wrong(at, "must be an object"+s.Properties.shape()+", got "+shown(value))
		}
		if len(object) > maxArguments {
			return nil, wrong(at, "has more members than any object here")
		}
		return s.takeObject(at, object)
	}
	return value, nil
}

// isID says that a text is the id of something of ours.
func isID(at string) bool { return at == "id" || at == "tripId" || at == "stageId" }

func (s *schema) takeString(at string, value any) (any, []mistake) {
	text, ok := value.(string)
	if number, isNumber := value.(json.Number); isNumber && isID(at) {
		text, ok = number.String(), true
	}
	if !ok {
		return nil, wrong(at, "must be a text, got "+shown(value))
	}
	text = strings.TrimSpace(text)
	if isID(at) {
		text = strings.TrimRight(text, "/")
		text = text[strings.LastIndexByte(text, '/')+1:] // of an IRI, the id
		if uuid.MatchString(text) {
			text = strings.ToLower(text)
		}
	}
	length := utf8.RuneCountInString(text)
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		problem := fmt.Sprintf("must be one of %s, got %s", strings.Join(s.Enum, ", "), trip.Quoted(text))
		meant := nearest(text, s.Enum)
		if meant != "" {
			problem += " (did you mean " + quoted(meant) + "?)"
		}
		return nil, []mistake{{quoted(at) + " " + problem, meant}}
	case s.MinLength > 0 && s.MaxLength > 0 && (length < s.MinLength || length > s.MaxLength):
		return nil, wrong(at, fmt.Sprintf("must have %d to %d characters, got %s", s.MinLength, s.MaxLength, trip.Quoted(text)))
	case s.MaxLength > 0 && length > s.MaxLength:
		return nil, wrong(at, fmt.Sprintf("must have at most %d characters, got %d", s.MaxLength, length))
	case s.pattern != nil && !s.pattern.MatchString(text):
		return nil, wrong(at, fmt.Sprintf("must match %s, got %s", s.Pattern, trip.Quoted(text)))
	}
	return text, nil
}

func (s *schema) takeNumber(at string, value any) (any, []mistake) {
	kind := "a number"
	if s.Type == "integer" {
		kind = "an integer"
	}
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	if isText && decimal.MatchString(strings.TrimSpace(text)) {
		number, isNumber = json.Number(strings.TrimSpace(text)), true
	}
	if !isNumber {
		return nil, wrong(at, "must be "+kind+", got "+shown(value))
	}
	v, err := number.Float64()
	if err != nil || s.Type == "integer" && (v != math.Trunc(v) || math.Abs(v) > maxExact || losesDigits(number.String())) {
		return nil, wrong(at, "must be "+kind+", got "+shown(value))
	}
	if bounds := s.bounds(v); bounds != "" {
		return nil, wrong(at, bounds+", got "+shown(value)+latitudeFirst(at))
	}
	if s.Type == "integer" {
		return int64(v), nil
	}
	return v, nil
}

// losesDigits says whether a number has digits behind its point that no integer
// has, though too few for a double to keep them.
func losesDigits(number string) bool {
	_, behind, _ := strings.Cut(number, ".")
	return !strings.ContainsAny(behind, "eE") && strings.Trim(behind, "0") != ""
}

// bounds is what a number must be that is out of its range, empty for one in it.
func (s *schema) bounds(v float64) string {
	low, above, high := s.Minimum, s.ExclusiveMinimum, s.Maximum
	if (low == nil || v >= *low) && (above == nil || v > *above) && (high == nil || v <= *high) {
		return ""
	}
	switch {
	case low != nil && high != nil:
		return fmt.Sprintf("must be between %s and %s", plain(*low), plain(*high))
	case above != nil && high != nil:
		return fmt.Sprintf("must be above %s and at most %s", plain(*above), plain(*high))
	case low != nil:
		return "must be at least " + plain(*low)
	case above != nil:
		return "must be above " + plain(*above)
	}
	return "must be at most " + plain(*high)
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// latitudeFirst reminds of the order of coordinates.
func latitudeFirst(at string) string {
	if at := strings.ToLower(at); strings.HasSuffix(at, "lat") {
		return "; latitude comes first"
	}
	return ""
}

func (s *schema) takeBoolean(at string, value any) (any, []mistake) {
	if text, ok := value.(string); ok {
		switch strings.TrimSpace(text) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	if _, ok := value.(bool); !ok {
		return nil, wrong(at, "must be true or false, got "+shown(value))
	}
	return value, nil
}

func (s *schema) takeArray(at string, value any) (any, []mistake) {
	list, ok := parsed[[]any](value)
	if !ok {
		problem := "must be an array, got " + shown(value)
		if text, ok := value.(string); ok && s.Items != nil && s.Items.Type == "string" {
			problem += "; send [" + s.Items.split(text) + "]"
		}
		return nil, wrong(at, problem)
	}
	if len(list) < s.MinItems {
		return nil, wrong(at, fmt.Sprintf("must have at least %d, got %d", s.MinItems, len(list)))
	}
	taken, problems := []any{}, []mistake{}
	for i, item := range list {
		if len(problems) >= maxTold {
			break
		}
		v, wrong := s.Items.take(fmt.Sprintf("%s[%d]", at, i), item)
		problems = append(problems, wrong...)
		if len(wrong) == 0 && !(s.UniqueItems && slices.Contains(taken, v)) {
			taken = append(taken, v)
		}
	}
	return taken, problems
}

// split are the values that a text lists, each as it is probably meant, as they
// stand in a list.
func (s *schema) split(text string) string {
	var values []string
	for _, value := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' }) {
		value = strings.TrimSpace(value)
		if meant := nearest(value, s.Enum); meant != "" {
			value = meant
		}
		values = append(values, trip.Quoted(value))
	}
	return strings.Join(values, ", ")
}

// parsed is a value of that type, or one that a text holds.
func parsed[T any](value any) (v T, ok bool) {
	if v, ok = value.(T); ok {
		return v, true
	}
	text, isText := value.(string)
	if !isText {
		return v, false
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return v, false
	}
	_, err := d.Token() // nothing comes after it
	return v, err == io.EOF
}

// shape is the members an object must have, as messages show them.
func (p properties) shape() string {
	if len(p) < 2 {
		return ""
	}
	return fmt.Sprintf(" {%q, %q}", p[0].name, p[1].name)
}

// shown is a value as messages show it.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return trip.Quoted(v)
	case json.Number:
		return strings.Trim(trip.Quoted(v.String()), `"`)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprint(value)
}

// A mistake is what is wrong with an argument, and the published word that one of
// the caller's was probably meant for, empty for none.
type mistake struct{ text, near string }

func wrong(at, problem string) []mistake { return []mistake{{text: quoted(at) + " " + problem}} }

// refusalOf is the refusal of a call with mistakes.
func refusalOf(tool string, mistakes []mistake) *trip.Refusal {
	var texts []string
	near := ""
	for _, m := range mistakes {
		texts = append(texts, m.text)
		near = cmp.Or(near, m.near)
	}
	refusal := trip.ErrInvalidParameters(tool, texts)
	refusal.Near = near
	return refusal
}
