package responses

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/sse"
)

// event is one event of a stream; Type tells which fields are set.
type event struct {
	Type      string    `json:"type"`
	Index     *int      `json:"output_index"`
	ItemID    string    `json:"item_id"`
	Delta     string    `json:"delta"`
	Arguments string    `json:"arguments"` // response.function_call_arguments.done
	Item      *item     `json:"item"`      // response.output_item.*
	Response  *response `json:"response"`
}

// response is the whole answer, or the frame around a streamed one.
type response struct {
	Object     string          `json:"object"`
	Status     string          `json:"status"`
	Output     []item          `json:"output"`
	Usage      *usage          `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// item is one piece of output.
type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Phase     string          `json:"phase"`
	Content   []content       `json:"content"`
	Summary   []content       `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

type content struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal,omitempty"`
}

type usage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"` // with those of reasoning
	Total   int64 `json:"total_tokens"`
	Details struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
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
	var x response
	if err := json.Unmarshal(raw, &x); err != nil {
		if raw[0] == '[' && json.Valid(raw) {
			return llm.Message{}, a.call.Refused(raw)
		}
		return llm.Message{}, a.call.Garbled("the answer can't be read")
	}
	if len(x.Output) == 0 && x.Usage == nil || len(x.Error) > 0 && string(x.Error) != "null" {
		return llm.Message{}, a.call.Refused(raw)
	}
	if err := a.finished(&x); err != nil || a.stopped {
		return llm.Message{}, err
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
			return a.end(io.EOF)
		}
		if len(data) == 0 || data[0] != '{' {
			if string(e.Name) == "error" {
				return llm.Message{}, a.call.Refused(data)
			}
			continue // a keep-alive in words
		}
		var ev event
		if err := json.Unmarshal(data, &ev); err != nil {
			if len(a.parts) > 0 && !json.Valid(data) {
				return llm.Message{}, a.call.Garbled("the stream broke off in the middle of a piece")
			}
			return llm.Message{}, a.call.Garbled("the stream holds something that can't be read")
		}
		if ev.Type == "" {
			ev.Type = string(e.Name)
		}
		switch ev.Type {
		case "error":
			return llm.Message{}, a.call.Refused(data)
		case "response.failed", "response.cancelled":
			return llm.Message{}, a.failed(ev.Response)
		case "":
			if bytes.Contains(data, []byte(`"error"`)) {
				return llm.Message{}, a.call.Refused(data)
			}
		}
		if err := a.event(&ev); err != nil || a.stopped {
			return llm.Message{}, err
		}
		if a.finish != "" {
			return a.message()
		}
	}
}

// event takes what says or ends something; the rest is a frame around it, or
// newer than this code.
func (a *answer) event(ev *event) error {
	switch ev.Type {
	case "response.output_item.added":
		if ev.Item != nil {
			_, err := a.part(ev, ev.Item.Type, ev.Item)
			return err
		}
	case "response.output_item.done":
		if ev.Item != nil {
			p, err := a.part(ev, ev.Item.Type, ev.Item)
			if err != nil || p == nil {
				return err
			}
			return a.complete(p, ev.Item)
		}
	case "response.output_text.delta", "response.refusal.delta":
		return a.delta(ev, "message")
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return a.delta(ev, "reasoning")
	case "response.reasoning_summary_part.added":
		p, err := a.part(ev, "reasoning", nil)
		if err == nil && p != nil && len(p.text) > 0 {
			return a.say(p, "\n\n")
		}
		return err
	case "response.function_call_arguments.delta":
		p, err := a.part(ev, "function_call", nil)
		if err == nil && p != nil {
			return a.more(p, ev.Delta)
		}
		return err
	case "response.function_call_arguments.done":
		p, err := a.part(ev, "function_call", nil)
		if err == nil && p != nil && ev.Arguments != "" {
			p.args = p.args[:0]
			return a.more(p, ev.Arguments)
		}
		return err
	case "response.completed", "response.done", "response.incomplete":
		if ev.Response == nil {
			ev.Response = &response{Status: "completed"}
		}
		return a.finished(ev.Response)
	}
	return nil
}

func (a *answer) delta(ev *event, kind string) error {
	p, err := a.part(ev, kind, nil)
	if err != nil || p == nil {
		return err
	}
	return a.say(p, ev.Delta)
}

// end decides what the stream's end means: only a response that is said to be
// complete is an answer.
func (a *answer) end(err error) (llm.Message, error) {
	return llm.Message{}, a.call.Cut(err, len(a.parts))
}

// failed is the error of a response that ended in one.
func (a *answer) failed(x *response) error {
	if x == nil || len(x.Error) == 0 || string(x.Error) == "null" {
		return a.call.Garbled("the service broke off its answer")
	}
	return a.call.Refused([]byte(`{"error":` + string(x.Error) + `}`))
}

// finished takes the end of the response: its usage, why it ended, and what of
// its output wasn't streamed.
func (a *answer) finished(x *response) error {
	if x.Status == "failed" || x.Status == "cancelled" {
		return a.failed(x)
	}
	if len(a.parts) == 0 {
		for i := range x.Output {
			p, err := a.part(&event{Index: &i}, x.Output[i].Type, &x.Output[i])
			if err == nil && p != nil {
				err = a.complete(p, &x.Output[i])
			}
			if err != nil || a.stopped {
				return err
			}
		}
	}
	if u := x.Usage; u != nil {
		cached := u.Details.Cached
		a.usage = llm.Usage{Input: max(u.Input-cached, 0), Output: u.Output, CacheRead: cached, Total: u.Total}
		if a.usage.Total == 0 {
			a.usage.Total = u.Input + u.Output
		}
	}
	a.finish = "completed"
	if x.Status == "incomplete" || x.Incomplete.Reason != "" {
		if a.finish = x.Incomplete.Reason; a.finish == "" {
			a.finish = "max_output_tokens"
		}
	}
	return nil
}
