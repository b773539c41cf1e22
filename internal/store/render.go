package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// render is the text of f.
func (d *DB) render(ctx context.Context, f file) ([]byte, error) {
	switch f.kind {
	case "sessions":
		return d.renderSessions(ctx, id.Agent(f.a))
	case "pairing":
		return d.renderPairings(ctx, id.Channel(f.a))
	case "allow":
		return d.renderAllowed(ctx, id.Channel(f.a), id.Account(f.b))
	case jobsFile.kind:
		return d.renderJobs(ctx)
	case pairedFile.kind:
		return d.renderRecords(ctx, kindDevice)
	case pendingFile.kind:
		return d.renderRecords(ctx, kindDeviceRequest)
	case nodesFile.kind:
		return d.renderRecords(ctx, kindNode)
	case nodeWaitingFile.kind:
		return d.renderRecords(ctx, kindNodeRequest)
	}
	return nil, errors.New("no such file: " + f.kind)
}

// renderSessions joins stored texts; it doesn't parse them.
func (d *DB) renderSessions(ctx context.Context, a id.Agent) ([]byte, error) {
	b := []byte("{")
	err := d.query(ctx, "SELECT key, entry FROM sessions WHERE agent = ? ORDER BY updated DESC LIMIT ?",
		[]any{string(a), maxProjected}, func(r *sql.Rows) error {
			var key string
			var entry sql.RawBytes
			if err := r.Scan(&key, &entry); err != nil {
				return err
			}
			b = appendItem(b, key, entry)
			return nil
		})
	return append(b, "\n}\n"...), err
}

func (d *DB) renderRecords(ctx context.Context, kind string) ([]byte, error) {
	rs, err := d.records(ctx, kind)
	b := []byte("{")
	for _, r := range rs {
		b = appendItem(b, r.id, []byte(r.body))
	}
	return append(b, "\n}\n"...), err
}

// appendItem appends one item of an object, on a line of its own.
func appendItem(b []byte, key string, value []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	k, _ := json.Marshal(key) // a string always can be
	b = append(append(b, "\n  "...), k...)
	return append(append(b, ": "...), value...)
}

func (d *DB) renderJobs(ctx context.Context) ([]byte, error) {
	rs, err := d.records(ctx, kindJob)
	b := []byte(`{"version":1,"jobs":[`)
	for i, r := range rs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, '\n'), r.body...)
	}
	return append(b, "]}"...), err
}

// isoTime is how OpenClaw writes times.
const isoTime = "2006-01-02T15:04:05.000Z"

func fileTime(t time.Time) string { return t.UTC().Format("2006-01-02T15-04-05.000Z") }

// pairingJSON is a request as credentials/<channel>-pairing.json holds it.
type pairingJSON struct {
	ID         string            `json:"id"`
	Code       string            `json:"code"`
	CreatedAt  string            `json:"createdAt"`
	LastSeenAt string            `json:"lastSeenAt"`
	Meta       map[string]string `json:"meta,omitempty"`
}

type pairingsJSON struct {
	Version  int           `json:"version"`
	Requests []pairingJSON `json:"requests"`
}

func (d *DB) renderPairings(ctx context.Context, c id.Channel) ([]byte, error) {
	rs, err := d.Pairings(ctx, c, time.Time{})
	if err != nil {
		return nil, err
	}
	v := pairingsJSON{Version: 1, Requests: []pairingJSON{}}
	for _, r := range rs {
		meta := map[string]string{}
		for k, x := range r.Meta {
			meta[k] = x
		}
		meta["accountId"] = string(r.Account)
		v.Requests = append(v.Requests, pairingJSON{
			ID: string(r.Peer), Code: r.Code, Meta: meta,
			CreatedAt: r.Created.UTC().Format(isoTime), LastSeenAt: r.Seen.UTC().Format(isoTime),
		})
	}
	return json.MarshalIndent(v, "", "  ")
}

type allowJSON struct {
	Version   int      `json:"version"`
	AllowFrom []string `json:"allowFrom"`
}

func (d *DB) renderAllowed(ctx context.Context, c id.Channel, a id.Account) ([]byte, error) {
	if a == "" {
		a = id.DefaultAccount
	}
	ps, err := d.Allowed(ctx, c, a)
	if err != nil {
		return nil, err
	}
	v := allowJSON{Version: 1, AllowFrom: []string{}}
	for _, p := range ps {
		v.AllowFrom = append(v.AllowFrom, string(p))
	}
	return json.MarshalIndent(v, "", "  ")
}
