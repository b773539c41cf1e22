package ollama

import (
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// defaultWindow is the context of a model whose window isn't configured: a
// larger one may not fit into memory.
const defaultWindow = 65_536

// encode appends the body of req to b, in a fixed order.
func (p *Provider) encode(b []byte, req *llm.Request) []byte {
	w := &writer{b: append(b, '{'), req: req, images: provider.Accepts(req.Model)}
	can := p.can(req.Model.ID)
	w.str("model", req.Model.ID)
	w.messages()
	if can.tools {
		w.tools(p)
	}
	w.raw("stream", "true")
	if req.Model.Reasoning && can.thinking {
		w.raw("think", think(req.Model.ID, req.Thinking))
	}
	window := req.Model.ContextWindow
	if m, ok := p.models[req.Model.ID]; ok && m.ContextWindow <= 0 || window <= 0 {
		window = defaultWindow
	}
	n := req.MaxTokens
	if n <= 0 {
		n = req.Model.MaxTokens
	}
	w.b = append(jsonw.Key(w.b, "options"), `{"num_ctx":`...)
	w.b = strconv.AppendInt(w.b, int64(window), 10)
	if n > 0 {
		w.raw("num_predict", strconv.Itoa(n))
	}
	w.b = append(w.b, '}')
	if keep := p.cfg.Env("OLLAMA_KEEP_ALIVE"); keep != "" { // also what a server of this host would take
		w.b = jsonw.Key(w.b, "keep_alive")
		if _, err := strconv.Atoi(keep); err == nil {
			w.b = append(w.b, keep...)
		} else {
			w.b = jsonw.String(w.b, keep)
		}
	}
	return append(w.b, '}')
}

// think is a level for the models that know levels, else on or off.
func think(model, level string) string {
	off := level == "" || level == "off"
	if !strings.Contains(model, "gpt-oss") {
		return strconv.FormatBool(!off)
	}
	switch level {
	case "", "off", "minimal", "low":
		return `"low"`
	case "high", "xhigh":
		return `"high"`
	}
	return `"medium"`
}

type writer struct {
	b      []byte
	req    *llm.Request
	images bool
}

func (w *writer) raw(key, value string) { w.b = append(jsonw.Key(w.b, key), value...) }

func (w *writer) str(key, value string) { w.b = jsonw.String(jsonw.Key(w.b, key), value) }

func (w *writer) tools(p *Provider) {
	if len(w.req.Tools) == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "tools"), '[')
	for i := range w.req.Tools {
		t := &w.req.Tools[i]
		w.b = append(jsonw.Comma(w.b), `{"type":"function","function":{`...)
		w.str("name", t.Name)
		w.str("description", t.Description)
		w.b = append(jsonw.Key(w.b, "parameters"), p.schemas.Schema(t.Schema)...)
		w.b = append(w.b, `}}`...)
	}
	w.b = append(w.b, ']')
}

func (w *writer) open(role string) {
	w.b = append(jsonw.Comma(w.b), `{"role":"`...)
	w.b = append(w.b, role...)
	w.b = append(w.b, '"')
}

func (w *writer) messages() {
	w.b = append(jsonw.Key(w.b, "messages"), '[')
	if w.req.System != "" {
		w.open("system")
		w.str("content", w.req.System)
		w.b = append(w.b, '}')
	}
	ms := provider.Pair(w.req.Messages)
	turn := 0 // the turn that still goes on starts after the last user message
	for i := range ms {
		if ms[i].Role == llm.User {
			turn = i
		}
	}
	for i := range ms {
		m := &ms[i]
		switch m.Role {
		case llm.User:
			w.open("user")
			w.content(m, m.Text())
			w.b = append(w.b, '}')
		case llm.Assistant:
			w.assistant(m, i > turn)
		case llm.ToolRole:
			w.open("tool")
			text := m.Text()
			if m.IsError {
				text = "Error: " + text
			}
			w.content(m, text)
			if m.ToolName != "" {
				w.str("tool_name", m.ToolName)
			}
			if m.CallID != "" {
				w.str("tool_call_id", m.CallID)
			}
			w.b = append(w.b, '}')
		}
	}
	w.b = append(w.b, ']')
}

// content writes text, and the images beside it.
func (w *writer) content(m *llm.Message, text string) {
	pictures := 0
	for i := range m.Content {
		if m.Content[i].Type == llm.ImageBlock {
			pictures++
		}
	}
	if pictures > 0 && !w.images {
		text = strings.TrimLeft(text+"\n"+provider.NoImage, "\n")
	}
	w.str("content", text)
	if pictures == 0 || !w.images {
		return
	}
	w.b = append(jsonw.Key(w.b, "images"), '[')
	for i := range m.Content {
		if x := &m.Content[i]; x.Type == llm.ImageBlock {
			w.b = jsonw.Base64(jsonw.Comma(w.b), "", x.Data)
		}
	}
	w.b = append(w.b, ']')
}

func (w *writer) assistant(m *llm.Message, current bool) {
	text, thinking, calls := m.Text(), "", 0
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.ThinkingBlock:
			if current && m.Provider == w.req.Model.Provider && m.Model == w.req.Model.ID {
				thinking += x.Text
			}
		case llm.CallBlock:
			if x.Call != nil {
				calls++
			}
		case llm.TextBlock, llm.ImageBlock:
		}
	}
	if strings.TrimSpace(text) == "" && calls == 0 {
		return // an answer that never came
	}
	w.open("assistant")
	w.str("content", text)
	if thinking != "" {
		w.str("thinking", thinking)
	}
	if calls > 0 {
		w.b = append(jsonw.Key(w.b, "tool_calls"), '[')
		for i := range m.Content {
			if c := m.Content[i].Call; c != nil {
				w.call(c)
			}
		}
		w.b = append(w.b, ']')
	}
	w.b = append(w.b, '}')
}

func (w *writer) call(c *llm.Call) {
	w.b = append(jsonw.Comma(w.b), '{')
	w.str("id", c.ID)
	w.b = append(jsonw.Key(w.b, "function"), '{')
	w.str("name", c.Name)
	w.b = jsonw.Key(w.b, "arguments") // an object here, not its text
	if len(c.Args) > 0 && c.Args[0] == '{' {
		w.b = append(w.b, c.Args...)
	} else {
		w.b = append(w.b, '{', '}')
	}
	w.b = append(w.b, '}', '}')
}
