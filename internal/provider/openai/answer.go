package openai

import (
	"bytes"
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

	parts  []part // in the order of their first piece
	calls  []*call
	total  int // bytes of text and thinking
	usage  llm.Usage
	finish string // finish_reason
}

// part is a run of text or thinking, or one call.
type part struct {
	kind  llm.BlockType
	field string // of thinking: the member it came in
	text  []byte
	call  *call
}

// call is a tool call that is still arriving.
type call struct {
	index    *int
	id, name string
	args     []byte
	extra    map[string]json.RawMessage
}

// say adds a piece of text or thinking and shows it.
func (a *answer) say(kind llm.BlockType, field, piece string) error {
	if piece == "" {
		return nil
	}
	if a.total += len(piece); a.total > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	if n := len(a.parts); n == 0 || a.parts[n-1].kind != kind {
		a.parts = append(a.parts, part{kind: kind, field: field})
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

// content adds what a delta's content holds: text, nothing, or a list of parts.
func (a *answer) content(raw json.RawMessage) error {
	if len(raw) == 0 || raw[0] != '"' && raw[0] != '[' {
		return nil
	}
	if raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return a.call.Garbled("the stream holds text that can't be read")
		}
		return a.say(llm.TextBlock, "", s)
	}
	var list []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return a.call.Garbled("the stream holds content that can't be read")
	}
	for _, x := range list {
		if err := a.say(llm.TextBlock, "", x.Text); err != nil || a.stopped {
			return err
		}
		var inner []struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(x.Thinking, &inner) // Mistral's form; any other isn't shown
		for _, t := range inner {
			if err := a.say(llm.ThinkingBlock, "", t.Text); err != nil || a.stopped {
				return err
			}
		}
	}
	return nil
}

// toolDelta is a piece of a call. Known members are taken out; the rest is the
// service's and goes back with the call.
type toolDelta struct {
	index *int
	id    string
	name  string
	args  []byte
	extra map[string]json.RawMessage
}

func (d *toolDelta) UnmarshalJSON(raw []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	var f struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	for k, v := range all {
		switch k {
		case "index":
			_ = json.Unmarshal(v, &d.index) // not a number: as if missing
		case "id":
			_ = json.Unmarshal(v, &d.id) // not a string: as if missing
		case "type":
		case "function":
			if err := json.Unmarshal(v, &f); err != nil {
				return err
			}
		default:
			if string(v) == "null" {
				continue
			}
			if d.extra == nil {
				d.extra = map[string]json.RawMessage{}
			}
			d.extra[k] = bytes.Clone(v)
		}
	}
	if f.Name != nil {
		d.name = *f.Name
	}
	if len(f.Arguments) > 0 && f.Arguments[0] == '"' {
		var s string
		if err := json.Unmarshal(f.Arguments, &s); err != nil {
			return err
		}
		d.args = []byte(s)
	} else if string(f.Arguments) != "null" {
		d.args = f.Arguments
	}
	return nil
}

// tool adds a piece to the call that it belongs to.
func (a *answer) tool(d *toolDelta) error {
	c := a.find(d)
	if c == nil {
		if d.name == "" && d.id == "" && len(d.args) == 0 {
			return nil
		}
		if len(a.calls) >= provider.MaxCalls {
			return a.call.Garbled("the answer holds too many tool calls")
		}
		c = &call{index: d.index, id: d.id}
		a.calls = append(a.calls, c)
		a.parts = append(a.parts, part{kind: llm.CallBlock, call: c})
	}
	if c.id == "" {
		c.id = d.id
	}
	if d.name != "" && d.name != c.name {
		c.name += d.name // some send a name in pieces
	}
	if len(c.args)+len(d.args) > provider.MaxArgs {
		return a.call.Garbled("the arguments of a tool call are longer than the limit of 4 MiB")
	}
	c.args = append(c.args, d.args...)
	for k, v := range d.extra {
		if c.extra == nil {
			c.extra = map[string]json.RawMessage{}
		}
		c.extra[k] = v
	}
	a.call.Progress()
	return nil
}

// find returns the call that d continues. Services leave out the index, the id
// or both, and some number every parallel call 0: a new id with a name is a
// new call whatever its index.
func (a *answer) find(d *toolDelta) *call {
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if d.id != "" {
		for _, c := range a.calls {
			if c.id == d.id {
				return c
			}
		}
		if d.name != "" {
			return nil
		}
	}
	if d.index != nil {
		for i := len(a.calls) - 1; i >= 0; i-- {
			if c := a.calls[i]; c.index != nil && *c.index == *d.index {
				return c
			}
		}
		if last.index != nil || d.name != "" {
			return nil
		}
		return last
	}
	if d.name != "" && (last.name != "" && d.name != last.name || complete(last.args)) {
		return nil
	}
	return last
}

// complete tells whether args is a whole object, after which a name starts
// another call.
func complete(args []byte) bool { return len(args) > 1 && json.Valid(args) }

// message is the finished answer.
func (a *answer) message() (llm.Message, error) {
	m := llm.Message{
		Role: llm.Assistant, API: API, Provider: a.req.Model.Provider, Model: a.req.Model.ID,
		Time: time.Now().UnixMilli(), Content: make(llm.Content, 0, len(a.parts)),
	}
	for i := range a.parts {
		p := &a.parts[i]
		if p.call == nil {
			m.Content = append(m.Content, llm.Block{Type: p.kind, Text: string(p.text), Signature: p.field})
			continue
		}
		c := &llm.Call{ID: p.call.id, Name: p.call.name, Args: provider.Args(p.call.args)}
		if len(p.call.extra) > 0 {
			extra, err := json.Marshal(p.call.extra)
			if err != nil {
				return m, a.call.Garbled("a tool call can't be read")
			}
			c.Extra = extra
		}
		m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: c})
	}
	provider.UniqueIDs(&m, a.req.Messages)
	var err error
	if m.Stop, err = a.stop(); err != nil {
		return m, err
	}
	a.req.Model.Price(&a.usage)
	used := a.usage // a copy: a pointer into a would keep the whole exchange as long as the message
	m.Usage = &used
	return m, nil
}

func (a *answer) stop() (llm.StopReason, error) {
	switch a.finish {
	case "length", "max_tokens":
		return llm.StopLength, nil
	case "content_filter":
		return "", provider.Blocked(op, a.req.Model.Provider, "the service's content filter withheld the answer")
	case "error", "network_error", "insufficient_system_resource":
		return "", a.call.Garbled("the service broke off its answer")
	}
	if len(a.calls) > 0 {
		return llm.StopTool, nil
	}
	if len(a.parts) == 0 && !afterTools(a.req.Messages) {
		return "", a.call.Garbled("the model gave an empty answer")
	}
	return llm.StopEnd, nil
}

// afterTools tells whether the request ends with results; a model may have
// nothing to add to what its tools did.
func afterTools(ms []llm.Message) bool { return len(ms) > 0 && ms[len(ms)-1].Role == llm.ToolRole }
