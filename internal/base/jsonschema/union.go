package jsonschema

import "reflect"

// The unions stand in for a value that takes one of several shapes. They are
// empty: a field of such a type documents what may be there and gives its
// schema, and decodes to nothing.
type (
	// AnyOf accepts what A or B does.
	AnyOf[A, B any] struct{}
	// AnyOf3 accepts what A, B or C does.
	AnyOf3[A, B, C any] struct{}
	// OneOf3 accepts what exactly one of A, B and C does; the constant property
	// that tells them apart also tells which of them a wrong value was meant to be.
	OneOf3[A, B, C any] struct{}
)

// unionOf is what the unions have in common.
type unionOf interface {
	shapes() (all []reflect.Type, exactlyOne bool)
}

//nolint:gochecknoglobals // Read-only.
var unionType = reflect.TypeFor[unionOf]()

func (AnyOf[A, B]) shapes() ([]reflect.Type, bool) {
	return []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()}, false
}

func (AnyOf3[A, B, C]) shapes() ([]reflect.Type, bool) {
	return []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C]()}, false
}

func (OneOf3[A, B, C]) shapes() ([]reflect.Type, bool) {
	return []reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B](), reflect.TypeFor[C]()}, true
}

func (mk maker) ofUnion(u unionOf, above []reflect.Type) *node {
	n := newNode(0)
	var types []reflect.Type
	types, n.one = u.shapes()
	for _, t := range types {
		n.anyOf = append(n.anyOf, mk.ofType(t, above))
	}
	return n
}
