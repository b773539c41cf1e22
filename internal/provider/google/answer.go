package google

import (
	"encoding/json"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// answer puts one answer together.
type answer struct {
	req     *llm.Request
	api     string
	call    *provider.Call
	yield   func(llm.Event, error) bool
	stopped bool // the consumer has enough

	parts   []piece
	calls   int
	total   int // bytes of text and thinking
	usage   llm.Usage
	finish  string // finishReason
	blocked string // blockReason: the request itself was refused
}

// piece is a run of text or thinking, or one call, which comes whole.
type piece struct {
	kind      llm.BlockType
	text      []byte
	signature string
	call      *llm.Call
}

// say adds a piece of text or thinking and shows it. A signature belongs to
// what came with it and ends it; one after text is kept by itself.
func (a *answer) say(kind llm.BlockType, text, signature string) error {
	if a.total += len(text) + len(signature); a.total > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	if text != "" {
		n := len(a.parts)
		if n == 0 || a.parts[n-1].kind != kind || a.parts[n-1].signature != "" {
			a.parts = append(a.parts, piece{kind: kind})
		}
		p := &a.parts[len(a.parts)-1]
		p.text = append(p.text, text...)
	}
	if signature != "" {
		a.sign(kind, text, signature)
	}
	if text == "" {
		return nil
	}
	e := llm.Event{Type: llm.TextDelta, Delta: text}
	if kind == llm.ThinkingBlock {
		e.Type = llm.ThinkingDelta
	}
	a.call.Pause()
	a.stopped = !a.yield(e, nil)
	a.call.Progress()
	return nil
}

func (a *answer) sign(kind llm.BlockType, text, signature string) {
	if n := len(a.parts); kind == llm.ThinkingBlock && n > 0 && a.parts[n-1].kind == kind && (text != "" || a.parts[n-1].signature == "") {
		a.parts[n-1].signature = signature
		return
	}
	a.parts = append(a.parts, piece{kind: llm.ThinkingBlock, signature: signature})
}

// tool adds a call.
func (a *answer) tool(p *part) error {
	if a.calls++; a.calls > provider.MaxCalls {
		return a.call.Garbled("the answer holds too many tool calls")
	}
	if len(p.Call.Args) > provider.MaxArgs {
		return a.call.Garbled("the arguments of a tool call are longer than the limit of 4 MiB")
	}
	c := &llm.Call{ID: p.Call.ID, Name: p.Call.Name, Args: provider.Args(p.Call.Args)}
	if e := (extra{ID: p.Call.ID, Signature: p.Signature}); e != (extra{}) {
		raw, err := json.Marshal(e)
		if err != nil {
			return a.call.Garbled("a tool call can't be read")
		}
		c.Extra = raw
	}
	a.parts = append(a.parts, piece{kind: llm.CallBlock, call: c})
	a.call.Progress()
	return nil
}

// message is the finished answer.
func (a *answer) message() (llm.Message, error) {
	m := llm.Message{
		Role: llm.Assistant, API: a.api, Provider: a.req.Model.Provider, Model: a.req.Model.ID,
		Time: time.Now().UnixMilli(), Content: make(llm.Content, 0, len(a.parts)),
	}
	said := false
	for i := range a.parts {
		p := &a.parts[i]
		said = said || p.kind == llm.TextBlock
		m.Content = append(m.Content, llm.Block{Type: p.kind, Text: string(p.text), Signature: p.signature, Call: p.call})
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
	if a.blocked != "" {
		return "", provider.Blocked(op, a.req.Model.Provider, "the service's safety filter refused the request")
	}
	switch a.finish {
	case "MAX_TOKENS":
		return llm.StopLength, nil
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "MODEL_ARMOR":
		return "", provider.Blocked(op, a.req.Model.Provider, "the service's safety filter withheld the answer")
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE":
		return "", a.call.Garbled("the model made a tool call that can't be read")
	case "STOP":
	default:
		return "", a.call.Garbled("the service broke off its answer")
	}
	if a.calls > 0 {
		return llm.StopTool, nil
	}
	if !said && !afterTools(a.req.Messages) {
		return "", a.call.Garbled("the model gave an empty answer")
	}
	return llm.StopEnd, nil
}

// afterTools tells whether the request ends with results; a model may have
// nothing to add to what its tools did.
func afterTools(ms []llm.Message) bool { return len(ms) > 0 && ms[len(ms)-1].Role == llm.ToolRole }
