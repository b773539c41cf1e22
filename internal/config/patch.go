package config

import (
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
)

// blockedIn returns a key in n that no client may set, or "".
func blockedIn(n *jsonc.Node) string {
	for _, v := range n.Items {
		if k := blockedIn(v); k != "" {
			return k
		}
	}
	for _, m := range n.Members {
		if blockedKey(m.Key) {
			return m.Key
		}
		if k := blockedIn(m.Value); k != "" {
			return k
		}
	}
	return ""
}

// mergePatch applies a merge patch (RFC 7396), with lists of objects that have
// ids merged by id.
func mergePatch(base, patch *jsonc.Node) *jsonc.Node {
	if patch.Kind != jsonc.Object {
		return patch
	}
	out := jsonc.Node{Kind: jsonc.Object}
	if base != nil && base.Kind == jsonc.Object {
		out = *base
	}
	out.Members = slices.Clone(out.Unique())
	at := make(map[string]int, len(out.Members))
	for i, m := range out.Members {
		at[m.Key] = i
	}
	for _, m := range patch.Unique() {
		i, had := at[m.Key]
		var old *jsonc.Node
		if had {
			old = out.Members[i].Value
		}
		var now *jsonc.Node
		switch {
		case m.Value.Kind == jsonc.Null: // taken out below
		case old != nil && old.Kind == jsonc.Array && m.Value.Kind == jsonc.Array && allIDs(old):
			now = mergeByID(old, m.Value)
		default:
			now = mergePatch(old, m.Value)
		}
		switch {
		case had:
			out.Members[i].Value = now
		case now != nil:
			out.Members = append(out.Members, jsonc.Member{Key: m.Key, Value: now})
		}
	}
	out.Members = slices.DeleteFunc(out.Members, func(m jsonc.Member) bool { return m.Value == nil })
	return &out
}

func nodeID(n *jsonc.Node) string { return str(n.Get("id")) }

func allIDs(n *jsonc.Node) bool {
	return !slices.ContainsFunc(n.Items, func(v *jsonc.Node) bool { return nodeID(v) == "" })
}

func mergeByID(old, patch *jsonc.Node) *jsonc.Node {
	out := *old
	out.Items = slices.Clone(old.Items)
	for _, v := range patch.Items {
		i := -1
		if nodeID(v) != "" {
			i = slices.IndexFunc(out.Items, func(o *jsonc.Node) bool { return nodeID(o) == nodeID(v) })
		}
		if i < 0 {
			out.Items = append(out.Items, v)
			continue
		}
		out.Items[i] = mergePatch(out.Items[i], v)
	}
	return &out
}
