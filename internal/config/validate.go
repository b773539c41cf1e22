package config

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// checker walks a tree along the schema and collects every problem.
//
// It stops looking once it has maxProblems: nobody reads more, and each costs.
type checker struct {
	problems    []Problem
	skipPlugins bool
}

// maxProblems bounds what is reported of one file.
const maxProblems = 500

// checkSchema validates a whole file against the schema.
func checkSchema(root *jsonc.Node) []Problem {
	c := checker{skipPlugins: true}
	c.value(nil, root, theSchema().root)
	return c.problems
}

func (c *checker) add(path []string, n *jsonc.Node, hard bool, message, mend string) *Problem {
	c.problems = append(c.problems, Problem{Path: dotted(path...), Message: message, Mend: mend, hard: hard}.at(n))
	return &c.problems[len(c.problems)-1]
}

func (c *checker) value(path []string, n *jsonc.Node, r *rule) {
	r.load()
	if len(c.problems) >= maxProblems {
		return
	}
	if c.skipPlugins && len(path) == 4 && path[0] == "plugins" && path[1] == "entries" && path[3] == "config" {
		return // judged by the rules on plugins, in their words
	}
	switch {
	case len(r.branches) > 0:
		c.union(path, n, r)
	case r.values != nil:
		c.choice(path, n, r)
	case len(r.types) == 0: // anything
	case len(r.types) > 1:
		if !accepts(r, n) {
			c.add(path, n, true, "Invalid input", "write "+oneOf(r.types))
		}
	case !accepts(r, n):
		c.wrongType(path, n, r.types[0])
	default:
		c.inside(path, n, r)
	}
}

func (c *checker) inside(path []string, n *jsonc.Node, r *rule) {
	switch n.Kind {
	case jsonc.Object:
		c.object(path, n, r)
	case jsonc.Array:
		c.array(path, n, r)
	case jsonc.Number:
		c.number(path, n, r)
	case jsonc.String:
		c.text(path, n, r)
	}
}

// accepts reports whether n is of a kind that r takes, whatever is inside.
func accepts(r *rule, n *jsonc.Node) bool {
	r.load()
	for _, b := range r.branches {
		if accepts(b, n) {
			return true
		}
	}
	if len(r.branches) > 0 {
		return false
	}
	if len(r.types) == 0 {
		return true
	}
	switch n.Kind {
	case jsonc.Number:
		return r.is("number") && n.Text != "NaN" && !strings.HasSuffix(n.Text, "Infinity")
	default:
		return r.is(n.Kind.String())
	}
}

func (c *checker) wrongType(path []string, n *jsonc.Node, want string) {
	if want == "integer" {
		want = "number"
	}
	got := "undefined"
	if n != nil {
		got = n.Kind.String()
		if n.Kind == jsonc.Number && n.Text == "NaN" {
			got = "NaN"
		}
	}
	c.add(path, n, true, "Invalid input: expected "+want+", received "+got, retype(n, want))
}

// retype says how to write n as what is wanted, where that is plain.
func retype(n *jsonc.Node, want string) string {
	if n == nil {
		return "add it"
	}
	if n.Kind == jsonc.String && (want == "number" || want == "boolean") {
		if d, err := jsonc.Parse("", []byte(n.Text)); err == nil && d.Root.Kind.String() == want {
			return "write " + n.Text + " without quotes"
		}
	}
	if want == "string" && (n.Kind == jsonc.Number || n.Kind == jsonc.Bool) {
		return "write it in quotes"
	}
	if want == "array" && n.Kind != jsonc.Null {
		return "write it as a list: [ … ]"
	}
	article := "a "
	if want == "array" || want == "object" {
		article = "an "
	}
	return "write " + article + want
}

func (c *checker) object(path []string, n *jsonc.Node, r *rule) {
	members := n.Unique()
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		seen[m.Key] = true
	}
	for i := range r.props { // in schema order, as recorded
		key := r.props[i].key
		if seen[key] {
			c.value(child(path, key), n.Get(key), r.prop(key))
			continue
		}
		if r.required[key] {
			c.missing(child(path, key), n, r.prop(key))
		}
	}
	var unknown []Problem
	for i := range members {
		m := &members[i]
		if _, known := r.byKey[m.Key]; known {
			continue
		}
		switch {
		case len(c.problems)+len(unknown) >= maxProblems:
		case r.closed:
			p := Problem{Path: dotted(path...), Key: dotted(child(path, m.Key)...), Message: fmt.Sprintf("Unrecognized key: %q", m.Key), hard: true, steps: child(path, m.Key)}
			p.Mend = "remove it"
			if near := nearest(m.Key, r.props); near != "" {
				p.Mend = fmt.Sprintf("did you mean %q? Otherwise remove it", near)
			}
			unknown = append(unknown, p.atMember(m))
		default:
			if r.names != nil {
				c.name(path, m, r.names)
			}
			if r.open != nil {
				c.value(child(path, m.Key), m.Value, r.open)
			}
		}
	}
	c.problems = append(c.problems, unknown...)
}

