package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// importPairings makes the requests of a channel those of its file, or adds
// those to what is there.
func (d *DB) importPairings(ctx context.Context, c id.Channel, text []byte, keep bool) error {
	var v struct {
		Requests []struct {
			ID         string         `json:"id"`
			Code       string         `json:"code"`
			CreatedAt  string         `json:"createdAt"`
			LastSeenAt string         `json:"lastSeenAt"`
			Meta       map[string]any `json:"meta"`
		} `json:"requests"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return errors.Join(errShape, err)
	}
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		if !keep {
			if _, err := w.exec(ctx, "DELETE FROM pairings WHERE channel = ?", string(c)); err != nil {
				return err
			}
		}
		for _, r := range v.Requests {
			if r.ID == "" || r.Code == "" {
				continue
			}
			account := string(id.DefaultAccount)
			meta := map[string]string{}
			for k, x := range r.Meta {
				s, isText := x.(string)
				switch {
				case isText && k == "accountId":
					account = s
				case isText:
					meta[k] = s
				}
			}
			raw, err := json.Marshal(meta)
			if err != nil {
				return err
			}
			if _, err := w.exec(ctx, "INSERT INTO pairings ("+pairingColumns+") VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
				string(c), account, r.ID, r.Code, isoMillis(r.CreatedAt), isoMillis(r.LastSeenAt), string(raw)); err != nil {
				return err
			}
		}
		return nil
	})
}

// isoMillis is a time of a file; one that can't be read is long ago.
func isoMillis(s string) int64 {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 1
	}
	return t.UnixMilli()
}

// importAllowed makes the allow list of an account that of its file, but for
// those let in after the file last showed the list (Unix milliseconds); or adds
// it to what is there. A file without an account belongs to the default one.
func (d *DB) importAllowed(ctx context.Context, c id.Channel, a id.Account, text []byte, shown int64, keep bool) error {
	var v struct {
		AllowFrom []json.RawMessage `json:"allowFrom"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return errors.Join(errShape, err)
	}
	if a == "" {
		a = id.DefaultAccount
	}
	now := millis(d.now())
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		if !keep {
			if _, err := w.exec(ctx, "DELETE FROM allowed WHERE channel = ? AND account = ? AND added <= ?", string(c), string(a), shown); err != nil {
				return err
			}
		}
		for i, raw := range v.AllowFrom {
			var p string
			if json.Unmarshal(raw, &p) != nil {
				p = string(raw) // a number, as some people write it
			}
			if p == "" || p == "null" {
				continue
			}
			if _, err := w.exec(ctx, allowSQL, string(c), string(a), p, now-int64(len(v.AllowFrom)-i)); err != nil {
				return err
			}
		}
		return nil
	})
}
