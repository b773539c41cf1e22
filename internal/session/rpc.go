package session

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Methods are the sessions.* methods of the gateway protocol.
func (b *Book) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("sessions.list", rpc.Read, b.rpcList),
		rpc.Handle("sessions.preview", rpc.Read, b.rpcPreview),
		rpc.Handle("sessions.patch", rpc.Admin, b.rpcPatch),
		rpc.Handle("sessions.reset", rpc.Admin, b.rpcReset),
		rpc.Handle("sessions.delete", rpc.Admin, b.rpcDelete),
		rpc.Handle("sessions.compact", rpc.Admin, b.rpcCompact),
		hidden(rpc.Handle("sessions.cleanup", rpc.Admin, b.rpcCleanup)),
		hidden(rpc.Handle("sessions.resolve", rpc.Read, b.rpcResolve)),
		hidden(rpc.Handle("sessions.get", rpc.Read, b.rpcGet)),
		hidden(rpc.Handle("sessions.usage", rpc.Read, b.rpcUsage)),
		hidden(rpc.Handle("sessions.usage.timeseries", rpc.Read, b.rpcSeries)),
		hidden(rpc.Handle("sessions.usage.logs", rpc.Read, b.rpcLogs)),
	}
}

func hidden(m rpc.Method) rpc.Method {
	m.Hidden = true
	return m
}

// key is the session that a client means.
func (b *Book) key(raw string) id.SessionKey {
	cfg := b.Config()
	return cfg.Key(cfg.DefaultAgent(), raw)
}

func (b *Book) indexPath(a id.Agent) string {
	return filepath.Join(b.Config().SessionsDir(a), "sessions.json")
}

// maxListed bounds an answer.
const maxListed = 10_000

type listParams struct {
	Limit         int    `json:"limit,omitempty" schema:"minimum=1"`
	ActiveMinutes int    `json:"activeMinutes,omitempty" schema:"minimum=1"`
	Global        bool   `json:"includeGlobal,omitempty"`
	Unknown       bool   `json:"includeUnknown,omitempty"`
	Titles        bool   `json:"includeDerivedTitles,omitempty"`
	LastMessage   bool   `json:"includeLastMessage,omitempty"`
	Label         string `json:"label,omitempty" schema:"minLength=1,maxLength=64"`
	SpawnedBy     string `json:"spawnedBy,omitempty" schema:"minLength=1"`
	AgentID       string `json:"agentId,omitempty" schema:"minLength=1"`
	Search        string `json:"search,omitempty"`
}

type listDefaults struct {
	ModelProvider string `json:"modelProvider"`
	Model         string `json:"model"`
	ContextTokens int    `json:"contextTokens"`
}

type listResult struct {
	TS       int64        `json:"ts"`
	Path     string       `json:"path"`
	Count    int          `json:"count"`
	Defaults listDefaults `json:"defaults"`
	Sessions []row        `json:"sessions"`
}

// row is a session as sessions.list shows it.
type row struct {
	Key              id.SessionKey `json:"key"`
	SpawnedBy        string        `json:"spawnedBy,omitempty"`
	Kind             string        `json:"kind"`
	Label            string        `json:"label,omitempty"`
	DisplayName      string        `json:"displayName,omitempty"`
	Channel          string        `json:"channel,omitempty"`
	Subject          string        `json:"subject,omitempty"`
	GroupChannel     string        `json:"groupChannel,omitempty"`
	Space            string        `json:"space,omitempty"`
	ChatType         string        `json:"chatType,omitempty"`
	Origin           *Origin       `json:"origin,omitempty"`
	UpdatedAt        int64         `json:"updatedAt"`
	SessionID        id.Session    `json:"sessionId"`
	SystemSent       *bool         `json:"systemSent,omitempty"`
	AbortedLastRun   *bool         `json:"abortedLastRun,omitempty"`
	ThinkingLevel    string        `json:"thinkingLevel,omitempty"`
	FastMode         *bool         `json:"fastMode,omitempty"`
	VerboseLevel     string        `json:"verboseLevel,omitempty"`
	ReasoningLevel   string        `json:"reasoningLevel,omitempty"`
	ElevatedLevel    string        `json:"elevatedLevel,omitempty"`
	SendPolicy       string        `json:"sendPolicy,omitempty"`
	InputTokens      *int64        `json:"inputTokens,omitempty"`
	OutputTokens     *int64        `json:"outputTokens,omitempty"`
	TotalTokens      *int64        `json:"totalTokens,omitempty"`
	TotalTokensFresh bool          `json:"totalTokensFresh"`
	ResponseUsage    string        `json:"responseUsage,omitempty"`
	ModelProvider    string        `json:"modelProvider,omitempty"`
	Model            string        `json:"model,omitempty"`
	ContextTokens    int           `json:"contextTokens,omitempty"`
	Delivery         *Delivery     `json:"deliveryContext,omitempty"`
	LastChannel      string        `json:"lastChannel,omitempty"`
	LastTo           string        `json:"lastTo,omitempty"`
	LastAccountID    string        `json:"lastAccountId,omitempty"`
	DerivedTitle     string        `json:"derivedTitle,omitempty"`
	LastMessage      string        `json:"lastMessagePreview,omitempty"`
}

