package jsonc

import (
	"slices"
	"strconv"
)

// With returns a tree in which the value at path is v. Objects that are
// missing on the way are made; a value on the way that is no object is
// replaced by one. Nothing of n is changed.
func (n *Node) With(path []string, v *Node) *Node {
	if len(path) == 0 {
		return v
	}
	if n == nil || n.Kind != Object {
		n = &Node{Kind: Object}
	}
	out := *n
	child := n.Get(path[0]).With(path[1:], v)
	if n.Member(path[0]) == nil {
		out.Members = append(slices.Clone(n.Members), Member{Key: path[0], Value: child})
		return &out
	}
	out.Members = slices.Clone(n.Unique())
	for i := range out.Members {
		if out.Members[i].Key == path[0] {
			out.Members[i].Value = child
		}
	}
	return &out
}

// Without returns a tree that lacks key.
func (n *Node) Without(key string) *Node {
	if n.Member(key) == nil {
		return n
	}
	out := *n
	out.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m Member) bool { return m.Key == key })
	return &out
}

// Map returns a tree in which each value is replaced by what f gives for it,
// parents before children, or left out where f gives nil. f gets the path, which
// it must not keep.
func (n *Node) Map(f func(path []string, v *Node) *Node) *Node { return mapNode(nil, n, f) }

func mapNode(path []string, n *Node, f func([]string, *Node) *Node) *Node {
	n = f(path, n)
	if n == nil {
		return nil
	}
	var out *Node
	clone := func() *Node {
		if out == nil {
			c := *n
			c.Items, c.Members = slices.Clone(n.Items), slices.Clone(n.Members)
			out = &c
		}
		return out
	}
	for i, v := range n.Items {
		if now := mapNode(append(path, strconv.Itoa(i)), v, f); now != v {
			clone().Items[i] = now
		}
	}
	for i, m := range n.Members {
		if now := mapNode(append(path, m.Key), m.Value, f); now != m.Value {
			clone().Members[i].Value = now
		}
	}
	if out == nil {
		return n
	}
	out.Items = slices.DeleteFunc(out.Items, func(v *Node) bool { return v == nil })
	if n.Kind == Object {
		out.Members = slices.DeleteFunc(out.Members, func(m Member) bool { return m.Value == nil })
	}
	return out
}
