package bedrock

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// event is what the payload of a frame holds; the frame's header tells which
// fields are set.
type event struct {
	Index int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *struct {
			ID   string `json:"toolUseId"`
			Name string `json:"name"`
		} `json:"toolUse"`
	} `json:"start"`
	Delta struct {
		Text    string `json:"text"`
		ToolUse *struct {
			Input json.RawMessage `json:"input"`
		} `json:"toolUse"`
		Reasoning *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
			Redacted  []byte `json:"redactedContent"`
		} `json:"reasoningContent"`
	} `json:"delta"`
	Stop  string `json:"stopReason"`
	Usage *usage `json:"usage"`
}

type usage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Total      int64 `json:"totalTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
}

// read reads the frames of an answer.
func (a *answer) read() (llm.Message, error) {
	body, first, err := a.call.Begin()
	if err != nil {
		return llm.Message{}, err
	}
	if first == '{' || first == '[' { // no stream: an error, or another service
		raw, err := io.ReadAll(body)
		if err != nil {
			return llm.Message{}, a.call.Err(err)
		}
		return llm.Message{}, a.call.Refused(raw)
	}
	for dec, buf := eventstream.NewDecoder(), []byte(nil); ; {
		m, err := dec.Decode(body, buf[:0])
		if err != nil {
			return a.end(err)
		}
		buf = m.Payload
		done, err := a.frame(&m)
		if err != nil || a.stopped {
			return llm.Message{}, err
		}
		if done {
			return a.message()
		}
	}
}

func header(m *eventstream.Message, name string) string {
	v, ok := m.Headers.Get(name).(eventstream.StringValue)
	if !ok {
		return ""
	}
	return string(v)
}

// frame takes in one frame; done tells that it was the last.
func (a *answer) frame(m *eventstream.Message) (done bool, err error) {
	switch header(m, ":message-type") {
	case "exception":
		return false, a.refused(header(m, ":exception-type"), m.Payload)
	case "error":
		message, err := json.Marshal(map[string]string{"message": header(m, ":error-message")})
		if err != nil {
			return false, a.call.Garbled("the stream holds an error that can't be read")
		}
		return false, a.refused(header(m, ":error-code"), message)
	}
	var ev event
	if json.Unmarshal(m.Payload, &ev) != nil {
		return false, a.call.Garbled("the stream holds something that can't be read")
	}
	switch header(m, ":event-type") {
	case "contentBlockStart":
		if t := ev.Start.ToolUse; t != nil {
			return false, a.startTool(ev.Index, t.ID, t.Name)
		}
	case "contentBlockDelta":
		return false, a.delta(&ev)
	case "messageStop":
		a.finish = ev.Stop
		if a.finish == "" {
			a.finish = "end_turn"
		}
		a.call.Finished()
	case "metadata":
		if ev.Usage != nil {
			a.count(ev.Usage)
		}
		return a.finish != "", nil
	}
	return false, nil // messageStart, contentBlockStop and what is newer than this code
}

// refused classifies an exception by its name.
func (a *answer) refused(name string, payload []byte) error {
	var p struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(payload, &p) // without words the name is enough
	raw, err := json.Marshal(map[string]any{"error": map[string]string{"type": name, "message": p.Message}})
	if err != nil {
		return a.call.Garbled("the stream holds an error that can't be read")
	}
	return a.call.Refused(raw)
}

func (a *answer) delta(ev *event) error {
	d := &ev.Delta
	switch {
	case d.ToolUse != nil:
		return a.more(ev.Index, d.ToolUse.Input)
	case d.Reasoning != nil:
		r := d.Reasoning
		p := a.part(ev.Index, llm.ThinkingBlock)
		if len(r.Redacted) > 0 {
			p.redacted = append(p.redacted, r.Redacted...)
		}
		p.signature += r.Signature
		a.call.Progress()
		return a.say(p, llm.ThinkingDelta, r.Text)
	case d.Text != "":
		return a.say(a.part(ev.Index, llm.TextBlock), llm.TextDelta, d.Text)
	}
	return nil
}

func (a *answer) count(u *usage) {
	a.usage = llm.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Total: u.Total}
	if sum := u.Input + u.Output + u.CacheRead + u.CacheWrite; a.usage.Total < sum {
		a.usage.Total = sum
	}
}

// end decides what the stream's end means. After a reason to stop the answer is
// whole, whatever became of the connection.
func (a *answer) end(err error) (llm.Message, error) {
	if a.finish != "" {
		return a.message()
	}
	_, sum := errors.AsType[eventstream.ChecksumError](err)
	_, length := errors.AsType[eventstream.LengthError](err)
	if sum || length {
		return llm.Message{}, a.call.Garbled("the stream holds something that can't be read; check baseUrl")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return llm.Message{}, a.call.Cut(err, len(a.parts))
}
