package config_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/telegram"
	"github.com/openclaw-go/openclaw/internal/config"
)

// TestTypesFitTheSchema holds the types that are decoded to the schema: a field
// that the file can't hold, or not as that type, is a mistake.
func TestTypesFitTheSchema(t *testing.T) {
	t.Parallel()
	root, err := jsonc.FromJSON(config.Schema().Schema)
	if err != nil {
		t.Fatal(err)
	}
	section := func(network string) *jsonc.Node { return root.Find("properties", "channels", "properties", network) }
	for _, test := range []struct {
		name   string
		typ    reflect.Type
		schema *jsonc.Node
	}{
		{"", reflect.TypeFor[config.Config](), root},
		{"channels.telegram", reflect.TypeFor[telegram.Config](), section("telegram")},
		{"channels.irc", reflect.TypeFor[irc.Config](), section("irc")},
		{"channels.matrix", reflect.TypeFor[matrix.Config](), section("matrix")},
		{"channels.slack", reflect.TypeFor[slack.Config](), section("slack")},
		{"channels.signal", reflect.TypeFor[signal.Config](), section("signal")},
	} {
		f := fitting{t: t}
		f.fits(test.name, test.typ, test.schema)
		if f.fields < 10 {
			t.Errorf("%s: %d fields were compared", test.typ, f.fields)
		}
	}
	// What is common to the networks stands in the section of one at least, and
	// fits wherever it does.
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config.ChannelSection]()) {
		name := jsonName(field)
		if field.Anonymous || name == "" || name == "-" {
			continue
		}
		in := 0
		for _, m := range root.Find("properties", "channels", "properties").Members {
			p := m.Value.Find("properties", name)
			if p == nil {
				continue
			}
			in++
			if !(&fitting{}).fit(field.Type, p) && !slices.Contains(fractions(), name) {
				t.Errorf("channels.%s.%s is no %v", m.Key, name, field.Type)
			}
		}
		if in == 0 {
			t.Errorf("channels.*.%s is in no section", name)
		}
	}
}

// fractions are the numbers that are decoded as whole ones all the same, by a
// method of the type around them.
func fractions() []string {
	return []string{
		"models.providers.*.models[].contextWindow", "models.providers.*.models[].maxTokens",
		"textChunkLimit", "gateway.auth.rateLimit.maxAttempts", "gateway.auth.rateLimit.windowMs", "gateway.auth.rateLimit.lockoutMs",
	}
}

func TestFractions(t *testing.T) {
	t.Parallel()
	p := home(t)
	write(t, p.Config, `{
		models: { providers: { x: { baseUrl: "http://x", models: [{ id: "m", name: "M", contextWindow: 1000.5, maxTokens: 9e1, reasoning: true }] } } },
		channels: { matrix: { homeserver: "https://m", dm: { policy: "open", allowFrom: ["*"] }, textChunkLimit: 99.9 } },
		gateway: { auth: { rateLimit: { maxAttempts: 3.9, windowMs: 1e3, lockoutMs: 1e300, exemptLoopback: false } } } }`)
	l, err := config.Load(t.Context(), p, options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m := l.Config.Models.Providers["x"].Models[0]; m.ContextWindow != 1000 || m.MaxTokens != 90 || m.ID != "m" || !m.Reasoning {
		t.Errorf("model = %+v", m)
	}
	if s := l.Config.Channel("matrix"); s.TextChunkLimit != 99 || s.DMPolicy != "open" || !*s.Enabled {
		t.Errorf("section = %+v", s)
	}
	if r := l.Config.Gateway.Auth.RateLimit; r.MaxAttempts != 3 || r.WindowMs != 1000 || r.LockoutMs != 1<<53-1 || *r.ExemptLoopback {
		t.Errorf("limit = %+v", r)
	}
}

type fitting struct {
	t      *testing.T
	fields int
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// fits reports every field of typ that schema has no place for.
func (f *fitting) fits(path string, typ reflect.Type, schema *jsonc.Node) {
	for _, field := range reflect.VisibleFields(typ) {
		name := jsonName(field)
		if !field.IsExported() || field.Anonymous || name == "" || name == "-" {
			continue
		}
		f.fields++
		where := strings.TrimPrefix(path+"."+name, ".")
		prop := property(schema, name)
		if prop == nil && (where == "channels.matrix.dmPolicy" || where == "channels.matrix.allowFrom") {
			continue // filled from dm.policy and dm.allowFrom
		}
		if prop == nil {
			f.t.Errorf("%s isn't in the schema", where)
			continue
		}
		f.inside(where, field.Type, prop)
	}
}

func (f *fitting) inside(where string, typ reflect.Type, schema *jsonc.Node) {
	if !f.fit(typ, schema) && !slices.Contains(fractions(), where) {
		f.t.Errorf("%s is a %v, and the schema says %s", where, typ, schema.Without("properties").JSON())
		return
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case typ == reflect.TypeFor[json.RawMessage]():
	case typ.Kind() == reflect.Struct:
		f.fits(where, typ, schema)
	case typ.Kind() == reflect.Slice:
		for _, s := range shapes(schema) {
			if s.Get("items") != nil {
				f.inside(where+"[]", typ.Elem(), s.Get("items"))
			}
		}
	case typ.Kind() == reflect.Map:
		for _, s := range shapes(schema) {
			if v := s.Get("additionalProperties"); v != nil && v.Kind == jsonc.Object {
				f.inside(where+".*", typ.Elem(), v)
			}
			if ps := s.Get("properties"); ps != nil {
				for _, p := range ps.Members {
					f.inside(where+"."+p.Key, typ.Elem(), p.Value)
				}
			}
		}
	}
}

// fit reports whether a value that schema accepts can be decoded into typ.
func (f *fitting) fit(typ reflect.Type, schema *jsonc.Node) bool {
	own := reflect.TypeFor[json.Unmarshaler]()
	if typ.Implements(own) || reflect.PointerTo(typ).Implements(own) || typ.Kind() == reflect.Interface {
		return true
	}
	want := map[reflect.Kind]string{
		reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer",
		reflect.Float64: "number", reflect.Slice: "array", reflect.Map: "object", reflect.Struct: "object",
	}
	if typ.Kind() == reflect.Pointer {
		return f.fit(typ.Elem(), schema)
	}
	for _, s := range shapes(schema) {
		if len(s.Members) == 0 || slices.Contains(types(s), want[typ.Kind()]) || want[typ.Kind()] == "number" && slices.Contains(types(s), "integer") {
			return true
		}
	}
	return false
}

// shapes are the alternatives of a schema, itself without any.
func shapes(schema *jsonc.Node) []*jsonc.Node {
	for _, key := range []string{"anyOf", "oneOf"} {
		if u := schema.Get(key); u != nil {
			var out []*jsonc.Node
			for _, b := range u.Items {
				out = append(out, shapes(b)...)
			}
			return out
		}
	}
	return []*jsonc.Node{schema}
}

func property(schema *jsonc.Node, name string) *jsonc.Node {
	for _, s := range shapes(schema) {
		if p := s.Find("properties", name); p != nil {
			return p
		}
	}
	return nil
}

func types(n *jsonc.Node) []string {
	t := n.Get("type")
	switch {
	case t == nil:
		return nil
	case t.Kind == jsonc.String:
		return []string{t.Text}
	}
	var out []string
	for _, i := range t.Items {
		out = append(out, i.Text)
	}
	return out
}
