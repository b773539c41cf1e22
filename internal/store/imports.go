package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// maxImport bounds a file that is read whole.
const maxImport = 128 << 20

// errShape says that a file isn't what its name promises.
var errShape = errors.New("not the expected shape")

// takeIn reads the files of OpenClaw's that someone else wrote since we last
// did: all of them at the first start, and later what was changed while no
// gateway ran. A file that can't be read is set aside, never taken for an
// empty one.
func (d *DB) takeIn(ctx context.Context) error {
	fs, err := d.found()
	if err != nil {
		return err
	}
	for _, f := range fs {
		if err := d.take(ctx, f, false); err != nil {
			return fmt.Errorf("%s: %w", f.path(), err)
		}
	}
	if err := d.rehome(ctx); err != nil {
		return err
	}
	if d.rebuilt {
		if err := d.recoverAll(ctx); err != nil {
			return err
		}
	}
	return d.takeQueue(ctx)
}

// found lists the files that are there, and those that we wrote and that are
// gone.
func (d *DB) found() ([]file, error) {
	fs := []file{pairedFile, pendingFile, nodesFile, nodeWaitingFile, jobsFile}
	names, err := filepath.Glob(filepath.Join(d.dir, "agents", "*", "sessions", "sessions.json"))
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		fs = append(fs, sessionsFile(id.Agent(filepath.Base(filepath.Dir(filepath.Dir(n))))))
	}
	access, err := d.accessFiles()
	return append(fs, access...), err
}

// accessFiles lists the files about who may write.
func (d *DB) accessFiles() ([]file, error) {
	dir := filepath.Join(d.dir, "credentials")
	requests, err := filepath.Glob(filepath.Join(dir, "*-pairing.json"))
	if err != nil {
		return nil, err
	}
	lists, err := filepath.Glob(filepath.Join(dir, "*-allowFrom.json"))
	if err != nil {
		return nil, err
	}
	fs := make([]file, 0, len(requests)+len(lists))
	for _, n := range requests {
		fs = append(fs, pairingFile(id.Channel(strings.TrimSuffix(filepath.Base(n), "-pairing.json"))))
	}
	for _, n := range lists {
		fs = append(fs, allowFile(splitAccount(strings.TrimSuffix(filepath.Base(n), "-allowFrom.json"))))
	}
	return fs, nil
}

// splitAccount splits <channel>-<account>. Some channels have a dash in their
// name; without an account, the file is of the old kind.
func splitAccount(s string) (id.Channel, id.Account) {
	for _, c := range []string{"nextcloud-talk", "synology-chat"} {
		if s == c {
			return id.Channel(c), ""
		}
		if a, ok := strings.CutPrefix(s, c+"-"); ok {
			return id.Channel(c), id.Account(a)
		}
	}
	c, a, _ := strings.Cut(s, "-")
	return id.Channel(c), id.Account(a)
}