func (b *Book) rpcList(ctx context.Context, _ *rpc.Caller, p listParams) (listResult, error) {
	now := b.Now()
	f := Filter{
		Agent: id.Agent(strings.ToLower(p.AgentID)), Label: strings.TrimSpace(p.Label), SpawnedBy: p.SpawnedBy,
		Search: strings.TrimSpace(p.Search), NoRuns: true, Limit: maxListed,
	}
	if p.Limit > 0 {
		f.Limit = min(p.Limit, maxListed)
	}
	if p.ActiveMinutes > 0 {
		f.UpdatedSince = now.Add(-time.Duration(p.ActiveMinutes) * time.Minute).UnixMilli()
	}
	ss, err := b.List(ctx, f)
	if err != nil {
		return listResult{}, err
	}
	res := listResult{
		TS: now.UnixMilli(), Path: "(multiple)", Count: len(ss), Defaults: b.defaults(), Sessions: make([]row, 0, len(ss)),
	}
	if as := b.Config().AgentIDs(); len(as) == 1 {
		res.Path = b.indexPath(as[0])
	}
	for _, s := range ss {
		r := b.row(s)
		if p.Titles || p.LastMessage {
			first, last := b.ends(s, p.Titles)
			if p.Titles {
				r.DerivedTitle = title(s, first)
			}
			if p.LastMessage {
				r.LastMessage = last
			}
		}
		res.Sessions = append(res.Sessions, r)
	}
	return res, nil
}

func (b *Book) defaults() listDefaults {
	c := b.Config()
	m := b.defaultModel(c.DefaultAgent())
	d := listDefaults{ModelProvider: m.Provider, Model: m.ID, ContextTokens: c.Agents.Defaults.ContextTokens}
	if d.ContextTokens == 0 {
		d.ContextTokens = m.ContextWindow
	}
	return d
}

// row shows s; what an old entry doesn't say isn't shown.
func (b *Book) row(s Session) row {
	m := b.answers(s)
	r := row{
		Key: s.Key, SpawnedBy: s.SpawnedBy, Kind: kind(s), Label: s.Label, DisplayName: s.Title(), Channel: s.Channel,
		Subject: s.String("subject"), GroupChannel: s.String("groupChannel"), Space: s.String("space"),
		ChatType: s.ChatType, Origin: s.Origin, UpdatedAt: s.Updated, SessionID: s.ID,
		ThinkingLevel: s.ThinkingLevel, FastMode: s.FastMode, VerboseLevel: s.VerboseLevel, ReasoningLevel: s.ReasoningLevel,
		ElevatedLevel: s.ElevatedLevel, SendPolicy: s.SendPolicy, ResponseUsage: s.ResponseUsage,
		ModelProvider: m.Provider, Model: m.ID, ContextTokens: s.ContextTokens,
		Delivery: s.Delivery, LastChannel: s.LastChannel, LastTo: s.LastTo, LastAccountID: s.LastAccountID,
	}
	if r.DisplayName == "" {
		r.DisplayName = s.Label
	}
	r.SystemSent, r.AbortedLastRun = said(s, "systemSent", s.SystemSent), said(s, "abortedLastRun", s.AbortedLastRun)
	r.InputTokens, r.OutputTokens = said(s, "inputTokens", s.InputTokens), said(s, "outputTokens", s.OutputTokens)
	if t := said(s, "totalTokens", s.TotalTokens); t != nil && (s.TotalTokensFresh || absent(s, "totalTokensFresh")) {
		r.TotalTokens, r.TotalTokensFresh = t, true
	}
	return r
}

