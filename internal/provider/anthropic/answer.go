package anthropic

import (
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// answer puts one answer together.
type answer struct {
	req     *llm.Request
	call    *provider.Call
	yield   func(llm.Event, error) bool
	stopped bool // the consumer has enough

	parts  []*part
	calls  int
	total  int // bytes of text and thinking
	usage  llm.Usage
	finish string // stop_reason
}

// part is one content block.
type part struct {
	index     int
	kind      llm.BlockType
	text      []byte
	signature string
	id, name  string
	input     []byte // whole, from the block's start
	args      []byte // in pieces
}

func (a *answer) part(index int) *part {
	for i := len(a.parts) - 1; i >= 0; i-- {
		if a.parts[i].index == index {
			return a.parts[i]
		}
	}
	return nil
}

// start begins a block.
func (a *answer) start(index int, b *block) error {
	p := &part{index: index, signature: b.Signature}
	switch b.Type {
	case "text":
		p.kind = llm.TextBlock
	case "thinking":
		p.kind = llm.ThinkingBlock
	case "redacted_thinking":
		p.kind, p.signature = llm.ThinkingBlock, redacted+b.Data
	case "tool_use":
		if a.calls++; a.calls > provider.MaxCalls {
			return a.call.Garbled("the answer holds too many tool calls")
		}
		p.kind, p.id, p.name, p.input = llm.CallBlock, b.ID, b.Name, b.Input
		a.call.Progress()
	default: // a block of the service's own tools: kept out of the answer
		p.kind = ""
	}
	a.parts = append(a.parts, p)
	if p.kind == llm.ThinkingBlock {
		return a.say(p, llm.ThinkingDelta, b.Thinking)
	}
	return a.say(p, llm.TextDelta, b.Text)
}

// say adds a piece of text or thinking and shows it.
func (a *answer) say(p *part, kind llm.EventType, piece string) error {
	if piece == "" || p.kind != llm.TextBlock && p.kind != llm.ThinkingBlock {
		return nil
	}
	if a.total += len(piece); a.total > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	p.text = append(p.text, piece...)
	a.call.Pause()
	a.stopped = !a.yield(llm.Event{Type: kind, Delta: piece}, nil)
	a.call.Progress()
	return nil
}

// more adds a piece of a call's arguments.
func (a *answer) more(p *part, piece string) error {
	if len(p.args)+len(piece) > provider.MaxArgs {
		return a.call.Garbled("the arguments of a tool call are longer than the limit of 4 MiB")
	}
	p.args = append(p.args, piece...)
	if piece != "" {
		a.call.Progress()
	}
	return nil
}

// message is the finished answer.
func (a *answer) message() (llm.Message, error) {
	m := llm.Message{
		Role: llm.Assistant, API: API, Provider: a.req.Model.Provider, Model: a.req.Model.ID,
		Time: time.Now().UnixMilli(), Content: make(llm.Content, 0, len(a.parts)),
	}
	said := false
	for _, p := range a.parts {
		switch p.kind {
		case llm.TextBlock:
			if len(p.text) == 0 {
				continue
			}
			said = true
			m.Content = append(m.Content, llm.Text(string(p.text)))
		case llm.ThinkingBlock:
			m.Content = append(m.Content, llm.Block{Type: p.kind, Text: string(p.text), Signature: p.signature})
		case llm.CallBlock:
			args := p.args
			if len(args) == 0 {
				args = p.input
			}
			m.Content = append(m.Content, llm.Block{Type: p.kind, Call: &llm.Call{ID: p.id, Name: p.name, Args: provider.Args(args)}})
		case llm.ImageBlock:
		}
	}
	provider.UniqueIDs(&m, a.req.Messages)
	switch a.finish {
	case "refusal":
		return m, provider.Blocked(op, a.req.Model.Provider, "the model declined to answer this")
	case "max_tokens", "model_context_window_exceeded":
		m.Stop = llm.StopLength
	default:
		m.Stop = llm.StopEnd
		if a.calls > 0 {
			m.Stop = llm.StopTool
		}
	}
	if !said && a.calls == 0 && m.Stop == llm.StopEnd && !afterTools(a.req.Messages) {
		return m, a.call.Garbled("the model gave an empty answer")
	}
	a.req.Model.Price(&a.usage)
	used := a.usage // a copy: a pointer into a would keep the whole exchange as long as the message
	m.Usage = &used
	return m, nil
}

// afterTools tells whether the request ends with results; a model may have
// nothing to add to what its tools did.
func afterTools(ms []llm.Message) bool { return len(ms) > 0 && ms[len(ms)-1].Role == llm.ToolRole }
