package agent_test

import (
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// A service that refuses the thinking level is asked again with one that it
// names, or without; a model call isn't wasted more than twice.
func TestThinksLess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		level, says string
		takes       string // the level that the service takes
		want        string // the levels that it was asked with
	}{
		"names what it takes": {"high", "Unsupported value: 'reasoning_effort' does not support 'high'. Supported values are: 'low' and 'medium'.", "medium", "high medium"},
		"names nothing":       {"medium", "This model does not support thinking.", "off", "medium off"},
		"goes on refusing":    {"xhigh", "reasoning effort must be one of minimal, high", "never", "xhigh high minimal"},
		"is about else":       {"high", "messages: field required", "never", "high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &strict{window: 100_000, says: 100_000, reasoning: true}
			var asked []string
			m.script = func(req llm.Request) (llm.Message, error) {
				asked = append(asked, req.Thinking)
				if req.Thinking == tt.takes {
					return ends("ok"), nil
				}
				return llm.Message{}, &fault.Error{Kind: fault.Invalid, Op: "fake", Err: &provider.Failure{Provider: "fake", Reason: provider.ReasonFormat, Status: 400, Message: tt.says}}
			}
			r := newStrict(t, m)
			_, err := r.Run(t.Context(), agent.Request{
				Run: id.Run("r"), Session: "agent:main:main", Owner: true, Thinking: tt.level, Inputs: []agent.Input{{Key: "k", Text: "hi"}},
			}, agent.Output{Fresh: func() {}, Delta: func(string) {}})
			if got := strings.Join(asked, " "); got != tt.want || (err == nil) == (tt.takes == "never") {
				t.Errorf("asked with %s, want %s; %v", got, tt.want, err)
			}
		})
	}
}
