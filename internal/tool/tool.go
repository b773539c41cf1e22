// Package tool is the contract with something a model can do.
//
// A tool without a service of its own is a package under this directory. A
// tool that is a face of a service (cron, sessions, memory) lives with that
// service, in its tool.go.
package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/machine"
)

// Tool is something a model can call.
type Tool interface {
	Spec() llm.ToolSpec
	Run(ctx context.Context, call Call) (Result, error)
}

// Call is one call of a tool.
type Call struct {
	llm.Call
	Scope  Scope
	Update func(partial string) // never nil
}

// Scope is on whose behalf and where a tool acts. It travels as an argument,
// not in the context, so that what a tool depends on can be read.
type Scope struct {
	Agent   id.Agent
	Session id.SessionKey
	Run     id.Run
	Origin  msg.Address
	Owner   bool
	Machine machine.Machine
	// Workspace is the agent's directory; relative paths start there.
	Workspace string
	// StateDir holds our own files; tools keep out of its secrets.
	StateDir string
}

// Result is the outcome of a call. A tool that fails in a way that the model
// should see returns IsError; an error is for failures of ours.
type Result struct {
	Content []llm.Block
	IsError bool
	Meta    string // one line about what was done, for people; may be empty
}

// Text returns a result of one text block.
func Text(s string) Result { return Result{Content: []llm.Block{llm.Text(s)}} }

// Errorf returns a failed result that the model reads.
func Errorf(format string, args ...any) Result {
	return Result{Content: []llm.Block{llm.Text(fmt.Sprintf(format, args...))}, IsError: true}
}

// Serial is implemented by tools whose calls must not run beside others of the
// same turn.
type Serial interface{ Serial() bool }

// Grouped names the section that a tool is listed under; tools that don't say
// are in "other". The names are those of tools.catalog: fs, runtime, web,
// memory, sessions, ui, messaging, automation, nodes, agents, media.
type Grouped interface{ Group() string }

// Middleware wraps a tool: policy, loop detection, hooks and approval are
// middlewares, applied in that order by package agent.
type Middleware func(Tool) Tool

// New makes a tool from a function over a typed argument. The schema is that
// of A.
func New[A any](name, description string, run func(context.Context, Call, A) (Result, error)) Tool {
	s := jsonschema.Of[A]()
	return &typed[A]{schema: s, spec: llm.ToolSpec{Name: name, Description: description, Schema: s.JSON()}, run: run}
}

type typed[A any] struct {
	schema *jsonschema.Schema
	spec   llm.ToolSpec
	run    func(context.Context, Call, A) (Result, error)
}

func (t *typed[A]) Spec() llm.ToolSpec { return t.spec }

func (t *typed[A]) Run(ctx context.Context, call Call) (Result, error) {
	var args A
	raw := call.Args
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := t.schema.Validate(raw); err != nil {
		return Errorf("%s: %v. The arguments must match %s", t.spec.Name, err, t.spec.Schema), nil
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return Errorf("%s: %v. The arguments must match %s", t.spec.Name, err, t.spec.Schema), nil
	}
	return t.run(ctx, call, args)
}

// Func adapts a spec and a function; middlewares use it.
func Func(spec llm.ToolSpec, run func(context.Context, Call) (Result, error)) Tool {
	return funcTool{spec, run}
}

type funcTool struct {
	spec llm.ToolSpec
	run  func(context.Context, Call) (Result, error)
}

func (t funcTool) Spec() llm.ToolSpec                              { return t.spec }
func (t funcTool) Run(ctx context.Context, c Call) (Result, error) { return t.run(ctx, c) }

// ErrDenied reports a call that policy refuses.
var ErrDenied = fault.New(fault.Forbidden, "tool.Run", "not allowed here")
