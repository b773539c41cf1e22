package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

const (
	maxRefs = 6      // references within references
	maxOut  = 40_000 // nodes written: references may multiply
)

// work adapts one schema.
type work struct {
	row
	root  *object
	nodes int
	loose bool // something couldn't be said at all
	over  bool // too large
}

func (r row) adapt(schema json.RawMessage) result {
	v, err := parse(schema)
	root, ok := v.(*object)
	if err != nil || !ok {
		return result{json.RawMessage(Empty), false}
	}
	w := &work{row: r, root: root}
	out := w.whole(root)
	if w.over {
		return result{json.RawMessage(Empty), false}
	}
	return result{emit(nil, out), !w.loose}
}

// spent counts n more nodes; it tells whether that is too many.
func (w *work) spent(n int) bool {
	w.nodes += n
	w.over = w.over || w.nodes > maxOut
	return w.over
}

// whole adapts the root, which is an object without unions everywhere.
func (w *work) whole(root *object) *object {
	s := w.resolve(root, 0)
	s = mergeAll(s, w, 0)
	for _, key := range []string{"anyOf", "oneOf"} {
		if variants := s.list(key); variants != nil {
			s = w.flatten(s, key, variants, 0)
		}
	}
	s = clone(s)
	s.set("type", quoted("object"))
	out := w.schema(s, 0, 0)
	for _, k := range []string{"enum", "const", "nullable"} {
		out.del(k) // of an object nothing that helps
	}
	if out.obj("properties") == nil {
		out.set("properties", newObject())
	}
	if !w.inline {
		for _, k := range []string{"$defs", "definitions"} {
			if d := root.obj(k); d != nil && !slices.Contains(w.drop, k) {
				out.set(k, w.properties(d, 1, 0))
			}
		}
	}
	if w.bare {
		for _, k := range slices.Clone(out.keys) {
			if k != "type" && k != "properties" && k != "required" {
				out.del(k)
			}
		}
	}
	return out
}

