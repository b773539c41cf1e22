package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// projectEvery is how often a file is written at most.
const projectEvery = time.Second

// maxProjected is how many sessions sessions.json holds.
const maxProjected = 500

// file is a file of OpenClaw's that we keep up from the database, for the
// people and programs that read it. The gateway itself never does.
type file struct{ kind, a, b string }

//nolint:gochecknoglobals // names, never changed
var (
	pairedFile      = file{kind: "devices/paired.json"}
	pendingFile     = file{kind: "devices/pending.json"}
	nodesFile       = file{kind: "nodes/paired.json"}
	nodeWaitingFile = file{kind: "nodes/pending.json"}
	jobsFile        = file{kind: "cron/jobs.json"}
)

func sessionsFile(a id.Agent) file { return file{kind: "sessions", a: string(a)} }

func pairingFile(c id.Channel) file { return file{kind: "pairing", a: string(c)} }

func allowFile(c id.Channel, a id.Account) file {
	return file{kind: "allow", a: string(c), b: string(a)}
}

// path is relative to the state directory, with slashes; "" when the names in
// f can't be part of one.
func (f file) path() string {
	if !safeName(f.a) || !safeName(f.b) {
		return ""
	}
	switch f.kind {
	case "sessions":
		if f.a == "" {
			return ""
		}
		return "agents/" + f.a + "/sessions/sessions.json"
	case "pairing":
		return "credentials/" + f.a + "-pairing.json"
	case "allow":
		if f.b == "" { // the old name of the default account's list
			return "credentials/" + f.a + "-allowFrom.json"
		}
		return "credentials/" + f.a + "-" + f.b + "-allowFrom.json"
	}
	return f.kind
}

func safeName(s string) bool {
	return !strings.HasPrefix(s, ".") && !strings.ContainsAny(s, `/\:`+"\x00")
}

// projector writes files behind the changes that they show.
type projector struct {
	d    *DB
	wake chan struct{} // one slot: something is marked
	stop chan struct{}
	done chan struct{}

	follow atomic.Bool // others' files are followed: set once all have been taken in

	mu    sync.Mutex
	dirty map[file]bool // to write; true when something was changed here
}

func newProjector(d *DB) *projector {
	return &projector{
		d: d, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}), dirty: map[file]bool{},
	}
}

// mark says that files no longer show what is stored.
func (p *projector) mark(fs ...file) { p.put(true, fs...) }

// check has files compared with what is stored, which they may show.
func (p *projector) check(fs ...file) { p.put(false, fs...) }

func (p *projector) put(changed bool, fs ...file) {
	p.mu.Lock()
	for _, f := range fs {
		p.dirty[f] = p.dirty[f] || changed
		if f.kind == "allow" && f.b == string(id.DefaultAccount) {
			old := file{kind: "allow", a: f.a}
			p.dirty[old] = p.dirty[old] || changed
		}
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// marked reports whether something that f is to show was changed here.
func (p *projector) marked(f file) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dirty[f]
}

// loop writes what is marked, at most once in projectEvery, and takes no more
// than a small part of the time however large the files are.
func (p *projector) loop(ctx context.Context) {
	defer close(p.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	look := time.NewTicker(followEvery)
	defer look.Stop()
	for {
		select {
		case <-p.wake:
		case <-look.C:
			p.d.followAccess(ctx)
			continue
		case <-p.stop:
			p.flush(ctx)
			return
		}
		timer.Reset(projectEvery)
		select {
		case <-timer.C:
		case <-p.stop:
			p.flush(ctx)
			return
		}
		began := time.Now()
		p.flush(ctx)
		if took := time.Since(began); took > projectEvery/20 {
			timer.Reset(20 * took)
			select {
			case <-timer.C:
			case <-p.stop:
			}
		}
	}
}

func (p *projector) close() {
	close(p.stop)
	<-p.done
}

func (p *projector) flush(ctx context.Context) {
	p.mu.Lock()
	dirty := p.dirty
	p.dirty = map[file]bool{}
	p.mu.Unlock()
	for f, changed := range dirty {
		if err := p.d.writeFile(ctx, f, changed); err != nil {
			p.d.log.WarnContext(ctx, "a file for other programs could not be written; it is tried again with the next change", "file", f.path(), "err", err)
			p.mu.Lock()
			p.dirty[f] = p.dirty[f] || changed
			p.mu.Unlock()
		}
	}
}

// writeFile brings f up to date, if it isn't. Changed says that there are changes
// of ours.
func (d *DB) writeFile(ctx context.Context, f file, changed bool) error {
	rel := f.path()
	if rel == "" {
		return nil
	}
	if early, err := d.takeFirst(ctx, f, changed); early || err != nil {
		return err
	}
	last, known, err := d.lastWritten(ctx, rel)
	if err != nil || !known && f.kind == "allow" && f.b == "" {
		return err // the old name is kept up only where it was found
	}
	text, err := d.render(ctx, f)
	if err != nil {
		return err
	}
	hash := hashOf(text)
	if last.hash == hash && last.unchanged(filepath.Join(d.dir, filepath.FromSlash(rel))) {
		return err
	}
	return d.replace(ctx, rel, text, hash)
}

// replace puts text in the place of the file, whole or not at all. The
// database learns first what will stand there, so that after a crash the file
// isn't taken for someone else's.
func (d *DB) replace(ctx context.Context, rel string, text []byte, hash string) error {
	path := filepath.Join(d.dir, filepath.FromSlash(rel))
	return writeWith(path, text, func(st os.FileInfo) error {
		_, err := d.one(ctx, `INSERT INTO files (path, hash, size, mtime, written) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (path) DO UPDATE SET prev = files.hash, hash = excluded.hash,
			size = excluded.size, mtime = excluded.mtime, written = excluded.written`,
			rel, hash, st.Size(), st.ModTime().UnixNano(), millis(d.now()))
		return err
	})
}

// writeWhole puts text at path, whole or not at all.
func writeWhole(path string, text []byte) error {
	return writeWith(path, text, func(os.FileInfo) error { return nil })
}

// writeWith calls ready when the new file is on the disk, before it takes its
// place.
func writeWith(path string, text []byte, ready func(os.FileInfo) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	st, err := os.Stat(tmp.Name())
	if err != nil {
		return err
	}
	if err := ready(st); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// written is what the database knows of a file.
type written struct {
	hash, prev  string
	size, mtime int64
	at          int64 // Unix milliseconds
}

// unchanged reports whether the file at path is the one we wrote, by its
// looks.
func (w written) unchanged(path string) bool {
	st, err := os.Stat(path)
	return err == nil && w.hash != "" && st.Size() == w.size && st.ModTime().UnixNano() == w.mtime
}

func (d *DB) lastWritten(ctx context.Context, rel string) (w written, ok bool, err error) {
	err = d.query(ctx, "SELECT hash, prev, size, mtime, written FROM files WHERE path = ?", []any{rel}, func(r *sql.Rows) error {
		ok = true
		return r.Scan(&w.hash, &w.prev, &w.size, &w.mtime, &w.at)
	})
	return w, ok, err
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
