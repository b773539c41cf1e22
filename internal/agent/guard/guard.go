// Package guard has what stands between a model and the tools: who may use
// which (policy), an end to senseless repetition, and bounds on what comes
// back.
//
// [Policy] decides which tools a run is offered; the rest are middlewares,
// applied by [Wrap]. None of them keeps a tool from being what it was: the
// wrapped tool is listed and scheduled as before.
package guard

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Wrap applies middlewares to tools; the first one is outermost.
func Wrap(tools []tool.Tool, ms ...tool.Middleware) []tool.Tool {
	out := make([]tool.Tool, len(tools))
	for i, t := range tools {
		for j := len(ms) - 1; j >= 0; j-- {
			t = ms[j](t)
		}
		out[i] = t
	}
	return out
}

// around is t with another Run; it stays in its group and its order.
func around(t tool.Tool, run func(context.Context, tool.Call) (tool.Result, error)) tool.Tool {
	return wrapped{t, run}
}

type wrapped struct {
	inner tool.Tool
	run   func(context.Context, tool.Call) (tool.Result, error)
}

var (
	_ tool.Serial  = wrapped{}
	_ tool.Grouped = wrapped{}
)

func (w wrapped) Spec() llm.ToolSpec { return w.inner.Spec() }

func (w wrapped) Run(ctx context.Context, c tool.Call) (tool.Result, error) { return w.run(ctx, c) }

func (w wrapped) Serial() bool {
	s, ok := w.inner.(tool.Serial)
	return ok && s.Serial()
}

func (w wrapped) Group() string {
	if g, ok := w.inner.(tool.Grouped); ok {
		return g.Group()
	}
	return "other"
}
