package openai

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// encode appends the body of req to b. The order of members is fixed, so that
// two requests of one conversation share their beginning byte for byte.
func (p *Provider) encode(b []byte, req *llm.Request) []byte {
	w := &writer{b: b, req: req, q: p.quirksOf(req.Model), schemas: p.schemasOf(req.Model), images: provider.Accepts(req.Model)}
	w.b = append(w.b, '{')
	w.b = jsonw.String(jsonw.Key(w.b, "model"), req.Model.ID)
	w.messages()
	w.raw("stream", "true")
	if w.q.StreamUsage.On() {
		w.raw("stream_options", `{"include_usage":true}`)
	}
	if w.q.Store.On() {
		w.raw("store", "false")
	}
	w.limits()
	w.thinking()
	if w.q.Tools.On() {
		w.tools()
	}
	return append(w.b, '}')
}

type writer struct {
	b       []byte
	req     *llm.Request
	q       quirks
	schemas *dialect.Adapter
	images  bool
}

func (w *writer) raw(key, value string) { w.b = append(jsonw.Key(w.b, key), value...) }

func (w *writer) str(key, value string) { w.b = jsonw.String(jsonw.Key(w.b, key), value) }

func (w *writer) limits() {
	n := w.req.MaxTokens
	if n <= 0 {
		n = w.req.Model.MaxTokens
	}
	if n <= 0 {
		return
	}
	field := "max_completion_tokens"
	if w.q.MaxTokens != "" {
		field = w.q.MaxTokens
	}
	w.raw(field, strconv.Itoa(n))
}

func (w *writer) thinking() {
	if !w.req.Model.Reasoning {
		return
	}
	level := w.req.Thinking
	off := level == "" || level == "off"
	switch w.q.Thinking {
	case "zai":
		if off {
			w.raw("thinking", `{"type":"disabled"}`)
		} else {
			w.raw("thinking", `{"type":"enabled"}`)
		}
	case "mistral":
		if !off {
			w.raw("prompt_mode", `"reasoning"`)
		}
	case "qwen":
		w.raw("enable_thinking", strconv.FormatBool(!off))
	case "openrouter":
		if off {
			w.raw("reasoning", `{"effort":"none"}`)
		} else {
			w.raw("reasoning", `{"effort":"`+effort(level)+`"}`)
		}
	default:
		if !off && w.q.Effort.On() {
			w.str("reasoning_effort", effort(level))
		}
	}
}

// effort keeps a level that the format knows.
func effort(level string) string {
	switch level {
	case "minimal", "low", "medium", "high", "xhigh":
		return level
	}
	return "medium"
}

func (w *writer) tools() {
	if len(w.req.Tools) == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "tools"), '[')
	for i := range w.req.Tools {
		t := &w.req.Tools[i]
		w.b = append(jsonw.Comma(w.b), `{"type":"function","function":{`...)
		w.str("name", t.Name)
		if t.Description != "" {
			w.str("description", t.Description)
		}
		w.b = append(jsonw.Key(w.b, "parameters"), w.schemas.Schema(t.Schema)...)
		if w.q.Strict.On() {
			w.raw("strict", "false")
		}
		w.b = append(w.b, `}}`...)
	}
	w.b = append(w.b, ']')
}

func (w *writer) messages() {
	w.b = append(jsonw.Key(w.b, "messages"), '[')
	if w.req.System != "" {
		role := "system"
		if w.req.Model.Reasoning && w.q.DeveloperRole == compat.Yes {
			role = "developer"
		}
		w.open(role)
		w.str("content", w.req.System)
		w.b = append(w.b, '}')
	}
	messages := provider.Pair(w.req.Messages)
	loop := 0 // the turn that still goes on starts after the last user message
	for i := range messages {
		if messages[i].Role == llm.User {
			loop = i
		}
	}
	for i := 0; i < len(messages); i++ {
		switch messages[i].Role {
		case llm.User:
			w.user(&messages[i])
		case llm.Assistant:
			w.assistant(&messages[i], i > loop)
		case llm.ToolRole:
			end := i
			for end < len(messages) && messages[end].Role == llm.ToolRole {
				end++
			}
			w.results(messages[i:end], end < len(messages) && messages[end].Role == llm.User)
			i = end - 1
		}
	}
	w.b = append(w.b, ']')
}

func (w *writer) open(role string) {
	w.b = append(jsonw.Comma(w.b), `{"role":"`...)
	w.b = append(w.b, role...)
	w.b = append(w.b, '"')
}

func (w *writer) user(m *llm.Message) {
	w.open("user")
	w.b = append(jsonw.Key(w.b, "content"), '[')
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.TextBlock:
			if x.Text != "" || len(m.Content) == 1 {
				w.text(x.Text)
			}
		case llm.ImageBlock:
			w.image(x)
		case llm.ThinkingBlock, llm.CallBlock:
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.text("")
	}
	w.b = append(w.b, ']', '}')
}

func (w *writer) text(s string) {
	w.b = append(jsonw.Comma(w.b), `{"type":"text","text":`...)
	w.b = append(jsonw.String(w.b, s), '}')
}

