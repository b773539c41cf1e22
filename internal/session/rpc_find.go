package session

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type resolveParams struct {
	Key       string `json:"key,omitempty" schema:"minLength=1"`
	SessionID string `json:"sessionId,omitempty" schema:"minLength=1"`
	Label     string `json:"label,omitempty" schema:"minLength=1,maxLength=64"`
	AgentID   string `json:"agentId,omitempty" schema:"minLength=1"`
	SpawnedBy string `json:"spawnedBy,omitempty" schema:"minLength=1"`
	Global    bool   `json:"includeGlobal,omitempty"`
	Unknown   bool   `json:"includeUnknown,omitempty"`
}

type resolveResult struct {
	OK  bool          `json:"ok"`
	Key id.SessionKey `json:"key"`
}

func (b *Book) rpcResolve(ctx context.Context, _ *rpc.Caller, p resolveParams) (resolveResult, error) {
	key, sid, label := strings.TrimSpace(p.Key), strings.TrimSpace(p.SessionID), strings.TrimSpace(p.Label)
	given := 0
	for _, x := range []string{key, sid, label} {
		if x != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return resolveResult{}, rpc.Invalid("Provide either key, sessionId, or label (not multiple)")
	case given == 0:
		return resolveResult{}, rpc.Invalid("Either key, sessionId, or label is required")
	case key != "":
		k := b.key(key)
		_, ok, err := b.Get(ctx, k)
		if err == nil && !ok {
			err = rpc.Invalid("No session found: %s", key)
		}
		return resolveResult{OK: true, Key: k}, err
	case sid != "":
		return b.theOne(ctx, Filter{ID: id.Session(sid), Agent: id.Agent(p.AgentID), SpawnedBy: p.SpawnedBy},
			"No session found: "+sid, "Multiple sessions found for sessionId: "+sid)
	}
	return b.theOne(ctx, Filter{Label: label, Agent: id.Agent(p.AgentID), SpawnedBy: p.SpawnedBy},
		"No session found with label: "+label, "Multiple sessions found with label: "+label)
}

func (b *Book) theOne(ctx context.Context, f Filter, none, many string) (resolveResult, error) {
	f.NoRuns, f.Limit = true, 8
	ss, err := b.List(ctx, f)
	switch {
	case err != nil:
		return resolveResult{}, err
	case len(ss) == 0:
		return resolveResult{}, rpc.Invalid("%s", none)
	case len(ss) > 1:
		keys := make([]string, len(ss))
		for i, s := range ss {
			keys[i] = string(s.Key)
		}
		return resolveResult{}, rpc.Invalid("%s (%s)", many, strings.Join(keys, ", "))
	}
	return resolveResult{OK: true, Key: ss[0].Key}, nil
}

const (
	maxPreviews    = 64
	defaultItems   = 12
	maxItems       = 50
	defaultPreview = 240 // characters
	maxPreview     = 2000
	// tailLines is how much of a transcript is read for so many messages: tool
	// results and settings stand between them.
	tailLines = 8
)

type previewParams struct {
	Keys     []string `json:"keys" schema:"items.minLength=1"`
	Limit    int      `json:"limit,omitempty" schema:"minimum=1"`
	MaxChars int      `json:"maxChars,omitempty" schema:"minimum=20"`
}

type previewItem struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

type preview struct {
	Key    string        `json:"key"`
	Status string        `json:"status"` // ok, empty, missing, error
	Items  []previewItem `json:"items"`
}

type previewResult struct {
	TS       int64     `json:"ts"`
	Previews []preview `json:"previews"`
}

func (b *Book) rpcPreview(ctx context.Context, _ *rpc.Caller, p previewParams) (previewResult, error) {
	if p.Limit == 0 {
		p.Limit = defaultItems
	}
	if p.MaxChars == 0 {
		p.MaxChars = defaultPreview
	}
	res := previewResult{TS: b.Now().UnixMilli(), Previews: []preview{}}
	for _, k := range p.Keys[:min(len(p.Keys), maxPreviews)] {
		res.Previews = append(res.Previews, b.preview(ctx, k, min(p.Limit, maxItems), min(p.MaxChars, maxPreview)))
	}
	return res, nil
}

