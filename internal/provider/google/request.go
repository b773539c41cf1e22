package google

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// unsigned is what Google documents for a call that the model asked didn't make
// itself, where it wants a signature.
const unsigned = "skip_thought_signature_validator"

// encode appends the body of req to b. The order of members is fixed, and what
// stays the same comes first: the service caches by the beginning.
func (p *Provider) encode(b []byte, req *llm.Request) []byte {
	w := &writer{
		b: append(b, '{'), req: req, p: p, images: provider.Accepts(req.Model), third: third(req.Model.ID), ids: map[string]string{},
	}
	if req.System != "" {
		w.b = append(jsonw.Key(w.b, "systemInstruction"), `{"parts":[`...)
		w.text(req.System)
		w.b = append(w.b, `]}`...)
	}
	w.tools()
	w.contents(provider.Pair(req.Messages))
	w.config()
	return append(w.b, '}')
}

type writer struct {
	b      []byte
	req    *llm.Request
	p      *Provider
	images bool
	third  bool              // of the generation that checks signatures and takes images in results
	ids    map[string]string // of calls, to what the service called them
}

func third(model string) bool { return strings.Contains(model, "gemini-3") }

// extra is what a call carries for the service, in llm.Call.Extra.
type extra struct {
	ID        string `json:"id,omitempty"`
	Signature string `json:"thoughtSignature,omitempty"`
}

func (w *writer) text(s string) {
	w.b = append(jsonw.Comma(w.b), `{"text":`...)
	w.b = append(jsonw.String(w.b, s), '}')
}

func (w *writer) tools() {
	if len(w.req.Tools) == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "tools"), `[{"functionDeclarations":[`...)
	for i := range w.req.Tools {
		t := &w.req.Tools[i]
		w.b = append(jsonw.Comma(w.b), '{')
		w.b = jsonw.String(jsonw.Key(w.b, "name"), t.Name)
		if t.Description != "" {
			w.b = jsonw.String(jsonw.Key(w.b, "description"), t.Description)
		}
		w.b = append(jsonw.Key(w.b, "parametersJsonSchema"), w.p.schemas.Schema(t.Schema)...)
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, `]}]`...)
}

// contents writes the conversation. The answer to calls is one turn with all
// the results and nothing else; the service refuses any other shape.
func (w *writer) contents(ms []llm.Message) {
	w.b = append(jsonw.Key(w.b, "contents"), '[')
	first := true
	for i := 0; i < len(ms); i++ {
		m := &ms[i]
		switch m.Role {
		case llm.Assistant:
			if first {
				w.open("user")
				w.text("(The beginning of the conversation isn't shown.)")
				w.close()
			}
			w.model(m)
		case llm.ToolRole:
			end := i
			for end < len(ms) && ms[end].Role == llm.ToolRole {
				end++
			}
			w.results(ms[i:end])
			i = end - 1
		case llm.User:
			end := i // what the person said in a row is one turn
			for end < len(ms) && ms[end].Role == llm.User {
				end++
			}
			w.open("user")
			for j := i; j < end; j++ {
				w.blocks(ms[j].Content)
			}
			if w.b[len(w.b)-1] == '[' {
				w.text("(empty message)")
			}
			w.close()
			i = end - 1
		}
		first = false
	}
	w.b = append(w.b, ']')
}

func (w *writer) open(role string) {
	w.b = append(jsonw.Comma(w.b), `{"role":"`...)
	w.b = append(w.b, role...)
	w.b = append(w.b, `","parts":[`...)
}

func (w *writer) close() { w.b = append(w.b, ']', '}') }

func (w *writer) blocks(c llm.Content) {
	for i := range c {
		switch x := &c[i]; x.Type {
		case llm.TextBlock:
			if x.Text != "" {
				w.text(x.Text)
			}
		case llm.ImageBlock:
			w.image(x)
		case llm.ThinkingBlock, llm.CallBlock:
		}
	}
}

func (w *writer) image(x *llm.Block) {
	if !w.images {
		w.text(provider.NoImage)
		return
	}
	w.b = append(jsonw.Comma(w.b), `{"inlineData":{"mimeType":`...)
	w.b = jsonw.String(w.b, x.MIME)
	w.b = jsonw.Base64(jsonw.Key(w.b, "data"), "", x.Data)
	w.b = append(w.b, '}', '}')
}

// own tells whether m is by the model that is asked: its signatures count then.
func (w *writer) own(m *llm.Message) bool {
	return m.Provider == w.req.Model.Provider && m.Model == w.req.Model.ID && (m.API == API || m.API == APIVertex)
}

