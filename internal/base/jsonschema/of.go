package jsonschema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Of returns the schema of A. It panics when a tag of A is malformed, which is
// a mistake of the programmer.
//
// Names, omitempty and omitzero are taken from json tags; a field with either,
// and a pointer, is optional. A doc tag is the description. A schema tag holds
// constraints, separated by commas:
//
//	minLength=1 maxLength=64      of a string
//	minItems=1 maxItems=10        of a slice
//	minimum=0 maximum=100         of a number; also exclusiveMinimum, exclusiveMaximum
//	enum=a|b                      a union of literals, the usual form
//	values=a|b                    a JSON Schema enum: the same, but other words
//	const=a                       this string alone
//	items.minLength=1             any of the above, for the items of a slice
//	each.minLength=1              the same for the values of a map
//	nullable                      null is accepted too
//	optional, required            instead of what json tag and type say
//	type=any                      overrides the type; any, string, number, …
//	format=uri                    shown to readers, not checked
//	pattern=^[a-z,]+$             last, as it runs to the end of the tag
//	is=boolean|"auto"             last; the schema in the notation of [FromCompact]
//	default=["a","b"]             last; a JSON value, or a string without quotes
//
// Structs are strict objects, maps are objects with any keys, and types with
// their own UnmarshalJSON (such as [json.RawMessage]) accept anything. A field
// _ with the tag "open" lets other properties into a struct; a map with the
// tags json:"-" and schema:"rest" says what they are. A field takes the place of
// one that a struct embedded above it has under the same name.
func Of[A any]() *Schema {
	return compile(maker{}.ofType(reflect.TypeFor[A](), nil))
}

// OfSettings is Of for a type of settings, in which people set what they want
// to change: a field is required only where its tag says so, or where it has a
// default, which is always there once defaults are filled in.
func OfSettings[A any]() *Schema { return OfSettingsValue(*new(A)) }

// OfSettingsValue is OfSettings of the type of v.
func OfSettingsValue(v any) *Schema {
	return compile(maker{settings: true}.ofType(reflect.TypeOf(v), nil))
}

// maker turns types into nodes.
type maker struct{ settings bool }

type schemer interface{ JSONSchema() *Schema }

//nolint:gochecknoglobals // Read-only.
var (
	schemerType   = reflect.TypeFor[schemer]()
	unmarshalType = reflect.TypeFor[json.Unmarshaler]()
	textType      = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType      = reflect.TypeFor[time.Time]()
)

func implements(t, face reflect.Type) bool {
	return t.Implements(face) || reflect.PointerTo(t).Implements(face)
}

func (mk maker) ofType(t reflect.Type, above []reflect.Type) *node {
	switch {
	case t.Kind() == reflect.Interface:
		return newNode(0)
	case t.Kind() == reflect.Pointer:
		return mk.ofType(t.Elem(), above)
	case implements(t, schemerType):
		return reflect.New(t).Interface().(schemer).JSONSchema().root
	case implements(t, unionType):
		return mk.ofUnion(reflect.New(t).Interface().(unionOf), above)
	case t == timeType:
		return newNode(str)
	case implements(t, unmarshalType):
		return newNode(0)
	case implements(t, textType):
		return newNode(str)
	}
	switch t.Kind() {
	case reflect.String:
		return newNode(str)
	case reflect.Bool:
		return newNode(boolean)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return newNode(integer)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := newNode(integer)
		n.min = new(float64)
		return n
	case reflect.Float32, reflect.Float64:
		return newNode(number)
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return newNode(str) // base64, as encoding/json has it
		}
		n := newNode(array)
		n.items = mk.ofType(t.Elem(), above)
		return n
	case reflect.Map:
		n := newNode(object)
		n.values = mk.ofType(t.Elem(), above)
		if t.Key().Kind() == reflect.String {
			n.names = mk.ofType(t.Key(), above)
		}
		return n
	case reflect.Struct:
		return mk.ofStruct(t, above)
	}
	panic(fmt.Sprintf("jsonschema: no schema for %v", t))
}

func (mk maker) ofStruct(t reflect.Type, above []reflect.Type) *node {
	for _, a := range above {
		if a == t {
			return newNode(object) // recursive: checked one level deep
		}
	}
	n := newNode(object)
	n.strict = true
	mk.addFields(n, t, append(above[:len(above):len(above)], t))
	return n
}

func (mk maker) addFields(n *node, t reflect.Type, above []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch tag := f.Tag.Get("schema"); {
		case tag == "open" && f.Name == "_":
			n.strict = false
			continue
		case tag == "rest":
			rest := mk.ofType(f.Type, above)
			n.strict, n.values, n.names = false, rest.values, rest.names
			continue
		case name == "-":
			continue
		}
		if f.Anonymous && name == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			if ft.Kind() == reflect.Struct {
				mk.addFields(n, ft, above)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		p := prop{name: name, node: mk.ofType(f.Type, above)}
		p.required = !mk.settings && f.Type.Kind() != reflect.Pointer &&
			!strings.Contains(opts, "omitempty") && !strings.Contains(opts, "omitzero")
		if tag := f.Tag.Get("schema"); tag != "" {
			p.applyTag(tag, t.Name()+"."+f.Name)
		}
		p.node = documented(p.node, f.Tag.Get("doc"))
		if i := slices.IndexFunc(n.props, func(had prop) bool { return had.name == name }); i >= 0 {
			n.props[i] = p // one of an embedded struct, which this hides
			continue
		}
		n.props = append(n.props, p)
	}
}

