package responses

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const idLimit = 64

// encode appends the body of req to b. The order of members is fixed, so that
// two requests of one conversation share their beginning byte for byte.
func (p *Provider) encode(b []byte, req *llm.Request, own *params) []byte {
	w := &writer{b: b, req: req, schemas: p.schemas, images: provider.Accepts(req.Model)}
	w.b = append(w.b, '{')
	w.str("model", req.Model.ID)
	if req.System != "" {
		w.str("instructions", req.System)
	}
	w.input()
	w.tools()
	w.raw("stream", "true")
	w.raw("store", "false")
	if n := w.limit(); n > 0 {
		w.raw("max_output_tokens", strconv.Itoa(n))
	}
	w.reasoning()
	if req.Session != "" {
		w.str("prompt_cache_key", cacheKey(req.Session))
	}
	if own.Temperature != nil && !req.Model.Reasoning {
		w.raw("temperature", strconv.FormatFloat(*own.Temperature, 'g', -1, 64))
	}
	if own.ServiceTier != "" {
		w.str("service_tier", own.ServiceTier)
	}
	if own.Verbosity != "" {
		w.b = append(jsonw.Key(w.b, "text"), '{')
		w.str("verbosity", own.Verbosity)
		w.b = append(w.b, '}')
	}
	return append(w.b, '}')
}

// cacheKey names a session within the format's limit.
func cacheKey(session string) string {
	if len(session) <= idLimit {
		return session
	}
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:])
}

type writer struct {
	b       []byte
	req     *llm.Request
	schemas *dialect.Adapter
	images  bool
}

func (w *writer) raw(key, value string) { w.b = append(jsonw.Key(w.b, key), value...) }

func (w *writer) str(key, value string) { w.b = jsonw.String(jsonw.Key(w.b, key), value) }

// open begins an item of the given type.
func (w *writer) open(kind string) {
	w.b = append(jsonw.Comma(w.b), '{')
	w.str("type", kind)
}

func (w *writer) limit() int {
	if w.req.MaxTokens > 0 {
		return max(w.req.MaxTokens, 16) // the format refuses less
	}
	return w.req.Model.MaxTokens
}

func (w *writer) reasoning() {
	if !w.req.Model.Reasoning {
		return
	}
	if e := effort(w.req.Model.ID, w.req.Thinking); e != "" {
		w.b = append(jsonw.Key(w.b, "reasoning"), '{')
		w.str("effort", e)
		w.raw("summary", `"auto"`)
		w.b = append(w.b, '}')
	}
	w.raw("include", `["reasoning.encrypted_content"]`)
}

// effort is level in words that the model knows; "" leaves it to the model.
func effort(model, level string) string {
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		model = model[i+1:]
	}
	later := false // than GPT-5.1
	for _, s := range []string{"gpt-5.2", "gpt-5.3", "gpt-5.4"} {
		later = later || strings.HasPrefix(model, s)
	}
	mini := strings.HasPrefix(model, "gpt-5.1-codex-mini")
	switch level {
	case "", "off":
		if (later || strings.HasPrefix(model, "gpt-5.1")) && !strings.Contains(model, "codex") && !strings.Contains(model, "pro") {
			return "none"
		}
		return ""
	case "minimal":
		if later || strings.HasPrefix(model, "gpt-5.1") {
			level = "low"
		}
	case "xhigh":
		if !later && !strings.HasPrefix(model, "gpt-5.1-codex-max") {
			level = "high"
		}
	case "low", "medium", "high":
	default:
		level = "medium"
	}
	if mini && level != "high" {
		return "medium"
	}
	return level
}

func (w *writer) tools() {
	if len(w.req.Tools) == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "tools"), '[')
	for i := range w.req.Tools {
		t := &w.req.Tools[i]
		w.open("function")
		w.str("name", t.Name)
		if t.Description != "" {
			w.str("description", t.Description)
		}
		w.b = append(jsonw.Key(w.b, "parameters"), w.schemas.Schema(t.Schema)...)
		w.raw("strict", "false")
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

func (w *writer) input() {
	w.b = append(jsonw.Key(w.b, "input"), '[')
	messages := provider.Pair(w.req.Messages)
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case llm.User:
			w.open("message")
			w.raw("role", `"user"`)
			w.b = jsonw.Key(w.b, "content")
			w.parts(m.Content)
			w.b = append(w.b, '}')
		case llm.Assistant:
			w.assistant(m)
		case llm.ToolRole:
			w.result(m)
		}
	}
	w.b = append(w.b, ']')
}

