package agent

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Prompts writes the system prompts of runs.
type Prompts struct{}

// System returns the system prompt of a run.
func (p *Prompts) System(_ context.Context, a id.Agent, req Request, s session.Session, tools []llm.ToolSpec) (string, error) {
	return "You are a personal assistant running inside OpenClaw.\n" + req.System, nil
}
