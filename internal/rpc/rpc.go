// Package rpc is the contract with a method of the gateway protocol.
//
// A feature lists its methods in its rpc.go; package gateway serves them.
package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// Scope is what a caller must hold to use a method.
type Scope string

const (
	Read      Scope = "operator.read"
	Write     Scope = "operator.write"
	Admin     Scope = "operator.admin"
	Approvals Scope = "operator.approvals"
	Pairing   Scope = "operator.pairing"
	NodeRole  Scope = "node"
)

// Roles of a connection.
const (
	Operator = "operator"
	Node     = "node"
)

// Caller is the authenticated client behind a call.
type Caller struct {
	Conn   id.Conn
	Role   string // Operator or Node
	Device id.Device
	Scopes map[Scope]bool
	Client wire.Client
	Caps   map[string]bool // "tool-events", …
	Local  bool            // a direct loopback connection
	Link   Link            // nil for HTTP callers
}

// Owner reports whether c may do what only the gateway's owner may.
func (c *Caller) Owner() bool { return c.Scopes[Admin] }

// Link pushes an event to one client.
type Link interface {
	Push(event string, payload any) error
}

// Method is one method.
type Method struct {
	Name  string
	Scope Scope // "" needs none
	// Hidden methods work but aren't listed in hello-ok.
	Hidden bool
	// Params validates the params before Call; nil accepts anything.
	Params *jsonschema.Schema
	Call   func(ctx context.Context, c *Caller, params json.RawMessage) (any, error)
	// Lane names what a call concerns, such as a session. Calls of one client in
	// different lanes needn't take effect in the order of their arrival, so that
	// they can be stored together. nil: a call is in order with all others.
	Lane func(params json.RawMessage) string

	checks bool // Call validates by itself
}

// Serve validates the params and calls m. Absent params are an empty object.
func (m Method) Serve(ctx context.Context, c *Caller, params json.RawMessage) (any, error) {
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage("{}")
	}
	if m.Params != nil && !m.checks {
		if err := m.Params.Validate(params); err != nil {
			return nil, Invalid("invalid %s params: %v", m.Name, err)
		}
	}
	return m.Call(ctx, c, params)
}

// Later is a result in two response frames with one id, as agent and two-phase
// approvals answer: First now, then what Then returns. The gateway runs Then
// with a context that ends with the connection.
type Later struct {
	First any
	Then  func(ctx context.Context) (any, error)
}

// Error is an error with the exact code and message of the protocol, where the
// recorded gateway fixes them. The gateway sends it unchanged.
type Error struct {
	Code       string // INVALID_REQUEST, UNAVAILABLE, NOT_PAIRED, AGENT_TIMEOUT, …
	Message    string
	Details    any
	Retryable  bool
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Invalid returns an INVALID_REQUEST error.
func Invalid(format string, args ...any) *Error {
	return &Error{Code: "INVALID_REQUEST", Message: fmt.Sprintf(format, args...)}
}

// Unavailable returns an UNAVAILABLE error.
func Unavailable(format string, args ...any) *Error {
	return &Error{Code: "UNAVAILABLE", Message: fmt.Sprintf(format, args...)}
}

// Handle makes a method from a typed function. The params schema is that of P;
// P = struct{} is an object without properties, P = Any accepts anything.
func Handle[P, R any](name string, scope Scope, fn func(ctx context.Context, c *Caller, p P) (R, error)) Method {
	m := Method{Name: name, Scope: scope, checks: true}
	if _, anything := any(*new(P)).(Any); !anything {
		m.Params = jsonschema.Of[P]()
	}
	m.Call = func(ctx context.Context, c *Caller, raw json.RawMessage) (any, error) {
		if len(raw) == 0 || string(raw) == "null" {
			raw = json.RawMessage("{}")
		}
		if m.Params != nil {
			if err := m.Params.Validate(raw); err != nil {
				return nil, Invalid("invalid %s params: %v", name, err)
			}
		}
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, Invalid("invalid %s params: %v", name, err)
		}
		return fn(ctx, c, p)
	}
	return m
}

// Any is the params of a method that checks them by hand.
type Any = json.RawMessage
