package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// KeyPath is a place in the file, one step per key or array index.
type KeyPath []string

// ParseKeyPath reads the path syntax of the command line: keys joined by dots,
// [n] or a number for an array element, a quoted key in brackets, and a
// backslash before a dot or bracket that belongs to a key.
func ParseKeyPath(s string) (KeyPath, error) {
	bad := func(why string) (KeyPath, error) {
		return nil, fault.New(fault.Invalid, "config.ParseKeyPath", "Invalid path: "+s+" ("+why+"); write for example agents.list[0].id")
	}
	if len(s) > 4096 {
		return nil, fault.New(fault.Invalid, "config.ParseKeyPath", "Invalid path: longer than 4096 characters")
	}
	var out KeyPath
	var step strings.Builder
	open := false // a step has begun, or must follow
	text := strings.TrimSpace(s)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i == len(text) {
				return bad("it ends in a backslash")
			}
			step.WriteByte(text[i])
			open = true
		case '.':
			if step.Len() == 0 && (i == 0 || text[i-1] != ']') {
				return bad("an empty step")
			}
			if step.Len() > 0 {
				out = append(out, step.String())
				step.Reset()
			}
			open = true
			if i == len(text)-1 {
				return bad("it ends in a dot")
			}
		case '[':
			if step.Len() > 0 {
				out = append(out, step.String())
				step.Reset()
			}
			end := strings.IndexByte(text[i:], ']')
			if end < 2 {
				return bad("brackets need an index")
			}
			inner := text[i+1 : i+end]
			if q := inner[0]; (q == '"' || q == '\'') && len(inner) > 2 && inner[len(inner)-1] == q {
				inner = inner[1 : len(inner)-1]
			} else if !isIndex(inner) {
				return bad("brackets hold a number")
			}
			out = append(out, inner)
			i += end
			open = false
			if i+1 < len(text) && text[i+1] != '.' && text[i+1] != '[' {
				return bad("a dot is missing after ]")
			}
		default:
			step.WriteByte(c)
			open = true
		}
	}
	if step.Len() > 0 {
		out = append(out, step.String())
	} else if open || len(out) == 0 {
		return bad("it is empty")
	}
	for _, k := range out {
		if blockedKey(k) {
			return bad("the key " + k + " isn't allowed")
		}
	}
	return out, nil
}

// String writes p so that ParseKeyPath reads it back.
func (p KeyPath) String() string {
	var b strings.Builder
	for i, k := range p {
		if isIndex(k) && i > 0 {
			b.WriteString("[" + k + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `]`, `\]`).Replace(k))
	}
	return b.String()
}

// step returns what one step of n leads to, or nil.
func step(n *jsonc.Node, k string) *jsonc.Node {
	if n == nil {
		return nil
	}
	if n.Kind == jsonc.Array {
		if i, err := strconv.Atoi(k); err == nil && i >= 0 && i < len(n.Items) && isIndex(k) {
			return n.Items[i]
		}
		return nil
	}
	return n.Get(k)
}

// At returns the value at p in n, or nil.
func (p KeyPath) At(n *jsonc.Node) *jsonc.Node {
	for _, k := range p {
		n = step(n, k)
	}
	return n
}

// set returns n with v at p. Missing objects are made; an array grows by one
// element at a time.
func (p KeyPath) set(n, v *jsonc.Node) (*jsonc.Node, error) {
	if len(p) == 0 {
		return v, nil
	}
	if n == nil || n.Kind != jsonc.Array && n.Kind != jsonc.Object {
		n = &jsonc.Node{Kind: jsonc.Object}
		if p[0] == "0" {
			n.Kind = jsonc.Array
		}
	}
	if n.Kind == jsonc.Object {
		inner, err := p[1:].set(n.Get(p[0]), v)
		if err != nil {
			return nil, err
		}
		return n.With(p[:1], inner), nil
	}
	i, err := strconv.Atoi(p[0])
	if err != nil || i < 0 || i > len(n.Items) || !isIndex(p[0]) {
		return nil, fault.New(fault.Invalid, "config.Set", p[0]+" is no element of this list; it has "+strconv.Itoa(len(n.Items))+", so write an index up to that")
	}
	out := *n
	out.Items = slices.Clone(n.Items)
	if i == len(n.Items) {
		out.Items = append(out.Items, nil)
	}
	if out.Items[i], err = p[1:].set(out.Items[i], v); err != nil {
		return nil, err
	}
	return &out, nil
}

// unset returns n without the value at p and without the objects that this
// leaves empty, or nil when nothing is left of n. found tells whether it was there.
func (p KeyPath) unset(n *jsonc.Node) (out *jsonc.Node, found bool) {
	inner := step(n, p[0])
	if inner == nil {
		return n, false
	}
	if len(p) > 1 {
		if inner, found = p[1:].unset(inner); !found {
			return n, false
		}
	} else {
		inner = nil
	}
	if n.Kind == jsonc.Array {
		i, _ := strconv.Atoi(p[0])
		c := *n
		c.Items = slices.Clone(n.Items)
		if inner != nil {
			c.Items[i] = inner
			return &c, true
		}
		c.Items = slices.Delete(c.Items, i, i+1)
		return &c, true
	}
	if inner != nil {
		return n.With(p[:1], inner), true
	}
	if n = n.Without(p[0]); len(n.Members) == 0 {
		return nil, true
	}
	return n, true
}
