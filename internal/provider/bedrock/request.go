package bedrock

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	point        = `{"cachePoint":{"type":"default"}}`
	idLimit      = 64
	redacted     = "redacted:" // before the data, in a block's signature
	defaultMax   = 4096
	minThinking  = 1024
	cachedTurns  = 2 // user turns with a cache point; the system prompt takes another of four
	startMissing = "(The beginning of the conversation isn't shown.)"
)

// encode appends the body of req to b. The order of members is fixed and the
// cache points stand at the ends of what stays the same.
func (p *Provider) encode(b []byte, req *llm.Request) []byte {
	id := strings.ToLower(req.Model.ID)
	w := &writer{
		b: append(b, '{'), req: req, p: p, images: provider.Accepts(req.Model),
		claude: strings.Contains(id, "anthropic.claude") || strings.Contains(id, "anthropic/claude"), caches: caches(req.Model),
	}
	ms := provider.Pair(req.Messages)
	w.tools(ms)
	w.system()
	w.messages(ms)
	w.limits(ms)
	return append(w.b, '}')
}

type writer struct {
	b      []byte
	req    *llm.Request
	p      *Provider
	images bool
	claude bool
	caches bool
}

// caches tells whether m takes cache points; others refuse the request.
func caches(m llm.Model) bool {
	if m.Cost.CacheRead > 0 || m.Cost.CacheWrite > 0 {
		return true
	}
	id := strings.ToLower(m.ID)
	for _, s := range []string{"claude-3-5-haiku", "claude-3-7-sonnet", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4"} {
		if strings.Contains(id, s) {
			return true
		}
	}
	return false
}

func (w *writer) raw(key, value string) { w.b = append(jsonw.Key(w.b, key), value...) }

func (w *writer) str(key, value string) { w.b = jsonw.String(jsonw.Key(w.b, key), value) }

// tools writes what may be called. A conversation with calls in it needs tools
// even where none are offered, so those that were used are named then.
func (w *writer) tools(ms []llm.Message) {
	specs := w.req.Tools
	if len(specs) == 0 {
		specs = used(ms)
	}
	if len(specs) == 0 {
		return
	}
	w.b = append(jsonw.Key(w.b, "toolConfig"), `{"tools":[`...)
	for i := range specs {
		t := &specs[i]
		w.b = append(jsonw.Comma(w.b), `{"toolSpec":{`...)
		w.str("name", t.Name)
		if strings.TrimSpace(t.Description) != "" { // an empty one is refused
			w.str("description", t.Description)
		}
		w.b = append(jsonw.Key(w.b, "inputSchema"), `{"json":`...)
		w.b = append(w.b, w.p.schemas.Schema(t.Schema)...)
		w.b = append(w.b, `}}}`...)
	}
	w.b = append(w.b, `]}`...)
}

func used(ms []llm.Message) []llm.ToolSpec {
	var out []llm.ToolSpec
	seen := map[string]bool{}
	for i := range ms {
		for _, b := range ms[i].Content {
			if b.Call != nil && !seen[b.Call.Name] {
				seen[b.Call.Name] = true
				out = append(out, llm.ToolSpec{Name: b.Call.Name, Description: "Not available any more."})
			}
		}
	}
	return out
}

func (w *writer) system() {
	if strings.TrimSpace(w.req.System) == "" {
		return
	}
	w.b = append(jsonw.Key(w.b, "system"), '[')
	w.text(w.req.System)
	w.point(w.caches)
	w.b = append(w.b, ']')
}

func (w *writer) point(yes bool) {
	if yes {
		w.b = append(jsonw.Comma(w.b), point...)
	}
}

func (w *writer) text(s string) {
	w.b = append(jsonw.Comma(w.b), `{"text":`...)
	w.b = append(jsonw.String(w.b, s), '}')
}

func (w *writer) messages(ms []llm.Message) {
	w.b = append(jsonw.Key(w.b, "messages"), '[')
	marks := turns(ms)
	first := true
	for i := 0; i < len(ms); i++ {
		if first && ms[i].Role == llm.Assistant {
			w.open("user")
			w.text(startMissing)
			w.b = append(w.b, `]}`...)
		}
		first = false
		if ms[i].Role == llm.Assistant {
			w.assistant(&ms[i])
			continue
		}
		end := i // up to the next answer is one turn: results first
		for end < len(ms) && ms[end].Role != llm.Assistant {
			end++
		}
		w.turn(ms[i:end], w.caches && i >= marks)
		i = end - 1
	}
	w.b = append(w.b, ']')
}

// turns returns the index from which on user turns get a cache point.
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

func (w *writer) open(role string) {
	w.b = append(jsonw.Comma(w.b), `{"role":"`...)
	w.b = append(w.b, role...)
	w.b = append(w.b, `","content":[`...)
}

func (w *writer) turn(ms []llm.Message, mark bool) {
	w.open("user")
	for _, results := range []bool{true, false} {
		for i := range ms {
			switch m := &ms[i]; {
			case results != (m.Role == llm.ToolRole):
			case results:
				w.result(m)
			default:
				w.blocks(m.Content)
			}
		}
	}
	if w.b[len(w.b)-1] == '[' {
		w.text("(empty message)") // the format refuses an empty turn
	}
	w.point(mark)
	w.b = append(w.b, `]}`...)
}

