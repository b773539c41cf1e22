package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// readSessions reads one index: rows of the running gateway, or the file.
func (sh *shell) readSessions(ctx context.Context, c *config.Config, s sessionStore, now time.Time) ([]sessionRow, error) {
	stored, err := sh.ownedSessions(ctx, c, s)
	if err == nil && stored == nil {
		stored, err = readIndex(s.Path)
	}
	if err != nil {
		return nil, err
	}
	def := c.Agents.Defaults.Model.Primary
	if a, ok := c.Agent(s.Agent); ok && a.Model.Primary != "" {
		def = a.Model.Primary
	}
	rows := make([]sessionRow, 0, len(stored))
	for key, e := range stored {
		rows = append(rows, e.row(key, s.Agent, def, now))
	}
	return rows, nil
}

// ownedSessions asks the database of the running gateway, which is ahead of
// the file by up to a second; nil when none runs.
func (sh *shell) ownedSessions(ctx context.Context, c *config.Config, s sessionStore) (map[string]storedSession, error) {
	if s.Path != storeOf(c, s.Agent).Path {
		return nil, nil
	}
	db, err := sh.owned(ctx)
	if db == nil || err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Sessions(ctx, session.Filter{Agent: s.Agent})
	if err != nil {
		return nil, err
	}
	out := make(map[string]storedSession, len(rows))
	for _, r := range rows {
		raw, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		var e storedSession
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, err
		}
		out[string(r.Key)] = e
	}
	return out, nil
}

// readIndex reads a sessions.json. A missing one has no sessions.
func readIndex(path string) (map[string]storedSession, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Size() > maxStore {
		return nil, say("%s is larger than %d MB; look into it before using it", path, maxStore>>20)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unavailable, Op: "cli.readIndex", Err: err, Hint: "can't read " + path + ": " + cause(err)}
	}
	var stored map[string]storedSession
	if err := json.Unmarshal(raw, &stored); err != nil {
		return nil, &fault.Error{Kind: fault.Invalid, Op: "cli.readIndex", Err: err, Hint: path + " is damaged. Try: openclaw doctor"}
	}
	return stored, nil
}

// cause is what the system says, without the path that it repeats.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func (e storedSession) row(key string, agent id.Agent, model string, now time.Time) sessionRow {
	r := sessionRow{
		Key: key, UpdatedAt: e.UpdatedAt, SessionID: e.SessionID, SystemSent: e.SystemSent, AbortedLastRun: e.AbortedLastRun,
		ThinkingLevel: e.ThinkingLevel, VerboseLevel: e.VerboseLevel, ReasoningLevel: e.ReasoningLevel, ElevatedLevel: e.ElevatedLevel,
		ResponseUsage: e.ResponseUsage, GroupActiv: e.GroupActivation, InputTokens: e.InputTokens, OutputTokens: e.OutputTokens,
		Model: e.Model, ModelProvider: e.ModelProvider, ContextTokens: e.ContextTokens, AgentID: string(agent),
		Kind: sessionKind(key, e.ChatType), file: e.SessionFile, chatType: e.ChatType, cache: [2]*int64{e.CacheRead, e.CacheWrite},
	}
	if e.UpdatedAt != nil {
		age := now.UnixMilli() - *e.UpdatedAt
		r.AgeMs = &age
	}
	if a := id.SessionKey(key).Agent(); a != "" {
		r.AgentID = string(a)
	}
	if r.TokensFresh = e.TokensFresh != nil && *e.TokensFresh && e.TotalTokens != nil; r.TokensFresh {
		r.TotalTokens = e.TotalTokens
	}
	if r.Model == "" {
		r.Model = e.ModelOverride
	}
	if r.Model == "" {
		if p, m, ok := strings.Cut(model, "/"); ok {
			r.ModelProvider, r.Model = p, m
		}
	}
	return r
}

func sessionKind(key, chatType string) string {
	switch {
	case key == "global" || key == "unknown":
		return key
	case chatType == "group" || chatType == "channel" || strings.Contains(key, ":group:") || strings.Contains(key, ":channel:"):
		return "group"
	}
	return "direct"
}

func sortSessions(rows []sessionRow) {
	slices.SortFunc(rows, func(a, b sessionRow) int {
		if x, y := deref(a.UpdatedAt), deref(b.UpdatedAt); x != y {
			return int(min(max(y-x, -1), 1))
		}
		return strings.Compare(a.Key, b.Key)
	})
}

func deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
