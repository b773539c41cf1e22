package chat

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type historyParams struct {
	SessionKey string `json:"sessionKey" schema:"minLength=1"`
	Limit      int    `json:"limit,omitempty" schema:"minimum=1,maximum=1000"`
}

type history struct {
	SessionKey string            `json:"sessionKey"`
	Session    id.Session        `json:"sessionId,omitempty"`
	Messages   []json.RawMessage `json:"messages"`
	Thinking   string            `json:"thinkingLevel"`
	Verbose    string            `json:"verboseLevel,omitempty"`
}

// shown is a message as chat.history shows it: without the envelope, costs
// reduced to their total.
type shown struct {
	llm.Message
	Usage  *shownUsage `json:"usage,omitempty"`
	Failed *bool       `json:"isError,omitempty"`
	Sender string      `json:"senderLabel,omitempty"`
}

type shownUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Total      int64 `json:"totalTokens"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

// budget is how many bytes of messages one answer holds at most; the newest
// win.
const budget = 6_000_000

func (h *Handler) rpcHistory(ctx context.Context, _ *rpc.Caller, p historyParams) (history, error) {
	key := h.key(p.SessionKey)
	limit := p.Limit
	if limit == 0 {
		limit = 200
	}
	s, ms, err := h.History(ctx, key, limit)
	if err != nil {
		return history{}, err
	}
	think := s.ThinkingLevel
	if think == "" {
		think = "off"
	}
	return history{SessionKey: p.SessionKey, Session: s.ID, Messages: ms, Thinking: think, Verbose: s.VerboseLevel}, nil
}

// History returns the last n messages of a session as people are shown them.
func (h *Handler) History(ctx context.Context, key id.SessionKey, n int) (s SessionInfo, out []json.RawMessage, err error) {
	out = []json.RawMessage{}
	found, ok, err := h.Agent.Sessions.Get(ctx, key)
	if err != nil || !ok {
		return s, out, err
	}
	s = SessionInfo{ID: found.ID, ThinkingLevel: found.ThinkingLevel, VerboseLevel: found.VerboseLevel, Known: true}
	const others = 64 // lines that are not messages
	entries, err := h.Agent.Sessions.Entries(ctx, found, n+others)
	if err != nil {
		return s, out, err
	}
	var all []llm.Message
	for _, e := range entries {
		if e.Message != nil {
			all = append(all, *e.Message)
		}
	}
	if len(all) > n {
		all = all[len(all)-n:]
	}
	total := 0
	for _, m := range all {
		raw, err := json.Marshal(show(m))
		if err != nil {
			return s, out, err
		}
		total += len(raw)
		out = append(out, raw)
	}
	for total > budget && len(out) > 1 {
		total -= len(out[0])
		out = out[1:]
	}
	return s, out, nil
}

// SessionInfo is what History says about the session.
type SessionInfo struct {
	ID            id.Session
	ThinkingLevel string
	VerboseLevel  string
	Known         bool
}

func show(m llm.Message) shown {
	s := shown{Message: m}
	s.Message.Usage = nil
	if u := m.Usage; u != nil {
		s.Usage = &shownUsage{Input: u.Input, Output: u.Output, Total: u.Total, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
		s.Usage.Cost.Total = u.Cost.Total
	}
	if m.Role == llm.ToolRole {
		failed := m.IsError
		s.Failed = &failed
	}
	if signed(m.Content) { // what only the model's service can read
		s.Content = append(llm.Content(nil), m.Content...)
		for i := range s.Content {
			s.Content[i].Signature = ""
		}
	}
	if m.Role == llm.User {
		s.Message.Key = ""
		s.Content = append(llm.Content(nil), m.Content...)
		for i, b := range s.Content {
			if b.Type == llm.TextBlock {
				s.Content[i].Text, s.Sender = bare(b.Text)
				break
			}
		}
	}
	return s
}

func signed(c llm.Content) bool {
	return slices.ContainsFunc(c, func(b llm.Block) bool { return b.Signature != "" })
}
