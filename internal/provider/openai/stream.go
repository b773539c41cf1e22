package openai

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/openclaw-go/openclaw/internal/base/jsonr"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/sse"
)

// chunk is one event of a stream, and also a whole answer that a service gives
// to a request for a stream.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   delta   `json:"delta"`
	Message *delta  `json:"message"` // of a whole answer
	Finish  *string `json:"finish_reason"`
	Usage   *usage  `json:"usage"` // Moonshot's place for it
}

type delta struct {
	Content          json.RawMessage `json:"content"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningText    json.RawMessage `json:"reasoning_text"`
	Refusal          string          `json:"refusal"`
	ToolCalls        []toolDelta     `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"` // the old form of one call
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	CacheHit   int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	Details    struct {
		Cached     int64 `json:"cached_tokens"`
		CacheWrite int64 `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
}

// read reads the answer, whichever way the service sends it.
func (a *answer) read() (llm.Message, error) {
	body, first, err := a.call.Begin()
	switch {
	case err != nil:
		return llm.Message{}, err
	case first == '{' || first == '[':
		return a.whole(body)
	}
	return a.stream(body)
}

func (a *answer) whole(r io.Reader) (llm.Message, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return llm.Message{}, a.call.Err(err)
	}
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		if raw[0] == '[' && json.Valid(raw) { // Google's list around an error
			return llm.Message{}, a.call.Refused(raw)
		}
		return llm.Message{}, a.call.Garbled("the answer can't be read")
	}
	if len(c.Choices) == 0 {
		return llm.Message{}, a.call.Refused(raw)
	}
	if err := a.add(&c); err != nil || a.stopped {
		return llm.Message{}, err
	}
	if a.finish == "" {
		a.finish = "stop"
	}
	return a.message()
}

func (a *answer) stream(r io.Reader) (llm.Message, error) {
	events := sse.New(r, 0)
	for {
		e, err := events.Next()
		if err != nil {
			return a.end(err)
		}
		data := bytes.TrimSpace(e.Data)
		if string(data) == "[DONE]" {
			if a.finish == "" && len(a.parts) > 0 {
				a.finish = "stop" // some never say why they stopped
			}
			return a.end(io.EOF)
		}
		if len(data) == 0 {
			continue
		}
		if data[0] != '{' {
			if string(e.Name) == "error" {
				return llm.Message{}, a.call.Refused(data)
			}
			continue // a keep-alive in words
		}
		if err := a.event(data); err != nil || a.stopped {
			return llm.Message{}, err
		}
	}
}

// event takes one chunk.
func (a *answer) event(data []byte) error {
	if s, kind, field, ok := piece(data); ok {
		return a.say(kind, field, s)
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		if len(a.parts) > 0 && !json.Valid(data) {
			return a.call.Garbled("the stream broke off in the middle of a piece")
		}
		return a.call.Garbled("the stream holds something that can't be read")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" || c.Object == "error" {
		return a.call.Refused(data)
	}
	return a.add(&c)
}

// end decides what the stream's end means. After a finish reason the answer is
// whole, whatever became of the connection.
func (a *answer) end(err error) (llm.Message, error) {
	if a.finish != "" {
		return a.message()
	}
	return llm.Message{}, a.call.Cut(err, len(a.parts))
}

func (a *answer) add(c *chunk) error {
	if c.Usage != nil {
		a.count(c.Usage)
	}
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Usage != nil {
			a.count(ch.Usage)
		}
		if ch.Index != 0 {
			continue // we ask for one
		}
		d := &ch.Delta
		if ch.Message != nil {
			d = ch.Message
		}
		if err := a.delta(d); err != nil || a.stopped {
			return err
		}
		if ch.Finish != nil && *ch.Finish != "" {
			a.finish = *ch.Finish
			a.call.Finished()
		}
	}
	return nil
}

func (a *answer) delta(d *delta) error {
	for _, x := range []struct {
		field string
		raw   json.RawMessage
	}{{"reasoning_content", d.ReasoningContent}, {"reasoning", d.Reasoning}, {"reasoning_text", d.ReasoningText}} {
		if len(x.raw) > 2 && x.raw[0] == '"' { // a proxy may repeat it under two names
			var s string
			if json.Unmarshal(x.raw, &s) != nil {
				return a.call.Garbled("the stream holds thinking that can't be read")
			}
			if err := a.say(llm.ThinkingBlock, x.field, s); err != nil || a.stopped {
				return err
			}
			break
		}
	}
	if err := a.content(d.Content); err != nil || a.stopped {
		return err
	}
	if err := a.say(llm.TextBlock, "", d.Refusal); err != nil || a.stopped {
		return err
	}
	for i := range d.ToolCalls {
		if err := a.tool(&d.ToolCalls[i]); err != nil {
			return err
		}
	}
	if len(d.FunctionCall) > 0 && d.FunctionCall[0] == '{' {
		var t toolDelta
		if json.Unmarshal([]byte(`{"function":`+string(d.FunctionCall)+`}`), &t) == nil {
			return a.tool(&t)
		}
	}
	return nil
}

func (a *answer) count(u *usage) {
	cached := max(u.Details.Cached, u.CacheHit)
	a.usage = llm.Usage{
		Input: max(u.Prompt-cached-u.Details.CacheWrite, 0), Output: u.Completion,
		CacheRead: cached, CacheWrite: u.Details.CacheWrite, Total: u.Total,
	}
	if a.usage.Total == 0 {
		a.usage.Total = u.Prompt + u.Completion
	}
}

// piece reads the usual chunk, one piece of text or thinking and nothing else,
// without decoding it. It isn't ok for any other.
func piece(data []byte) (s string, kind llm.BlockType, field string, ok bool) {
	var text, thinking []byte
	delta := func(k, v []byte) bool {
		switch string(k) {
		case "content":
			if !jsonr.IsNull(v) {
				text = v
			}
			return true
		case "reasoning_content":
			if !jsonr.IsNull(v) {
				thinking = v
			}
			return true
		case "role":
			return true
		}
		return jsonr.IsNull(v)
	}
	choice := func(k, v []byte) bool {
		switch string(k) {
		case "index":
			return len(v) == 1 && v[0] == '0'
		case "delta":
			return jsonr.Object(v, delta)
		case "logprobs":
			return true
		}
		return jsonr.IsNull(v)
	}
	whole := jsonr.Object(data, func(k, v []byte) bool {
		switch string(k) {
		case "choices":
			return jsonr.Object(jsonr.Single(v), choice)
		case "usage", "error":
			return jsonr.IsNull(v)
		}
		return true
	})
	switch {
	case !whole || text == nil == (thinking == nil):
		return "", "", "", false
	case text != nil:
		s, ok = jsonr.String(text)
		return s, llm.TextBlock, "", ok
	}
	s, ok = jsonr.String(thinking)
	return s, llm.ThinkingBlock, "reasoning_content", ok
}
