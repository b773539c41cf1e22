package config_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/config"
)

// TestTypesAgreeWithSchema walks every tagged field of the typed configuration
// and looks it up in the public schema.
func TestTypesAgreeWithSchema(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	if err := json.Unmarshal(config.Schema().Schema, &schema); err != nil {
		t.Fatal(err)
	}
	n := 0
	var walk func(path string, typ reflect.Type, at []map[string]any)
	walk = func(path string, typ reflect.Type, at []map[string]any) {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ == reflect.TypeFor[json.RawMessage]() {
			return // decoded by its owner
		}
		n++
		want := map[reflect.Kind][]string{
			reflect.Bool: {"boolean"}, reflect.String: {"string"}, reflect.Int: {"integer", "number"}, reflect.Int64: {"integer", "number"},
			reflect.Float64: {"number"}, reflect.Struct: {"object"}, reflect.Map: {"object"}, reflect.Slice: {"array"},
		}[typ.Kind()]
		if !slices.ContainsFunc(at, func(s map[string]any) bool { return anyType(s, want) }) {
			t.Errorf("%s: a %s doesn't fit the schema", path, typ.Kind())
			return
		}
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if tag == "" || tag == "-" || strings.Contains(path, ".topics.") && (tag == "topics" || tag == "tools" || tag == "toolsBySender") {
					continue
				}
				below := under(at, tag)
				if below == nil {
					t.Errorf("%s.%s isn't in the schema", path, tag)
					continue
				}
				walk(path+"."+tag, f.Type, below)
			}
		case reflect.Map:
			walk(path+".*", typ.Elem(), under(at, "*"))
		case reflect.Slice:
			walk(path+"[]", typ.Elem(), under(at, "[]"))
		}
	}
	walk("", reflect.TypeFor[config.Config](), []map[string]any{schema})
	var channel []map[string]any
	for _, ch := range []string{"telegram", "irc", "whatsapp", "discord", "signal"} { // together they have every common key
		channel = append(channel, under(under([]map[string]any{schema}, "channels"), ch)...)
	}
	walk("channels.<id>", reflect.TypeFor[config.ChannelSection](), channel)
	if n < 150 {
		t.Errorf("only %d fields were looked at", n)
	}
}

// under returns what the schemas say about key, "*" and "[]" standing for the
// entries of a map and the elements of a list.
func under(at []map[string]any, key string) (out []map[string]any) {
	add := func(v any) {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	for _, s := range at {
		for _, k := range []string{"anyOf", "oneOf"} {
			branches, _ := s[k].([]any)
			for _, b := range branches {
				if m, ok := b.(map[string]any); ok {
					out = append(out, under([]map[string]any{m}, key)...)
				}
			}
		}
		props, _ := s["properties"].(map[string]any)
		switch key {
		case "[]":
			add(s["items"])
		case "*":
			for _, p := range props {
				add(p)
			}
			add(s["additionalProperties"])
			if s["additionalProperties"] == true {
				out = append(out, map[string]any{})
			}
		default:
			if p, ok := props[key]; ok {
				add(p)
			} else {
				add(s["additionalProperties"])
			}
		}
	}
	return out
}

func anyType(s map[string]any, want []string) bool {
	if len(s) == 0 {
		return true
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		branches, _ := s[k].([]any)
		for _, b := range branches {
			if m, ok := b.(map[string]any); ok && anyType(m, want) {
				return true
			}
		}
	}
	switch v := s["type"].(type) {
	case string:
		return slices.Contains(want, v)
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { s, _ := x.(string); return slices.Contains(want, s) })
	}
	return false
}

// TestDefaults compares what an empty file gives with the recorded defaults of
// every key that is filled in.
func TestDefaults(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/defaults.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded []struct {
		Key   string
		Value json.RawMessage
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	p := home(t)
	write(t, p.Config, `{ channels: { x1: {}, discord: {}, telegram: {} }, gateway: { auth: { rateLimit: {} } }, models: { providers: { p: { baseUrl: "http://h", models: [{ id: "m", name: "M" }] } } } }`)
	l, _ := config.Load(t.Context(), p, options(t, nil)) // x1 is unknown and left out
	filled := 0
	for _, d := range recorded {
		key := strings.NewReplacer("channels.<id>", "channels.telegram", "providers.*", "providers.p", "models[]", "models[0]").Replace(d.Key)
		path, err := config.ParseKeyPath(key)
		if err != nil {
			continue // not a key of the file
		}
		got := path.At(l.Filled)
		if got == nil {
			continue // decided by who uses it
		}
		filled++
		var a, b any
		if json.Unmarshal(d.Value, &a) != nil || json.Unmarshal(got.JSON(), &b) != nil {
			t.Fatal("not JSON")
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s (-recorded +ours):\n%s", d.Key, diff)
		}
	}
	if filled < 55 {
		t.Errorf("only %d defaults are filled in", filled)
	}
	if c := l.Config; c.Channel("discord").TextChunkLimit != 2000 || c.Channel("telegram").TextChunkLimit != 4000 ||
		c.Agents.Defaults.Heartbeat.Every != "30m" || c.Gateway.Port != 18789 || c.Models.Providers["p"].Models[0].ContextWindow != 200000 {
		t.Errorf("the types don't have the defaults: %+v", c.Agents.Defaults)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	f, err := config.Lookup("gateway.auth")
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Schema) != `{"type":"object","additionalProperties":false}` || f.HintPath != "gateway.auth" {
		t.Errorf("schema = %s, hintPath = %s", f.Schema, f.HintPath)
	}
	var keys []string
	for _, c := range f.Children {
		keys = append(keys, c.Key)
		if c.Key == "allowTailscale" && (c.Type != "boolean" || c.HasChildren) || c.Key == "token" && c.HasChildren {
			t.Errorf("child = %+v", c)
		}
	}
	if diff := cmp.Diff([]string{"mode", "token", "password", "allowTailscale", "rateLimit", "trustedProxy"}, keys); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"agents.list[].identity", "agents.list[0].identity", "channels.telegram.accounts.*", "models/providers/x/models", "mcp.servers.x"} {
		if f, err := config.Lookup(path); err != nil || len(f.Children) == 0 {
			t.Errorf("Lookup(%s): %v", path, err)
		}
	}
	if _, err := config.Lookup("no.such"); err == nil || !strings.Contains(err.Error(), "config schema path not found") {
		t.Errorf("an unknown path: %v", err)
	}
}

func TestSchemaHasHints(t *testing.T) {
	t.Parallel()
	var s struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(config.Schema().Schema, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Properties) != 36 || s.Properties["mcp"] == nil || s.Properties["$schema"] != nil { // the 35 recorded ones and mcp
		t.Errorf("%d sections", len(s.Properties))
	}
	var hints map[string]map[string]any
	if err := json.Unmarshal(config.Schema().UIHints, &hints); err != nil {
		t.Fatal(err)
	}
	if h := hints["gateway.auth.token"]; h["sensitive"] != true || h["label"] != "Token" {
		t.Errorf("hint = %v", h)
	}
}
