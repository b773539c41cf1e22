package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// The kinds of records, each the JSON of one item of a file of OpenClaw's.
const (
	kindDevice        = "device"
	kindDeviceRequest = "device-request"
	kindNode          = "node"
	kindNodeRequest   = "node-request"
	kindJob           = "cron-job"
)

const putRecordSQL = `INSERT INTO records (kind, id, pos, body) VALUES (?, ?, ?, ?)
	ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`

// record is one row of records.
type record struct {
	id   string
	body string
}

// records returns those of one kind, in the order of their file.
func (d *DB) records(ctx context.Context, kind string) ([]record, error) {
	var rs []record
	err := d.query(ctx, "SELECT id, body FROM records WHERE kind = ? ORDER BY pos, id", []any{kind}, func(r *sql.Rows) error {
		var x record
		err := r.Scan(&x.id, &x.body)
		rs = append(rs, x)
		return err
	})
	return rs, err
}

// putRecord stores v under id.
func (d *DB) putRecord(ctx context.Context, f file, kind, id string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	now := millis(d.now())
	err = d.w.do(ctx, true, func(ctx context.Context, w *writer) error {
		_, err := w.exec(ctx, putRecordSQL, kind, id, now, string(body))
		return err
	})
	if err == nil {
		d.project.mark(f)
	}
	return err
}

func (d *DB) deleteRecord(ctx context.Context, f file, kind, id string) error {
	n, err := d.one(ctx, "DELETE FROM records WHERE kind = ? AND id = ?", kind, id)
	if n > 0 {
		d.project.mark(f)
	}
	return err
}

func decodeRecords[T any](d *DB, rs []record) []T {
	out := make([]T, 0, len(rs))
	for _, r := range rs {
		var v T
		if err := json.Unmarshal([]byte(r.body), &v); err != nil {
			d.log.Error("a stored record cannot be read", "id", r.id, "err", err)
			continue
		}
		out = append(out, v)
	}
	return out
}

// Devices returns all paired devices.
func (d *DB) Devices(ctx context.Context) ([]auth.Device, error) {
	rs, err := d.records(ctx, kindDevice)
	return decodeRecords[auth.Device](d, rs), err
}

// PutDevice stores v under its id.
func (d *DB) PutDevice(ctx context.Context, v auth.Device) error {
	return d.putRecord(ctx, pairedFile, kindDevice, string(v.ID), v)
}

// DeleteDevice removes a device and its tokens.
func (d *DB) DeleteDevice(ctx context.Context, device id.Device) error {
	return d.deleteRecord(ctx, pairedFile, kindDevice, string(device))
}

// PendingDevices returns all open requests.
func (d *DB) PendingDevices(ctx context.Context) ([]auth.Request, error) {
	rs, err := d.records(ctx, kindDeviceRequest)
	return decodeRecords[auth.Request](d, rs), err
}

// PutPending stores r under its id.
func (d *DB) PutPending(ctx context.Context, r auth.Request) error {
	return d.putRecord(ctx, pendingFile, kindDeviceRequest, r.ID, r)
}

// DeletePending removes a request.
func (d *DB) DeletePending(ctx context.Context, request string) error {
	return d.deleteRecord(ctx, pendingFile, kindDeviceRequest, request)
}

func repeat(s string, n int) string { return strings.Repeat(s, max(0, n)) }
