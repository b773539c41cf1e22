package agent

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/agent/prompt"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Prompt is a system prompt, what it is made of, and the tools beside it.
type Prompt struct {
	Text   string
	Report prompt.Report
	Tools  []llm.ToolSpec
}

// Prompt returns the system prompt that a run of that session would get now.
func (r *Runner) Prompt(ctx context.Context, key id.SessionKey, owner bool) (Prompt, error) {
	s, _, err := r.Sessions.Get(ctx, key)
	if err != nil {
		return Prompt{}, err
	}
	a := key.Agent()
	w := &work{Runner: r, session: s}
	tools := r.Tools(Use{Agent: a, Owner: owner})
	ref := override(s)
	p := Prompt{Tools: tools.Specs}
	p.Text, p.Report, err = r.Prompts.System(ctx, a, Request{Session: key, Origin: s.Last(), Owner: owner}, ref, w.thinking(r.Prompts.model(a, ref)), tools.Specs)
	return p, err
}