// take takes in f if it isn't what we wrote. With merge, what the database has
// and no file shows yet stays beside it.
func (d *DB) take(ctx context.Context, f file, merge bool) error {
	rel := f.path()
	if rel == "" {
		return nil
	}
	path := filepath.Join(d.dir, filepath.FromSlash(rel))
	last, known, err := d.lastWritten(ctx, rel)
	if err != nil {
		return err
	}
	if known {
		d.project.check(f) // a kill may have come before the last change was shown
		if last.unchanged(path) {
			return nil
		}
	}
	text, st, err := readBounded(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var hash string
	if err == nil {
		if hash = hashOf(text); hash == last.hash || hash == last.prev {
			return nil
		}
		err = d.importFile(ctx, f, text, last, !known, merge)
	}
	if errors.Is(err, errShape) {
		return d.setAside(ctx, f, path, err)
	}
	if err != nil {
		return err
	}
	_, err = d.one(ctx, `INSERT INTO files (path, hash, size, mtime, written) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET prev = '', hash = excluded.hash, size = excluded.size,
		mtime = excluded.mtime, written = excluded.written`,
		rel, hash, st.Size(), st.ModTime().UnixNano(), millis(d.now()))
	d.project.check(f)
	d.log.InfoContext(ctx, "took in a file that another program wrote", "file", rel)
	return err
}

func readBounded(path string) ([]byte, os.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxImport {
		return nil, nil, errShape
	}
	b, err := io.ReadAll(io.LimitReader(f, maxImport))
	return b, st, err
}

// setAside renames a file that can't be read. What the database has stays, so
// that nobody gains access by a broken file; a lost index is made anew from
// the transcripts.
func (d *DB) setAside(ctx context.Context, f file, path string, cause error) error {
	aside := path + ".bad." + fileTime(d.now())
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	d.log.ErrorContext(ctx, "a state file is damaged and has been set aside; what the database has is kept. Run `openclaw doctor`",
		"file", f.path(), "aside", filepath.Base(aside), "err", cause)
	d.project.mark(f)
	if f.kind != "sessions" {
		return nil
	}
	return d.recover(ctx, id.Agent(f.a), time.Time{})
}

func (d *DB) importFile(ctx context.Context, f file, text []byte, last written, first, merge bool) error {
	switch f.kind {
	case "sessions":
		return d.importSessions(ctx, id.Agent(f.a), text, last, first)
	case "pairing":
		return d.importPairings(ctx, id.Channel(f.a), text, merge)
	case "allow":
		return d.importAllowed(ctx, id.Channel(f.a), id.Account(f.b), text, last.at, merge || first && f.b == "")
	case jobsFile.kind:
		return d.importJobs(ctx, text)
	case pairedFile.kind:
		return d.importRecords(ctx, kindDevice, text)
	case pendingFile.kind:
		return d.importRecords(ctx, kindDeviceRequest, text)
	case nodesFile.kind:
		return d.importRecords(ctx, kindNode, text)
	case nodeWaitingFile.kind:
		return d.importRecords(ctx, kindNodeRequest, text)
	}
	return errShape
}

// items returns the items of a JSON object in their order, each on one line.
func items(text []byte) ([]record, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errShape, err)
	}
	var rs []record
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, errors.Join(errShape, err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errors.Join(errShape, err)
		}
		key, _ := k.(string) // a key always is
		rs = append(rs, record{key, compact(raw)})
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.Join(errShape, err)
	}
	if dec.More() {
		return nil, errShape
	}
	return rs, nil
}

func compact(raw []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw)
	}
	return b.String()
}

// importRecords makes the records of kind those of an object.
func (d *DB) importRecords(ctx context.Context, kind string, text []byte) error {
	rs, err := items(text)
	if err != nil {
		return err
	}
	for _, r := range rs {
		if !strings.HasPrefix(r.body, "{") {
			return errShape
		}
	}
	return d.replaceRecords(ctx, kind, rs)
}

func (d *DB) importJobs(ctx context.Context, text []byte) error {
	var v struct {
		Jobs []json.RawMessage `json:"jobs"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return errors.Join(errShape, err)
	}
	rs := make([]record, 0, len(v.Jobs))
	for _, raw := range v.Jobs {
		var job struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(raw, &job); err != nil || job.ID == "" {
			return errors.Join(errShape, err)
		}
		rs = append(rs, record{job.ID, compact(raw)})
	}
	return d.replaceRecords(ctx, kindJob, rs)
}

func (d *DB) replaceRecords(ctx context.Context, kind string, rs []record) error {
	return d.w.do(ctx, false, func(ctx context.Context, w *writer) error {
		if _, err := w.exec(ctx, "DELETE FROM records WHERE kind = ?", kind); err != nil {
			return err
		}
		for i, r := range rs {
			if _, err := w.exec(ctx, putRecordSQL, kind, r.id, i, r.body); err != nil {
				return err
			}
		}
		return nil
	})
}
