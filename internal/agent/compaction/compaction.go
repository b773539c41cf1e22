// Package compaction keeps a conversation within the window of its model.
//
// [Legacy] is the built-in context engine: Assemble shortens what a request
// holds, Compact replaces the older part of a conversation by a summary that is
// stored in the transcript. tokens.go estimates, cut.go finds where the kept
// part begins, summary.go has the rest summed up in pieces, shorten.go and
// prune.go make single requests smaller without touching the transcript.
package compaction

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Book is where transcripts are; *session.Book is one.
type Book interface {
	Located(ctx context.Context, s session.Session) (ms []llm.Message, entries []string, err error)
	Summary(ctx context.Context, s session.Session) (session.Compaction, error)
	AppendCompaction(ctx context.Context, s session.Session, c session.Compaction) error
	Get(ctx context.Context, key id.SessionKey) (s session.Session, ok bool, err error)
}

// Model returns how to ask the model of that reference, and its window; "" is
// the agent's own model.
type Model func(ctx context.Context, a id.Agent, ref string) (ask Ask, window int)

// Legacy is the built-in engine.
type Legacy struct {
	Book   Book
	Model  Model
	Config func() *config.Config

	one locks
}

var _ engine.Engine = (*Legacy)(nil)

// Info names the engine. The host decides when to compact.
func (l *Legacy) Info() engine.Info {
	return engine.Info{ID: "legacy", Name: "Built-in context engine", Version: "1"}
}

// Ingest has nothing to do: the transcript is the engine's memory.
func (l *Legacy) Ingest(context.Context, engine.Ingest) (bool, error) { return false, nil }

// Assemble makes the messages fit into the budget.
func (l *Legacy) Assemble(_ context.Context, a engine.Assemble) (engine.Assembled, error) {
	ms := a.Messages
	if a.Budget > 0 {
		ms = Fit(ms, a.Budget)
	}
	return engine.Assembled{Messages: ms, Tokens: Size(ms)}, nil
}

// Compact sums up the older part of a conversation and stores that. It holds
// no lock of the session: what is said meanwhile stays behind the summary.
func (l *Legacy) Compact(ctx context.Context, c engine.Compact) (engine.Compacted, error) {
	defer l.one.lock(c.Session.Key)()
	s, ok, err := l.Book.Get(ctx, c.Session.Key)
	if err != nil || !ok {
		return engine.Compacted{Reason: "there is no conversation yet"}, err
	}
	ms, entries, err := l.Book.Located(ctx, s)
	if err != nil {
		return engine.Compacted{}, err
	}
	conf := l.Config().Agents.Defaults.Compaction
	done := engine.Compacted{Before: Size(ms)}
	if !c.Force && c.Budget > 0 && max(done.Before, c.Tokens) <= c.Budget {
		done.Reason = "the conversation fits as it is"
		return done, nil
	}
	at := l.cut(ms, conf, c)
	if at == 0 {
		done.Reason = "there is nothing to leave out"
		return done, nil
	}
	previous, err := l.Book.Summary(ctx, s)
	if err != nil {
		return done, err
	}
	next, err := l.summary(ctx, ms, at, previous, conf, c)
	if err != nil {
		return done, err
	}
	next.FirstKept, next.TokensBefore = entries[at], done.Before
	done.Summary = next.Summary
	done.After = Tokens(next.Summary) + Size(ms[at:])
	if done.After >= done.Before {
		done.Reason = "a summary would be no shorter"
		return done, nil
	}
	if err := l.Book.AppendCompaction(ctx, s, next); err != nil {
		return done, err
	}
	done.Compacted = true
	return done, nil
}

// cut finds where the kept part begins. When all would be kept although there
// must be less, half of it goes.
func (l *Legacy) cut(ms []llm.Message, conf config.Compaction, c engine.Compact) int {
	budget := c.Budget
	if budget <= 0 {
		budget = 4 * usualKeep
	}
	k := keep(conf, budget)
	at := cut(ms, k, or(conf.RecentTurnsPreserve, usualTurns), k)
	if at == 0 && c.Force {
		at = cut(ms, max(Size(ms)/2, 1), 0, 0)
	}
	return at
}

// summary writes the new entry but for where it points.
func (l *Legacy) summary(ctx context.Context, ms []llm.Message, at int, previous session.Compaction, conf config.Compaction, c engine.Compact) (session.Compaction, error) {
	old := ms[:at]
	if len(old) > 0 && isSummary(old[0]) {
		old = old[1:]
	} else {
		previous = session.Compaction{} // it stands for nothing any more
	}
	before := parse(previous.Summary)
	ask, window := l.Model(ctx, c.Session.Key.Agent(), cmp.Or(conf.Model, c.Model.String()))
	w := &summarizer{ask: ask, window: window, conf: conf, wishes: wish(c.Instructions), previous: before.notes}
	sum, err := w.sum(ctx, old)
	if err != nil {
		if !c.Overflow || ctx.Err() != nil {
			return session.Compaction{}, &fault.Error{Kind: fault.KindOf(err), Op: "compaction.Compact", Hint: "the conversation couldn't be summed up: " + fault.Hint(err), Err: err}
		}
		sum = plain(before.notes, old, max(Size(old)*perToken/4, smallest))
	}
	next := parts{notes: sum, request: request(old, ms[at], before.request)}
	if conf.IdentifierPolicy != "off" {
		next.names = missing(ms[:at], before.names, next.notes+next.request)
	}
	read, modified := files(old)
	out := session.Compaction{Read: previous.Read, Modified: previous.Modified}
	for _, f := range read {
		out.Read = add(slices.Clone(out.Read), f)
	}
	for _, f := range modified {
		out.Modified = add(slices.Clone(out.Modified), f)
	}
	out.Read = slices.DeleteFunc(out.Read, func(f string) bool { return slices.Contains(out.Modified, f) })
	next.read, next.modified = out.Read, out.Modified
	out.Summary = next.text()
	return out, nil
}

func wish(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return "The person asks: " + text.Cut(s, 2000)
}

// locks has one lock for each session that is being worked on.
type locks struct {
	mu   sync.Mutex
	held map[id.SessionKey]*held
}

type held struct {
	mu sync.Mutex
	n  int
}

func (l *locks) lock(key id.SessionKey) (unlock func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[id.SessionKey]*held{}
	}
	h := l.held[key]
	if h == nil {
		h = &held{}
		l.held[key] = h
	}
	h.n++
	l.mu.Unlock()
	h.mu.Lock()
	return func() {
		h.mu.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if h.n--; h.n == 0 {
			delete(l.held, key)
		}
	}
}
