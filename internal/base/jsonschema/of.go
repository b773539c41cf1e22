package jsonschema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
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
//	minimum=0 maximum=100         of a number
//	enum=a|b                      a union of literals, the usual form
//	values=a|b                    a JSON Schema enum: the same, but other words
//	items.minLength=1             any of the above, for the items of a slice
//	nullable                      null is accepted too
//	optional, required            instead of what json tag and type say
//	type=any                      overrides the type; any, string, number, …
//	pattern=^[a-z,]+$             last, as it runs to the end of the tag
//
// Structs are strict objects, maps are objects with any keys, and types with
// their own UnmarshalJSON (such as [json.RawMessage]) accept anything.
func Of[A any]() *Schema {
	return compile(ofType(reflect.TypeFor[A](), nil))
}

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

func ofType(t reflect.Type, above []reflect.Type) *node {
	switch {
	case t.Kind() == reflect.Interface:
		return newNode(0)
	case t.Kind() == reflect.Pointer:
		return ofType(t.Elem(), above)
	case implements(t, schemerType):
		return reflect.New(t).Interface().(schemer).JSONSchema().root
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
		n.items = ofType(t.Elem(), above)
		return n
	case reflect.Map:
		n := newNode(object)
		n.values = ofType(t.Elem(), above)
		return n
	case reflect.Struct:
		return ofStruct(t, above)
	}
	panic(fmt.Sprintf("jsonschema: no schema for %v", t))
}

func ofStruct(t reflect.Type, above []reflect.Type) *node {
	for _, a := range above {
		if a == t {
			return newNode(object) // recursive: checked one level deep
		}
	}
	n := newNode(object)
	n.strict = true
	addFields(n, t, append(above[:len(above):len(above)], t))
	return n
}

func addFields(n *node, t reflect.Type, above []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if f.Anonymous && name == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			if ft.Kind() == reflect.Struct {
				addFields(n, ft, above)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		p := prop{name: name, node: ofType(f.Type, above)}
		p.required = f.Type.Kind() != reflect.Pointer &&
			!strings.Contains(opts, "omitempty") && !strings.Contains(opts, "omitzero")
		if tag := f.Tag.Get("schema"); tag != "" {
			p.applyTag(tag, t.Name()+"."+f.Name)
		}
		p.node = documented(p.node, f.Tag.Get("doc"))
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
		if strings.HasPrefix(tag, "pattern=") {
			one, tag = tag, ""
		} else {
			one, tag, _ = strings.Cut(tag, ",")
		}
		key, val, _ := strings.Cut(one, "=")
		target := p.node
		if k, items := strings.CutPrefix(key, "items."); items && p.node.items != nil {
			ci := *p.node.items
			p.node.items, target, key = &ci, &ci, k
		}
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
	case "pattern":
		re, err := regexp.Compile(val)
		n.pattern = re
		return err
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
	default:
		return fmt.Errorf("unknown constraint %s", key)
	}
	return nil
}

func kindNamed(name string) (kind, bool) {
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
