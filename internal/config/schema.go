package config

import (
	"bytes"
	_ "embed"
	"regexp"
	"strconv"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

//go:generate go test ../app -run ^TestConfigSchemaIsGenerated$ -count=1 -update

// schemaData is the public schema of the file, made of the types of package
// spec: each distinct node once, one a line, in which a child is the number of
// its line. The last line is the root.
//
//go:embed data/schema.jsonl
var schemaData []byte

// schema hands out the nodes of the schema, each parsed when it is first asked
// for: a file uses a small part of the whole.
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
	key string
	ref *jsonc.Node
}

// theSchema is read on first use, never by commands that need no config.
//
//nolint:gochecknoglobals // immutable once read; every reader shares it
var theSchema = sync.OnceValue(func() *schema {
	s := &schema{lines: bytes.Split(schemaData, []byte{'\n'}), rules: map[int]*rule{}}
	s.root = s.line(len(s.lines) - 1)
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
	return r.s.of(r.props[i].ref)
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