func (c *checker) name(path []string, m *jsonc.Member, names *rule) {
	var inner checker
	inner.value(path, &jsonc.Node{Kind: jsonc.String, Text: m.Key}, names)
	if len(inner.problems) > 0 {
		p := Problem{Path: dotted(child(path, m.Key)...), Message: "Invalid key in record", Mend: "rename it: " + inner.problems[0].Message, hard: true}
		c.problems = append(c.problems, p.atMember(m))
	}
}

func (c *checker) missing(path []string, parent *jsonc.Node, r *rule) {
	r.load()
	if r.fallback != nil {
		return
	}
	switch {
	case len(r.branches) > 0 || len(r.types) > 1:
		p := c.add(path, parent, true, "Invalid input", "add it")
		p.allow(r)
	case r.values != nil:
		c.choice(path, &jsonc.Node{Doc: parent.Doc, Start: parent.Start}, r)
	case len(r.types) == 1:
		c.wrongType(path, nil, r.types[0])
		last := &c.problems[len(c.problems)-1]
		*last = last.at(parent)
	}
}

func (c *checker) array(path []string, n *jsonc.Node, r *rule) {
	if limit, ok := bound(r, "minItems"); ok && float64(len(n.Items)) < limit {
		c.add(path, n, false, fmt.Sprintf("Too small: expected array to have >=%v items", limit), "add to it")
	}
	if limit, ok := bound(r, "maxItems"); ok && float64(len(n.Items)) > limit {
		c.add(path, n, false, fmt.Sprintf("Too big: expected array to have <=%v items", limit), "shorten it")
	}
	if r.items == nil {
		return
	}
	for i, v := range n.Items {
		c.value(child(path, fmt.Sprint(i)), v, r.items)
	}
}

func bound(r *rule, name string) (float64, bool) {
	v := r.node.Get(name)
	if v == nil || v.Kind != jsonc.Number {
		return 0, false
	}
	return v.Float(), true
}

func (c *checker) number(path []string, n *jsonc.Node, r *rule) {
	f, of := n.Float(), "number"
	if r.types[0] == "integer" {
		if f != math.Trunc(f) {
			c.add(path, n, true, "Invalid input: expected int, received number", "write a whole number")
			return
		}
		if math.Abs(f) > 9007199254740991 {
			of = "int"
		}
	}
	text := jsonc.FormatFloat
	if low, ok := bound(r, "exclusiveMinimum"); ok && f <= low {
		c.add(path, n, false, "Too small: expected "+of+" to be >"+text(low), "write a larger number")
	}
	if low, ok := bound(r, "minimum"); ok && f < low {
		c.add(path, n, false, "Too small: expected "+of+" to be >="+text(low), "write at least "+text(low))
	}
	if high, ok := bound(r, "maximum"); ok && f > high {
		c.add(path, n, false, "Too big: expected "+of+" to be <="+text(high), "write at most "+text(high))
	}
	if high, ok := bound(r, "exclusiveMaximum"); ok && f >= high {
		c.add(path, n, false, "Too big: expected "+of+" to be <"+text(high), "write a smaller number")
	}
}

func (c *checker) text(path []string, n *jsonc.Node, r *rule) {
	length := float64(len(utf16.Encode([]rune(n.Text))))
	if low, ok := bound(r, "minLength"); ok && length < low {
		c.add(path, n, false, fmt.Sprintf("Too small: expected string to have >=%v characters", low), "write a longer text")
	}
	if high, ok := bound(r, "maxLength"); ok && length > high {
		c.add(path, n, false, fmt.Sprintf("Too big: expected string to have <=%v characters", high), "shorten it")
	}
	if format := r.node.Get("format"); format != nil {
		if what := misformed(format.Text, n.Text); what != "" {
			c.add(path, n, false, "Invalid "+what, "")
			return
		}
	}
	if r.pattern != nil && !r.pattern.MatchString(n.Text) {
		c.add(path, n, false, patternMessage(path, r.pattern.String()), "")
	}
}

func misformed(format, s string) string {
	switch format {
	case "uri":
		if u, err := url.Parse(s); err != nil || u.Scheme == "" {
			return "URL"
		}
	case "ipv4":
		if a, err := netip.ParseAddr(s); err != nil || !a.Is4() {
			return "IPv4 address"
		}
	case "ipv6":
		if a, err := netip.ParseAddr(s); err != nil || !a.Is6() {
			return "IPv6 address"
		}
	}
	return ""
}

func patternMessage(path []string, pattern string) string {
	switch {
	case pattern == "^[A-Z][A-Z0-9_]{0,127}$":
		return `Env secret reference id must match /^[A-Z][A-Z0-9_]{0,127}$/ (example: "OPENAI_API_KEY").`
	case pattern == "^[a-z][a-z0-9_-]{0,63}$" && len(path) > 0 && path[len(path)-1] == "provider":
		return `Secret reference provider must match /^[a-z][a-z0-9_-]{0,63}$/ (example: "default").`
	}
	return "Invalid string: must match pattern /" + pattern + "/"
}
