package jsonschema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// FromCompact returns the schema that text describes. It panics when text is
// malformed, which is a mistake of the programmer.
//
// The notation is JSON. An object maps names to schemas; "name?" is optional,
// "(strict)": true refuses other names, "<key>" is the schema of all other
// names, "<name>" that of those names. {"anyOf": […]} and {"oneOf": […]} are
// unions and [x] an array. A string is a type with
// constraints, "string(minLength=1)", or a union of types and literals,
// "\"a\"|\"b\"|null", or several types in one, "string+number". "[string]" is an
// array too, values(a|b) a JSON Schema enum.
func FromCompact(text string) *Schema {
	if !json.Valid([]byte(text)) {
		panic("jsonschema: not JSON: " + text)
	}
	n, err := fromCompact(trim([]byte(text)))
	if err != nil {
		panic(fmt.Sprintf("jsonschema: %v in %s", err, text))
	}
	return compile(n)
}

func fromCompact(raw []byte) (*node, error) {
	switch kindOf(raw) {
	case str:
		p := compactParser{rest: unquote(raw)}
		n, err := p.union()
		if err == nil && p.rest != "" {
			err = fmt.Errorf("cannot read %q", p.rest)
		}
		return n, err
	case array:
		n := newNode(array)
		for p := newParts(raw); p.next(); {
			item, err := fromCompact(p.value)
			if err != nil {
				return nil, err
			}
			n.items = item
		}
		return n, nil
	case object:
		return compactObject(raw)
	}
	return literal(string(raw)), nil
}

func compactObject(raw []byte) (*node, error) {
	n := newNode(object)
	for p := newParts(raw); p.next(); {
		name := unquote(p.key)
		switch name {
		case "(strict)":
			n.strict = string(p.value) == "true"
			continue
		case "anyOf", "oneOf":
			u := newNode(0)
			u.one = name == "oneOf"
			for a := newParts(p.value); a.next(); {
				alt, err := fromCompact(a.value)
				if err != nil {
					return nil, err
				}
				u.anyOf = append(u.anyOf, alt)
			}
			return u, nil
		}
		sub, err := fromCompact(p.value)
		if err != nil {
			return nil, err
		}
		switch name {
		case "<key>":
			n.values = sub
			continue
		case "<name>":
			n.names = sub
			continue
		}
		name, optional := strings.CutSuffix(name, "?")
		n.props = append(n.props, prop{name: name, required: !optional, node: sub})
	}
	return n, nil
}

type compactParser struct{ rest string }

func (p *compactParser) union() (*node, error) {
	var all []*node
	for {
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		if !strings.HasPrefix(p.rest, "|") {
			break
		}
		p.rest = p.rest[1:]
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return union(all...), nil
}

func (p *compactParser) term() (*node, error) {
	if p.rest == "" {
		return nil, fmt.Errorf("empty term")
	}
	switch c := p.rest[0]; {
	case c == '"':
		end := strings.IndexByte(p.rest[1:], '"') + 2
		if end < 2 {
			return nil, fmt.Errorf("open literal %s", p.rest)
		}
		lit := p.rest[:end]
		p.rest = p.rest[end:]
		return literal(lit), nil
	case c == '[':
		p.rest = p.rest[1:]
		item, err := p.union()
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(p.rest, "]") {
			return nil, fmt.Errorf("open array before %q", p.rest)
		}
		p.rest = p.rest[1:]
		n := newNode(array)
		n.items = item
		return n, p.constraints(n)
	}
	end := strings.IndexAny(p.rest, "(|]")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if word == "values" {
		list, rest, ok := strings.Cut(strings.TrimPrefix(p.rest, "("), ")")
		if !ok {
			return nil, fmt.Errorf("open values")
		}
		p.rest = rest
		n := newNode(str)
		return n, n.constrain("values", list)
	}
	if k, ok := kindNamed(word); ok {
		n := newNode(k)
		return n, p.constraints(n)
	}
	if json.Valid([]byte(word)) {
		return literal(word), nil
	}
	return nil, fmt.Errorf("unknown type %q", word)
}

func (p *compactParser) constraints(n *node) error {
	if !strings.HasPrefix(p.rest, "(") {
		return nil
	}
	p.rest = p.rest[1:]
	for {
		end := strings.IndexAny(p.rest, ",)")
		if strings.HasPrefix(p.rest, "pattern=") {
			end = strings.LastIndexByte(p.rest, ')') // a pattern runs to the last one
		}
		if end < 0 {
			return fmt.Errorf("open constraints before %q", p.rest)
		}
		key, val, _ := strings.Cut(p.rest[:end], "=")
		if err := n.constrain(key, val); err != nil {
			return err
		}
		closed := p.rest[end] == ')'
		p.rest = p.rest[end+1:]
		if closed {
			return nil
		}
	}
}
