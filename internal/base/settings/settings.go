// Package settings names what sections of the configuration file have in
// common, whoever owns the section: the kinds of number and name that the file
// knows, and the small objects that stand in several places.
//
// The types describe the file. Package jsonschema makes its schema of them, and
// nothing is decoded into those that are empty.
package settings

import "github.com/openclaw-go/openclaw/internal/base/jsonschema"

// Natural is a whole number from 0, small enough to be exact everywhere.
type Natural int

// JSONSchema gives the bounds.
func (Natural) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"integer(minimum=0,maximum=9007199254740991)"`)
}

// Positive is a whole number from 1, small enough to be exact everywhere.
type Positive int

// JSONSchema gives the bounds.
func (Positive) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"integer(exclusiveMinimum=0,maximum=9007199254740991)"`)
}

// ID names somebody or something on a network; one made of digits may be
// written without quotes.
type ID string

// JSONSchema lets numbers in.
func (ID) JSONSchema() *jsonschema.Schema { return jsonschema.FromCompact(`"string+number"`) }

// Scalar is a text, a number, true or false.
type Scalar struct{}

// JSONSchema says what it is.
func (Scalar) JSONSchema() *jsonschema.Schema {
	return jsonschema.FromCompact(`"string+number+boolean"`)
}

// Auto is true, false or "auto": decided by what is there.
type Auto struct{}

// JSONSchema says what it is.
func (Auto) JSONSchema() *jsonschema.Schema { return jsonschema.FromCompact(`"boolean|\"auto\""`) }