func (w *writer) model(m *llm.Message) {
	before := len(w.b)
	w.open("model")
	own := w.own(m)
	calls := 0
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.TextBlock:
			if x.Text != "" {
				w.text(x.Text)
			}
		case llm.ThinkingBlock:
			if own && x.Signature != "" {
				w.thought(x)
			}
		case llm.CallBlock:
			if x.Call != nil {
				w.call(x.Call, own, calls == 0)
				calls++
			}
		case llm.ImageBlock:
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.b = w.b[:before] // an answer that never came; an empty turn is refused
		return
	}
	w.close()
}

// thought sends a signature back, with the thought that it came with, if any:
// one that came after text has none.
func (w *writer) thought(x *llm.Block) {
	w.b = append(jsonw.Comma(w.b), '{')
	if x.Text != "" {
		w.b = append(w.b, `"thought":true,`...)
	}
	w.b = jsonw.String(jsonw.Key(w.b, "text"), x.Text)
	w.b = jsonw.String(jsonw.Key(w.b, "thoughtSignature"), x.Signature)
	w.b = append(w.b, '}')
}

func (w *writer) call(c *llm.Call, own, first bool) {
	var e extra
	if own && len(c.Extra) > 0 {
		_ = json.Unmarshal(c.Extra, &e) // of another format: as if there were none
	}
	w.ids[c.ID] = e.ID
	w.b = append(jsonw.Comma(w.b), `{"functionCall":{`...)
	if e.ID != "" {
		w.b = jsonw.String(jsonw.Key(w.b, "id"), e.ID)
	}
	w.b = jsonw.String(jsonw.Key(w.b, "name"), c.Name)
	w.b = jsonw.Key(w.b, "args")
	if len(c.Args) > 0 && c.Args[0] == '{' {
		w.b = append(w.b, c.Args...)
	} else {
		w.b = append(w.b, '{', '}')
	}
	w.b = append(w.b, '}')
	switch {
	case e.Signature != "":
		w.b = jsonw.String(jsonw.Key(w.b, "thoughtSignature"), e.Signature)
	case w.third && first:
		w.b = jsonw.String(jsonw.Key(w.b, "thoughtSignature"), unsigned)
	}
	w.b = append(w.b, '}')
}

// results writes the answers to the calls of one turn. Before the third
// generation a result holds no images, so those follow in a turn of their own.
func (w *writer) results(ms []llm.Message) {
	w.open("user")
	later := false
	for i := range ms {
		m := &ms[i]
		text, images := m.Text(), 0
		for j := range m.Content {
			if m.Content[j].Type == llm.ImageBlock {
				images++
			}
		}
		switch {
		case images > 0 && !w.images:
			text = strings.TrimLeft(text+"\n"+provider.NoImage, "\n")
		case images > 0 && !w.third:
			text = strings.TrimLeft(text+"\n(The image of this result follows.)", "\n")
			later = true
		}
		w.b = append(jsonw.Comma(w.b), `{"functionResponse":{`...)
		if id := w.ids[m.CallID]; id != "" {
			w.b = jsonw.String(jsonw.Key(w.b, "id"), id)
		}
		w.b = jsonw.String(jsonw.Key(w.b, "name"), m.ToolName)
		field := `{"output":`
		if m.IsError {
			field = `{"error":`
		}
		w.b = append(jsonw.Key(w.b, "response"), field...)
		w.b = append(jsonw.String(w.b, text), '}')
		if images > 0 && w.images && w.third {
			w.b = append(jsonw.Key(w.b, "parts"), '[')
			w.pictures(m)
			w.b = append(w.b, ']')
		}
		w.b = append(w.b, '}', '}')
	}
	w.close()
	if !later {
		return
	}
	w.open("user")
	for i := range ms {
		w.pictures(&ms[i])
	}
	w.close()
}

func (w *writer) pictures(m *llm.Message) {
	for j := range m.Content {
		if x := &m.Content[j]; x.Type == llm.ImageBlock {
			w.image(x)
		}
	}
}

func (w *writer) config() {
	w.b = append(jsonw.Key(w.b, "generationConfig"), '{')
	n := w.req.MaxTokens
	if n <= 0 {
		n = w.req.Model.MaxTokens
	}
	if n > 0 {
		w.b = append(jsonw.Key(w.b, "maxOutputTokens"), strconv.Itoa(n)...)
	}
	if w.req.Model.Reasoning {
		w.b = append(jsonw.Key(w.b, "thinkingConfig"), thinking(w.req.Model.ID, w.req.Thinking)...)
	}
	w.b = append(w.b, '}')
}
