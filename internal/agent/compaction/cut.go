package compaction

import (
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
)

func isSummary(m llm.Message) bool { return session.IsSummary(m) }

// cut is the index of the first message that stays as it is: the newest ones of
// about keep tokens, more when so many turns fit into most. It is never that of
// a tool's result, so that each stays with its call; 0 is that all stays.
func cut(ms []llm.Message, keep, turns, most int) int {
	first := 0
	if len(ms) > 0 && isSummary(ms[0]) {
		first = 1
	}
	at, left := len(ms), 0
	for i := len(ms) - 1; i >= first; i-- {
		left += Cost(ms[i])
		if left > keep && at < len(ms) {
			break
		}
		if ms[i].Role != llm.ToolRole {
			at = i
		}
		if left > keep { // at least one message or one call with its results
			if at < len(ms) {
				break
			}
		}
	}
	if at <= first || at >= len(ms) {
		return 0
	}
	left = 0
	for i, n := len(ms)-1, 0; i >= first && n < turns; i-- {
		if left += Cost(ms[i]); left > most {
			break
		}
		if ms[i].Role == llm.User && !isSummary(ms[i]) {
			n++
			at = min(at, i)
		}
	}
	if at <= first {
		return 0
	}
	return at
}
