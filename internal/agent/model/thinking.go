package model

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Thinking is the level that m thinks at when nothing says another: models that
// choose themselves do so, other reasoning models think a little (the original's
// docs/tools/thinking.md).
func Thinking(m llm.Model) string {
	switch {
	case !m.Reasoning:
		return "off"
	case strings.Contains(m.ID, "claude") && (strings.Contains(m.ID, "4-6") || strings.Contains(m.ID, "4.6")):
		return "adaptive"
	}
	return "low"
}
