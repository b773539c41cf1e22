package store

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
)

// importSessions takes in the index of an agent. After the first time, an
// entry that the database has newer stays, and one that was in the file when
// we last wrote it and is gone was deleted.
func (d *DB) importSessions(ctx context.Context, a id.Agent, text []byte, last written, first bool) error {
	rs, err := items(text)
	if err != nil {
		return err
	}
	var ss []session.Session
	bad := 0
	there := map[id.SessionKey]bool{}
	for _, r := range rs {
		key := id.SessionKey(r.id)
		if key.Agent() == "" {
			key = id.AgentKey(a, r.id)
		}
		s, err := session.Decode(key, []byte(r.body))
		if err != nil {
			bad++
			continue
		}
		there[key] = true
		d.home(&s)
		ss = append(ss, s)
	}
	if bad > 0 {
		if err := d.keepCopy(sessionsFile(a), text); err != nil {
			return err
		}
		d.log.ErrorContext(ctx, "entries of a session index cannot be read; the file as it was is kept beside it", "agent", string(a), "entries", bad)
	}
	if err := d.putSessions(ctx, ss); err != nil {
		return err
	}
	if bad > 0 { // what they named may still be there
		if err := d.recover(ctx, a, time.Time{}); err != nil {
			return err
		}
	}
	if first {
		return nil
	}
	return d.dropSessions(ctx, a, there, last)
}

func (d *DB) keepCopy(f file, text []byte) error {
	path := filepath.Join(d.dir, filepath.FromSlash(f.path()))
	return os.WriteFile(path+".bad."+fileTime(d.now()), text, 0o600)
}

// putSessions stores what is at least as new as what the database has.
func (d *DB) putSessions(ctx context.Context, ss []session.Session) error {
	const bite = 200
	for part := range slices.Chunk(ss, bite) {
		rows := make([]*sessionRow, len(part))
		for i, s := range part {
			var err error
			if rows[i], err = rowOf(s); err != nil {
				return err
			}
		}
		if err := d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
			for _, r := range rows {
				if _, err := w.exec(ctx, putSessionSQL+" WHERE sessions.updated <= excluded.updated", r.args()...); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// dropSessions deletes those that the file had and has no longer.
func (d *DB) dropSessions(ctx context.Context, a id.Agent, there map[id.SessionKey]bool, last written) error {
	var gone []string
	err := d.query(ctx, "SELECT key FROM sessions WHERE agent = ? AND updated <= ? ORDER BY updated DESC LIMIT ?",
		[]any{string(a), last.at, maxProjected}, func(r *sql.Rows) error {
			var k string
			err := r.Scan(&k)
			if !there[id.SessionKey(k)] {
				gone = append(gone, k)
			}
			return err
		})
	if err != nil || len(gone) == 0 {
		return err
	}
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		for _, k := range gone {
			if _, err := w.exec(ctx, "DELETE FROM sessions WHERE key = ?", k); err != nil {
				return err
			}
		}
		return nil
	})
}

// recoverAll looks for sessions that are newer than the files that show them.
func (d *DB) recoverAll(ctx context.Context) error {
	dirs, err := filepath.Glob(filepath.Join(d.dir, "agents", "*", "sessions"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		var since time.Time
		if st, err := os.Stat(filepath.Join(dir, "sessions.json")); err == nil {
			since = st.ModTime().Add(-2 * projectEvery)
		}
		if err := d.recover(ctx, id.Agent(filepath.Base(filepath.Dir(dir))), since); err != nil {
			return err
		}
	}
	return nil
}

// recover adds the sessions of an agent whose transcripts, written since, are
// there but that no index knows. A transcript doesn't say which session it is
// of: the newest is taken for the main one, if that is missing, and the others
// get names under which they can be found.
func (d *DB) recover(ctx context.Context, a id.Agent, since time.Time) error {
	known, err := d.Sessions(ctx, session.Filter{Agent: a})
	if err != nil {
		return err
	}
	taken := map[id.SessionKey]bool{}
	ids := map[id.Session]bool{}
	for _, s := range known {
		taken[s.Key], ids[s.ID] = true, true
	}
	names, err := filepath.Glob(filepath.Join(d.sessionsDir(a), "*.jsonl"))
	if err != nil {
		return err
	}
	var lost []session.Session
	for _, n := range names {
		s := session.Session{ID: id.Session(strings.TrimSuffix(filepath.Base(n), ".jsonl")), SessionFile: n}
		st, err := os.Stat(n)
		if err == nil && st.Size() > 0 && session.ValidID(s.ID) && !ids[s.ID] && !st.ModTime().Before(since) {
			s.Updated = st.ModTime().UnixMilli()
			lost = append(lost, s)
		}
	}
	slices.SortFunc(lost, func(x, y session.Session) int { return cmp.Compare(y.Updated, x.Updated) })
	var back []session.Session
	for _, s := range lost[:min(len(lost), maxProjected)] {
		if s.Key = id.MainKey(a); taken[s.Key] {
			s.Key = id.AgentKey(a, "recovered:"+string(s.ID))
		}
		taken[s.Key] = true
		back = append(back, s)
	}
	if len(back) > 0 {
		d.log.ErrorContext(ctx, "sessions were missing in the index and have been found by their transcripts", "agent", string(a), "sessions", len(back))
	}
	d.project.mark(sessionsFile(a))
	return d.putSessions(ctx, back)
}
