package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
)

const putSessionSQL = `INSERT INTO sessions (key, agent, id, updated, label, spawned_by, search, entry)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
	id = excluded.id, updated = excluded.updated, label = excluded.label,
	spawned_by = excluded.spawned_by, search = excluded.search, entry = excluded.entry`

// Most changes of an entry leave alone what only some of its columns and
// indexes hold; then those aren't written.
const touchSessionSQL = `UPDATE sessions SET updated = ?, entry = ?
	WHERE key = ? AND id = ? AND label = ? AND spawned_by = ? AND search = ?`

// sessionRow is an entry as its row.
type sessionRow struct {
	key, agent, id, label, spawnedBy, search, entry string
	updated                                         int64
}

// put stores r. It is one change: when the first statement changes something
// there is no second.
func (r *sessionRow) put(ctx context.Context, w *writer) error {
	res, err := w.exec(ctx, touchSessionSQL, r.updated, r.entry, r.key, r.id, r.label, r.spawnedBy, r.search)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = w.exec(ctx, putSessionSQL, r.args()...)
	return err
}

func (r *sessionRow) args() []any {
	return []any{r.key, r.agent, r.id, r.updated, r.label, r.spawnedBy, r.search, r.entry}
}

// Session returns the entry of key.
func (d *DB) Session(ctx context.Context, key id.SessionKey) (s session.Session, ok bool, err error) {
	err = d.query(ctx, "SELECT key, entry FROM sessions WHERE key = ?", []any{string(key)}, func(r *sql.Rows) error {
		s, err = scanSession(r)
		ok = err == nil
		return err
	})
	return s, ok, err
}

// PutSession stores s durably.
func (d *DB) PutSession(ctx context.Context, s session.Session) error {
	row, err := rowOf(s)
	if err != nil {
		return err
	}
	if err = d.w.do(ctx, true, row.put); err == nil {
		d.project.mark(sessionsFile(s.Key.Agent()))
	}
	return err
}

func rowOf(s session.Session) (*sessionRow, error) {
	if s.Key == "" || s.ID == "" {
		return nil, fault.New(fault.Internal, "store.PutSession", "a session needs a key and an id")
	}
	entry, err := s.Encode()
	if err != nil {
		return nil, err
	}
	search := strings.ToLower(strings.Join([]string{string(s.Key), s.Label, string(s.ID), s.Title(), s.String("subject")}, "\n"))
	return &sessionRow{
		key: string(s.Key), agent: string(s.Key.Agent()), id: string(s.ID), updated: s.Updated,
		label: s.Label, spawnedBy: s.SpawnedBy, search: search, entry: string(entry),
	}, nil
}

// DeleteSession removes the entry of key.
func (d *DB) DeleteSession(ctx context.Context, key id.SessionKey) error {
	n, err := d.one(ctx, "DELETE FROM sessions WHERE key = ?", string(key))
	if n > 0 {
		d.project.mark(sessionsFile(key.Agent()))
	}
	return err
}

// Sessions returns the entries that f selects, newest first.
func (d *DB) Sessions(ctx context.Context, f session.Filter) ([]session.Session, error) {
	var where []string
	var args []any
	add := func(cond string, arg any) {
		where = append(where, cond)
		args = append(args, arg)
	}
	if f.Agent != "" {
		add("agent = ?", string(f.Agent))
	}
	if f.ID != "" {
		add("id = ?", string(f.ID))
	}
	if f.UpdatedSince != 0 {
		add("updated >= ?", f.UpdatedSince)
	}
	if f.Label != "" {
		add("label = ?", f.Label)
	}
	if f.SpawnedBy != "" {
		add("spawned_by = ?", f.SpawnedBy)
	}
	if f.Search != "" {
		add(`search LIKE ? ESCAPE '\'`, "%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(f.Search))+"%")
	}
	if f.NoRuns {
		where = append(where, "key NOT LIKE 'agent:%:cron:%:run:%'")
	}
	q := "SELECT key, entry FROM sessions"
	if len(where) > 0 {
		q += " WHERE " + strings.Join(where, " AND ")
	}
	q += " ORDER BY updated DESC, key"
	if f.Limit > 0 {
		q += " LIMIT ?"
		args = append(args, f.Limit)
	}
	var out []session.Session
	err := d.query(ctx, q, args, func(r *sql.Rows) error {
		s, err := scanSession(r)
		if errors.Is(err, session.ErrEntry) {
			d.log.ErrorContext(ctx, "a session entry cannot be read", "session", s.Key, "err", err)
			return nil
		}
		out = append(out, s)
		return err
	})
	return out, err
}

func scanSession(r *sql.Rows) (session.Session, error) {
	var key id.SessionKey
	var entry []byte
	if err := r.Scan(&key, &entry); err != nil {
		return session.Session{}, err
	}
	return session.Decode(key, entry)
}
