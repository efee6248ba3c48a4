package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// A schema is what a published JSON Schema (2020-12) asks of a value, of the
// keywords that input schemas use.
type schema struct {
	Type                 string      `json:"type"`
	Properties           properties  `json:"properties"`
	Required             []string    `json:"required"`
	AdditionalProperties *bool       `json:"additionalProperties"`
	Items                *schema     `json:"items"`
	MinItems             int         `json:"minItems"`
	UniqueItems          bool        `json:"uniqueItems"`
	Enum                 []string    `json:"enum"`
	Minimum              *float64    `json:"minimum"`
	Maximum              *float64    `json:"maximum"`
	ExclusiveMinimum     *float64    `json:"exclusiveMinimum"`
	MinLength            int         `json:"minLength"`
	MaxLength            int         `json:"maxLength"`
	Pattern              string      `json:"pattern"`
	Meta                 string      `json:"$schema"`
	Description          string      `json:"description"`
	Default              json.Number `json:"default"`
	pattern              *regexp.Regexp
}

// parseSchema reads a schema and refuses keywords it would not check.
func parseSchema(text []byte) (schema, error) {
	var s schema
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&s)
	if err == nil {
		err = s.compile()
	}
	return s, err
}

// compile makes a schema and those in it ready.
func (s *schema) compile() (err error) {
	if s.Pattern != "" {
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	if s.Items != nil {
		if err := s.Items.compile(); err != nil {
			return err
		}
	}
	for i := range s.Properties {
		if err := s.Properties[i].schema.compile(); err != nil {
			return err
		}
	}
	return nil
}

// closed says that what is not published is refused.
func (s *schema) closed() bool { return s.AdditionalProperties != nil && !*s.AdditionalProperties }

// property is what a schema says of a member of an object.
type property struct {
	name   string
	schema *schema
}

// properties are the members of an object, in the published order.
type properties []property

// UnmarshalJSON keeps the order.
func (p *properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("properties must be an object: %s", text)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var s schema
		if err := d.Decode(&s); err != nil {
			return fmt.Errorf("property %v: %w", name, err)
		}
		*p = append(*p, property{name.(string), &s})
	}
	return nil
}

// named is the schema of the member of that name, nil where it is not published.
func (p properties) named(name string) *schema {
	i := slices.IndexFunc(p, func(q property) bool { return q.name == name })
	if i < 0 {
		return nil
	}
	return p[i].schema
}

func (p properties) names() []string {
	var names []string
	for _, q := range p {
		names = append(names, q.name)
	}
	return names
}
