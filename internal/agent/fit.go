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
