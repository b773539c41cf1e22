package google

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/sse"
)

// chunk is one event of a stream, and also a whole answer.
type chunk struct {
	Candidates []candidate     `json:"candidates"`
	Usage      *usage          `json:"usageMetadata"`
	Feedback   *feedback       `json:"promptFeedback"`
	Error      json.RawMessage `json:"error"`
}

type feedback struct {
	Reason string `json:"blockReason"`
}

type candidate struct {
	Index   int `json:"index"`
	Content *struct {
		Parts []part `json:"parts"`
	} `json:"content"`
	Finish string `json:"finishReason"`
}

type part struct {
	Text      *string       `json:"text"`
	Thought   bool          `json:"thought"`
	Signature string        `json:"thoughtSignature"`
	Call      *functionCall `json:"functionCall"`
}

type functionCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type usage struct {
	Prompt     int64 `json:"promptTokenCount"`
	ToolPrompt int64 `json:"toolUsePromptTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
	Total      int64 `json:"totalTokenCount"`
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

// whole reads an answer that isn't an event stream: one object, or the list of
// them that the service sends when it isn't asked for events.
func (a *answer) whole(body *bufio.Reader) (llm.Message, error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return llm.Message{}, a.call.Err(err)
	}
	list := []json.RawMessage{raw}
	if raw = bytes.TrimSpace(raw); raw[0] == '[' && json.Unmarshal(raw, &list) != nil {
		return llm.Message{}, a.call.Garbled("the answer can't be read")
	}
	for _, x := range list {
		if err := a.data(x); err != nil || a.stopped {
			return llm.Message{}, err
		}
	}
	return a.end(io.EOF)
}

func (a *answer) stream(r io.Reader) (llm.Message, error) {
	events := sse.New(r, 0)
	for {
		e, err := events.Next()
		if err != nil {
			return a.end(err)
		}
		data := bytes.TrimSpace(e.Data)
		if len(data) == 0 || data[0] != '{' && data[0] != '[' {
			continue
		}
		if err := a.data(data); err != nil || a.stopped {
			return llm.Message{}, err
		}
	}
}

// data takes in one chunk.
func (a *answer) data(raw []byte) error {
	var c chunk
	if json.Unmarshal(raw, &c) != nil {
		if bytes.Contains(raw, []byte(`"error"`)) {
			return a.call.Refused(raw)
		}
		return a.call.Garbled("the stream holds something that can't be read")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return a.call.Refused(raw)
	}
	if c.Usage != nil {
		a.count(c.Usage)
	}
	if c.Feedback != nil && c.Feedback.Reason != "" {
		a.blocked = c.Feedback.Reason
		return nil
	}
	for i := range c.Candidates {
		if x := &c.Candidates[i]; x.Index == 0 {
			if err := a.candidate(x); err != nil || a.stopped {
				return err
			}
		}
	}
	return nil
}

func (a *answer) candidate(c *candidate) error {
	if c.Content != nil {
		for i := range c.Content.Parts {
			if err := a.part(&c.Content.Parts[i]); err != nil || a.stopped {
				return err
			}
		}
	}
	if c.Finish != "" && c.Finish != "FINISH_REASON_UNSPECIFIED" {
		a.finish = c.Finish
		a.call.Finished()
	}
	return nil
}

func (a *answer) part(p *part) error {
	switch {
	case p.Call != nil:
		return a.tool(p)
	case p.Thought:
		return a.say(llm.ThinkingBlock, deref(p.Text), p.Signature)
	case p.Text != nil, p.Signature != "":
		return a.say(llm.TextBlock, deref(p.Text), p.Signature)
	}
	return nil // the service's own tools, and what is newer than this code
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// count takes the latest numbers; each chunk has those up to itself.
func (a *answer) count(u *usage) {
	a.usage = llm.Usage{
		Input: max(u.Prompt+u.ToolPrompt-u.Cached, 0), Output: u.Candidates + u.Thoughts, CacheRead: u.Cached, Total: u.Total,
	}
	if a.usage.Total == 0 {
		a.usage.Total = u.Prompt + u.ToolPrompt + u.Candidates + u.Thoughts
	}
}

// end decides what the stream's end means. After a reason to stop the answer
// is whole, whatever became of the connection.
func (a *answer) end(err error) (llm.Message, error) {
	if a.finish != "" || a.blocked != "" {
		return a.message()
	}
	return llm.Message{}, a.call.Cut(err, len(a.parts))
}
