package jsonc

import (
	"bytes"
	"strings"
)

// style is how a document is written, so that additions look like the rest.
type style struct {
	indent   string // one level
	newline  string
	unquoted bool // keys without quotes where they may
	single   bool // strings in single quotes
}

func styleOf(d *Document, unquoted, single bool) style {
	s := style{indent: "  ", newline: "\n", unquoted: unquoted, single: single}
	if i := bytes.IndexByte(d.Source, '\n'); i > 0 && d.Source[i-1] == '\r' {
		s.newline = "\r\n"
	}
	if d.Root == nil {
		return s
	}
	first := -1
	switch {
	case len(d.Root.Members) > 0:
		first = d.Root.Members[0].Start
	case len(d.Root.Items) > 0:
		first = d.Root.Items[0].Start
	}
	if first >= 0 {
		outer, _ := d.leading(d.Root.Start)
		if inner, alone := d.leading(first); alone && len(inner) > len(outer) {
			s.indent = inner[len(outer):]
		}
	}
	return s
}

// leading returns the white space at the start of the line that offset is on,
// and whether nothing else stands before offset.
func (d *Document) leading(offset int) (indent string, alone bool) {
	start := bytes.LastIndexByte(d.Source[:offset], '\n') + 1
	end := start
	for end < offset && (d.Source[end] == ' ' || d.Source[end] == '\t') {
		end++
	}
	return string(d.Source[start:end]), end == offset
}

// multiline reports whether n's elements stand on lines of their own.
func (d *Document) multiline(n *Node) bool {
	return bytes.IndexByte(d.Source[n.Start:n.End], '\n') >= 0
}

// writer renders nodes in a style.
type writer struct {
	style style
	buf   []byte
}

func (w *writer) key(k string) {
	if w.style.unquoted && plainKey(k) {
		w.buf = append(w.buf, k...)
		return
	}
	w.string(k)
}

func (w *writer) string(s string) {
	if w.style.single && !strings.Contains(s, "'") {
		w.buf = appendQuoted(w.buf, s, '\'')
		return
	}
	w.buf = AppendQuoted(w.buf, s)
}

func plainKey(k string) bool {
	for i, c := range k {
		if !idStart(c) && (i == 0 || !idPart(c)) {
			return false
		}
	}
	return k != ""
}

// value renders n; indent is that of the line it starts on.
func (w *writer) value(n *Node, indent string, multiline bool) {
	switch n.Kind {
	case String:
		w.string(n.Text)
	case Array:
		w.list(len(n.Items), '[', ']', indent, multiline, func(i int, inner string) {
			w.value(n.Items[i], inner, multiline)
		})
	case Object:
		ms := n.Unique()
		w.list(len(ms), '{', '}', indent, multiline, func(i int, inner string) {
			w.member(ms[i], inner, multiline)
		})
	default:
		w.buf = AppendJSON(w.buf, n)
	}
}

func (w *writer) member(m Member, indent string, multiline bool) {
	w.key(m.Key)
	w.buf = append(w.buf, ": "...)
	w.value(m.Value, indent, multiline)
}

func (w *writer) list(n int, left, right byte, indent string, multiline bool, one func(int, string)) {
	w.buf = append(w.buf, left)
	inner := indent + w.style.indent
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		switch {
		case multiline:
			w.buf = append(append(w.buf, w.style.newline...), inner...)
		case i > 0 || left == '{':
			w.buf = append(w.buf, ' ')
		}
		one(i, inner)
	}
	switch {
	case n > 0 && multiline:
		w.buf = append(append(w.buf, w.style.newline...), indent...)
	case n > 0 && left == '{':
		w.buf = append(w.buf, ' ')
	}
	w.buf = append(w.buf, right)
}
