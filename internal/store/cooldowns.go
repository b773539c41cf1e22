package store

import (
	"context"
	"database/sql"

	"github.com/openclaw-go/openclaw/internal/agent/model"
)

var _ model.Store = (*DB)(nil)

// Cooldowns returns what rests.
func (d *DB) Cooldowns(ctx context.Context) ([]model.Cooldown, error) {
	var out []model.Cooldown
	err := d.query(ctx, "SELECT key, reason, until, count FROM cooldowns", nil, func(r *sql.Rows) error {
		var c model.Cooldown
		var until int64
		err := r.Scan(&c.Key, &c.Reason, &until, &c.Count)
		c.Until = fromMillis(until)
		out = append(out, c)
		return err
	})
	return out, err
}

// PutCooldown stores c under its key; one with a zero Until is deleted.
func (d *DB) PutCooldown(ctx context.Context, c model.Cooldown) error {
	if c.Until.IsZero() {
		_, err := d.one(ctx, "DELETE FROM cooldowns WHERE key = ?", c.Key)
		return err
	}
	_, err := d.one(ctx, `INSERT INTO cooldowns (key, reason, until, count) VALUES (?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, until = excluded.until, count = excluded.count`,
		c.Key, c.Reason, millis(c.Until), c.Count)
	return err
}
