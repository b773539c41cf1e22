// Package jsonschema derives a JSON Schema from a Go type and validates JSON
// against it, strictly: an unknown property is an error, and every error is
// reported, in the words that the gateway protocol fixes.
//
// Start at [Of]. What a Go type can't say (unions of objects, say) is written
// in the notation of [FromCompact]; a type hands over such a schema of its own
// by having a method JSONSchema() *Schema.
//
// It isn't a general validator: it knows the keywords that the protocol and
// the tools use, and nothing is ever fetched or referenced.
package jsonschema

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	root *node
	raw  json.RawMessage
}

// kind is a set of JSON types. The empty set admits anything.
type kind uint8

const (
	object kind = 1 << iota
	array
	str
	integer
	number
	boolean
	null
)

// node is one schema in the tree.
type node struct {
	kind kind
	doc  string

	constant string   // a literal, as JSON; "" is none
	enum     []string // allowed strings; the words differ from a union of literals
	anyOf    []*node
	one      bool // exactly one of anyOf must match

	min, max       *float64
	above, below   *float64 // exclusive bounds
	minLen, maxLen int      // of strings and arrays; -1 is none
	pattern        *regexp.Regexp
	format         string // shown, not checked
	fallback       string // the default, as JSON; shown, not filled in

	items  *node
	props  []prop
	index  map[string]int
	strict bool
	values *node // of properties that aren't in props
	names  *node // of those properties' names
}

type prop struct {
	name     string
	required bool
	node     *node
}

func newNode(k kind) *node { return &node{kind: k, minLen: -1, maxLen: -1} }

func compile(n *node) *Schema {
	s := &Schema{root: n}
	n.finish()
	s.raw = n.appendJSON(nil)
	return s
}

func (n *node) finish() {
	if n.index == nil && len(n.props) > 0 {
		n.index = make(map[string]int, len(n.props))
		for i, p := range n.props {
			n.index[p.name] = i
			p.node.finish()
		}
	}
	for _, a := range n.anyOf {
		a.finish()
	}
	if n.items != nil {
		n.items.finish()
	}
	if n.values != nil {
		n.values.finish()
	}
	if n.names != nil {
		n.names.finish()
	}
}

// JSON returns the schema as JSON. The caller must not change it.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Error lists everything that is wrong with a value.
type Error struct {
	Problems []string
	Syntax   bool // it isn't JSON at all
}

// Error joins the problems as the protocol does.
func (e *Error) Error() string { return strings.Join(e.Problems, "; ") }

// Validate checks raw. The error is an [*Error] with all problems in order.
func (s *Schema) Validate(raw json.RawMessage) error {
	v := validator{}
	v.run(s.root, raw)
	if len(v.problems) == 0 {
		return nil
	}
	return &Error{Problems: v.problems, Syntax: v.syntax}
}
