// Package dialect rewrites the JSON Schema of a tool into what a service
// accepts. Services speak dialects of the language: one refuses a keyword, one
// a union, one a reference, and each refusal fails the whole request. What a
// dialect can't say is said more loosely: an adapted schema accepts what the
// original accepts, and the tool still checks its arguments against its own.
//
// The dialects are rows of a table (table.go); the rewriting is in adapt.go and
// union.go. Order is kept, so equal schemas stay equal byte for byte.
package dialect

import (
	"encoding/json"
	"sync"
)

// Name names a dialect.
type Name string

// The dialects.
const (
	OpenAI       Name = "openai"
	OpenAIStrict Name = "openai-strict" // structured outputs: every property required, nothing else allowed
	Anthropic    Name = "anthropic"
	Gemini       Name = "gemini"
	Bedrock      Name = "bedrock"
	Grammar      Name = "grammar" // Ollama and llama.cpp, which turn a schema into a grammar
	XAI          Name = "xai"
	Mistral      Name = "mistral"
)

// Empty is the schema of a tool without arguments.
const Empty = `{"type":"object","properties":{}}`

// maxKept bounds the memory of an Adapter.
const maxKept = 1024

// Adapter rewrites schemas and remembers the results: a conversation sends the
// same tools again and again. The zero value isn't usable; see For.
type Adapter struct {
	row row

	mu   sync.Mutex
	kept map[string]result
}

type result struct {
	schema json.RawMessage
	exact  bool
}

// For returns an adapter for the dialect, the one of OpenAI for an unknown
// name.
func For(n Name) *Adapter {
	r, ok := table()[n]
	if !ok {
		r = table()[OpenAI]
	}
	return &Adapter{row: r, kept: map[string]result{}}
}

// Schema returns schema in the dialect, always that of an object. One that
// can't be read comes back as one that takes any object.
func (a *Adapter) Schema(schema json.RawMessage) json.RawMessage {
	s, _ := a.Exact(schema)
	return s
}

// Exact is Schema that also tells whether the dialect can hold this schema at
// all: a strict one can't hold an object with free names, and a tool with one
// must be offered without strictness.
func (a *Adapter) Exact(schema json.RawMessage) (json.RawMessage, bool) {
	if len(schema) == 0 {
		schema = json.RawMessage(Empty)
	}
	a.mu.Lock()
	r, ok := a.kept[string(schema)]
	a.mu.Unlock()
	if ok {
		return r.schema, r.exact
	}
	r = a.row.adapt(schema)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.kept) >= maxKept {
		clear(a.kept)
	}
	a.kept[string(schema)] = r
	return r.schema, r.exact
}
