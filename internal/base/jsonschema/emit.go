package jsonschema

import "strconv"

// appendJSON appends n as JSON Schema, properties in the order of the type.
func (n *node) appendJSON(b []byte) []byte {
	b = append(b, '{')
	first := true
	key := func(k string) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, '"')
		b = append(b, k...)
		b = append(b, `":`...)
	}
	if n.kind != 0 {
		key("type")
		b = append(b, quote(n.kind.String())...)
	}
	if n.doc != "" {
		key("description")
		b = append(b, quote(n.doc)...)
	}
	if n.constant != "" {
		key("const")
		b = append(b, n.constant...)
	}
	if n.enum != nil {
		key("enum")
		b = appendStrings(b, n.enum)
	}
	if lits, ok := n.literals(); ok {
		// The same to a reader, and models understand it better.
		key("type")
		b = append(b, `"string"`...)
		key("enum")
		b = appendStrings(b, lits)
	} else if n.anyOf != nil {
		key("anyOf")
		b = append(b, '[')
		for i, a := range n.anyOf {
			if i > 0 {
				b = append(b, ',')
			}
			b = a.appendJSON(b)
		}
		b = append(b, ']')
	}
	if n.min != nil {
		key("minimum")
		b = strconv.AppendFloat(b, *n.min, 'f', -1, 64)
	}
	if n.max != nil {
		key("maximum")
		b = strconv.AppendFloat(b, *n.max, 'f', -1, 64)
	}
	minKey, maxKey := "minLength", "maxLength"
	if n.kind == array {
		minKey, maxKey = "minItems", "maxItems"
	}
	if n.minLen >= 0 {
		key(minKey)
		b = strconv.AppendInt(b, int64(n.minLen), 10)
	}
	if n.maxLen >= 0 {
		key(maxKey)
		b = strconv.AppendInt(b, int64(n.maxLen), 10)
	}
	if n.pattern != nil {
		key("pattern")
		b = append(b, quote(n.pattern.String())...)
	}
	if n.items != nil {
		key("items")
		b = n.items.appendJSON(b)
	}
	if n.kind == object {
		b = n.appendObject(b)
	}
	return append(b, '}')
}

func (n *node) appendObject(b []byte) []byte {
	b = append(b, `,"properties":{`...)
	var required []string
	for i, p := range n.props {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(p.name)...)
		b = append(b, ':')
		b = p.node.appendJSON(b)
		if p.required {
			required = append(required, p.name)
		}
	}
	b = append(b, '}')
	if required != nil {
		b = append(b, `,"required":`...)
		b = appendStrings(b, required)
	}
	switch {
	case n.strict:
		b = append(b, `,"additionalProperties":false`...)
	case n.values != nil && !n.values.free():
		b = append(b, `,"additionalProperties":`...)
		b = n.values.appendJSON(b)
	}
	return b
}

// literals returns the strings of a union made of string literals only.
func (n *node) literals() ([]string, bool) {
	var all []string
	for _, a := range n.anyOf {
		if a.constant == "" || a.constant[0] != '"' {
			return nil, false
		}
		all = append(all, unquote([]byte(a.constant)))
	}
	return all, len(all) > 0
}

func appendStrings(b []byte, all []string) []byte {
	b = append(b, '[')
	for i, s := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(s)...)
	}
	return append(b, ']')
}
