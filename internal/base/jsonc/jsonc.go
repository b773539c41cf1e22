// Package jsonc reads and edits JSON5 documents.
//
// [Parse] gives a tree of [Node] values that know where they stand in the
// source. Numbers keep their text, so an id of 18 or more digits never loses
// one. [Rewrite] turns a changed tree back into source, touching only the
// lines that hold a change: comments, quoting and key order stay.
//
// It accepts exactly what the npm package json5 accepts and words its syntax
// errors the same way, because people search for those words.
package jsonc

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// Kind is the type of a [Node].
type Kind uint8

// The kinds of value.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the JavaScript name of k.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Node is one value. Treat it as immutable: trees share nodes.
type Node struct {
	Kind    Kind
	Bool    bool
	Text    string // String: the value. Number: exact decimal text, or NaN, Infinity, -Infinity
	Items   []*Node
	Members []Member

	// Doc is the document that the node was read from, nil for a made one.
	Doc        *Document
	Start, End int // byte offsets in Doc
}

// Member is one key of an object. When a key stands twice the last one counts.
type Member struct {
	Key   string
	Value *Node

	// Doc is the document that holds the key: not that of the value when the
	// value was included from another file.
	Doc        *Document
	Start, End int // of the key, as written
}

// Pos returns where the key starts, or the zero Pos for a made member.
func (m *Member) Pos() Pos {
	if m == nil || m.Doc == nil {
		return Pos{}
	}
	return m.Doc.Pos(m.Start)
}

// Document is a parsed source.
type Document struct {
	Name   string // the file, for messages; may be empty
	Source []byte
	Root   *Node

	lines []int // offset of each line start, filled by Parse
	style style
}

// Pos is a place in a document. Lines and columns start at 1; columns count
// UTF-16 units, as editors do.
type Pos struct{ Line, Column int }

// String returns "line:column".
func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Pos returns the place of a byte offset.
func (d *Document) Pos(offset int) Pos {
	i := sort.SearchInts(d.lines, offset+1) - 1
	if i < 0 {
		return Pos{1, 1}
	}
	return Pos{i + 1, 1 + units(d.Source[d.lines[i]:min(offset, len(d.Source))])}
}

// Pos returns where n starts, or the zero Pos for a made node.
func (n *Node) Pos() Pos {
	if n == nil || n.Doc == nil {
		return Pos{}
	}
	return n.Doc.Pos(n.Start)
}

// Get returns the value of key, or nil when n isn't an object or lacks it.
func (n *Node) Get(key string) *Node {
	if m := n.Member(key); m != nil {
		return m.Value
	}
	return nil
}

// Member returns the member that counts for key, or nil.
func (n *Node) Member(key string) *Member {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return &n.Members[i]
		}
	}
	return nil
}

// Find walks keys down from n. It returns nil when a step is missing.
func (n *Node) Find(keys ...string) *Node {
	for _, k := range keys {
		n = n.Get(k)
	}
	return n
}

// Unique returns the members that count, in the order JavaScript gives them:
// the place of the first mention, the value of the last.
func (n *Node) Unique() []Member {
	if n == nil || n.Kind != Object {
		return nil
	}
	if len(n.Members) < 2 {
		return n.Members
	}
	at := make(map[string]int, len(n.Members))
	out := make([]Member, 0, len(n.Members))
	for _, m := range n.Members {
		if i, dup := at[m.Key]; dup {
			out[i] = m
			continue
		}
		at[m.Key] = len(out)
		out = append(out, m)
	}
	return out
}

// Index returns the values of an object by key, for many look-ups.
func (n *Node) Index() map[string]*Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	out := make(map[string]*Node, len(n.Members))
	for _, m := range n.Members {
		out[m.Key] = m.Value
	}
	return out
}

// SyntaxError is a place where a document isn't JSON5.
type SyntaxError struct {
	Pos Pos
	Msg string // in the words of npm json5, without the place
}

func (e *SyntaxError) Error() string { return "JSON5: " + e.Msg + " at " + e.Pos.String() }

func units(b []byte) int {
	n := 0
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			n++
			b = b[1:]
			continue
		}
		r, size := utf8.DecodeRune(b)
		n++
		if r > 0xFFFF {
			n++
		}
		b = b[size:]
	}
	return n
}