// schema adapts one schema; refs counts the references that led here.
func (w *work) schema(v value, depth, refs int) *object {
	if w.spent(1) || depth > maxDepth {
		w.over = true
		return newObject()
	}
	in, ok := v.(*object)
	if !ok {
		return newObject() // true: anything; false is said as loosely
	}
	if in.has("$ref") {
		if !w.inline {
			out := newObject()
			out.set("$ref", in.vals["$ref"])
			return out
		}
		if refs++; refs > maxRefs {
			return untyped(in) // it refers to itself: deep enough
		}
		in = w.resolve(in, refs)
	}
	in = mergeAll(in, w, refs)
	in, null := w.union(in, refs)
	in, null = w.typed(in, null)

	out := newObject()
	for _, k := range in.keys {
		x := in.vals[k]
		if slices.Contains(w.drop, k) {
			continue
		}
		switch k {
		case "properties":
			if p, ok := x.(*object); ok {
				out.set(k, w.properties(p, depth+1, refs))
			}
		case "patternProperties":
			if p, ok := x.(*object); ok {
				out.set(k, w.properties(p, depth+1, refs))
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
			w.child(out, k, x, depth, refs)
		case "anyOf", "oneOf", "prefixItems":
			if l, ok := x.([]value); ok {
				out.set(k, w.each(l, depth, refs))
			}
		case "format":
			if w.formats == nil || slices.Contains(w.formats, text(x)) {
				out.set(k, x)
			}
		case "$defs", "definitions", "required", "allOf": // the root's, below, merged
		default:
			out.set(k, x)
		}
	}
	w.finish(in, out, null)
	return out
}

func (w *work) child(out *object, key string, x value, depth, refs int) {
	switch y := x.(type) {
	case *object:
		out.set(key, w.schema(y, depth+1, refs))
	case []value: // the old form of prefixItems: its first stands for all
		if len(y) > 0 {
			out.set(key, w.schema(y[0], depth+1, refs))
		}
	default:
		out.set(key, x)
	}
}

func (w *work) each(l []value, depth, refs int) []value {
	out := make([]value, 0, len(l))
	for _, v := range l {
		if s := w.schema(v, depth+1, refs); !contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (w *work) properties(p *object, depth, refs int) *object {
	out := newObject()
	for _, name := range p.keys {
		if w.plain && !plainName(name) {
			w.loose = true
			continue
		}
		out.set(name, w.schema(p.vals[name], depth, refs))
	}
	return out
}

func plainName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// typed settles the type, enumerations and constants of in, which it copies.
func (w *work) typed(in *object, null bool) (*object, bool) {
	in = clone(in)
	if list, ok := in.vals["type"].([]value); ok {
		var names []value
		for _, t := range list {
			if text(t) == "null" {
				null = true
			} else if text(t) != "" {
				names = append(names, t)
			}
		}
		switch {
		case len(names) == 0:
			in.set("type", quoted("null"))
		case len(names) == 1:
			in.set("type", names[0])
		case w.types:
			in.set("type", names)
		default:
			in.del("type")
			if in.has("anyOf") {
				in.set("type", names[0])
				w.loose = true
				break
			}
			in.set("anyOf", perType(in, names))
			for _, k := range []string{"items", "properties", "required"} {
				in.del(k)
			}
		}
	}
	if c, ok := in.vals["const"]; ok {
		in.del("const")
		if !in.has("enum") {
			in.set("enum", []value{c})
		}
	}
	if list := in.list("enum"); in.has("enum") {
		null = w.enum(in, list) || null
	}
	return in, null
}

// perType splits a schema of several types.
func perType(in *object, names []value) []value {
	var out []value
	for _, t := range names {
		x := newObject()
		x.set("type", t)
		switch text(t) {
		case "array":
			copyKeys(x, in, "items")
		case "object":
			copyKeys(x, in, "properties", "required")
		}
		out = append(out, x)
	}
	return out
}

// enum settles an enumeration; it tells whether null is one of it.
func (w *work) enum(in *object, list []value) (null bool) {
	kept := make([]value, 0, len(list))
	only := true
	for _, v := range list {
		raw, scalar := v.(json.RawMessage)
		switch {
		case scalar && string(raw) == "null":
			null = true
			continue
		case !scalar || raw[0] != '"', w.strings && string(raw) == `""`:
			only = false
		}
		if !contains(kept, v) {
			kept = append(kept, v)
		}
	}
	if len(kept) > 0 && !in.has("type") {
		if t := typeOf(kept); t != "" {
			in.set("type", quoted(t))
		}
	}
	if len(kept) == 0 || w.strings && !only {
		in.del("enum")
		if len(kept) > 0 {
			note(in, "One of: "+string(emit(nil, kept)))
		}
		return null
	}
	in.set("enum", kept)
	return null
}

// typeOf is the one type of all of list, or "".
func typeOf(list []value) string {
	one := ""
	for _, v := range list {
		t := "object"
		switch x := v.(type) {
		case []value:
			t = "array"
		case json.RawMessage:
			switch c := x[0]; {
			case c == '"':
				t = "string"
			case c == 't', c == 'f':
				t = "boolean"
			case strings.ContainsAny(string(x), ".eE"):
				t = "number"
			default:
				t = "integer"
			}
		}
		if one != "" && one != t {
			return ""
		}
		one = t
	}
	return one
}

// note says in the description what the schema can't.
func note(s *object, words string) {
	if d := s.str("description"); d != "" {
		words = strings.TrimRight(d, " .") + ". " + words
	}
	s.set("description", quoted(words))
}

// finish puts in what the dialect wants of every schema.
func (w *work) finish(in, out *object, null bool) {
	t := out.str("type")
	if t == "" && out.obj("properties") != nil {
		t = "object"
		out.set("type", quoted(t))
	}
	props := out.obj("properties")
	if t == "object" {
		if props != nil {
			w.required(in, out, props)
		}
		if w.filled && (props == nil || len(props.keys) == 0) {
			out.del("properties") // an empty list of them is refused
		}
		if w.closed {
			w.close(out, props)
		}
	}
	if t == "array" && w.items && !out.has("items") {
		items := newObject()
		items.set("type", quoted("string"))
		if out.has("prefixItems") {
			items = newObject()
		}
		out.set("items", items)
	}
	if null {
		w.orNull(out)
	}
}

// required keeps the names of properties that there are.
func (w *work) required(in, out, props *object) {
	var names []value
	for _, r := range in.list("required") {
		if props.has(text(r)) && !contains(names, r) {
			names = append(names, r)
		}
	}
	if len(names) > 0 {
		out.set("required", names)
	}
}

// close makes every property required and allows no other.
func (w *work) close(out, props *object) {
	if x, ok := out.vals["additionalProperties"]; ok {
		if raw, ok := x.(json.RawMessage); !ok || string(raw) != "false" {
			w.loose = true
		}
	} else if props == nil {
		w.loose = true
	}
	if props == nil {
		props = newObject()
		out.set("properties", props)
	}
	wanted := out.list("required")
	all := []value{}
	for _, name := range props.keys {
		if !contains(wanted, quoted(name)) {
			if p, ok := props.vals[name].(*object); ok {
				w.orNull(p)
			}
		}
		all = append(all, quoted(name))
	}
	out.set("required", all)
	out.set("additionalProperties", json.RawMessage("false"))
}

// orNull lets s also be null, in the dialect's way.
func (w *work) orNull(s *object) {
	switch t := s.vals["type"].(type) {
	case json.RawMessage:
		switch {
		case string(t) == `"null"`:
		case w.nullable:
			s.set("nullable", json.RawMessage("true"))
		case w.types:
			s.set("type", append([]value{t}, quoted("null")))
			if e := s.list("enum"); e != nil {
				s.set("enum", append(slices.Clone(e), json.RawMessage("null")))
			}
		}
	case []value:
		if !contains(t, quoted("null")) {
			s.set("type", append(slices.Clone(t), quoted("null")))
		}
	default:
		if l := s.list("anyOf"); l != nil && !w.nullable {
			x := newObject()
			x.set("type", quoted("null"))
			if !contains(l, x) {
				s.set("anyOf", append(slices.Clone(l), x))
			}
		}
	}
}

// untyped stands for a schema that isn't followed further.
func untyped(in *object) *object {
	out := newObject()
	out.set("type", quoted("object"))
	copyKeys(out, in, "description")
	return out
}

// resolve puts the target of a reference in its place; what stands beside the
// reference wins. A reference elsewhere or to nothing becomes any value.
func (w *work) resolve(in *object, refs int) *object {
	for ; refs <= maxRefs+1; refs++ {
		ref, ok := in.vals["$ref"]
		if !ok {
			return in
		}
		target := w.target(text(ref))
		out := newObject()
		if target != nil {
			copyKeys(out, target, target.keys...)
		}
		for _, k := range in.keys {
			if k != "$ref" {
				out.set(k, in.vals[k])
			}
		}
		in = out
	}
	in = clone(in)
	in.del("$ref")
	return in
}

// target finds #/a/b in the root.
func (w *work) target(ref string) *object {
	if ref == "#" {
		return w.root
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := w.root
	for part := range strings.SplitSeq(path, "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if at = at.obj(part); at == nil {
			return nil
		}
	}
	return at
}

func clone(o *object) *object {
	c := newObject()
	copyKeys(c, o, o.keys...)
	return c
}

func copyKeys(to, from *object, keys ...string) {
	for _, k := range keys {
		if v, ok := from.vals[k]; ok {
			to.set(k, v)
		}
	}
}
