package config

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// schemaData is the public schema of the file: each distinct node once, one a
// line, in which a child is the number of its line. The last line is the root.
//
//go:embed data/schema.gz
var schemaData []byte

// ours are the keys that this program accepts beyond the recorded schema.
func ours() []addition {
	const (
		duration = `{"type":"integer","minimum":0,"maximum":9007199254740991}`
		texts    = `{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{"type":"string"}}`
		list     = `{"type":"array","items":{"type":"string"}}`
		server   = `{"type":"object","properties":{"enabled":{"type":"boolean"},"command":{"type":"string"},"args":` + list +
			`,"env":` + texts + `,"cwd":{"type":"string"},"workingDirectory":{"type":"string"},"url":{"type":"string"},` +
			`"transport":{"type":"string","enum":["stdio","sse","streamable-http"]},"headers":` + texts +
			`,"connectionTimeoutMs":` + duration + `,"requestTimeoutMs":` + duration + `},"additionalProperties":false}`
		mcp = `{"type":"object","properties":{"sessionIdleTtlMs":` + duration +
			`,"servers":{"type":"object","propertyNames":{"type":"string"},"additionalProperties":` + server + `}},"additionalProperties":false}`
		text = `{"type":"string"}`
	)
	return []addition{
		{nil, "$schema", text},
		{nil, "mcp", mcp},
		{[]string{"channels", "slack"}, "apiRoot", text},
		{[]string{"channels", "slack", "accounts", "*"}, "apiRoot", text},
		{[]string{"channels", "telegram"}, "apiRoot", text},
		{[]string{"channels", "telegram", "accounts", "*"}, "apiRoot", text},
	}
}

// addition is a property of the object at parent.
type addition struct {
	parent []string
	key    string
	schema string
}

// schema hands out the nodes of the recorded schema, each parsed when it is
// first asked for: a file uses a small part of the whole.
type schema struct {
	mu    sync.Mutex
	lines [][]byte
	rules map[int]*rule
	root  *rule
}

// rule is one node of the schema.
type rule struct {
	s    *schema
	node *jsonc.Node

	types    []string
	props    []property
	byKey    map[string]int
	required map[string]bool
	items    *rule
	open     *rule // what additional properties must match; nil with closed unset: anything
	closed   bool
	names    *rule
	branches []*rule
	values   []*jsonc.Node // enum or const
	pattern  *regexp.Regexp
	fallback *jsonc.Node // default

	once sync.Once
	kids kids
}

type kids struct{ items, open, names *jsonc.Node }

type property struct {
	key  string
	rule *rule
	ref  *jsonc.Node
}

// theSchema is unpacked on first use, never by commands that need no config.
//
//nolint:gochecknoglobals // immutable once read; every reader shares it
var theSchema = sync.OnceValue(func() *schema {
	r, err := gzip.NewReader(bytes.NewReader(schemaData))
	if err != nil {
		panic("config: embedded schema: " + err.Error())
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		panic("config: embedded schema: " + err.Error())
	}
	s := &schema{lines: bytes.Split(raw, []byte{'\n'}), rules: map[int]*rule{}}
	s.root = s.line(len(s.lines) - 1)
	for _, a := range ours() {
		parent := s.root.find(a.parent)
		if parent == nil {
			panic("config: no schema at " + dotted(a.parent...))
		}
		parent.add(a.key, s.parse([]byte(a.schema)))
	}
	return s
})

func (s *schema) line(i int) *rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rules[i]; r != nil {
		return r
	}
	r := s.parse(s.lines[i])
	s.rules[i] = r
	return r
}

func (s *schema) parse(raw []byte) *rule {
	d, err := jsonc.Parse("schema", raw)
	if err != nil {
		panic("config: embedded schema: " + err.Error())
	}
	return &rule{s: s, node: d.Root}
}

// of returns the rule that ref stands for: a line number, or a schema in place.
func (s *schema) of(ref *jsonc.Node) *rule {
	if ref.Kind == jsonc.Number {
		i, _ := strconv.Atoi(ref.Text)
		return s.line(i)
	}
	return &rule{s: s, node: ref}
}

func (r *rule) add(key string, p *rule) {
	r.load()
	if _, had := r.byKey[key]; had {
		return
	}
	r.byKey[key] = len(r.props)
	r.props = append(r.props, property{key: key, rule: p})
}

// load reads the node's own fields; children stay references.
func (r *rule) load() *rule {
	r.once.Do(r.read)
	return r
}

func (r *rule) read() {
	r.byKey, r.required = map[string]int{}, map[string]bool{}
	for _, m := range r.node.Members {
		v := m.Value
		switch m.Key {
		case "type":
			if v.Kind == jsonc.String {
				r.types = []string{v.Text}
				break
			}
			for _, t := range v.Items {
				r.types = append(r.types, t.Text)
			}
		case "properties":
			for _, p := range v.Members {
				r.byKey[p.Key] = len(r.props)
				r.props = append(r.props, property{key: p.Key, ref: p.Value})
			}
		case "required":
			for _, k := range v.Items {
				r.required[k.Text] = true
			}
		case "additionalProperties":
			r.closed = v.Kind == jsonc.Bool && !v.Bool
			if v.Kind != jsonc.Bool {
				r.kids.open = v
			}
		case "items":
			r.kids.items = v
		case "propertyNames":
			r.kids.names = v
		case "anyOf", "oneOf":
			for _, b := range v.Items {
				r.branches = append(r.branches, r.s.of(b))
			}
		case "const":
			r.values = []*jsonc.Node{v}
		case "enum":
			r.values = v.Items
		case "pattern":
			r.pattern = regexp.MustCompile(v.Text)
		case "default":
			r.fallback = v
		}
	}
	if r.kids.items != nil {
		r.items = r.s.of(r.kids.items)
	}
	if r.kids.open != nil {
		r.open = r.s.of(r.kids.open)
	}
	if r.kids.names != nil {
		r.names = r.s.of(r.kids.names)
	}
}

// prop returns the rule of a named property, or nil.
func (r *rule) prop(key string) *rule {
	r.load()
	i, ok := r.byKey[key]
	if !ok {
		return nil
	}
	p := &r.props[i]
	if p.rule != nil {
		return p.rule
	}
	return r.s.of(p.ref)
}

// find walks a path; "*" and numbers step into what maps and arrays hold.
func (r *rule) find(path []string) *rule {
	if len(path) == 0 || r == nil {
		return r
	}
	r.load()
	for _, b := range r.branches {
		if found := b.find(path); found != nil {
			return found
		}
	}
	step := path[0]
	if p := r.prop(step); p != nil {
		return p.find(path[1:])
	}
	if r.items != nil && (step == "*" || step == "[]" || isIndex(step)) {
		return r.items.find(path[1:])
	}
	if r.open != nil {
		return r.open.find(path[1:])
	}
	return nil
}

func isIndex(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

func (r *rule) is(t string) bool {
	for _, have := range r.load().types {
		if have == t || have == "integer" && t == "number" {
			return true
		}
	}
	return false
}