func (w *writer) image(x *llm.Block) {
	if !w.images {
		w.text(provider.NoImage)
		return
	}
	w.b = append(jsonw.Comma(w.b), `{"type":"image_url","image_url":{"url":`...)
	w.b = jsonw.Base64(w.b, "data:"+x.MIME+";base64,", x.Data)
	w.b = append(w.b, '}', '}')
}

func (w *writer) assistant(m *llm.Message, current bool) {
	ours := m.Provider == w.req.Model.Provider && (m.API == "" || m.API == API)
	text, thinking, field := "", "", ""
	calls := 0
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.TextBlock:
			text += x.Text
		case llm.ThinkingBlock:
			if ours && m.Model == w.req.Model.ID && current && isField(x.Signature) {
				thinking, field = thinking+x.Text, x.Signature
			}
		case llm.CallBlock:
			if x.Call != nil {
				calls++
			}
		case llm.ImageBlock:
		}
	}
	if w.q.ThinkingAsText && thinking != "" {
		text, thinking = "<thinking>\n"+thinking+"\n</thinking>\n"+text, ""
	}
	if strings.TrimSpace(text) == "" && calls == 0 {
		return // an aborted or failed answer: services refuse an empty one
	}
	w.open("assistant")
	if text != "" {
		w.str("content", text)
	} else {
		w.raw("content", "null")
	}
	if thinking != "" {
		w.str(field, thinking)
	}
	if calls > 0 {
		w.b = append(jsonw.Key(w.b, "tool_calls"), '[')
		first := true
		for i := range m.Content {
			if c := m.Content[i].Call; c != nil {
				w.call(c, ours, first)
				first = false
			}
		}
		w.b = append(w.b, ']')
	}
	w.b = append(w.b, '}')
}

// isField tells whether a thinking block's signature is the name of the member
// that it came in, which is the one to send it back in.
func isField(s string) bool {
	return s == "reasoning_content" || s == "reasoning" || s == "reasoning_text"
}

func (w *writer) call(c *llm.Call, ours, first bool) {
	w.b = append(jsonw.Comma(w.b), '{')
	w.str("id", w.callID(c.ID))
	w.raw("type", `"function"`)
	w.b = append(jsonw.Key(w.b, "function"), '{')
	w.str("name", c.Name)
	w.b = jsonw.Key(w.b, "arguments")
	if len(c.Args) > 0 && c.Args[0] == '{' {
		w.b = jsonw.String(w.b, c.Args)
	} else {
		w.b = append(w.b, `"{}"`...)
	}
	w.b = append(w.b, '}')
	switch {
	case ours && isObject(c.Extra):
		if inner := bytes.TrimSpace(c.Extra[1 : len(c.Extra)-1]); len(inner) > 0 {
			w.b = append(append(w.b, ','), inner...)
		}
	case w.q.Google && first:
		// What Google documents for a call that it didn't make itself.
		w.raw("extra_content", `{"google":{"thought_signature":"skip_thought_signature_validator"}}`)
	}
	w.b = append(w.b, '}')
}

func isObject(raw json.RawMessage) bool {
	return len(raw) >= 2 && raw[0] == '{' && raw[len(raw)-1] == '}'
}

func (w *writer) callID(id string) string {
	if w.q.MistralIDs { // exactly nine letters or digits
		h := fnv.New64a()
		_, _ = h.Write([]byte(id)) // a hash never fails
		s := "000000000" + strconv.FormatUint(h.Sum64(), 36)
		return s[len(s)-9:]
	}
	if strings.HasPrefix(id, "functions.") { // Kimi's own form, which it wants kept
		return id
	}
	return provider.CallID(id, 40)
}

// results writes the results of one turn. The format has no images in them, so
// those follow in a message of the user's.
func (w *writer) results(ms []llm.Message, userNext bool) {
	pictures := false
	for i := range ms {
		m := &ms[i]
		text := m.Text()
		for j := range m.Content {
			if m.Content[j].Type != llm.ImageBlock {
				continue
			}
			pictures = pictures || w.images
			note := provider.NoImage
			if w.images {
				note = "(The image of this result follows.)"
			}
			text = strings.TrimLeft(text+"\n"+note, "\n")
		}
		w.open("tool")
		w.str("content", text)
		w.str("tool_call_id", w.callID(m.CallID))
		if w.q.ResultName && m.ToolName != "" {
			w.str("name", m.ToolName)
		}
		w.b = append(w.b, '}')
	}
	if w.q.AfterResult && (pictures || userNext) {
		w.open("assistant")
		w.str("content", "I have the results.")
		w.b = append(w.b, '}')
	}
	if !pictures {
		return
	}
	w.open("user")
	w.b = append(jsonw.Key(w.b, "content"), '[')
	for i := range ms {
		for j := range ms[i].Content {
			if x := &ms[i].Content[j]; x.Type == llm.ImageBlock {
				w.text("Image from the result of " + ms[i].ToolName + ":")
				w.image(x)
			}
		}
	}
	w.b = append(w.b, ']', '}')
}
