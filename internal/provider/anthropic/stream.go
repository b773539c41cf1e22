package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/openclaw-go/openclaw/internal/base/jsonr"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/sse"
)

// event is one event of a stream; Type tells which fields are set.
type event struct {
	Type    string   `json:"type"`
	Index   int      `json:"index"`
	Message *message `json:"message"`       // message_start
	Block   *block   `json:"content_block"` // content_block_start
	Delta   struct {
		Type      string  `json:"type"`
		Text      string  `json:"text"`
		Thinking  string  `json:"thinking"`
		Signature string  `json:"signature"`
		JSON      string  `json:"partial_json"`
		Stop      *string `json:"stop_reason"` // message_delta
	} `json:"delta"`
	Usage *usage `json:"usage"` // message_delta
}

// message is a whole answer, or the beginning of a streamed one.
type message struct {
	Type    string  `json:"type"`
	Content []block `json:"content"`
	Stop    *string `json:"stop_reason"`
	Usage   *usage  `json:"usage"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"` // redacted_thinking
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
}

// read reads the answer, whichever way the service sends it.
func (a *answer) read() (llm.Message, error) {
	body, first, err := a.call.Begin()
	switch {
	case err != nil:
		return llm.Message{}, err
	case first == '{':
		return a.whole(body)
	}
	return a.stream(body)
}

func (a *answer) whole(r io.Reader) (llm.Message, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return llm.Message{}, a.call.Err(err)
	}
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return llm.Message{}, a.call.Garbled("the answer can't be read")
	}
	if m.Type != "message" {
		return llm.Message{}, a.call.Refused(raw)
	}
	a.count(m.Usage)
	for i := range m.Content {
		if err := a.start(i, &m.Content[i]); err != nil || a.stopped {
			return llm.Message{}, err
		}
	}
	a.finish = "end_turn"
	if m.Stop != nil {
		a.finish = *m.Stop
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
		if len(data) == 0 || data[0] != '{' {
			if string(e.Name) == "error" {
				return llm.Message{}, a.call.Refused(data)
			}
			continue // some end with [DONE]
		}
		var ev event
		if piece(data, &ev) {
			if err := a.event(&ev); err != nil || a.stopped {
				return llm.Message{}, err
			}
			continue
		}
		if err := json.Unmarshal(data, &ev); err != nil {
			return llm.Message{}, a.call.Garbled("the stream holds something that can't be read")
		}
		switch ev.Type {
		case "message_stop":
			return a.end(io.EOF)
		case "error":
			return llm.Message{}, a.call.Refused(data)
		case "":
			if bytes.Contains(data, []byte(`"error"`)) {
				return llm.Message{}, a.call.Refused(data)
			}
		}
		if err := a.event(&ev); err != nil || a.stopped {
			return llm.Message{}, err
		}
	}
}

func (a *answer) event(ev *event) error {
	switch ev.Type {
	case "message_start":
		if ev.Message != nil {
			a.count(ev.Message.Usage)
		}
	case "content_block_start":
		if ev.Block != nil {
			return a.start(ev.Index, ev.Block)
		}
	case "content_block_delta":
		p := a.part(ev.Index)
		if p == nil {
			return a.call.Garbled("the stream adds to a block that it didn't begin")
		}
		switch ev.Delta.Type {
		case "text_delta":
			return a.say(p, llm.TextDelta, ev.Delta.Text)
		case "thinking_delta":
			return a.say(p, llm.ThinkingDelta, ev.Delta.Thinking)
		case "signature_delta":
			p.signature += ev.Delta.Signature
			a.call.Progress()
		case "input_json_delta":
			return a.more(p, ev.Delta.JSON)
		}
	case "message_delta":
		a.count(ev.Usage)
		if ev.Delta.Stop != nil && *ev.Delta.Stop != "" {
			a.finish = *ev.Delta.Stop
			a.call.Finished()
		}
	}
	return nil // ping, content_block_stop and what is newer than this code
}

// end decides what the stream's end means. After a stop reason the answer is
// whole, whatever became of the connection.
func (a *answer) end(err error) (llm.Message, error) {
	if a.finish != "" {
		return a.message()
	}
	return llm.Message{}, a.call.Cut(err, len(a.parts))
}

func (a *answer) count(u *usage) {
	if u == nil {
		return
	}
	set := func(to *int64, v *int64) {
		if v != nil {
			*to = *v
		}
	}
	set(&a.usage.Input, u.Input)
	set(&a.usage.Output, u.Output)
	set(&a.usage.CacheRead, u.CacheRead)
	set(&a.usage.CacheWrite, u.CacheWrite)
	a.usage.Total = a.usage.Input + a.usage.Output + a.usage.CacheRead + a.usage.CacheWrite
}

// piece reads the usual event, one piece of text, of thinking or of arguments,
// without decoding it. It is false for any other.
func piece(data []byte, ev *event) bool {
	var content []byte
	delta := func(k, v []byte) bool {
		switch string(k) {
		case "type":
			switch string(v) {
			case `"text_delta"`:
				ev.Delta.Type = "text_delta"
			case `"thinking_delta"`:
				ev.Delta.Type = "thinking_delta"
			case `"input_json_delta"`:
				ev.Delta.Type = "input_json_delta"
			default:
				return false
			}
		case "text", "thinking", "partial_json":
			content = v
		}
		return true
	}
	index := -1
	whole := jsonr.Object(data, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			return string(v) == `"content_block_delta"`
		case "index":
			n, err := strconv.Atoi(string(v))
			index = n
			return err == nil
		case "delta":
			return jsonr.Object(v, delta)
		}
		return true
	})
	s, ok := jsonr.String(content)
	if !whole || !ok || index < 0 || ev.Delta.Type == "" {
		*ev = event{}
		return false
	}
	ev.Type, ev.Index = "content_block_delta", index
	switch ev.Delta.Type {
	case "text_delta":
		ev.Delta.Text = s
	case "thinking_delta":
		ev.Delta.Thinking = s
	default:
		ev.Delta.JSON = s
	}
	return true
}