func (w *writer) result(m *llm.Message) {
	w.b = append(jsonw.Comma(w.b), `{"toolResult":{`...)
	w.str("toolUseId", provider.CallID(m.CallID, idLimit))
	w.b = append(jsonw.Key(w.b, "content"), '[')
	w.blocks(m.Content)
	if w.b[len(w.b)-1] == '[' {
		w.text("(no output)")
	}
	w.b = append(w.b, ']')
	status := `"success"`
	if m.IsError {
		status = `"error"`
	}
	w.raw("status", status)
	w.b = append(w.b, `}}`...)
}

// blocks writes text and images; the format refuses blank text.
func (w *writer) blocks(c llm.Content) {
	for i := range c {
		switch x := &c[i]; x.Type {
		case llm.TextBlock:
			if strings.TrimSpace(x.Text) != "" {
				w.text(x.Text)
			}
		case llm.ImageBlock:
			w.image(x)
		case llm.ThinkingBlock, llm.CallBlock:
		}
	}
}

func (w *writer) image(x *llm.Block) {
	format, ok := strings.CutPrefix(strings.Replace(x.MIME, "image/jpg", "image/jpeg", 1), "image/")
	switch {
	case !w.images:
		w.text(provider.NoImage)
		return
	case !ok || format != "png" && format != "jpeg" && format != "gif" && format != "webp":
		w.text("[An image was here; the service doesn't take its format.]")
		return
	}
	w.b = append(jsonw.Comma(w.b), `{"image":{`...)
	w.str("format", format)
	w.b = append(jsonw.Key(w.b, "source"), `{"bytes":`...)
	w.b = jsonw.Base64(w.b, "", x.Data)
	w.b = append(w.b, `}}}`...)
}

func (w *writer) assistant(m *llm.Message) {
	before := len(w.b)
	w.open("assistant")
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
		w.b = w.b[:before] // an answer that never came
		return
	}
	w.b = append(w.b, `]}`...)
}

// own tells whether m's thoughts are those of the model that is asked.
func (w *writer) own(m *llm.Message) bool {
	return m.Provider == w.req.Model.Provider && m.Model == w.req.Model.ID && m.API == API && m.Stop != llm.StopError && m.Stop != llm.StopAborted
}

// thought sends a thought back as it came. Claude wants its signature; other
// models refuse one, and don't need their thoughts.
func (w *writer) thought(x *llm.Block) {
	data, secret := strings.CutPrefix(x.Signature, redacted)
	switch {
	case !w.claude || x.Signature == "":
	case secret:
		w.b = append(jsonw.Comma(w.b), `{"reasoningContent":{"redactedContent":`...)
		w.b = append(jsonw.String(w.b, data), `}}`...)
	default:
		w.b = append(jsonw.Comma(w.b), `{"reasoningContent":{"reasoningText":{"text":`...)
		w.b = jsonw.String(w.b, x.Text)
		w.str("signature", x.Signature)
		w.b = append(w.b, `}}}`...)
	}
}

func (w *writer) use(c *llm.Call) {
	w.b = append(jsonw.Comma(w.b), `{"toolUse":{`...)
	w.str("toolUseId", provider.CallID(c.ID, idLimit))
	w.str("name", c.Name)
	if len(c.Args) > 0 && c.Args[0] == '{' {
		w.b = append(jsonw.Key(w.b, "input"), c.Args...)
	} else {
		w.raw("input", "{}")
	}
	w.b = append(w.b, `}}`...)
}

// limits writes the most tokens of an answer, and how much Claude is to think.
func (w *writer) limits(ms []llm.Message) {
	n := w.req.MaxTokens
	if n <= 0 {
		n = w.req.Model.MaxTokens
	}
	if n <= 0 {
		n = defaultMax
	}
	level := w.req.Thinking
	extra := ""
	switch think := w.claude && w.req.Model.Reasoning && level != "" && level != "off" && w.mayThink(ms); {
	case think && adaptive(w.req.Model.ID):
		extra = `{"thinking":{"type":"adaptive"},"output_config":{"effort":"` + effort(level, w.req.Model.ID) + `"}}`
	case think:
		if n <= minThinking {
			n = 2 * minThinking // thinking counts into the answer's limit
		}
		budget := max(min(budgetOf(level), n-minThinking), minThinking)
		n = max(n, budget+1)
		extra = `{"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}}`
	}
	w.raw("inferenceConfig", `{"maxTokens":`+strconv.Itoa(n)+`}`)
	if extra != "" {
		w.raw("additionalModelRequestFields", extra)
	}
}

// mayThink is false in a turn that began without thinking: its last answer,
// whose tools have run, would have to begin with a thought of this model.
func (w *writer) mayThink(ms []llm.Message) bool {
	for i := len(ms) - 1; i >= 0; i-- {
		m := &ms[i]
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

// adaptive models choose themselves how much to think.
func adaptive(model string) bool {
	for _, s := range []string{"opus-4-6", "opus-4.6", "sonnet-4-6", "sonnet-4.6"} {
		if strings.Contains(model, s) {
			return true
		}
	}
	return false
}

func effort(level, model string) string {
	switch level {
	case "minimal", "low":
		return "low"
	case "high":
		return "high"
	case "xhigh":
		if strings.Contains(model, "opus") {
			return "max"
		}
		return "high"
	}
	return "medium"
}

func budgetOf(level string) int {
	switch level {
	case "minimal":
		return minThinking
	case "low":
		return 2048
	case "high", "xhigh":
		return 16_384
	}
	return 8192
}

// data is bytes of the service's as they go back: in base64.
func data(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
