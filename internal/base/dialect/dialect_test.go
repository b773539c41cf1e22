package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
)

var all = []dialect.Name{
	dialect.OpenAI, dialect.OpenAIStrict, dialect.Anthropic, dialect.Gemini, dialect.Bedrock, dialect.Grammar, dialect.XAI, dialect.Mistral,
}

// prop puts a schema under a property, where most of the rules apply.
func prop(s string) string { return `{"type":"object","properties":{"x":` + s + `}}` }

func TestSchema(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		dialect  dialect.Name
		in, want string
	}{
		"nothing": {dialect.Gemini, ``, dialect.Empty},
		"garbage": {dialect.OpenAI, `{"type":`, dialect.Empty},
		"a list":  {dialect.OpenAI, `[]`, dialect.Empty},
		"no type at the root": {
			dialect.OpenAI, `{"properties":{"a":{"type":"string"}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`,
		},
		"schema keywords go": {
			dialect.Anthropic, `{"$schema":"https://json-schema.org/draft-07","$id":"x","type":"object","properties":{"a":{"type":"string","examples":["b"],"minLength":2}}}`,
			`{"type":"object","properties":{"a":{"type":"string","minLength":2}}}`,
		},
		"bounds go for Gemini": {
			dialect.Gemini, `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","minLength":1,"pattern":"^a$","format":"uri","default":"x"}},"required":["a","gone"]}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		},
		"const becomes enum": {dialect.Gemini, prop(`{"const":"a"}`), prop(`{"enum":["a"],"type":"string"}`)},
		"a union of constants is an enumeration": {
			dialect.Gemini, prop(`{"anyOf":[{"const":"a","type":"string"},{"const":"b","type":"string"},{"type":"null"}],"description":"d"}`),
			prop(`{"description":"d","type":"string","enum":["a","b"],"nullable":true}`),
		},
		"enumerated numbers are told in words to Gemini": {
			dialect.Gemini, prop(`{"type":"integer","enum":[1,2],"description":"How many."}`),
			prop(`{"type":"integer","description":"How many. One of: [1,2]"}`),
		},
		"empty words of an enumeration": {dialect.Gemini, prop(`{"type":"string","enum":["","a"]}`), prop(`{"type":"string","description":"One of: [\"\",\"a\"]"}`)},
		"null in a list of types":       {dialect.Gemini, prop(`{"type":["string","null"]}`), prop(`{"type":"string","nullable":true}`)},
		"null stays where it is understood": {
			dialect.OpenAI, prop(`{"type":["string","null"]}`), prop(`{"type":["string","null"]}`),
		},
		"several types": {
			dialect.Gemini, prop(`{"type":["string","array"],"items":{"type":"number"}}`),
			prop(`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"number"}}]}`),
		},
		"oneOf":        {dialect.OpenAI, prop(`{"oneOf":[{"type":"string"},{"type":"number"}]}`), prop(`{"anyOf":[{"type":"string"},{"type":"number"}]}`)},
		"oneOf stays":  {dialect.Anthropic, prop(`{"oneOf":[{"type":"string"},{"type":"number"}]}`), prop(`{"oneOf":[{"type":"string"},{"type":"number"}]}`)},
		"one variant":  {dialect.OpenAI, prop(`{"anyOf":[{"type":"string","description":"inner"}],"description":"outer"}`), prop(`{"description":"outer","type":"string"}`)},
		"bare array":   {dialect.OpenAI, prop(`{"type":"array"}`), prop(`{"type":"array","items":{"type":"string"}}`)},
		"items listed": {dialect.Gemini, prop(`{"type":"array","items":[{"type":"number"},{"type":"string"}]}`), prop(`{"type":"array","items":{"type":"number"}}`)},
		"references inline": {
			dialect.Gemini, `{"type":"object","properties":{"x":{"$ref":"#/$defs/p","description":"here"}},"$defs":{"p":{"type":"object","properties":{"n":{"type":"number"}},"description":"there"}}}`,
			prop(`{"type":"object","properties":{"n":{"type":"number"}},"description":"here"}`),
		},
		"references stay": {
			dialect.OpenAI, `{"type":"object","properties":{"x":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string","$comment":"c"}}}`,
			`{"type":"object","properties":{"x":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string"}}}`,
		},
		"a reference to nothing": {dialect.Gemini, prop(`{"$ref":"https://elsewhere/x.json"}`), prop(`{}`)},
		"allOf": {
			dialect.Anthropic, `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}},"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a","b"]}`,
		},
		"a union at the root": {
			dialect.Anthropic, `{"anyOf":[{"type":"object","properties":{"action":{"const":"get"},"id":{"type":"string"}},"required":["action","id"]},{"type":"object","properties":{"action":{"const":"list"},"all":{"type":"boolean"}},"required":["action"]}]}`,
			`{"type":"object","properties":{"action":{"type":"string","enum":["get","list"]},"id":{"type":"string"},"all":{"type":"boolean"}},"required":["action"]}`,
		},
		"strict": {
			dialect.OpenAIStrict, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","enum":["x"]}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"],"enum":["x",null]}},"additionalProperties":false,"required":["a","b"]}`,
		},
		"names that are refused": {
			dialect.Anthropic, `{"type":"object","properties":{"good_one":{"type":"string"},"bad one":{"type":"string"}},"required":["bad one"]}`,
			`{"type":"object","properties":{"good_one":{"type":"string"}}}`,
		},
		"a bare root":                {dialect.Bedrock, `{"title":"T","description":"d","type":"object","additionalProperties":false,"properties":{}}`, `{"type":"object","properties":{}}`},
		"objects without properties": {dialect.Gemini, prop(`{"type":"object","properties":{}}`), prop(`{"type":"object"}`)},
		"patterns break grammars":    {dialect.Grammar, prop(`{"type":"string","pattern":"(?=a)","maxLength":40000}`), prop(`{"type":"string"}`)},
		"xAI":                        {dialect.XAI, prop(`{"type":"array","items":{"type":"string","maxLength":3},"minItems":1}`), prop(`{"type":"array","items":{"type":"string"}}`)},
	} {
		a := dialect.For(tt.dialect)
		for range 2 { // the second from memory
			if got := string(a.Schema(json.RawMessage(tt.in))); got != tt.want {
				t.Errorf("%s: %s of %s\n got %s\nwant %s", name, tt.dialect, tt.in, got, tt.want)
			}
		}
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	a := dialect.For(dialect.OpenAIStrict)
	for in, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`: true,
		prop(`{"type":"object","additionalProperties":{"type":"string"}}`):                    false,
		prop(`{"type":"object"}`): false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`:      true,
		`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"string"}]}`: false,
	} {
		if _, ok := a.Exact(json.RawMessage(in)); ok != want {
			t.Errorf("Exact(%s) = %v, want %v", in, ok, want)
		}
	}
}

// TestBounded: a schema that refers to itself, and one that multiplies, end.
func TestBounded(t *testing.T) {
	t.Parallel()
	recursive := `{"type":"object","properties":{"child":{"$ref":"#"},"list":{"type":"array","items":{"$ref":"#"}}}}`
	var defs []string
	for i := range 12 {
		refs := strings.Repeat(fmt.Sprintf(`{"$ref":"#/$defs/d%d"},`, i+1), 20)
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[%s{"type":"object"}],"anyOf":[%s{"type":"null"}]}`, i, refs, refs))
	}
	bomb := `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `,"d12":{"type":"string"}}}`
	loop := `{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`
	for _, n := range all {
		for _, in := range []string{recursive, bomb, loop, strings.Repeat(`{"items":`, 5000) + `{}` + strings.Repeat(`}`, 5000)} {
			got := dialect.For(n).Schema(json.RawMessage(in))
			if !json.Valid(got) || len(got) > 4<<20 {
				t.Errorf("%s: %d bytes of %.60s", n, len(got), in)
			}
		}
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["a",null]}},"required":["a"]}`,
		prop(`{"anyOf":[{"const":1},{"const":2}]}`), prop(`{"$ref":"#/properties/x"}`),
		`{"allOf":[{"$ref":"#"}],"oneOf":[{"required":["a"]},true,false,null]}`,
		`{"items":[],"type":[],"enum":[],"required":"a","properties":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, n := range all {
			got := dialect.For(n).Schema(in)
			o := map[string]json.RawMessage{} // names are exact here, unlike in a struct
			if err := json.Unmarshal(got, &o); err != nil || string(o["type"]) != `"object"` || len(o["properties"]) == 0 || o["properties"][0] != '{' {
				t.Fatalf("%s(%q) = %s, want the schema of an object (%v)", n, in, got, err)
			}
			if again := dialect.For(n).Schema(in); !bytes.Equal(got, again) {
				t.Fatalf("%s(%q) differs from time to time", n, in)
			}
		}
	})
}
