package compaction

import (
	"cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// The usual numbers (recorded: cli/defaults.json; session-management docs).
const (
	usualReserve = 16384
	usualFloor   = 20000
	usualKeep    = 20000
	usualTurns   = 3
	usualShare   = 0.5
	usualSoft    = 4000
)

// Window is how many tokens a request to m may be, 0 when nobody knows:
// agents.defaults.contextTokens lowers it.
func Window(d config.AgentDefaults, m llm.Model) int {
	n := m.ContextWindow
	if d.ContextTokens > 0 && (n == 0 || d.ContextTokens < n) {
		n = d.ContextTokens
	}
	return n
}

// Reserve is what is kept free of a window for the next answer and for what
// tools bring.
func Reserve(c config.Compaction, window int) int {
	return min(max(cmp.Or(c.ReserveTokens, usualReserve), or(c.ReserveTokensFloor, usualFloor)), window/4)
}

// Soft is how many tokens before the compaction the memory is written.
func Soft(c config.Compaction) int { return or(c.MemoryFlush.SoftThresholdTokens, usualSoft) }

// keep is how many tokens of the newest messages stay as they are when a
// conversation may take budget.
func keep(c config.Compaction, budget int) int {
	share := c.MaxHistoryShare
	if share <= 0 {
		share = usualShare
	}
	n := cmp.Or(c.KeepRecentTokens, usualKeep)
	if budget > 0 {
		n = min(n, int(float64(budget)*share))
	}
	return max(n, 1)
}