func (b *Book) preview(ctx context.Context, key string, limit, chars int) preview {
	pv := preview{Key: key, Status: "ok", Items: []previewItem{}}
	s, ok, err := b.Get(ctx, b.key(key))
	if err == nil && !ok {
		pv.Status = "missing"
		return pv
	}
	var es []Entry
	if err == nil {
		es, err = b.Entries(ctx, s, limit*tailLines)
	}
	if err != nil {
		b.logger().WarnContext(ctx, "a session could not be read", "session", key, "err", err)
		pv.Status = "error"
		return pv
	}
	for _, e := range es {
		if e.Message == nil {
			continue
		}
		if text := shown(*e.Message); text != "" {
			pv.Items = append(pv.Items, previewItem{Role: shownRole(*e.Message), Text: cut(text, chars)})
		}
	}
	pv.Items = pv.Items[max(0, len(pv.Items)-limit):]
	if len(pv.Items) == 0 {
		pv.Status = "empty"
	}
	return pv
}

func shownRole(m llm.Message) string {
	switch {
	case m.Role == llm.ToolRole, len(m.Calls()) > 0 && strings.TrimSpace(m.Text()) == "":
		return "tool"
	case m.Role == llm.User, m.Role == llm.Assistant:
		return string(m.Role)
	}
	return "other"
}

// shown is what a list shows of m: its text, else its calls or pictures.
func shown(m llm.Message) string {
	var texts, names []string
	other := ""
	for _, x := range m.Content {
		switch {
		case x.Call != nil:
			names = append(names, x.Call.Name)
		case x.Type == llm.TextBlock && strings.TrimSpace(x.Text) != "":
			texts = append(texts, x.Text)
		case x.Type != llm.TextBlock && other == "":
			other = "[" + string(x.Type) + "]"
		}
	}
	switch {
	case len(texts) > 0:
		return strings.TrimSpace(strings.Join(texts, "\n"))
	case len(names) > 0:
		return "call " + strings.Join(names[:min(2, len(names))], ", ")
	}
	return other
}

// cut shortens s to n characters, whole ones.
func cut(s string, n int) string {
	const mark = "..."
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return text.CutRunes(s, n-len(mark)) + mark
}

const maxTitle = 60

// title names s after what was said first.
func title(s Session, first string) string {
	if n := s.String("displayName"); n != "" {
		return n
	}
	if n := s.String("subject"); n != "" {
		return n
	}
	first = strings.Join(strings.Fields(first), " ")
	if first == "" {
		return string(s.ID[:min(8, len(s.ID))]) + " (" + iso(unix(s.Updated))[:10] + ")"
	}
	if utf8.RuneCountInString(first) > maxTitle {
		first = text.CutRunes(first, maxTitle-1)
		if at := strings.LastIndexByte(first, ' '); at > len(first)*6/10 {
			first = first[:at]
		}
		first += "…"
	}
	return first
}

// ends returns the first question and the last thing said.
func (b *Book) ends(s Session, wantFirst bool) (first, last string) {
	path, err := b.path(s)
	if err != nil {
		return "", ""
	}
	if wantFirst {
		head, err := readHead(path)
		if err != nil {
			return "", ""
		}
		for _, r := range head.records {
			if r.isMsg && r.msg.Role == llm.User {
				first = bare(shown(r.msg))
				break
			}
		}
	}
	es, err := readEntries(path, 2*tailLines)
	if err != nil {
		return first, ""
	}
	for i := len(es) - 1; i >= 0; i-- {
		m := es[i].Message
		if m != nil && (m.Role == llm.User || m.Role == llm.Assistant) && strings.TrimSpace(m.Text()) != "" {
			return first, cut(bare(strings.TrimSpace(m.Text())), defaultPreview)
		}
	}
	return first, ""
}

type getParams struct {
	Key        string `json:"key"`
	SessionKey string `json:"sessionKey"`
	Limit      int    `json:"limit"`
}

type getResult struct {
	Messages []llm.Message `json:"messages"`
}

const defaultMessages = 200

// rpcGet has no schema in the protocol.
func (b *Book) rpcGet(ctx context.Context, _ *rpc.Caller, raw rpc.Any) (getResult, error) {
	var p getParams
	_ = json.Unmarshal(raw, &p) // what doesn't fit is as good as missing
	key := strings.TrimSpace(p.Key)
	if key == "" {
		key = strings.TrimSpace(p.SessionKey)
	}
	if key == "" {
		return getResult{}, rpc.Invalid("key required")
	}
	if p.Limit <= 0 {
		p.Limit = defaultMessages
	}
	res := getResult{Messages: []llm.Message{}}
	s, ok, err := b.Get(ctx, b.key(key))
	if err != nil || !ok {
		return res, err
	}
	es, err := b.Entries(ctx, s, 0)
	if err != nil {
		return res, err
	}
	for _, e := range es {
		if e.Message != nil {
			res.Messages = append(res.Messages, *e.Message)
		}
	}
	res.Messages = res.Messages[max(0, len(res.Messages)-p.Limit):]
	return res, nil
}
