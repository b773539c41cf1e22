package jsonschema_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
)

type origin struct {
	Kind string `json:"kind" schema:"enum=user|system"`
	Note string `json:"note,omitempty"`
}

type request struct {
	Key    string            `json:"key" schema:"minLength=1,maxLength=8" doc:"which one"`
	Limit  *int              `json:"limit" schema:"minimum=1,maximum=1000"`
	Mode   string            `json:"mode,omitempty" schema:"enum=now|later"`
	Type   string            `json:"type,omitempty" schema:"values=a|b"`
	Label  *string           `json:"label,omitempty" schema:"minLength=1,nullable"`
	Path   string            `json:"path,omitempty" schema:"pattern=^[a-z,/]+$"`
	Names  []string          `json:"names,omitempty" schema:"minItems=1,items.minLength=1"`
	Env    map[string]string `json:"env,omitempty"`
	Origin *origin           `json:"origin,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Any    any               `json:"any,omitempty"`
	Secret string            `json:"-"`
}

func TestValidate(t *testing.T) {
	t.Parallel()
	s := jsonschema.Of[request]()
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	tests := []struct{ name, in, want string }{
		{"fine", `{"key":"a","limit":3,"mode":"now","type":"b","label":null,"path":"a,b","names":["x"],"env":{"A":"b"},"origin":{"kind":"user"},"raw":[1],"any":{"x":1}}`, ""},
		{"not an object", `[]`, "must be object"},
		{"nothing", ``, "must be object"},
		{"garbage", `{"key":`, "must be valid JSON"},
		{"all missing", `{}`, "must have required property 'key'"},
		{"order", `{"x":1,"limit":0}`, "must have required property 'key'; at root: unexpected property 'x'; at /limit: must be >= 1"},
		{"high", `{"key":"a","limit":1001}`, "at /limit: must be <= 1000"},
		{"fraction", `{"key":"a","limit":1.5}`, "at /limit: must be integer"},
		{"whole fraction", `{"key":"a","limit":2.0}`, ""},
		{"exponent", `{"key":"a","limit":1e2}`, ""},
		{"huge number", `{"key":"a","limit":1e999}`, "at /limit: must be integer"},
		{"short", `{"key":""}`, "at /key: must NOT have fewer than 1 characters"},
		{"long", `{"key":"äöüäöüäöü"}`, "at /key: must NOT have more than 8 characters"},
		{"characters, not bytes", `{"key":"äöüäöüäö"}`, ""},
		{"escapes", `{"key":"\u00e4\"\\"}`, ""},
		{"wrong type", `{"key":1}`, "at /key: must be string"},
		{"literal", `{"key":"a","mode":"x"}`, "at /mode: must be equal to constant; at /mode: must match a schema in anyOf"},
		{"literal of wrong type", `{"key":"a","mode":1}`, "at /mode: must be string; at /mode: must be equal to constant; at /mode: must match a schema in anyOf"},
		{"values", `{"key":"a","type":"x"}`, "at /type: must be equal to one of the allowed values"},
		{"nullable", `{"key":"a","label":""}`, "at /label: must NOT have fewer than 1 characters; at /label: must be null; at /label: must match a schema in anyOf"},
		{"pattern", `{"key":"a","path":"A"}`, `at /path: must match pattern "^[a-z,/]+$"`},
		{"items", `{"key":"a","names":["x",""]}`, "at /names/1: must NOT have fewer than 1 characters"},
		{"no items", `{"key":"a","names":[]}`, "at /names: must NOT have fewer than 1 items"},
		{"map values", `{"key":"a","env":{"a/b":1}}`, "at /env/a~1b: must be string"},
		{"nested", `{"key":"a","origin":{"x":1}}`, "at /origin: must have required property 'kind'; at /origin: unexpected property 'x'"},
		{"case matters", `{"key":"a","Mode":"now"}`, "at root: unexpected property 'Mode'"},
		{"twice", `{"key":"a","key":"b"}`, "at root: duplicate property 'key'"},
		{"twice, escaped", `{"key":"a","\u006bey":"b"}`, "at root: duplicate property 'key'"},
		{"twice in a map", `{"key":"a","env":{"a":"1","a":"2"}}`, "at /env: duplicate property 'a'"},
		{"too deep", `{"key":"a","any":` + deep + `}`, "must not be nested deeper than 100 levels"},
		{"spaces", " { \"key\" : \"a\" , \"names\" : [ \"b\" , \"c\" ] } \n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := s.Validate([]byte(tt.in)); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Validate(%s)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestValidateBoundsProblems(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	in := `{"` + long + `":1` + strings.Repeat(`,"`+long+`":1`, 100) + `}`
	err := jsonschema.Of[struct{}]().Validate([]byte(in))
	if err == nil || len(err.Error()) > 10_000 {
		t.Fatalf("Validate: %d bytes of error, want few", len(err.Error()))
	}
}

// The recorded answers of the original gateway, for every method that has a
// params schema.
func TestRecordedValidation(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/methods.json")
	if err != nil {
		t.Fatal(err)
	}
	var methods []struct {
		Method string
		Params json.RawMessage
		Cases  [][2]string
	}
	if err := json.Unmarshal(data, &methods); err != nil {
		t.Fatal(err)
	}
	for _, m := range methods {
		s := jsonschema.FromCompact(string(m.Params))
		if !json.Valid(s.JSON()) {
			t.Errorf("%s: schema isn't JSON: %s", m.Method, s.JSON())
		}
		for _, c := range m.Cases {
			got := ""
			if err := s.Validate([]byte(c[0])); err != nil {
				got = err.Error()
			}
			if got != c[1] {
				t.Errorf("%s %s\n got %q\nwant %q", m.Method, c[0], got, c[1])
			}
		}
	}
}

func TestFromCompact(t *testing.T) {
	t.Parallel()
	s := jsonschema.FromCompact(`{"version":1,"type":"values(a|b)","at?":"string(minLength=1,pattern=^[^/\\\\(]+(x|y)$)|null",
		"list?":["string"],"of?":"[\"a\"|\"b\"](minItems=1)","alert?":{"anyOf":["false",{"after?":"integer(minimum=1)","(strict)":true}]}}`)
	tests := []struct{ in, want string }{
		{`{"version":1,"type":"a","at":"zx","list":["q"],"of":["a"],"alert":false,"more":true}`, ""},
		{`{"version":2,"type":"a"}`, "at /version: must be equal to constant"},
		{`{"version":1,"type":"c"}`, "at /type: must be equal to one of the allowed values"},
		{`{"version":1,"type":"a","of":[]}`, "at /of: must NOT have fewer than 1 items"},
		{`{"version":1,"type":"a","alert":{"after":2}}`, ""},
		{`{"version":1,"type":"a","at":"/"}`, `at /at: must match pattern "^[^/\\(]+(x|y)$"; at /at: must be null; at /at: must match a schema in anyOf`},
	}
	for _, tt := range tests {
		got := ""
		if err := s.Validate([]byte(tt.in)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Validate(%s)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	want := `{"type":"object","properties":{` +
		`"key":{"type":"string","description":"which one","minLength":1,"maxLength":8},` +
		`"limit":{"type":"integer","minimum":1,"maximum":1000},` +
		`"mode":{"type":"string","enum":["now","later"]},` +
		`"type":{"type":"string","enum":["a","b"]},` +
		`"label":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}]},` +
		`"path":{"type":"string","pattern":"^[a-z,/]+$"},` +
		`"names":{"type":"array","minItems":1,"items":{"type":"string","minLength":1}},` +
		`"env":{"type":"object","properties":{},"additionalProperties":{"type":"string"}},` +
		`"origin":{"type":"object","properties":{"kind":{"type":"string","enum":["user","system"]},"note":{"type":"string"}},"required":["kind"],"additionalProperties":false},` +
		`"raw":{},"any":{}},"required":["key"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(jsonschema.Of[request]().JSON())); diff != "" {
		t.Error(diff)
	}
}

