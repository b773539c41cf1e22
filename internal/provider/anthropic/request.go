package anthropic

import (
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	cached       = `"cache_control":{"type":"ephemeral"}`
	cachedLong   = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	defaultMax   = 8192
	idLimit      = 64
	redacted     = "redacted_thinking:" // before the data, in a block's signature
	minThinking  = 1024
	cachedTurns  = 2 // user turns with a cache mark; tools and system take two of four
	startMissing = "(The beginning of the conversation isn't shown.)"
)

// encode appends the body of req to b. The order of members is fixed and the
// cache marks stand at the ends of what stays the same: tools, system, the
// latest two turns of the user's.
func encode(b []byte, req *llm.Request, own *options) []byte {
	w := &writer{b: b, req: req, opt: own, images: provider.Accepts(req.Model)}
	messages := provider.Pair(req.Messages)
	w.b = append(w.b, '{')
	w.b = jsonw.String(jsonw.Key(w.b, "model"), req.Model.ID)
	w.limits(messages)
	w.tools()
	w.system()
	w.messages(messages)
	if own.tier != "" {
		w.str("service_tier", own.tier)
	}
	w.raw("stream", "true")
	return append(w.b, '}')
}

type writer struct {
	b      []byte
	req    *llm.Request
	opt    *options
	images bool
	think  bool
}

// mark marks the end of what the service may keep.
func (w *writer) mark() {
	if w.opt.cache != "" {
		w.b = append(append(w.b, ','), w.opt.cache...)
	}
}

func (w *writer) raw(key, value string) { w.b = append(jsonw.Key(w.b, key), value...) }

func (w *writer) str(key, value string) { w.b = jsonw.String(jsonw.Key(w.b, key), value) }

// limits writes max_tokens and what to think.
func (w *writer) limits(messages []llm.Message) {
	n := w.req.MaxTokens
	if n <= 0 {
		n = w.req.Model.MaxTokens
	}
	if n <= 0 {
		n = defaultMax
	}
	level := w.req.Thinking
	w.think = w.req.Model.Reasoning && level != "" && level != "off" && w.mayThink(messages)
	if !w.think {
		w.raw("max_tokens", strconv.Itoa(n))
		return
	}
	if adaptive(w.req.Model.ID) {
		w.raw("max_tokens", strconv.Itoa(n))
		w.raw("thinking", `{"type":"adaptive"}`)
		w.raw("output_config", `{"effort":"`+effort(level)+`"}`)
		return
	}
	budget := budgetOf(level)
	if n <= minThinking {
		n = 2 * minThinking // thinking counts into the answer's limit
	}
	budget = max(min(budget, n-minThinking), minThinking)
	w.raw("max_tokens", strconv.Itoa(max(n, budget+1)))
	w.raw("thinking", `{"type":"enabled","budget_tokens":`+strconv.Itoa(budget)+`}`)
}

// mayThink is false in a turn that began without thinking: its last answer,
// whose tools have run, would have to begin with a thought of this model.
func (w *writer) mayThink(messages []llm.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role == llm.User {
			return true
		}
		if m.Role != llm.Assistant {
			continue
		}
		for j := range m.Content {
			if x := &m.Content[j]; x.Type == llm.ThinkingBlock && x.Signature != "" && w.own(m) {
				return true
			}
		}
		return false
	}
	return true
}

// own tells whether m's thoughts are those of the model that is asked.
func (w *writer) own(m *llm.Message) bool {
	return m.Provider == w.req.Model.Provider && m.Model == w.req.Model.ID && m.API == API && m.Stop != llm.StopError && m.Stop != llm.StopAborted
}

// adaptive models choose themselves how much to think.
func adaptive(model string) bool {
	for _, s := range []string{"opus-4-6", "opus-4.6", "sonnet-4-6", "sonnet-4.6"} {
		if strings.Contains(model, s) {
			return true
		}
	}
	return false
}

func effort(level string) string {
	switch level {
	case "minimal", "low":
		return "low"
	case "high":
		return "high"
	case "xhigh":
		return "max"
	}
	return "medium"
}

func budgetOf(level string) int {
	switch level {
	case "minimal":
		return minThinking
	case "low":
		return 2048
	case "high":
		return 16_384
	case "xhigh":
		return 32_768
	}
	return 8192
}

