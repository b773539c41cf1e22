package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
)

// An index entry says where its transcript is, with the whole path. When a
// state directory is moved or copied, OpenClaw follows that path to the
// directory it came from, if that is still there, and goes on writing in it. So
// entries are pointed at the transcripts beside them: those in an index that is
// taken in, and all when the database itself has come to another place.

// rehome points all entries home if the directory isn't the one that it was.
func (d *DB) rehome(ctx context.Context) error {
	const homeKey = "home"
	var last string
	err := d.query(ctx, "SELECT value FROM meta WHERE key = ?", []any{homeKey}, func(r *sql.Rows) error { return r.Scan(&last) })
	if err != nil || last == d.dir {
		return err
	}
	if last != "" {
		all, err := d.Sessions(ctx, session.Filter{})
		if err != nil {
			return err
		}
		var moved []session.Session
		for _, s := range all {
			if d.home(&s) {
				moved = append(moved, s)
				d.project.mark(sessionsFile(s.Key.Agent()))
			}
		}
		if err := d.putSessions(ctx, moved); err != nil {
			return err
		}
	}
	_, err = d.one(ctx, "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", homeKey, d.dir)
	return err
}

// home points s at the transcript in this directory, and reports whether it
// pointed elsewhere. Without one here it stays as it is.
func (d *DB) home(s *session.Session) bool {
	if s.SessionFile == "" {
		return false
	}
	here := filepath.Join(d.sessionsDir(s.Key.Agent()), filepath.Base(s.SessionFile))
	if here == s.SessionFile {
		return false
	}
	if st, err := os.Stat(here); err != nil || !st.Mode().IsRegular() {
		return false
	}
	s.SessionFile = here
	return true
}

func (d *DB) sessionsDir(a id.Agent) string {
	return filepath.Join(d.dir, "agents", string(a), "sessions")
}
