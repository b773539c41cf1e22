// Package session keeps conversations: which transcript is current under a
// key, its settings, and the transcript itself, an append-only file of entries.
//
// The index is rows behind [Store]; a transcript is the file
// agents/<agent>/sessions/<id>.jsonl in the shape that OpenClaw 2026.3 writes
// (reference: wire/state/session.*.jsonl). [Book] is the only writer of both.
package session

import (
	"context"
	"encoding/json"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// Session is the index entry of one key. Its JSON is the recorded shape of a
// value in sessions.json; keys that we don't know are kept in Extra and
// written back. A key of Extra without a value is one that we know and always
// write, but that was not there when the entry was read.
type Session struct {
	Key     id.SessionKey `json:"-"`
	ID      id.Session    `json:"sessionId"` // the current transcript
	Updated int64         `json:"updatedAt"` // Unix milliseconds

	SystemSent     bool   `json:"systemSent"`
	AbortedLastRun bool   `json:"abortedLastRun"`
	ChatType       string `json:"chatType,omitempty"`
	Label          string `json:"label,omitempty"`
	SessionFile    string `json:"sessionFile,omitempty"`
	SpawnedBy      string `json:"spawnedBy,omitempty"`

	Channel       string    `json:"channel,omitempty"`
	LastChannel   string    `json:"lastChannel,omitempty"`
	LastTo        string    `json:"lastTo,omitempty"`
	LastAccountID string    `json:"lastAccountId,omitempty"`
	LastThreadID  string    `json:"lastThreadId,omitempty"`
	Delivery      *Delivery `json:"deliveryContext,omitempty"`
	Origin        *Origin   `json:"origin,omitempty"`

	ProviderOverride string `json:"providerOverride,omitempty"`
	ModelOverride    string `json:"modelOverride,omitempty"`
	ThinkingLevel    string `json:"thinkingLevel,omitempty"`
	VerboseLevel     string `json:"verboseLevel,omitempty"`
	ReasoningLevel   string `json:"reasoningLevel,omitempty"`
	ElevatedLevel    string `json:"elevatedLevel,omitempty"`
	ResponseUsage    string `json:"responseUsage,omitempty"`
	SendPolicy       string `json:"sendPolicy,omitempty"`
	QueueMode        string `json:"queueMode,omitempty"`
	QueueDebounceMs  *int   `json:"queueDebounceMs,omitempty"`
	QueueCap         int    `json:"queueCap,omitempty"`
	QueueDrop        string `json:"queueDrop,omitempty"`
	GroupActivation  string `json:"groupActivation,omitempty"`
	FastMode         *bool  `json:"fastMode,omitempty"`

	ModelProvider    string `json:"modelProvider,omitempty"`
	Model            string `json:"model,omitempty"`
	ContextTokens    int    `json:"contextTokens,omitempty"`
	InputTokens      int64  `json:"inputTokens"`
	OutputTokens     int64  `json:"outputTokens"`
	CacheRead        int64  `json:"cacheRead"`
	CacheWrite       int64  `json:"cacheWrite"`
	TotalTokens      int64  `json:"totalTokens"`
	TotalTokensFresh bool   `json:"totalTokensFresh"`
	CompactionCount  int    `json:"compactionCount"`

	Extra map[string]json.RawMessage `json:"-"`
}

// Delivery is where the last answer went.
type Delivery struct {
	Channel   string `json:"channel,omitempty"`
	To        string `json:"to,omitempty"`
	AccountID string `json:"accountId,omitempty"`
	ThreadID  string `json:"threadId,omitempty"`
}

// Origin is where a session comes from.
type Origin struct {
	Label     string `json:"label,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Surface   string `json:"surface,omitempty"`
	ChatType  string `json:"chatType,omitempty"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	AccountID string `json:"accountId,omitempty"`
	ThreadID  string `json:"threadId,omitempty"`
}

// Last is the address that the session last answered to; zero when none.
func (s Session) Last() msg.Address {
	if s.Delivery == nil {
		return msg.Address{}
	}
	kind := msg.PeerKind(s.ChatType)
	if kind == "" {
		kind = msg.Direct
	}
	return msg.Address{
		Channel: id.Channel(s.Delivery.Channel), Account: id.Account(s.Delivery.AccountID), Kind: kind,
		Peer: id.Peer(s.Delivery.To), Thread: id.Thread(s.Delivery.ThreadID),
	}
}

// Entry is one line of a transcript: session, message, model_change,
// thinking_level_change, custom, compaction, ….
type Entry struct {
	Type      string
	ID        string // 8 hex digits; "" for the header
	ParentID  string // "" is null
	Timestamp string // ISO 8601, UTC, milliseconds
	Message   *llm.Message
	// Fields holds the other keys of the line, in no order.
	Fields map[string]json.RawMessage
}

// Store persists the index. Package store has the implementations.
type Store interface {
	// Session returns the entry of key; ok is false when there is none.
	Session(ctx context.Context, key id.SessionKey) (s Session, ok bool, err error)
	// PutSession stores s durably.
	PutSession(ctx context.Context, s Session) error
	// DeleteSession removes the entry of key.
	DeleteSession(ctx context.Context, key id.SessionKey) error
	// Sessions returns the entries that f selects, newest first.
	Sessions(ctx context.Context, f Filter) ([]Session, error)
}

// Filter selects sessions; zero fields select all.
type Filter struct {
	Agent        id.Agent
	ID           id.Session
	UpdatedSince int64 // Unix milliseconds
	Label        string
	SpawnedBy    string
	Search       string // in key, label, title and id, case folded
	NoRuns       bool   // without the sessions of single runs of jobs
	Limit        int
}
