package spec

import (
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// Lines writes a schema the way package config reads it: each distinct node
// once, one a line, in which a child is the number of its line. The last line
// is the root.
func Lines(root *jsonc.Node) []byte {
	w := lineWriter{at: map[string]int{}}
	w.line(root)
	return w.out
}

type lineWriter struct {
	out []byte
	at  map[string]int
}

// line writes n unless it is there, and returns the reference to it.
func (w *lineWriter) line(n *jsonc.Node) *jsonc.Node {
	own := &jsonc.Node{Kind: jsonc.Object}
	for _, m := range n.Members {
		own.Members = append(own.Members, jsonc.Member{Key: m.Key, Value: w.member(m)})
	}
	text := string(own.JSON())
	i, ok := w.at[text]
	if !ok {
		i = len(w.at)
		w.at[text] = i
		if i > 0 {
			w.out = append(w.out, '\n')
		}
		w.out = append(w.out, text...)
	}
	return &jsonc.Node{Kind: jsonc.Number, Text: strconv.Itoa(i)}
}

func (w *lineWriter) member(m jsonc.Member) *jsonc.Node {
	switch v := m.Value; m.Key {
	case "properties":
		refs := &jsonc.Node{Kind: jsonc.Object}
		for _, p := range v.Members {
			refs.Members = append(refs.Members, jsonc.Member{Key: p.Key, Value: w.line(p.Value)})
		}
		return refs
	case "anyOf", "oneOf":
		refs := &jsonc.Node{Kind: jsonc.Array}
		for _, b := range v.Items {
			refs.Items = append(refs.Items, w.line(b))
		}
		return refs
	case "items", "propertyNames", "additionalProperties":
		if v.Kind == jsonc.Object {
			return w.line(v)
		}
	}
	return m.Value
}
