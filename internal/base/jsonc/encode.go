package jsonc

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// JSON writes n as compact JSON. A number that JSON can't hold is null, as
// JSON.stringify has it.
func (n *Node) JSON() []byte { return AppendJSON(nil, n) }

// Indented writes n as JSON with two spaces and a final newline.
func (n *Node) Indented() []byte {
	w := writer{style: style{indent: "  ", newline: "\n"}}
	w.value(n, "", true)
	return append(w.buf, '\n')
}

// AppendJSON appends n as compact JSON to dst.
func AppendJSON(dst []byte, n *Node) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool:
		return strconv.AppendBool(dst, n.Bool)
	case Number:
		return append(dst, n.jsonNumber()...)
	case String:
		return AppendQuoted(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, v := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, v)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Unique() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendQuoted(dst, m.Key), ':')
			dst = AppendJSON(dst, m.Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func (n *Node) jsonNumber() string {
	switch n.Text {
	case "NaN", "Infinity", "-Infinity":
		return "null"
	}
	return n.Text
}

// AppendQuoted appends s as a JSON string, escaping only what JSON demands.
func AppendQuoted(dst []byte, s string) []byte { return appendQuoted(dst, s, '"') }

func appendQuoted(dst []byte, s string, quote byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, quote)
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || r == 0x2028 || r == 0x2029 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, `\u`...)
				for shift := 12; shift >= 0; shift -= 4 {
					dst = append(dst, hex[r>>shift&15])
				}
				start = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != quote && c != '\\' && c != 0x7f {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case quote, '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), quote)
}

// FromJSON reads strict JSON into a made tree, with no document behind it.
func FromJSON(raw []byte) (*Node, error) {
	if !json.Valid(raw) {
		var v any
		return nil, json.Unmarshal(raw, &v)
	}
	d, err := Parse("", bytes.Clone(raw))
	if err != nil {
		return nil, err
	}
	return d.Root, nil
}

// Str makes a string node.
func Str(s string) *Node { return &Node{Kind: String, Text: s} }

// Equal reports whether two trees hold the same value. Numbers are compared
// by their exact text.
func Equal(a, b *Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Bool:
		return a.Bool == b.Bool
	case Number, String:
		return a.Text == b.Text
	case Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items {
			if !Equal(a.Items[i], b.Items[i]) {
				return false
			}
		}
	case Object:
		am, bm := a.Unique(), b.Unique()
		if len(am) != len(bm) {
			return false
		}
		get := b.Get
		if len(bm) > 16 {
			index := b.Index()
			get = func(key string) *Node { return index[key] }
		}
		for _, m := range am {
			if o := get(m.Key); o == nil || !Equal(m.Value, o) {
				return false
			}
		}
	}
	return true
}
