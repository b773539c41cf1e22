// Package llm is the vocabulary shared with language models: messages, tool
// specifications, stream events, usage and models. It holds data only; package
// provider declares who speaks it.
//
// [Message] and [Block] marshal to the shape that OpenClaw 2026.3 keeps in its
// transcripts (reference: state/session.tool-turn.jsonl).
package llm

import (
	"encoding/json"
	"strings"
)

// Role says who wrote a message.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "toolResult"
)

// BlockType is the type of one block of content.
type BlockType string

const (
	TextBlock     BlockType = "text"
	ThinkingBlock BlockType = "thinking"
	ImageBlock    BlockType = "image"
	CallBlock     BlockType = "toolCall"
)

// Block is one piece of a message. Type tells which fields are set.
type Block struct {
	Type      BlockType
	Text      string // TextBlock and ThinkingBlock
	Signature string // ThinkingBlock, TextBlock: opaque proof the provider wants back
	MIME      string // ImageBlock
	Data      []byte // ImageBlock
	Call      *Call  // CallBlock
}

// Text returns a text block.
func Text(s string) Block { return Block{Type: TextBlock, Text: s} }

// Call is a model's request to run a tool.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage // a JSON object; {} when the model sent none
	// Extra is what the provider attached to the call and wants back unchanged
	// (a thought signature); it is not sent to another provider.
	Extra json.RawMessage
}

type blockJSON struct {
	Type      BlockType       `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"thinkingSignature,omitempty"`
	TextSign  string          `json:"textSignature,omitempty"`
	Data      []byte          `json:"data,omitempty"`
	MIME      string          `json:"mimeType,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Args      json.RawMessage `json:"arguments,omitempty"`
	Extra     json.RawMessage `json:"extra,omitempty"`
}

// MarshalJSON writes the transcript's shape.
func (b Block) MarshalJSON() ([]byte, error) {
	j := blockJSON{Type: b.Type}
	switch b.Type {
	case TextBlock:
		j.Text, j.TextSign = &b.Text, b.Signature
	case ThinkingBlock:
		j.Thinking, j.Signature = &b.Text, b.Signature
	case ImageBlock:
		j.Data, j.MIME = b.Data, b.MIME
	case CallBlock:
		if b.Call != nil {
			j.ID, j.Name, j.Args, j.Extra = b.Call.ID, b.Call.Name, b.Call.Args, b.Call.Extra
		}
		if len(j.Args) == 0 {
			j.Args = json.RawMessage("{}")
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads the transcript's shape.
func (b *Block) UnmarshalJSON(raw []byte) error {
	var j blockJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*b = Block{Type: j.Type, Signature: j.Signature, MIME: j.MIME, Data: j.Data}
	switch {
	case j.Type == CallBlock:
		b.Call = &Call{ID: j.ID, Name: j.Name, Args: j.Args, Extra: j.Extra}
	case j.Thinking != nil:
		b.Text = *j.Thinking
	case j.Text != nil:
		b.Text, b.Signature = *j.Text, j.TextSign
	}
	return nil
}

// StopReason says why the model stopped.
type StopReason string

const (
	StopEnd     StopReason = "stop"
	StopLength  StopReason = "length"
	StopTool    StopReason = "toolUse"
	StopError   StopReason = "error"
	StopAborted StopReason = "aborted"
)

// Message is one message of a conversation.
type Message struct {
	Role    Role    `json:"role"`
	Content Content `json:"content"`

	CallID   string `json:"toolCallId,omitempty"` // ToolRole: the call it answers
	ToolName string `json:"toolName,omitempty"`   // ToolRole
	IsError  bool   `json:"isError,omitempty"`    // ToolRole

	API      string     `json:"api,omitempty"`      // Assistant
	Provider string     `json:"provider,omitempty"` // Assistant
	Model    string     `json:"model,omitempty"`    // Assistant
	Usage    *Usage     `json:"usage,omitempty"`    // Assistant
	Stop     StopReason `json:"stopReason,omitempty"`
	Error    string     `json:"errorMessage,omitempty"`

	Time int64 `json:"timestamp,omitempty"` // Unix milliseconds
	// Key is the inbox entry (User) or the run (injected) behind the message;
	// a message is never appended twice under one key.
	Key string `json:"idempotencyKey,omitempty"`
	// Abort marks an answer that somebody stopped.
	Abort *Abort `json:"openclawAbort,omitempty"`
}

// Abort says who stopped an answer.
type Abort struct {
	Aborted bool   `json:"aborted"`
	Origin  string `json:"origin"` // rpc, stop, timeout
	Run     string `json:"runId"`
}

// Content is the blocks of a message. Old transcripts hold a plain string.
type Content []Block

// UnmarshalJSON accepts a list of blocks or a string.
func (c *Content) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		*c = Content{Text(s)}
		return nil
	}
	return json.Unmarshal(raw, (*[]Block)(c))
}

// Text joins the text blocks of m.
func (m Message) Text() string {
	var b strings.Builder
	for _, x := range m.Content {
		if x.Type == TextBlock {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// Calls returns the tool calls in m, in order.
func (m Message) Calls() []Call {
	var cs []Call
	for _, b := range m.Content {
		if b.Call != nil {
			cs = append(cs, *b.Call)
		}
	}
	return cs
}

// Usage counts tokens and what they cost, in US dollars.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"totalTokens"`
	Cost       Cost  `json:"cost"`
}