func (w *writer) tools() {
	n := len(w.req.Tools)
	if n == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "tools"), '[')
	for i := range w.req.Tools {
		t := &w.req.Tools[i]
		w.b = append(jsonw.Comma(w.b), '{')
		schema := "input_schema"
		if w.opt.openAITools {
			w.b, schema = append(w.b, `"type":"function","function":{`...), "parameters"
		}
		w.str("name", t.Name)
		if t.Description != "" {
			w.str("description", t.Description)
		}
		w.b = append(jsonw.Key(w.b, schema), w.opt.schemas.Schema(t.Schema)...)
		if w.opt.openAITools {
			w.b = append(w.b, '}')
		} else if i == n-1 {
			w.mark()
		}
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

func (w *writer) system() {
	if w.req.System == "" {
		return
	}
	w.b = append(jsonw.Key(w.b, "system"), `[{"type":"text"`...)
	w.str("text", w.req.System)
	w.mark()
	w.b = append(w.b, `}]`...)
}

func (w *writer) messages(ms []llm.Message) {
	w.b = append(jsonw.Key(w.b, "messages"), '[')
	marks := turns(ms)
	first := true
	for i := 0; i < len(ms); i++ {
		if first && ms[i].Role == llm.Assistant {
			w.b = append(w.b, `{"role":"user","content":`...)
			w.b = append(jsonw.String(w.b, startMissing), '}')
		}
		first = false
		if ms[i].Role == llm.Assistant {
			w.assistant(&ms[i])
			continue
		}
		// Everything up to the next answer is one turn: the results of its
		// calls, first, and what the person said meanwhile.
		end := i
		for end < len(ms) && ms[end].Role != llm.Assistant {
			end++
		}
		w.turn(ms[i:end], i >= marks)
		i = end - 1
	}
	w.b = append(w.b, ']')
}

// turns returns the index from which on user turns get a cache mark.
func turns(ms []llm.Message) int {
	n := 0
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != llm.Assistant && (i == 0 || ms[i-1].Role == llm.Assistant) {
			if n++; n == cachedTurns {
				return i
			}
		}
	}
	return 0
}

func (w *writer) turn(ms []llm.Message, mark bool) {
	w.b = append(jsonw.Comma(w.b), `{"role":"user","content":[`...)
	last := -1 // where the last block ends, to put the mark inside
	for _, results := range []bool{true, false} {
		for i := range ms {
			m := &ms[i]
			switch {
			case results != (m.Role == llm.ToolRole):
			case results:
				w.result(m)
				last = len(w.b)
			default:
				w.blocks(m.Content)
				last = len(w.b)
			}
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.text("(empty message)") // the format refuses an empty turn
		last = len(w.b)
	}
	if mark && last == len(w.b) && w.b[last-1] == '}' {
		w.b = w.b[:last-1]
		w.mark()
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']', '}')
}

func (w *writer) result(m *llm.Message) {
	w.b = append(jsonw.Comma(w.b), `{"type":"tool_result"`...)
	w.str("tool_use_id", provider.CallID(m.CallID, idLimit))
	w.b = append(jsonw.Key(w.b, "content"), '[')
	w.blocks(m.Content)
	if w.b[len(w.b)-1] == '[' {
		w.text("(no output)")
	}
	w.b = append(w.b, ']')
	if m.IsError {
		w.raw("is_error", "true")
	}
	w.b = append(w.b, '}')
}

// blocks writes text and images; the format refuses empty text.
func (w *writer) blocks(c llm.Content) {
	for i := range c {
		switch x := &c[i]; x.Type {
		case llm.TextBlock:
			if strings.TrimSpace(x.Text) != "" {
				w.text(x.Text)
			}
		case llm.ImageBlock:
			if !w.images {
				w.text(provider.NoImage)
				continue
			}
			w.b = append(jsonw.Comma(w.b), `{"type":"image","source":{"type":"base64"`...)
			w.str("media_type", x.MIME)
			w.b = jsonw.Base64(jsonw.Key(w.b, "data"), "", x.Data)
			w.b = append(w.b, '}', '}')
		case llm.ThinkingBlock, llm.CallBlock:
		}
	}
}

func (w *writer) text(s string) {
	w.b = append(jsonw.Comma(w.b), `{"type":"text","text":`...)
	w.b = append(jsonw.String(w.b, s), '}')
}

func (w *writer) assistant(m *llm.Message) {
	before := len(w.b)
	w.b = append(jsonw.Comma(w.b), `{"role":"assistant","content":[`...)
	own := w.own(m)
	for i := range m.Content {
		switch x := &m.Content[i]; x.Type {
		case llm.TextBlock:
			if strings.TrimSpace(x.Text) != "" {
				w.text(x.Text)
			}
		case llm.ThinkingBlock:
			if own {
				w.thought(x)
			}
		case llm.CallBlock:
			if x.Call != nil {
				w.use(x.Call)
			}
		case llm.ImageBlock:
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.b = w.b[:before] // a failed answer; services refuse an empty one
		return
	}
	w.b = append(w.b, ']', '}')
}

// thought sends a thought back as it came; one without a signature can't be.
func (w *writer) thought(x *llm.Block) {
	data, secret := strings.CutPrefix(x.Signature, redacted)
	switch {
	case x.Signature == "":
	case secret:
		w.b = append(jsonw.Comma(w.b), `{"type":"redacted_thinking","data":`...)
		w.b = append(jsonw.String(w.b, data), '}')
	default:
		w.b = append(jsonw.Comma(w.b), `{"type":"thinking","thinking":`...)
		w.b = jsonw.String(w.b, x.Text)
		w.str("signature", x.Signature)
		w.b = append(w.b, '}')
	}
}

func (w *writer) use(c *llm.Call) {
	w.b = append(jsonw.Comma(w.b), `{"type":"tool_use"`...)
	w.str("id", provider.CallID(c.ID, idLimit))
	w.str("name", c.Name)
	if len(c.Args) > 0 && c.Args[0] == '{' {
		w.b = append(jsonw.Key(w.b, "input"), c.Args...)
	} else {
		w.raw("input", "{}")
	}
	w.b = append(w.b, '}')
}
