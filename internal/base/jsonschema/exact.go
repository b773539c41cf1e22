package jsonschema

import (
	"encoding/json"
	"strconv"
)

// Exact returns the schema as JSON Schema to the letter: unions of literals
// stay unions, and defaults, formats and names of properties are shown. JSON
// writes the short form that models and clients of the protocol read best.
func (s *Schema) Exact() json.RawMessage { return s.root.appendExact(nil) }

func (n *node) appendExact(b []byte) []byte {
	b = append(b, '{')
	if n.fallback != "" {
		b = append(exactKey(b, "default"), n.fallback...)
	}
	switch words := n.kind.words(); len(words) {
	case 0:
	case 1:
		b = append(exactKey(b, "type"), quote(words[0])...)
	default:
		b = appendStrings(exactKey(b, "type"), words)
	}
	if n.constant != "" {
		b = append(exactKey(b, "const"), n.constant...)
	}
	if n.enum != nil {
		b = appendStrings(exactKey(b, "enum"), n.enum)
	}
	if n.anyOf != nil {
		word := "anyOf"
		if n.one {
			word = "oneOf"
		}
		b = append(exactKey(b, word), '[')
		for i, a := range n.anyOf {
			if i > 0 {
				b = append(b, ',')
			}
			b = a.appendExact(b)
		}
		b = append(b, ']')
	}
	b = n.appendExactBounds(b)
	if n.items != nil {
		b = n.items.appendExact(exactKey(b, "items"))
	}
	if n.kind == object {
		b = n.appendExactObject(b)
	}
	return append(b, '}')
}

func (n *node) appendExactBounds(b []byte) []byte {
	for _, bound := range []struct {
		word  string
		limit *float64
	}{{"minimum", n.min}, {"exclusiveMinimum", n.above}, {"maximum", n.max}, {"exclusiveMaximum", n.below}} {
		if bound.limit != nil {
			b = strconv.AppendFloat(exactKey(b, bound.word), *bound.limit, 'f', -1, 64)
		}
	}
	unit := "Length"
	if n.kind == array {
		unit = "Items"
	}
	if n.minLen >= 0 {
		b = strconv.AppendInt(exactKey(b, "min"+unit), int64(n.minLen), 10)
	}
	if n.maxLen >= 0 {
		b = strconv.AppendInt(exactKey(b, "max"+unit), int64(n.maxLen), 10)
	}
	if n.format != "" {
		b = append(exactKey(b, "format"), quote(n.format)...)
	}
	if n.pattern != nil {
		b = append(exactKey(b, "pattern"), quote(n.pattern.String())...)
	}
	return b
}

func (n *node) appendExactObject(b []byte) []byte {
	var required []string
	if n.strict || n.props != nil {
		b = append(exactKey(b, "properties"), '{')
		for _, p := range n.props {
			b = p.node.appendExact(exactKey(b, p.name))
			if p.required {
				required = append(required, p.name)
			}
		}
		b = append(b, '}')
	}
	if required != nil {
		b = appendStrings(exactKey(b, "required"), required)
	}
	if n.names != nil {
		b = n.names.appendExact(exactKey(b, "propertyNames"))
	}
	switch {
	case n.values != nil:
		b = n.values.appendExact(exactKey(b, "additionalProperties"))
	case n.strict:
		b = append(exactKey(b, "additionalProperties"), "false"...)
	default:
		b = append(exactKey(b, "additionalProperties"), "true"...)
	}
	return b
}

// exactKey begins the next member of the object that b ends in.
func exactKey(b []byte, key string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(b, quote(key)...), ':')
}
