package plugin

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// schema is as much of JSON Schema as a section needs: the types of its keys,
// which must be there, and whether others may.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	More       *bool              `json:"additionalProperties"`
	Items      *schema            `json:"items"`
}

const schemaDepth = 8

func parseSchema(raw json.RawMessage) (*schema, error) {
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // without a schema anything is fine
	}
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, &fault.Error{Kind: fault.Invalid, Op: "plugin.schema", Hint: "configSchema can't be read", Err: err}
	}
	if s.depth() > schemaDepth {
		return nil, bad("configSchema is nested too deeply")
	}
	return &s, nil
}

func (s *schema) depth() int {
	if s == nil {
		return 0
	}
	d := s.Items.depth()
	for _, p := range s.Properties {
		d = max(d, p.depth())
	}
	return d + 1
}

// check tells what is wrong with raw, a section at path.
func (s *schema) check(path string, raw json.RawMessage) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fault.Wrap(fault.Invalid, path, err)
	}
	if _, ok := v.(map[string]any); !ok {
		return fault.New(fault.Invalid, path, "the section must be an object")
	}
	if s == nil {
		return nil
	}
	return s.value(path, v)
}

func (s *schema) value(path string, v any) error {
	if s == nil {
		return nil
	}
	if !s.typed(v) {
		return fault.New(fault.Invalid, path, fmt.Sprintf("%s must be of type %s", path, s.Type))
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			if err := s.Items.value(fmt.Sprintf("%s[%d]", path, i), x); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, k := range s.Required {
			if _, ok := v[k]; !ok {
				return fault.New(fault.Invalid, path, fmt.Sprintf("%s.%s is missing: openclaw config set %s.%s <value>", path, k, path, k))
			}
		}
		for k, x := range v {
			p, ok := s.Properties[k]
			if !ok && s.More != nil && !*s.More {
				return fault.New(fault.Invalid, path, fmt.Sprintf("%s has no key %q", path, k))
			}
			if err := p.value(path+"."+k, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *schema) typed(v any) bool {
	switch x := v.(type) {
	case string:
		return s.Type == "" || s.Type == "string"
	case bool:
		return s.Type == "" || s.Type == "boolean"
	case float64:
		return s.Type == "" || s.Type == "number" || s.Type == "integer" && x == math.Trunc(x)
	case []any:
		return s.Type == "" || s.Type == "array"
	case map[string]any:
		return s.Type == "" || s.Type == "object"
	}
	return s.Type == "" || s.Type == "null"
}
