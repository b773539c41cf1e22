package bedrock

import (
	"encoding/json"
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
	finish string // stopReason
}

// part is one content block.
type part struct {
	index     int
	kind      llm.BlockType
	text      []byte
	signature string
	redacted  []byte
	id, name  string
	args      []byte
}

// part returns the block of that index, a new one if it hasn't begun: only
// calls say that they do.
func (a *answer) part(index int, kind llm.BlockType) *part {
	for i := len(a.parts) - 1; i >= 0; i-- {
		if p := a.parts[i]; p.index == index && p.kind == kind {
			return p
		}
	}
	p := &part{index: index, kind: kind}
	a.parts = append(a.parts, p)
	return p
}

func (a *answer) startTool(index int, id, name string) error {
	if a.calls++; a.calls > provider.MaxCalls {
		return a.call.Garbled("the answer holds too many tool calls")
	}
	a.parts = append(a.parts, &part{index: index, kind: llm.CallBlock, id: id, name: name})
	a.call.Progress()
	return nil
}

// say adds a piece of text or thinking and shows it.
func (a *answer) say(p *part, kind llm.EventType, piece string) error {
	if a.total += len(piece); a.total > provider.MaxText || len(p.signature)+len(p.redacted) > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	if piece == "" {
		return nil
	}
	p.text = append(p.text, piece...)
	a.call.Pause()
	a.stopped = !a.yield(llm.Event{Type: kind, Delta: piece}, nil)
	a.call.Progress()
	return nil
}

// more adds a piece of a call's arguments: text of JSON, or the value itself.
func (a *answer) more(index int, raw json.RawMessage) error {
	var p *part
	for i := len(a.parts) - 1; i >= 0; i-- {
		if a.parts[i].index == index && a.parts[i].kind == llm.CallBlock {
			p = a.parts[i]
			break
		}
	}
	if p == nil {
		return a.call.Garbled("the stream adds to a call that it didn't begin")
	}
	piece := []byte(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return a.call.Garbled("the stream holds something that can't be read")
		}
		piece = []byte(s)
	}
	if len(p.args)+len(piece) > provider.MaxArgs {
		return a.call.Garbled("the arguments of a tool call are longer than the limit of 4 MiB")
	}
	p.args = append(p.args, piece...)
	if len(piece) > 0 {
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
		b := llm.Block{Type: p.kind, Text: string(p.text)}
		switch p.kind {
		case llm.TextBlock:
			said = true
		case llm.ThinkingBlock:
			b.Signature = p.signature
			if len(p.redacted) > 0 {
				b.Signature = redacted + data(p.redacted)
			}
		case llm.CallBlock:
			b.Text = ""
			b.Call = &llm.Call{ID: p.id, Name: p.name, Args: provider.Args(p.args)}
		case llm.ImageBlock:
		}
		m.Content = append(m.Content, b)
	}
	provider.UniqueIDs(&m, a.req.Messages)
	var err error
	if m.Stop, err = a.stop(said); err != nil {
		return m, err
	}
	a.req.Model.Price(&a.usage)
	used := a.usage // a copy: a pointer into a would keep the whole exchange as long as the message
	m.Usage = &used
	return m, nil
}

func (a *answer) stop(said bool) (llm.StopReason, error) {
	switch a.finish {
	case "max_tokens", "model_context_window_exceeded":
		return llm.StopLength, nil
	case "guardrail_intervened", "content_filtered":
		return "", provider.Blocked(op, a.req.Model.Provider, "the service's content filter withheld the answer")
	case "malformed_model_output", "malformed_tool_use":
		return "", a.call.Garbled("the model gave an answer that can't be read")
	}
	if a.calls > 0 {
		return llm.StopTool, nil
	}
	if ms := a.req.Messages; !said && (len(ms) == 0 || ms[len(ms)-1].Role != llm.ToolRole) {
		return "", a.call.Garbled("the model gave an empty answer")
	}
	return llm.StopEnd, nil
}
