package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/chat/access"
)

const pairingColumns = "channel, account, peer, code, created, seen, meta"

// RequestPairing notes that a peer asks to be let in.
func (d *DB) RequestPairing(ctx context.Context, r access.Request, l access.Limits) (standing access.Request, ok bool, err error) {
	meta, err := json.Marshal(r.Meta)
	if err != nil {
		return access.Request{}, false, err
	}
	err = d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		standing, ok = access.Request{}, false
		if _, err := w.exec(ctx, "DELETE FROM pairings WHERE channel = ? AND created < ?",
			string(r.Channel), millis(r.Seen.Add(-l.Life))); err != nil {
			return err
		}
		var created int64
		standing = r
		err := w.row(ctx, `UPDATE pairings SET seen = ?, meta = ? WHERE channel = ? AND account = ? AND peer = ? RETURNING code, created`,
			[]any{millis(r.Seen), string(meta), string(r.Channel), string(r.Account), string(r.Peer)}, &standing.Code, &created)
		if err == nil {
			standing.Created, ok = fromMillis(created), true
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var n int
		if err := w.row(ctx, "SELECT COUNT(*) FROM pairings WHERE channel = ?", []any{string(r.Channel)}, &n); err != nil {
			return err
		}
		if n >= l.Pending {
			standing = access.Request{}
			return nil
		}
		ok = true
		_, err = w.exec(ctx, "INSERT INTO pairings ("+pairingColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
			string(r.Channel), string(r.Account), string(r.Peer), r.Code, millis(r.Created), millis(r.Seen), string(meta))
		return err
	})
	if err == nil && ok {
		d.project.mark(pairingFile(r.Channel))
	}
	return standing, ok, err
}

// Pairings lists the requests of c created since t.
func (d *DB) Pairings(ctx context.Context, c id.Channel, since time.Time) ([]access.Request, error) {
	var rs []access.Request
	err := d.query(ctx, "SELECT "+pairingColumns+` FROM pairings
		WHERE (? = '' OR channel = ?) AND created >= ? ORDER BY created, code`,
		[]any{string(c), string(c), millis(since)}, func(rows *sql.Rows) error {
			r, err := scanPairing(rows.Scan)
			rs = append(rs, r)
			return err
		})
	return rs, err
}

func scanPairing(scan func(...any) error) (r access.Request, err error) {
	var created, seen int64
	var meta []byte
	if err := scan(&r.Channel, &r.Account, &r.Peer, &r.Code, &created, &seen, &meta); err != nil {
		return r, err
	}
	r.Created, r.Seen = fromMillis(created), fromMillis(seen)
	return r, json.Unmarshal(meta, &r.Meta)
}

// ApprovePairing moves the peer behind code to the allow list.
func (d *DB) ApprovePairing(ctx context.Context, c id.Channel, code string, since time.Time) (r access.Request, ok bool, err error) {
	err = d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		r, ok = access.Request{}, false
		rows, err := w.rows(ctx, "DELETE FROM pairings WHERE channel = ? AND code = UPPER(?) AND created >= ? RETURNING "+pairingColumns,
			string(c), code, millis(since))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if r, err = scanPairing(rows.Scan); err != nil {
				return err
			}
			ok = true
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil || !ok {
			return err
		}
		_, err = w.exec(ctx, allowSQL, string(r.Channel), string(r.Account), string(r.Peer), millis(d.now()))
		return err
	})
	if err == nil && ok {
		d.project.mark(pairingFile(c), allowFile(r.Channel, r.Account))
	}
	return r, ok, err
}

const allowSQL = "INSERT INTO allowed (channel, account, peer, added) VALUES (?, ?, ?, ?) ON CONFLICT (channel, account, peer) DO NOTHING"

// Allowed returns the stored allow list of an account.
func (d *DB) Allowed(ctx context.Context, c id.Channel, a id.Account) ([]id.Peer, error) {
	var ps []id.Peer
	err := d.query(ctx, "SELECT peer FROM allowed WHERE channel = ? AND account = ? ORDER BY added, peer",
		[]any{string(c), string(a)}, func(r *sql.Rows) error {
			var p id.Peer
			err := r.Scan(&p)
			ps = append(ps, p)
			return err
		})
	return ps, err
}

// Allow adds p to the allow list of an account.
func (d *DB) Allow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (bool, error) {
	n, err := d.one(ctx, allowSQL, string(c), string(a), string(p), millis(d.now()))
	if n > 0 {
		d.project.mark(allowFile(c, a))
	}
	return n > 0, err
}

// Disallow takes p off the allow list of an account.
func (d *DB) Disallow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (bool, error) {
	n, err := d.one(ctx, "DELETE FROM allowed WHERE channel = ? AND account = ? AND peer = ?", string(c), string(a), string(p))
	if n > 0 {
		d.project.mark(allowFile(c, a))
	}
	return n > 0, err
}
