package dialect

import (
	"encoding/json"
	"slices"
)

// mergeAll puts the members of allOf into the schema itself.
func mergeAll(in *object, w *work, refs int) *object {
	all := in.list("allOf")
	if !in.has("allOf") || w.spent(len(all)) {
		return in
	}
	out := clone(in)
	out.del("allOf")
	for _, v := range all {
		s, ok := v.(*object)
		if !ok {
			continue
		}
		s = mergeAll(w.resolve(s, refs), w, refs+1)
		if refs > maxRefs {
			break
		}
		join(out, s, "all")
	}
	return out
}

// union settles anyOf and oneOf of in: a union of constants is an enumeration,
// one with null is the other made nullable, one of one is that one. null tells
// whether null was one of it.
func (w *work) union(in *object, refs int) (out *object, null bool) {
	key := "anyOf"
	variants := in.list(key)
	if variants == nil {
		if key, variants = "oneOf", in.list("oneOf"); variants == nil {
			return in, false
		}
	}
	rest := make([]value, 0, len(variants))
	for _, v := range variants {
		s, ok := v.(*object)
		if ok && w.inline {
			s = w.resolve(s, refs)
		}
		switch {
		case !ok:
			rest = append(rest, v)
		case s.str("type") == "null" || isNull(s.vals["const"]):
			null = true
		default:
			rest = append(rest, s)
		}
	}
	out = clone(in)
	out.del(key)
	switch merged := constants(rest); {
	case len(rest) == 0:
		out.set("type", quoted("null"))
		return out, false
	case merged != nil:
		copyKeys(out, merged, "type", "enum")
	case len(rest) == 1:
		if s, ok := rest[0].(*object); ok {
			for _, k := range s.keys {
				if k != "description" && k != "title" || !out.has(k) {
					out.set(k, s.vals[k])
				}
			}
			inner, n := w.union(mergeAll(out, w, refs), refs+1)
			return inner, null || n
		}
	case key == "oneOf" && w.oneOf:
		out.set(key, rest)
	default:
		out.set("anyOf", rest)
	}
	return out, null
}

func isNull(v value) bool {
	raw, ok := v.(json.RawMessage)
	return ok && string(raw) == "null"
}

// constants joins variants that only enumerate values of one type.
func constants(variants []value) *object {
	var all []value
	for _, v := range variants {
		s, ok := v.(*object)
		if !ok {
			return nil
		}
		for _, k := range s.keys {
			if k != "const" && k != "enum" && k != "type" && k != "description" && k != "title" {
				return nil
			}
		}
		switch c, ok := s.vals["const"]; {
		case ok:
			all = append(all, c)
		case s.has("enum"):
			all = append(all, s.list("enum")...)
		default:
			return nil
		}
	}
	t := typeOf(all)
	if t == "" {
		return nil
	}
	out := newObject()
	out.set("type", quoted(t))
	out.set("enum", all)
	return out
}

// flatten makes one schema of variants: of objects one with all their
// properties, requiring what all require; of others the first. It is looser
// than the union, which is right: the tool checks its arguments itself.
func (w *work) flatten(in *object, key string, variants []value, refs int) *object {
	out := clone(in)
	out.del(key)
	base := slices.Clone(in.list("required"))
	var common []value
	seen := 0
	for _, v := range variants {
		s, ok := v.(*object)
		if !ok || w.spent(1) {
			continue
		}
		s = mergeAll(w.resolve(s, refs), w, refs)
		if inner := s.list("anyOf"); inner != nil && refs <= maxRefs {
			s = w.flatten(s, "anyOf", inner, refs+1)
		}
		if inner := s.list("oneOf"); inner != nil && refs <= maxRefs {
			s = w.flatten(s, "oneOf", inner, refs+1)
		}
		if t := s.str("type"); t != "object" && s.obj("properties") == nil && !s.has("required") {
			if t != "" && t != "null" && !out.has("type") && out.obj("properties") == nil {
				join(out, s, "any")
			}
			w.loose = true
			continue
		}
		req := s.list("required")
		if seen == 0 {
			common = slices.Clone(req)
		} else {
			common = slices.DeleteFunc(common, func(r value) bool { return !contains(req, r) })
		}
		seen++
		join(out, s, "any")
	}
	for _, r := range common {
		if !contains(base, r) {
			base = append(base, r)
		}
	}
	out.del("required")
	if len(base) > 0 {
		out.set("required", base)
	}
	return out
}

// join adds from's members to to. Properties that both have accept what either
// does; what all must hold ("all") adds up.
func join(to, from *object, how string) {
	for _, k := range from.keys {
		v := from.vals[k]
		switch {
		case k == "properties":
			p := newObject()
			if old := to.obj(k); old != nil {
				p = clone(old)
			}
			if more, ok := v.(*object); ok {
				for _, name := range more.keys {
					p.set(name, either(p.vals[name], more.vals[name]))
				}
			}
			to.set(k, p)
		case k == "required":
			if how == "all" {
				names := slices.Clone(to.list(k))
				for _, r := range from.list(k) {
					if !contains(names, r) {
						names = append(names, r)
					}
				}
				to.set(k, names)
			}
		case k == "additionalProperties" && how == "any": // what one variant refuses another may hold
		case !to.has(k):
			to.set(k, v)
		}
	}
}

// either is a schema that accepts what a or b does.
func either(a, b value) value {
	x, aok := a.(*object)
	y, bok := b.(*object)
	if !aok || !bok || equal(x, y) {
		if aok {
			return x
		}
		return b
	}
	if c := constants([]value{x, y}); c != nil {
		copyKeys(c, x, "description")
		return c
	}
	out := newObject()
	copyKeys(out, x, "description")
	var variants []value
	for _, s := range []*object{x, y} {
		if l := s.list("anyOf"); l != nil && len(s.keys) <= 2 {
			variants = append(variants, l...)
			continue
		}
		variants = append(variants, s)
	}
	out.set("anyOf", variants)
	return out
}