// parts writes text and images as a list that is never empty.
func (w *writer) parts(c llm.Content) {
	w.b = append(w.b, '[')
	for i := range c {
		switch x := &c[i]; x.Type {
		case llm.TextBlock:
			if x.Text != "" {
				w.text("input_text", x.Text)
			}
		case llm.ImageBlock:
			if !w.images {
				w.text("input_text", provider.NoImage)
				continue
			}
			w.open("input_image")
			w.raw("detail", `"auto"`)
			w.b = jsonw.Base64(jsonw.Key(w.b, "image_url"), "data:"+x.MIME+";base64,", x.Data)
			w.b = append(w.b, '}')
		case llm.ThinkingBlock, llm.CallBlock:
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.text("input_text", "")
	}
	w.b = append(w.b, ']')
}

func (w *writer) text(kind, s string) {
	w.open(kind)
	w.str("text", s)
	w.b = append(w.b, '}')
}

func (w *writer) result(m *llm.Message) {
	w.open("function_call_output")
	w.str("call_id", provider.CallID(m.CallID, idLimit))
	w.b = jsonw.Key(w.b, "output")
	pictures := false
	for i := range m.Content {
		pictures = pictures || m.Content[i].Type == llm.ImageBlock
	}
	if pictures {
		w.parts(m.Content)
	} else {
		w.b = jsonw.String(w.b, m.Text())
	}
	w.b = append(w.b, '}')
}

// assistant writes an answer as the items that it was. Their identifiers stay
// away: the service keeps nothing that they could name.
func (w *writer) assistant(m *llm.Message) {
	own := m.Provider == w.req.Model.Provider && m.Model == w.req.Model.ID && m.API == w.req.Model.API &&
		m.Stop != llm.StopError && m.Stop != llm.StopAborted
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.TextBlock:
			if strings.TrimSpace(x.Text) != "" {
				w.said(x, own)
			}
		case llm.ThinkingBlock:
			if own && follows(m.Content[i+1:]) {
				w.thought(x)
			}
		case llm.CallBlock:
			if c := x.Call; c != nil {
				w.open("function_call")
				w.str("call_id", provider.CallID(c.ID, idLimit))
				w.str("name", c.Name)
				args := "{}"
				if len(c.Args) > 0 && c.Args[0] == '{' {
					args = string(c.Args)
				}
				w.str("arguments", args)
				w.b = append(w.b, '}')
			}
		case llm.ImageBlock:
		}
	}
}

// follows tells whether rest holds something said or called: the service
// refuses a thought that leads to nothing.
func follows(rest llm.Content) bool {
	for i := range rest {
		if rest[i].Call != nil || rest[i].Type == llm.TextBlock && strings.TrimSpace(rest[i].Text) != "" {
			return true
		}
	}
	return false
}

func (w *writer) said(x *llm.Block, own bool) {
	w.open("message")
	w.raw("role", `"assistant"`)
	w.b = append(jsonw.Key(w.b, "content"), '[')
	w.open("output_text")
	w.str("text", x.Text)
	w.raw("annotations", "[]")
	w.b = append(w.b, '}', ']')
	if phase := phaseOf(x.Signature); own && phase != "" {
		w.str("phase", phase)
	}
	w.b = append(w.b, '}')
}

// thought sends a reasoning item back; without its encrypted content it names
// something that the service doesn't have.
func (w *writer) thought(x *llm.Block) {
	var item struct {
		Summary   json.RawMessage `json:"summary"`
		Encrypted string          `json:"encrypted_content"`
	}
	if !strings.HasPrefix(x.Signature, "{") || json.Unmarshal([]byte(x.Signature), &item) != nil || item.Encrypted == "" {
		return
	}
	w.open("reasoning")
	summary := "[]"
	if len(item.Summary) > 0 && item.Summary[0] == '[' {
		summary = string(item.Summary)
	}
	w.raw("summary", summary)
	w.str("encrypted_content", item.Encrypted)
	w.b = append(w.b, '}')
}