// Add adds v to u.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Total += v.Total
	u.Cost.Input += v.Cost.Input
	u.Cost.Output += v.Cost.Output
	u.Cost.CacheRead += v.Cost.CacheRead
	u.Cost.CacheWrite += v.Cost.CacheWrite
	u.Cost.Total += v.Cost.Total
}

// Cost is money in US dollars; in a [Model] it is per million tokens.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Total      float64 `json:"total"`
}

// ToolSpec describes a tool to a model.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of an object
}

// Model is one model of one provider.
type Model struct {
	Provider      string   `json:"provider"`
	ID            string   `json:"id"`
	Name          string   `json:"name,omitempty"`
	API           string   `json:"api,omitempty"` // wire format: openai-completions, anthropic-messages
	ContextWindow int      `json:"contextWindow,omitempty"`
	MaxTokens     int      `json:"maxTokens,omitempty"`
	Reasoning     bool     `json:"reasoning,omitempty"`
	Input         []string `json:"input,omitempty"` // text, image
	Cost          Cost     `json:"cost,omitzero"`   // per million tokens
	// Params is agents.defaults.models.<ref>.params: what only the wire format
	// of the model knows.
	Params json.RawMessage `json:"-"`
}

// String returns provider/model.
func (m Model) String() string { return m.Provider + "/" + m.ID }

// Price sets u's cost from what m charges.
func (m Model) Price(u *Usage) {
	const mega = 1e6
	u.Cost = Cost{
		Input: float64(u.Input) * m.Cost.Input / mega, Output: float64(u.Output) * m.Cost.Output / mega,
		CacheRead: float64(u.CacheRead) * m.Cost.CacheRead / mega, CacheWrite: float64(u.CacheWrite) * m.Cost.CacheWrite / mega,
	}
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
}

// Request is one call to a model.
type Request struct {
	Model    Model
	System   string
	Messages []Message
	Tools    []ToolSpec
	Thinking string // off, minimal, low, medium, high, xhigh; "" is off
	// MaxTokens bounds the answer; 0 is the model's.
	MaxTokens int
	// Session names the conversation, for providers that route by it.
	Session string
}

// EventType is the type of a stream event.
type EventType string

const (
	TextDelta     EventType = "textDelta"
	ThinkingDelta EventType = "thinkingDelta"
	Done          EventType = "done"
)

// Event is one step of a streamed answer. A stream ends with exactly one Done
// event carrying the whole message, or with an error.
type Event struct {
	Type    EventType
	Delta   string
	Message Message // Done only: Role, Content, Usage (priced), Stop, API, Provider, Model
}
