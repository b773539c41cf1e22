package model_test

import (
	"testing"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

func TestThinking(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model llm.Model
		want  string
	}{
		{llm.Model{ID: "gpt-4o"}, "off"},
		{llm.Model{ID: "gpt-5", Reasoning: true}, "low"},
		{llm.Model{ID: "claude-sonnet-4-5", Reasoning: true}, "low"},
		{llm.Model{ID: "claude-opus-4-6", Reasoning: true}, "adaptive"},
		{llm.Model{ID: "anthropic/claude-sonnet-4.6", Reasoning: true}, "adaptive"},
		{llm.Model{ID: "claude-opus-4-6"}, "off"},
	} {
		if got := model.Thinking(tc.model); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.model.ID, got, tc.want)
		}
	}
}