// answers is the model that answered last in s or will answer next.
func (b *Book) answers(s Session) llm.Model {
	if s.ModelOverride == "" && s.Model != "" {
		return llm.Model{Provider: s.ModelProvider, ID: s.Model}
	}
	return b.modelOf(s)
}

func absent(s Session, key string) bool {
	raw, marked := s.Extra[key]
	return marked && len(raw) == 0
}

// said is nil for a value that was never written.
func said[T comparable](s Session, key string, v T) *T {
	var zero T
	if v == zero && absent(s, key) {
		return nil
	}
	return &v
}

func kind(s Session) string {
	if t := types(s); t[0] == "group" || s.ChatType == "group" || s.ChatType == "channel" ||
		hasAny(string(s.Key), ":group:", ":channel:") {
		return "group"
	}
	return "direct"
}

type resetParams struct {
	Key    string `json:"key" schema:"minLength=1"`
	Reason string `json:"reason,omitempty" schema:"enum=new|reset"`
}

type entryResult struct {
	OK    bool          `json:"ok"`
	Key   id.SessionKey `json:"key"`
	Entry Session       `json:"entry"`
}

func (b *Book) rpcReset(ctx context.Context, _ *rpc.Caller, p resetParams) (entryResult, error) {
	key := b.key(p.Key)
	if err := b.halt(ctx, key); err != nil {
		return entryResult{}, err
	}
	reason := p.Reason
	if reason == "" {
		reason = "reset"
	}
	s, err := b.Reset(ctx, key, reason)
	return entryResult{OK: true, Key: key, Entry: s}, err
}

func (b *Book) halt(ctx context.Context, key id.SessionKey) error {
	if b.Halt == nil {
		return nil
	}
	return b.Halt(ctx, key)
}

type deleteParams struct {
	Key        string `json:"key" schema:"minLength=1"`
	Transcript *bool  `json:"deleteTranscript,omitempty"`
	Hooks      *bool  `json:"emitLifecycleHooks,omitempty"`
}

type deleteResult struct {
	OK       bool          `json:"ok"`
	Key      id.SessionKey `json:"key"`
	Deleted  bool          `json:"deleted"`
	Archived []string      `json:"archived"`
}

func (b *Book) rpcDelete(ctx context.Context, _ *rpc.Caller, p deleteParams) (deleteResult, error) {
	key := b.key(p.Key)
	if def := b.key(""); key == def {
		return deleteResult{}, rpc.Invalid("Cannot delete the main session (%s).", def)
	}
	if err := b.halt(ctx, key); err != nil {
		return deleteResult{}, err
	}
	deleted, archived, err := b.Delete(ctx, key, p.Transcript == nil || *p.Transcript)
	if archived == nil {
		archived = []string{}
	}
	return deleteResult{OK: true, Key: key, Deleted: deleted, Archived: archived}, err
}

// defaultLines is how many lines sessions.compact keeps.
const defaultLines = 400

type compactParams struct {
	Key      string `json:"key" schema:"minLength=1"`
	MaxLines int    `json:"maxLines,omitempty" schema:"minimum=1"`
}

type compactResult struct {
	OK        bool          `json:"ok"`
	Key       id.SessionKey `json:"key"`
	Compacted bool          `json:"compacted"`
	Reason    string        `json:"reason,omitempty"`
	Archived  string        `json:"archived,omitempty"`
	Kept      *int          `json:"kept,omitempty"`
}

func (b *Book) rpcCompact(ctx context.Context, _ *rpc.Caller, p compactParams) (compactResult, error) {
	res := compactResult{OK: true, Key: b.key(p.Key)}
	s, ok, err := b.Get(ctx, res.Key)
	if err != nil || !ok {
		res.Reason = "no sessionId"
		return res, err
	}
	if err := b.halt(ctx, res.Key); err != nil {
		return res, err
	}
	if p.MaxLines == 0 {
		p.MaxLines = defaultLines
	}
	kept, archived, err := b.Compact(ctx, s, p.MaxLines)
	if err != nil {
		return res, err
	}
	if kept == 0 {
		res.Reason = "no transcript"
		return res, nil
	}
	res.Kept, res.Archived, res.Compacted = &kept, archived, archived != ""
	if res.Compacted {
		_, err = b.Update(ctx, res.Key, func(s *Session) error {
			s.InputTokens, s.OutputTokens, s.TotalTokens, s.TotalTokensFresh = 0, 0, 0, false
			return nil
		})
	}
	return res, err
}
