package responses

import (
	"encoding/json"
	"strings"
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

	parts  []*part // in the order of their first piece
	calls  int
	total  int // bytes of text and thinking
	usage  llm.Usage
	finish string // "completed", or why the response is incomplete
}

// part is one item of output.
type part struct {
	kind      string // message, reasoning or function_call
	index     *int
	item      string // the item's identifier
	text      []byte
	signature string
	id, name  string
	args      []byte
}

// maxItems bounds the items of one answer.
const maxItems = 1024

// part finds the item that ev is about, or begins one. Services number the
// items, name them or do neither; one changes the name with every event. It is
// nil for an item that isn't part of an answer.
func (a *answer) part(ev *event, kind string, it *item) (*part, error) {
	if kind != "message" && kind != "reasoning" && kind != "function_call" {
		return nil, nil //nolint:nilnil // a kind of item that is newer than this code
	}
	name := ev.ItemID
	if name == "" && it != nil {
		name = it.ID
	}
	for i := len(a.parts) - 1; i >= 0; i-- {
		p := a.parts[i]
		switch {
		case p.kind != kind:
		case ev.Index != nil && p.index != nil:
			if *p.index == *ev.Index {
				return a.named(p, it), nil
			}
		case name != "" && p.item != "":
			if name == p.item {
				return a.named(p, it), nil
			}
		case it == nil || ev.Type == "response.output_item.done":
			return a.named(p, it), nil
		}
	}
	if len(a.parts) >= maxItems {
		return nil, a.call.Garbled("the answer holds too many pieces")
	}
	if kind == "function_call" {
		if a.calls++; a.calls > provider.MaxCalls {
			return nil, a.call.Garbled("the answer holds too many tool calls")
		}
	}
	p := &part{kind: kind, index: ev.Index, item: name}
	a.parts = append(a.parts, p)
	a.call.Progress()
	return a.named(p, it), nil
}

// named takes over what it says about a call.
func (a *answer) named(p *part, it *item) *part {
	if it == nil {
		return p
	}
	if it.CallID != "" {
		p.id = it.CallID
	}
	if it.Name != "" {
		p.name = it.Name
	}
	return p
}

// say adds a piece of text or thinking and shows it.
func (a *answer) say(p *part, piece string) error {
	if piece == "" {
		return nil
	}
	if a.total += len(piece); a.total > provider.MaxText {
		return a.call.Garbled("the answer is longer than the limit of 24 MiB")
	}
	p.text = append(p.text, piece...)
	e := llm.Event{Type: llm.TextDelta, Delta: piece}
	if p.kind == "reasoning" {
		e.Type = llm.ThinkingDelta
	}
	a.call.Pause()
	a.stopped = !a.yield(e, nil)
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

// complete takes what the finished item holds and its pieces didn't.
func (a *answer) complete(p *part, it *item) error {
	switch p.kind {
	case "message":
		if it.Phase != "" {
			p.signature = signPhase(it.ID, it.Phase)
		}
		if len(p.text) == 0 {
			return a.say(p, joined(it.Content, ""))
		}
	case "reasoning":
		if it.Encrypted != "" {
			sign, err := json.Marshal(thought{"reasoning", it.ID, summary(it.Summary), it.Encrypted})
			if err != nil {
				return a.call.Garbled("a thought can't be read")
			}
			p.signature = string(sign)
			a.call.Progress()
		}
		if len(p.text) == 0 {
			s := joined(it.Summary, "\n\n")
			if s == "" {
				s = joined(it.Content, "\n\n")
			}
			return a.say(p, s)
		}
	case "function_call":
		if args := argsOf(it.Arguments); len(p.args) == 0 && args != "" {
			return a.more(p, args)
		}
	}
	return nil
}

// thought is a reasoning item as it is kept in a block's signature; the form is
// that of OpenClaw's transcripts.
type thought struct {
	Type      string    `json:"type"`
	ID        string    `json:"id,omitempty"`
	Summary   []content `json:"summary"`
	Encrypted string    `json:"encrypted_content"`
}

func summary(list []content) []content {
	if list == nil {
		return []content{}
	}
	return list
}

// signPhase and phaseOf keep whether a text was a comment on the work or the
// answer itself: newer models want to be told.
func signPhase(id, phase string) string {
	raw, err := json.Marshal(struct {
		V     int    `json:"v"`
		ID    string `json:"id"`
		Phase string `json:"phase"`
	}{1, id, phase})
	if err != nil {
		return ""
	}
	return string(raw)
}

func phaseOf(signature string) string {
	var s struct {
		Phase string `json:"phase"`
	}
	if !strings.HasPrefix(signature, "{") || json.Unmarshal([]byte(signature), &s) != nil {
		return ""
	}
	if s.Phase != "commentary" && s.Phase != "final_answer" {
		return ""
	}
	return s.Phase
}

func joined(list []content, sep string) string {
	texts := make([]string, 0, len(list))
	for _, c := range list {
		if s := c.Text + c.Refusal; s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, sep)
}

// argsOf is the text of arguments, which some send as an object.
func argsOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// message is the finished answer.
func (a *answer) message() (llm.Message, error) {
	m := llm.Message{
		Role: llm.Assistant, API: a.req.Model.API, Provider: a.req.Model.Provider, Model: a.req.Model.ID,
		Time: time.Now().UnixMilli(), Content: make(llm.Content, 0, len(a.parts)),
	}
	if m.API == "" {
		m.API = API
	}
	said := false
	for _, p := range a.parts {
		switch p.kind {
		case "message":
			if len(p.text) > 0 {
				said = true
				m.Content = append(m.Content, llm.Block{Type: llm.TextBlock, Text: string(p.text), Signature: p.signature})
			}
		case "reasoning":
			if len(p.text) > 0 || p.signature != "" {
				m.Content = append(m.Content, llm.Block{Type: llm.ThinkingBlock, Text: string(p.text), Signature: p.signature})
			}
		case "function_call":
			m.Content = append(m.Content, llm.Block{Type: llm.CallBlock, Call: &llm.Call{ID: p.id, Name: p.name, Args: provider.Args(p.args)}})
		}
	}
	provider.UniqueIDs(&m, a.req.Messages)
	switch {
	case a.finish == "content_filter":
		return m, provider.Blocked(op, a.req.Model.Provider, "the service's content filter withheld the answer")
	case a.finish != "completed":
		m.Stop = llm.StopLength
	case a.calls > 0:
		m.Stop = llm.StopTool
	default:
		m.Stop = llm.StopEnd
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
