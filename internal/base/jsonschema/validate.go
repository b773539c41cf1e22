package jsonschema

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Bounds on what comes from outside.
const (
	maxBytes    = 32 << 20
	maxDepth    = 100
	maxProblems = 32
	maxName     = 128 // of a property name in a message, in bytes
)

// validator walks bytes and schema side by side; a valid value costs no
// allocation beyond what its size demands.
type validator struct {
	problems []string
	path     []string
	syntax   bool
}

func (v *validator) run(n *node, raw []byte) {
	switch {
	case len(raw) > maxBytes:
		v.problem("must not be larger than " + strconv.Itoa(maxBytes) + " bytes")
	case len(raw) == 0:
		v.check(n, []byte("null"), 0)
	case !json.Valid(raw), !utf8.Valid(raw):
		v.syntax = true
		v.problem("must be valid JSON")
	case depth(raw) > maxDepth:
		v.problem("must not be nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	default:
		v.check(n, trim(raw), 0)
	}
}

// problem notes a problem once, with the path unless that is the root.
func (v *validator) problem(text string) {
	if len(v.path) > 0 {
		text = "at " + v.where() + ": " + text
	}
	v.note(text)
}

func (v *validator) note(text string) {
	if len(v.problems) >= maxProblems {
		return
	}
	for _, p := range v.problems {
		if p == text {
			return
		}
	}
	v.problems = append(v.problems, text)
}

func (v *validator) where() string {
	if len(v.path) == 0 {
		return "root"
	}
	return "/" + strings.Join(v.path, "/")
}

func (v *validator) push(name string) {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	v.path = append(v.path, cut(name))
}

func (v *validator) pop() { v.path = v.path[:len(v.path)-1] }

// check appends what is wrong with the valid JSON value raw. The order of the
// checks is that of the recorded gateway: type, limits, literal, union, then
// the members.
func (v *validator) check(n *node, raw []byte, depth int) {
	is := kindOf(raw)
	if n.kind != 0 && n.kind&is == 0 {
		v.problem("must be " + n.kind.String())
		if n.constant == "" && n.enum == nil {
			return
		}
	}
	switch is {
	case integer | number, number:
		v.checkNumber(n, raw)
	case str:
		if n.minLen >= 0 || n.maxLen >= 0 || n.pattern != nil {
			v.checkString(n, raw)
		}
	}
	if n.constant != "" && !sameScalar(n.constant, raw) {
		v.problem("must be equal to constant")
	}
	if n.enum != nil && !inEnum(n.enum, raw) {
		v.problem("must be equal to one of the allowed values")
	}
	switch {
	case n.one:
		v.checkOne(n, raw, depth)
	case n.anyOf != nil:
		v.checkAny(n, raw, depth)
	}
	switch {
	case is == array && n.kind&array != 0:
		v.checkArray(n, raw, depth)
	case is == object && n.kind&object != 0:
		v.checkObject(n, raw, depth)
	}
}

func (v *validator) checkAny(n *node, raw []byte, depth int) {
	before := len(v.problems)
	for _, a := range n.anyOf {
		sub := validator{path: v.path}
		sub.check(a, raw, depth)
		if len(sub.problems) == 0 {
			v.problems = v.problems[:before]
			return
		}
		for _, p := range sub.problems {
			v.note(p)
		}
	}
	v.problem("must match a schema in anyOf")
}

func (v *validator) checkOne(n *node, raw []byte, depth int) {
	matches := 0
	var found []string
	for _, a := range n.anyOf {
		sub := validator{path: v.path}
		sub.check(a, raw, depth)
		if len(sub.problems) == 0 {
			matches++
		}
		found = append(found, sub.problems...)
	}
	if matches == 1 {
		return
	}
	if matches == 0 {
		for _, p := range found {
			v.note(p)
		}
	}
	v.problem("must match exactly one schema in oneOf")
}

func (v *validator) checkNumber(n *node, raw []byte) {
	if n.min == nil && n.max == nil && n.above == nil && n.below == nil {
		return
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && !math.IsInf(f, 0) {
		v.problem("must be number")
		return
	}
	if n.max != nil && f > *n.max {
		v.problem("must be <= " + strconv.FormatFloat(*n.max, 'f', -1, 64))
	}
	if n.below != nil && f >= *n.below {
		v.problem("must be < " + strconv.FormatFloat(*n.below, 'f', -1, 64))
	}
	if n.above != nil && f <= *n.above {
		v.problem("must be > " + strconv.FormatFloat(*n.above, 'f', -1, 64))
	}
	if n.min != nil && f < *n.min {
		v.problem("must be >= " + strconv.FormatFloat(*n.min, 'f', -1, 64))
	}
}

func (v *validator) checkString(n *node, raw []byte) {
	s := unquote(raw)
	length := utf8.RuneCountInString(s)
	if n.maxLen >= 0 && length > n.maxLen {
		v.problem("must NOT have more than " + strconv.Itoa(n.maxLen) + " characters")
	}
	if n.minLen >= 0 && length < n.minLen {
		v.problem("must NOT have fewer than " + strconv.Itoa(n.minLen) + " characters")
	}
	if n.pattern != nil && !n.pattern.MatchString(s) {
		v.problem(fmt.Sprintf("must match pattern \"%s\"", n.pattern))
	}
}

func (v *validator) checkArray(n *node, raw []byte, depth int) {
	count := 0
	for p := newParts(raw); p.next(); count++ {
		if n.items == nil {
			continue
		}
		v.push(strconv.Itoa(count))
		v.check(n.items, p.value, depth+1)
		v.pop()
	}
	if n.maxLen >= 0 && count > n.maxLen {
		v.problem("must NOT have more than " + strconv.Itoa(n.maxLen) + " items")
	}
	if n.minLen >= 0 && count < n.minLen {
		v.problem("must NOT have fewer than " + strconv.Itoa(n.minLen) + " items")
	}
}

func (v *validator) checkObject(n *node, raw []byte, depth int) {
	var room [32][]byte
	found := room[:]
	if len(n.props) > len(room) {
		found = make([][]byte, len(n.props))
	}
	var unexpected, twice []string
	var others map[string][]byte
	var order []string
	for p := newParts(raw); p.next(); {
		i, known := n.lookup(p.key)
		switch {
		case known && found[i] != nil:
			twice = append(twice, n.props[i].name)
		case known:
			found[i] = p.value
		case n.values != nil:
			name := unquote(p.key)
			if others == nil {
				others = map[string][]byte{}
			}
			if _, dup := others[name]; dup {
				twice = append(twice, name)
				continue
			}
			others[name] = p.value
			order = append(order, name)
		case n.strict && len(unexpected) < maxProblems:
			unexpected = append(unexpected, unquote(p.key))
		}
	}
	for i := range n.props {
		if n.props[i].required && found[i] == nil {
			v.problem("must have required property '" + n.props[i].name + "'")
		}
	}
	for _, name := range unexpected {
		v.note("at " + v.where() + ": unexpected property '" + cut(name) + "'")
	}
	for _, name := range twice {
		v.note("at " + v.where() + ": duplicate property '" + cut(name) + "'")
	}
	for i := range n.props {
		if found[i] == nil || n.props[i].node.free() {
			continue
		}
		v.push(n.props[i].name)
		v.check(n.props[i].node, found[i], depth+1)
		v.pop()
	}
	for _, name := range order {
		v.push(name)
		if n.names != nil && !n.names.anyText() {
			v.check(n.names, []byte(quote(name)), depth+1)
		}
		v.check(n.values, others[name], depth+1)
		v.pop()
	}
}

// free reports whether n accepts everything.
func (n *node) free() bool {
	return n.kind == 0 && n.anyOf == nil && n.constant == "" && n.enum == nil
}

// anyText reports whether n accepts every string.
func (n *node) anyText() bool {
	return (n.kind == 0 || n.kind&str != 0) && n.anyOf == nil && n.constant == "" && n.enum == nil &&
		n.pattern == nil && n.minLen < 0 && n.maxLen < 0
}

func (n *node) lookup(key []byte) (int, bool) {
	inner := key[1 : len(key)-1]
	for _, c := range inner {
		if c == '\\' {
			i, ok := n.index[unquote(key)]
			return i, ok
		}
	}
	i, ok := n.index[string(inner)]
	return i, ok
}

func inEnum(enum []string, raw []byte) bool {
	if kindOf(raw) != str {
		return false
	}
	s := unquote(raw)
	for _, e := range enum {
		if e == s {
			return true
		}
	}
	return false
}

func sameScalar(constant string, raw []byte) bool {
	if string(raw) == constant {
		return true
	}
	switch kindOf(raw) {
	case str:
		return constant[0] == '"' && unquote(raw) == unquote([]byte(constant))
	case number, integer | number:
		a, errA := strconv.ParseFloat(constant, 64)
		b, errB := strconv.ParseFloat(string(raw), 64)
		return errA == nil && errB == nil && a == b
	}
	return false
}

func (k kind) String() string {
	if k == 0 {
		return "any"
	}
	return strings.Join(k.words(), ",")
}

// words names the types of k, in the order that the protocol lists them.
func (k kind) words() []string {
	var out []string
	for _, one := range []struct {
		kind kind
		word string
	}{{object, "object"}, {array, "array"}, {str, "string"}, {integer, "integer"}, {number, "number"}, {boolean, "boolean"}, {null, "null"}} {
		if k&one.kind != 0 {
			out = append(out, one.word)
		}
	}
	return out
}

func cut(name string) string {
	if len(name) <= maxName {
		return name
	}
	return text.Cut(name, maxName) + "…"
}
