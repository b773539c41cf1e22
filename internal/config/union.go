package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// maxAllowed is how many allowed values a message lists.
const maxAllowed = 12

// choice checks an enum or a constant.
func (c *checker) choice(path []string, n *jsonc.Node, r *rule) {
	for _, v := range r.values {
		if jsonc.Equal(v, n) {
			return
		}
	}
	labels := make([]string, 0, len(r.values))
	for _, v := range r.values {
		labels = append(labels, string(v.JSON()))
	}
	message := "Invalid option: expected one of " + strings.Join(labels, "|")
	if len(labels) == 1 {
		message = "Invalid input: expected " + labels[0]
	}
	c.add(path, n, true, message, "use "+nearChoice(n, r.values, labels)).allow(r)
}

// union checks a value that may take several shapes. Reported are the problems
// of the one shape that was meant, when that can be told.
func (c *checker) union(path []string, n *jsonc.Node, r *rule) {
	if b, by := discriminate(n, r); by != "" {
		if b == nil {
			c.add(child(path, by), firstOf(n.Get(by), n), true, "Invalid input", "").allowTags(r, by)
			return
		}
		c.value(path, n, b)
		return
	}
	var meant [][]Problem // the shapes that take this kind of value
	var soft [][]Problem  // the shapes that only a bound keeps out
	for _, b := range r.branches {
		inner := checker{skipPlugins: c.skipPlugins}
		inner.value(path, n, b)
		if len(inner.problems) == 0 {
			return
		}
		if accepts(b, n) && (n.Kind == jsonc.Object || n.Kind == jsonc.Array || b.load().values == nil) {
			meant = append(meant, inner.problems)
		}
		if !anyHard(inner.problems) {
			soft = append(soft, inner.problems)
		}
	}
	switch {
	case len(soft) == 1:
		c.problems = append(c.problems, soft[0]...)
	case len(meant) == 1 && hasInner(meant[0], dotted(path...)):
		c.problems = append(c.problems, meant[0]...)
	default:
		c.add(path, n, true, "Invalid input", "").allow(r)
	}
}

func firstOf(a, b *jsonc.Node) *jsonc.Node {
	if a != nil {
		return a
	}
	return b
}

func anyHard(ps []Problem) bool {
	for _, p := range ps {
		if p.hard {
			return true
		}
	}
	return false
}

// hasInner reports whether a problem says more than that path has the wrong
// shape.
func hasInner(ps []Problem, path string) bool {
	for _, p := range ps {
		if p.Key != path {
			return true
		}
	}
	return false
}

// discriminate picks the shape of an object by the constant that tells the
// shapes apart. by is empty when none does.
func discriminate(n *jsonc.Node, r *rule) (b *rule, by string) {
	if n.Kind != jsonc.Object || r.node.Get("oneOf") == nil {
		return nil, ""
	}
	for _, b := range r.branches {
		b.load()
		if len(b.types) != 1 || b.types[0] != "object" {
			return nil, ""
		}
		tag := ""
		for _, p := range b.props {
			if v := b.prop(p.key).load(); b.required[p.key] && len(v.values) == 1 {
				tag = p.key
				break
			}
		}
		if tag == "" || by != "" && tag != by {
			return nil, ""
		}
		by = tag
	}
	for _, b := range r.branches {
		if jsonc.Equal(b.prop(by).load().values[0], n.Get(by)) {
			return b, by
		}
	}
	return nil, by
}

// allow adds the values that r takes to the problem, when there is a list.
func (p *Problem) allow(r *rule) {
	values, complete := allowedBy(r)
	if complete {
		p.list(values)
	}
}

func (p *Problem) allowTags(r *rule, by string) {
	var values []*jsonc.Node
	for _, b := range r.branches {
		values = append(values, b.prop(by).load().values...)
	}
	p.list(values)
}

func (p *Problem) list(values []*jsonc.Node) {
	seen := map[string]bool{}
	var labels []string
	for _, v := range values {
		label := string(v.JSON())
		if seen[label] {
			continue
		}
		seen[label] = true
		if len(labels) == maxAllowed {
			p.Hidden++
			continue
		}
		labels = append(labels, label)
		var plain any
		if json.Unmarshal(v.JSON(), &plain) == nil {
			p.Allowed = append(p.Allowed, plain)
		}
	}
	if len(labels) == 0 {
		return
	}
	if p.Mend == "" {
		p.Mend = "use one of the allowed values"
	}
	if strings.Contains(p.Message, "expected one of") {
		return
	}
	list := strings.Join(labels, ", ")
	if p.Hidden > 0 {
		list += fmt.Sprintf(", ... (+%d more)", p.Hidden)
	}
	p.Message += " (allowed: " + list + ")"
}

// allowedBy lists all values that r takes; complete is false when there is no
// such list.
func allowedBy(r *rule) (values []*jsonc.Node, complete bool) {
	r.load()
	if r.values != nil {
		return r.values, true
	}
	if len(r.branches) == 0 {
		if len(r.types) == 1 && r.types[0] == "boolean" {
			return []*jsonc.Node{{Kind: jsonc.Bool, Bool: true}, {Kind: jsonc.Bool}}, true
		}
		return nil, false
	}
	for _, b := range r.branches {
		vs, ok := allowedBy(b)
		if !ok {
			return nil, false
		}
		values = append(values, vs...)
	}
	return values, true
}

func oneOf(types []string) string {
	return "a " + strings.Join(types[:len(types)-1], ", a ") + " or a " + types[len(types)-1]
}