type union struct{}

func (union) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`{"anyOf":[{"a":"string","(strict)":true},{"b":"string","(strict)":true}]}`)
}

func TestTypesWithOwnSchema(t *testing.T) {
	t.Parallel()
	s := jsonschema.Of[struct {
		U union `json:"u"`
	}]()
	if err := s.Validate([]byte(`{"u":{"b":"x"}}`)); err != nil {
		t.Error(err)
	}
	want := "at /u: must have required property 'a'; at /u: must have required property 'b'; at /u: must match a schema in anyOf"
	if err := s.Validate([]byte(`{"u":{}}`)); err == nil || err.Error() != want {
		t.Errorf("Validate = %v, want %s", err, want)
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"key":"a"}`, `{"key":"\\\"","names":["a",""]}`, `[{}]`, `{"a":{"b":[1,2,{"c":"\u0000"}]}}`, `"x"`, `-1.5e3`, ` {} `} {
		f.Add([]byte(s))
	}
	typed := jsonschema.Of[request]()
	mixed := jsonschema.FromCompact(`{"key?":"string|number","names?":["string(maxLength=2)"],"a?":{"anyOf":["null",{"<key>":"any"}]}}`)
	f.Fuzz(func(t *testing.T, data []byte) {
		err := typed.Validate(data)
		if err == nil {
			var r request
			if jerr := json.Unmarshal(data, &r); jerr != nil && !strings.Contains(jerr.Error(), "cannot unmarshal number") {
				t.Errorf("valid but not decodable: %v", jerr)
			}
		}
		_ = mixed.Validate(data)
	})
}

func BenchmarkValidate(b *testing.B) {
	s := jsonschema.Of[request]()
	in := []byte(`{"key":"a","limit":3,"mode":"now","names":["x","y"],"origin":{"kind":"user"},"raw":[1,2,3]}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(in); err != nil {
			b.Fatal(err)
		}
	}
}
