package jsonschema_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
)

type shortKey string

func (shortKey) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"string(maxLength=3)"`)
}

type circle struct {
	Kind   string  `json:"kind" schema:"required,const=circle"`
	Radius float64 `json:"radius" schema:"exclusiveMinimum=0,exclusiveMaximum=9"`
}

type dot struct {
	Kind string `json:"kind" schema:"required,const=dot"`
}

type line struct {
	Kind string `json:"kind" schema:"required,const=line"`
}

type drawing struct {
	Name   string                                 `json:"name" schema:"values=a|b,default=a"`
	Mode   any                                    `json:"mode" schema:"is=boolean|\"auto\""`
	Size   any                                    `json:"size" schema:"type=string+number"`
	Tags   map[shortKey]string                    `json:"tags" schema:"each.enum=x|y"`
	Site   string                                 `json:"site" schema:"format=uri"`
	List   []string                               `json:"list" schema:"maxItems=2,items.pattern=^[a-z,]+$"`
	Either jsonschema.AnyOf[string, dot]          `json:"either"`
	Three  jsonschema.AnyOf3[bool, string, []dot] `json:"three"`
	Shape  jsonschema.OneOf3[circle, dot, line]   `json:"shape"`
	Open   struct {
		_ struct{} `schema:"open"`
	} `json:"open"`
	Others struct {
		R map[string]int `json:"-" schema:"rest"`
	} `json:"others"`
}

const exactDrawing = `{"type":"object","properties":{
	"name":{"default":"a","type":"string","enum":["a","b"]},
	"mode":{"anyOf":[{"type":"boolean"},{"type":"string","const":"auto"}]},
	"size":{"type":["string","number"]},
	"tags":{"type":"object","propertyNames":{"type":"string","maxLength":3},"additionalProperties":{"anyOf":[{"type":"string","const":"x"},{"type":"string","const":"y"}]}},
	"site":{"type":"string","format":"uri"},
	"list":{"type":"array","maxItems":2,"items":{"type":"string","pattern":"^[a-z,]+$"}},
	"either":{"anyOf":[{"type":"string"},{"type":"object","properties":{"kind":{"type":"string","const":"dot"}},"required":["kind"],"additionalProperties":false}]},
	"three":{"anyOf":[{"type":"boolean"},{"type":"string"},{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string","const":"dot"}},"required":["kind"],"additionalProperties":false}}]},
	"shape":{"oneOf":[
		{"type":"object","properties":{"kind":{"type":"string","const":"circle"},"radius":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":9}},"required":["kind"],"additionalProperties":false},
		{"type":"object","properties":{"kind":{"type":"string","const":"dot"}},"required":["kind"],"additionalProperties":false},
		{"type":"object","properties":{"kind":{"type":"string","const":"line"}},"required":["kind"],"additionalProperties":false}]},
	"open":{"type":"object","additionalProperties":true},
	"others":{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{"type":"integer"}}
	},"required":["name"],"additionalProperties":false}`

func TestExact(t *testing.T) {
	t.Parallel()
	var got, want any
	if err := json.Unmarshal(jsonschema.OfSettings[drawing]().Exact(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(exactDrawing), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := jsonschema.OfSettings[drawing]()
	for raw, want := range map[string]string{
		`{"name":"a"}`:                                      "",
		`{}`:                                                "must have required property 'name'",
		`{"name":"a","mode":"auto"}`:                        "",
		`{"name":"a","mode":"no"}`:                          "at /mode: must be boolean; at /mode: must be equal to constant; at /mode: must match a schema in anyOf",
		`{"name":"a","size":1.5}`:                           "",
		`{"name":"a","size":true}`:                          "at /size: must be string,number",
		`{"name":"a","tags":{"abcd":"x"}}`:                  "at /tags/abcd: must NOT have more than 3 characters",
		`{"name":"a","tags":{"abc":"x","d":"z"}}`:           "at /tags/d: must be equal to constant; at /tags/d: must match a schema in anyOf",
		`{"name":"a","shape":{"kind":"dot"}}`:               "",
		`{"name":"a","shape":{"kind":"circle","radius":0}}`: "at /shape/radius: must be > 0; at /shape: unexpected property 'radius'; at /shape/kind: must be equal to constant; at /shape: must match exactly one schema in oneOf",
		`{"name":"a","shape":{"kind":"circle","radius":9}}`: "at /shape/radius: must be < 9; at /shape: unexpected property 'radius'; at /shape/kind: must be equal to constant; at /shape: must match exactly one schema in oneOf",
		`{"name":"a","open":{"x":1},"others":{"y":2}}`:      "",
		`{"name":"a","others":{"y":"z"}}`:                   "at /others/y: must be integer",
		`{"name":"a","three":[{"kind":"dot"}]}`:             "",
	} {
		got := ""
		if err := s.Validate(json.RawMessage(raw)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Validate(%s) = %q, want %q", raw, got, want)
		}
	}
}

func TestExactlyOne(t *testing.T) {
	t.Parallel()
	s := jsonschema.FromCompact(`{"oneOf": ["string", "string(minLength=1)", {"<name>": "string(maxLength=1)", "<key>": "any"}]}`)
	for raw, ok := range map[string]bool{`""`: true, `"a"`: false, `1`: false, `{"a":1}`: true, `{"ab":1}`: false} {
		if err := s.Validate(json.RawMessage(raw)); (err == nil) != ok {
			t.Errorf("Validate(%s) = %v", raw, err)
		}
	}
}