func documented(n *node, doc string) *node {
	if doc == "" {
		return n
	}
	c := *n
	c.doc = doc
	return &c
}

// applyTag applies a schema tag; where names the field in a panic.
func (p *prop) applyTag(tag, where string) {
	nullable := false
	c := *p.node // don't change a schema that others share
	p.node = &c
	for tag != "" {
		var one string
		if runsToEnd(tag) {
			one, tag = tag, ""
		} else {
			one, tag, _ = strings.Cut(tag, ",")
		}
		key, val, _ := strings.Cut(one, "=")
		target, key := inner(p.node, key)
		switch key {
		case "nullable":
			nullable = true
		case "optional":
			p.required = false
		case "required":
			p.required = true
		case "type":
			k, ok := kindNamed(val)
			if !ok {
				panic("jsonschema: " + where + ": unknown type " + val)
			}
			p.node = newNode(k)
		case "is":
			p.node = FromCompact(quote(val)).root
		case "default":
			p.required = true
			target.fallback = val
			if !json.Valid([]byte(val)) {
				target.fallback = quote(val)
			}
		default:
			if err := target.constrain(key, val); err != nil {
				panic(fmt.Sprintf("jsonschema: %s: %v", where, err))
			}
		}
	}
	switch {
	case nullable && p.node.anyOf != nil:
		p.node.anyOf = append(p.node.anyOf[:len(p.node.anyOf):len(p.node.anyOf)], newNode(null))
	case nullable:
		p.node = union(p.node, newNode(null))
	}
}

// inner returns the node that key is about and key without the prefixes that
// say so. The nodes on the way are n's own afterwards.
func inner(n *node, key string) (*node, string) {
	for {
		if k, ok := strings.CutPrefix(key, "items."); ok && n.items != nil {
			c := *n.items
			n.items, n, key = &c, &c, k
			continue
		}
		if k, ok := strings.CutPrefix(key, "each."); ok && n.values != nil {
			c := *n.values
			n.values, n, key = &c, &c, k
			continue
		}
		return n, key
	}
}

// runsToEnd reports whether what tag begins with may hold commas.
func runsToEnd(tag string) bool {
	key, _, _ := strings.Cut(tag, "=")
	key = key[strings.LastIndexByte(key, '.')+1:]
	return key == "pattern" || key == "is" || key == "default"
}

func union(alternatives ...*node) *node {
	n := newNode(0)
	n.anyOf = alternatives
	return n
}

func literal(jsonText string) *node {
	n := newNode(kindOf([]byte(jsonText)))
	if n.kind&number != 0 {
		n.kind = number
	}
	n.constant = jsonText
	return n
}

// constrain sets one constraint on n.
func (n *node) constrain(key, val string) error {
	switch key {
	case "enum":
		n.kind = 0
		n.anyOf = nil
		for _, v := range strings.Split(val, "|") {
			n.anyOf = append(n.anyOf, literal(quote(v)))
		}
		return nil
	case "values":
		n.enum = strings.Split(val, "|")
		return nil
	case "const":
		n.constant = quote(val)
		return nil
	case "pattern":
		re, err := regexp.Compile(val)
		n.pattern = re
		return err
	case "format":
		n.format = val
		return nil
	}
	f, err := strconv.ParseFloat(val, 64)
	if err != nil {
		return fmt.Errorf("constraint %s=%s: %w", key, val, err)
	}
	switch key {
	case "minLength", "minItems":
		n.minLen = int(f)
	case "maxLength", "maxItems":
		n.maxLen = int(f)
	case "minimum":
		n.min = &f
	case "maximum":
		n.max = &f
	case "exclusiveMinimum":
		n.above = &f
	case "exclusiveMaximum":
		n.below = &f
	default:
		return fmt.Errorf("unknown constraint %s", key)
	}
	return nil
}

func kindNamed(name string) (kind, bool) {
	if first, rest, several := strings.Cut(name, "+"); several {
		a, ok := kindNamed(first)
		b, okRest := kindNamed(rest)
		return a | b, ok && okRest && a != 0 && b != 0
	}
	switch name {
	case "any":
		return 0, true
	case "object":
		return object, true
	case "array":
		return array, true
	case "string":
		return str, true
	case "integer":
		return integer, true
	case "number":
		return number, true
	case "boolean":
		return boolean, true
	case "null":
		return null, true
	}
	return 0, false
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // can't be: every string has a JSON form
	}
	return string(b)
}
