package agent

import "github.com/openclaw-go/openclaw/internal/base/llm"

// usable leaves out the answers that never came: a failed or stopped model call
// without text means nothing to the model, and some refuse empty messages.
func usable(history []llm.Message) []llm.Message {
	out := make([]llm.Message, 0, len(history)+8)
	for _, m := range history {
		if m.Role == llm.Assistant && len(m.Content) == 0 {
			continue
		}
		out = append(out, m)
	}
	return out
}

// estimate is about how many tokens s is.
func estimate(s string) int { return (len(s) + 3) / 4 }

func schemaTokens(specs []llm.ToolSpec) (n int) {
	for _, s := range specs {
		n += (len(s.Schema) + len(s.Description) + len(s.Name)) / 4
	}
	return n
}

// reserve is what an answer of m may need.
func reserve(m llm.Model) int {
	if m.MaxTokens > 0 {
		return min(m.MaxTokens, m.ContextWindow/4)
	}
	return m.ContextWindow / 10
}

func cost(m llm.Message) (n int) {
	const image = 1500 // tokens
	for _, b := range m.Content {
		n += 4 + len(b.Text)/4
		if b.Call != nil {
			n += len(b.Call.Args)/4 + 8
		}
		if b.Type == llm.ImageBlock {
			n += image
		}
	}
	return n
}

func size(ms []llm.Message) (n int) {
	for _, m := range ms {
		n += cost(m)
	}
	return n
}

// fit leaves out the oldest turns until ms is about budget tokens. It cuts only
// before a message of the person, so a call keeps its result, and keeps the
// last turn whole.
func fit(ms []llm.Message, budget int) []llm.Message {
	total := size(ms)
	if total <= budget {
		return ms
	}
	cut, left := 0, total
	for i := 1; i < len(ms) && left > budget; i++ {
		left -= cost(ms[i-1])
		if ms[i].Role == llm.User {
			cut = i
		}
	}
	if cut == 0 { // one long turn: nothing to cut at
		for i := len(ms) - 1; i > 0; i-- {
			if ms[i].Role == llm.User {
				cut = i
				break
			}
		}
	}
	return ms[cut:]
}
