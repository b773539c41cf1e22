package ollama

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// chunk is one line of a stream, and also a whole answer.
type chunk struct {
	Message struct {
		Content  string     `json:"content"`
		Thinking string     `json:"thinking"`
		Calls    []toolCall `json:"tool_calls"`
	} `json:"message"`
	Done   bool            `json:"done"`
	Reason string          `json:"done_reason"`
	Prompt int64           `json:"prompt_eval_count"`
	Output int64           `json:"eval_count"`
	Error  json.RawMessage `json:"error"`
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// answer puts one answer together.
type answer struct {
	req     *llm.Request
	call    *provider.Call
	yield   func(llm.Event, error) bool
	stopped bool // the consumer has enough

	parts  []part
	calls  int
	total  int // bytes of text and thinking
	usage  llm.Usage
	finish string // done_reason
}

// part is a run of text or thinking, or one call, which comes whole.
type part struct {
	kind llm.BlockType
	text []byte
	call *llm.Call
}

// read reads the lines of an answer; a proxy may break or join them.
func (a *answer) read() (llm.Message, error) {
	body, first, err := a.call.Begin()
	if err != nil {
		return llm.Message{}, err
	}
	if first != '{' && first != 0 {
		return llm.Message{}, a.call.Garbled("the answer can't be read; check baseUrl")
	}
	for dec := json.NewDecoder(body); ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return llm.Message{}, a.broken(err)
		}
		var c chunk
		if json.Unmarshal(raw, &c) != nil {
			return llm.Message{}, a.call.Garbled("the stream holds something that can't be read")
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return llm.Message{}, a.call.Refused(raw)
		}
		if err := a.chunk(&c); err != nil || a.stopped {
			return llm.Message{}, err
		}
		if c.Done {
			return a.message()
		}
	}
}

// broken says why the lines ended before the answer did.
func (a *answer) broken(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return a.call.Garbled("the stream holds something that can't be read")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return a.call.Cut(err, len(a.parts))
}

func (a *answer) chunk(c *chunk) error {
	if err := a.say(llm.ThinkingBlock, c.Message.Thinking); err != nil || a.stopped {
		return err
	}
	if err := a.say(llm.TextBlock, c.Message.Content); err != nil || a.stopped {
		return err
	}
	for i := range c.Message.Calls {
		if err := a.tool(&c.Message.Calls[i]); err != nil {
			return err
		}
	}
	if c.Done {
		a.finish = c.Reason
		a.usage = llm.Usage{Input: max(c.Prompt, 0), Output: max(c.Output, 0), Total: max(c.Prompt, 0) + max(c.Output, 0)}
	}
	return nil
}

// say adds a piece of text or thinking and shows it.
func (a *answer) say(kind llm.BlockType, piece string) error {
	if piece == "" {
		return nil
	}
	if a.total += len(piece); a.total > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	if n := len(a.parts); n == 0 || a.parts[n-1].kind != kind {
		a.parts = append(a.parts, part{kind: kind})
	}
	p := &a.parts[len(a.parts)-1]
	p.text = append(p.text, piece...)
	e := llm.Event{Type: llm.TextDelta, Delta: piece}
	if kind == llm.ThinkingBlock {
		e.Type = llm.ThinkingDelta
	}
	a.call.Pause()
	a.stopped = !a.yield(e, nil)
	a.call.Progress()
	return nil
}

func (a *answer) tool(t *toolCall) error {
	if a.calls++; a.calls > provider.MaxCalls {
		return a.call.Garbled("the answer holds too many tool calls")
	}
	if len(t.Function.Args) > provider.MaxArgs {
		return a.call.Garbled("the arguments of a tool call are longer than the limit of 4 MiB")
	}
	c := &llm.Call{ID: t.ID, Name: t.Function.Name, Args: provider.Args(t.Function.Args)}
	a.parts = append(a.parts, part{kind: llm.CallBlock, call: c})
	a.call.Progress()
	return nil
}

// message is the finished answer.
func (a *answer) message() (llm.Message, error) {
	m := llm.Message{
		Role: llm.Assistant, API: API, Provider: a.req.Model.Provider, Model: a.req.Model.ID,
		Time: time.Now().UnixMilli(), Content: make(llm.Content, 0, len(a.parts)), Stop: llm.StopEnd,
	}
	said := false
	for i := range a.parts {
		p := &a.parts[i]
		said = said || p.kind == llm.TextBlock
		m.Content = append(m.Content, llm.Block{Type: p.kind, Text: string(p.text), Call: p.call})
	}
	provider.UniqueIDs(&m, a.req.Messages)
	switch ms := a.req.Messages; {
	case a.finish == "length":
		m.Stop = llm.StopLength
	case a.calls > 0:
		m.Stop = llm.StopTool
	case !said && (len(ms) == 0 || ms[len(ms)-1].Role != llm.ToolRole):
		return m, a.call.Garbled("the model gave an empty answer")
	}
	a.req.Model.Price(&a.usage)
	used := a.usage // a copy: a pointer into a would keep the whole exchange as long as the message
	m.Usage = &used
	return m, nil
}
