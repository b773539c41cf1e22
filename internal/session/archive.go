package session

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Reset gives key a fresh transcript and archives the old one as
// <id>.jsonl.reset.<time>. Settings that belong to the person stay. reason
// ("new", "reset") goes to the log.
func (b *Book) Reset(ctx context.Context, key id.SessionKey, reason string) (Session, error) {
	defer b.lock(key)()
	s, ok, err := b.get(ctx, key)
	if err != nil {
		return Session{}, err
	}
	now := b.Now()
	if ok {
		b.retire(s, "reset", now)
		s = s.renewed()
	} else {
		s = Session{Key: key, ID: id.NewSession(), TotalTokensFresh: true}
	}
	m := b.modelOf(s)
	s.ModelProvider, s.Model = m.Provider, m.ID
	s.Updated = now.UnixMilli()
	if s.SessionFile, err = b.path(s); err != nil {
		return Session{}, err
	}
	b.logger().InfoContext(ctx, "session reset", "session", string(key), "reason", reason)
	return s.clone(), b.put(ctx, s)
}

// renewed is s with a new transcript and nothing of the old one.
func (s Session) renewed() Session {
	s = s.clone()
	s.ID = id.NewSession()
	s.SessionFile = ""
	s.SystemSent, s.AbortedLastRun = false, false
	s.InputTokens, s.OutputTokens, s.CacheRead, s.CacheWrite, s.TotalTokens = 0, 0, 0, 0, 0
	s.TotalTokensFresh = true
	s.CompactionCount = 0
	for _, k := range []string{"systemPromptReport", "memoryFlushAt", "memoryFlushCompactionCount", "authProfileOverrideCompactionCount"} {
		delete(s.Extra, k)
	}
	return s
}

// Delete removes the session; with transcript, its file is archived as
// <id>.jsonl.deleted.<time>.
func (b *Book) Delete(ctx context.Context, key id.SessionKey, transcript bool) (deleted bool, archived []string, err error) {
	defer b.lock(key)()
	s, ok, err := b.get(ctx, key)
	if err != nil || !ok {
		return false, nil, err
	}
	b.forget(key)
	if err := b.Store.DeleteSession(ctx, key); err != nil {
		return false, nil, err
	}
	if transcript {
		if to := b.retire(s, "deleted", b.Now()); to != "" {
			archived = append(archived, to)
		}
	}
	return true, archived, nil
}

// Compact keeps the header and the newest of the transcript's lines, max in
// all. What it was is archived as <id>.jsonl.bak.<time>. kept is the number of
// lines that remain; archived is "" when there was nothing to do.
func (b *Book) Compact(_ context.Context, s Session, most int) (kept int, archived string, err error) {
	t, err := b.transcript(s)
	if err != nil {
		return 0, "", err
	}
	defer b.release(t)
	t.syncMu.Lock()
	defer t.syncMu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	lines, err := readLines(t.path)
	if err != nil || len(lines) <= most {
		return len(lines), "", err
	}
	if t.running {
		return 0, "", fault.New(fault.Conflict, "session.Compact", "a tool of this session is running; try again when it is done")
	}
	head, tail := 0, most
	if isHeader(lines[0]) && most > 1 {
		head, tail = 1, most-1
	}
	var text []byte
	for _, l := range slices.Concat(lines[:head], lines[len(lines)-tail:]) {
		text = append(append(text, l...), '\n')
	}
	archived = t.path + ".bak." + fileTime(b.Now())
	t.closeFile()
	if err := os.Link(t.path, archived); err != nil { // the old one stays whole until the new one is
		if err = copyFile(t.path, archived); err != nil {
			return 0, "", fault.Wrap(fault.Unavailable, "session.Compact", err)
		}
	}
	if err := replaceFile(t.path, text); err != nil {
		return 0, "", fault.Wrap(fault.Unavailable, "session.Compact", err)
	}
	t.loaded, t.mended, t.fresh = false, false, false
	t.written, t.synced = 0, 0
	return most, archived, t.load()
}

// retire archives the transcript of s and returns its new path, "" when there
// is none. A turn that is still running goes on writing to the archive.
func (b *Book) retire(s Session, how string, now time.Time) string {
	t, err := b.transcript(s)
	if err != nil {
		return ""
	}
	defer b.release(t)
	t.syncMu.Lock()
	defer t.syncMu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	to := t.path + "." + how + "." + fileTime(now)
	if err := os.Rename(t.path, to); err != nil {
		if !os.IsNotExist(err) {
			b.logger().Error("a transcript could not be archived", "session", string(s.Key), "err", err)
		}
		return ""
	}
	t.path = to
	t.fresh = true // the new name
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	if b.shelf.moved == nil || len(b.shelf.moved) >= maxArchives {
		b.shelf.moved = map[id.Session]string{}
	}
	b.shelf.moved[s.ID] = to
	return to
}
