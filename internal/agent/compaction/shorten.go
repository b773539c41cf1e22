package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// smallest is how many bytes of a tool's result stay at least.
const smallest = 600

// Fit returns ms such that they are about budget tokens: long results of tools
// are shortened, the longest first, and where that isn't enough the oldest
// turns are left out. The last turn stays, and each result with its call.
func Fit(ms []llm.Message, budget int) []llm.Message {
	total := Size(ms)
	if total <= budget {
		return ms
	}
	ms, total = fitResults(ms, total, budget)
	if total <= budget {
		return ms
	}
	from := 0
	if len(ms) > 0 && isSummary(ms[0]) {
		from = 1
	}
	cut, left := from, total
	for i := from + 1; i < len(ms) && left > budget; i++ {
		left -= Cost(ms[i-1])
		if ms[i].Role == llm.User {
			cut = i
		}
	}
	if cut == from { // one long turn: its beginning goes, but not what was asked
		return withinTurn(ms, from, total, budget)
	}
	return append(slices.Clone(ms[:from]), ms[cut:]...)
}

// withinTurn leaves out the oldest calls of the one turn of ms.
func withinTurn(ms []llm.Message, from, total, budget int) []llm.Message {
	if from >= len(ms) {
		return ms
	}
	cut, left := from+1, total
	for i := from + 1; i < len(ms) && left > budget; i++ {
		if ms[i].Role == llm.Assistant {
			cut = i
		}
		left -= Cost(ms[i])
	}
	return append(slices.Clone(ms[:from+1]), ms[cut:]...)
}

// fitResults shortens results of tools, the longest first.
func fitResults(ms []llm.Message, total, budget int) ([]llm.Message, int) {
	var long []int
	for i := range ms {
		if ms[i].Role == llm.ToolRole && !pictured(ms[i]) && len(ms[i].Text()) > smallest {
			long = append(long, i)
		}
	}
	slices.SortStableFunc(long, func(a, b int) int { return len(ms[b].Text()) - len(ms[a].Text()) })
	out := slices.Clone(ms)
	for _, i := range long {
		if total <= budget {
			break
		}
		was := Cost(out[i])
		out[i] = Shorten(out[i], max(smallest, (was-(total-budget))*perToken-200))
		total += Cost(out[i]) - was
	}
	return out, total
}

// Shorten returns a tool's result cut to about most bytes: its head and its
// tail, with a line between them that says how much is gone.
func Shorten(m llm.Message, most int) llm.Message {
	s := m.Text()
	if len(s) <= most {
		return m
	}
	m.Content = llm.Content{llm.Text(middle(s, most*2/3, most/3))}
	return m
}

// middle cuts the middle out of s.
func middle(s string, head, tail int) string {
	if head+tail >= len(s) {
		return s
	}
	h := text.Cut(s, head)
	t := strings.ToValidUTF8(s[len(s)-tail:], "")
	return fmt.Sprintf("%s\n[… %d of %d bytes left out …]\n%s", h, len(s)-len(h)-len(t), len(s), t)
}

func pictured(m llm.Message) bool {
	return slices.ContainsFunc(m.Content, func(b llm.Block) bool { return b.Type == llm.ImageBlock })
}
