package config

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Description is the answer to config.schema, without its time stamp.
type Description struct {
	Schema  json.RawMessage `json:"schema"`
	UIHints json.RawMessage `json:"uiHints"`
	Version string          `json:"version"`
}

//nolint:gochecknoglobals // immutable once made
var description = sync.OnceValue(func() Description {
	return Description{
		Schema:  theSchema().root.appendJSON(nil),
		UIHints: allHints(),
		Version: "2026.3.13",
	}
})

// Schema returns the JSON Schema of the file with hints for forms. The root
// key $schema is accepted in a file and not shown here.
func Schema() Description { return description() }

// appendJSON writes the schema with its children in place.
func (r *rule) appendJSON(dst []byte) []byte {
	r.load()
	dst = append(dst, '{')
	field := func(key string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(jsonc.AppendQuoted(dst, key), ':')
	}
	for _, m := range r.node.Members {
		field(m.Key)
		switch m.Key {
		case "properties":
			dst = append(dst, '{')
			for _, p := range r.props {
				if p.key == "$schema" {
					continue
				}
				field(p.key)
				dst = r.prop(p.key).appendJSON(dst)
			}
			dst = append(dst, '}')
		case "anyOf", "oneOf":
			dst = append(dst, '[')
			for i, b := range r.branches {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = b.appendJSON(dst)
			}
			dst = append(dst, ']')
		case "items":
			dst = r.items.appendJSON(dst)
		case "propertyNames":
			dst = r.names.appendJSON(dst)
		case "additionalProperties":
			if r.open == nil {
				dst = jsonc.AppendJSON(dst, m.Value)
				break
			}
			dst = r.open.appendJSON(dst)
		default:
			dst = jsonc.AppendJSON(dst, m.Value)
		}
	}
	return append(dst, '}')
}

// allHints are the recorded hints, with a label where they have none.
func allHints() json.RawMessage {
	dst := []byte{'{'}
	for i, m := range theHints().Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsonc.AppendQuoted(dst, m.Key), ':')
		dst = jsonc.AppendJSON(dst, labelled(m.Key, m.Value))
	}
	return append(dst, '}')
}

func labelled(path string, hint *jsonc.Node) *jsonc.Node {
	if hint == nil {
		hint = &jsonc.Node{Kind: jsonc.Object}
	}
	if hint.Get("label") != nil {
		return hint
	}
	last := strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "[]")
	if last == "*" || last == "" {
		return hint
	}
	return hint.With([]string{"label"}, jsonc.Str(words(last)))
}

// words turns maxBodyBytes into "Max Body Bytes".
func words(key string) string {
	var b strings.Builder
	runes := []rune(key)
	for i, c := range runes {
		switch {
		case i == 0:
			c = unicode.ToUpper(c)
		case c == '-' || c == '_':
			c = ' '
		case unicode.IsUpper(c) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Found is the answer to config.schema.lookup.
type Found struct {
	Path     string          `json:"path"`
	Schema   json.RawMessage `json:"schema"`
	Hint     json.RawMessage `json:"hint,omitempty"`
	HintPath string          `json:"hintPath,omitempty"`
	Children []FoundChild    `json:"children"`
}

// FoundChild is a key below the path that was looked up.
type FoundChild struct {
	Key         string          `json:"key"`
	Path        string          `json:"path"`
	Type        any             `json:"type,omitempty"` // a string, or several
	Required    bool            `json:"required"`
	HasChildren bool            `json:"hasChildren"`
	Hint        json.RawMessage `json:"hint,omitempty"`
	HintPath    string          `json:"hintPath,omitempty"`
}

// Lookup describes one place of the schema and the keys right below it. path is
// dotted; list elements are [] or [n], entries of a map any name.
func Lookup(path string) (Found, error) {
	steps := lookupSteps(path)
	r := theSchema().root.find(steps)
	if r == nil || len(steps) == 0 {
		return Found{}, fault.New(fault.NotFound, "config.Lookup", "config schema path not found")
	}
	r.load()
	f := Found{Path: dotted(steps...), Schema: r.own(), Children: []FoundChild{}}
	f.HintPath, f.Hint = hintAt(steps)
	for _, p := range r.props {
		f.Children = append(f.Children, childOf(steps, p.key, r.prop(p.key), r.required[p.key]))
	}
	if r.open != nil {
		f.Children = append(f.Children, childOf(steps, "*", r.open, false))
	}
	if r.items != nil {
		f.Children = append(f.Children, childOf(steps, "[]", r.items, false))
	}
	return f, nil
}

func lookupSteps(path string) []string {
	path = strings.ReplaceAll(strings.ReplaceAll(path, "[", ".["), "/", ".")
	var out []string
	for _, s := range strings.Split(path, ".") {
		if inner, ok := strings.CutPrefix(s, "["); ok {
			if s = strings.TrimSuffix(inner, "]"); s == "" || s == "*" {
				s = "[]"
			}
		}
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func childOf(parent []string, key string, r *rule, required bool) FoundChild {
	path := child(parent, key)
	r.load()
	c := FoundChild{Key: key, Path: dotted(path...), Required: required && r.fallback == nil}
	switch len(r.types) {
	case 0:
	case 1:
		c.Type = r.types[0]
	default:
		c.Type = r.types
	}
	c.HasChildren = len(r.props) > 0 || r.open != nil || r.items != nil
	c.HintPath, c.Hint = hintAt(path)
	return c
}

// own is the schema of r without what is below it.
func (r *rule) own() json.RawMessage {
	dst := []byte{'{'}
	for _, m := range r.node.Members {
		switch m.Key {
		case "properties", "items", "anyOf", "oneOf", "required", "propertyNames":
			continue
		case "additionalProperties":
			if m.Value.Kind != jsonc.Bool {
				continue
			}
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(jsonc.AppendQuoted(dst, m.Key), ':')
		dst = jsonc.AppendJSON(dst, m.Value)
	}
	return append(dst, '}')
}

func hintAt(path []string) (string, json.RawMessage) {
	for _, form := range hintForms(path) {
		for _, f := range []string{form, strings.ReplaceAll(form, ".[]", "[]")} {
			if h := theHints().Get(f); h != nil {
				return f, labelled(f, h).JSON()
			}
		}
	}
	return "", nil
}
