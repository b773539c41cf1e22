package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// transcript is one file and what we know of it. The file is only appended to,
// with one write per entry, so a crash can cost the last line at most.
type transcript struct {
	id  id.Session
	cwd string // for the header
	log *slog.Logger

	mu      sync.Mutex
	path    string
	file    *os.File
	opened  atomic.Bool   // file isn't nil; for the cache, which doesn't hold mu
	handles *atomic.Int64 // open files of all transcripts
	size    int64
	exists  bool
	loaded  bool
	mended  bool // the tail has been looked after
	unended bool // the last line lacks its end
	leaf    string
	ids     map[uint32]struct{}
	keys    map[string]struct{}
	view    view
	text    int // bytes of the file that the view points at

	provider, model string // as the last model_change says
	snapshot        string // provider/api/model of the last snapshot
	thinking        string
	// running are the calls that this process has written and not yet answered:
	// their tools are at work, and must not be taken for interrupted ones.
	running bool

	syncMu  sync.Mutex
	written uint64 // writes so far; guarded by mu
	synced  uint64 // writes known to be on the disk; guarded by syncMu
	fresh   bool   // the directory entry isn't on the disk; guarded by mu

	// What was written since the file was on the disk or its end was kept; see
	// tail.go. Guarded by mu.
	pending   []byte
	pendingAt int64
	long      bool // more than is worth keeping

	used uint64 // for the cache; guarded by Book.mu
	refs int    // users right now; guarded by Book.mu
	cost int    // bytes in the cache; guarded by Book.mu
}

// load reads the file unless that was done.
func (t *transcript) load() error {
	if t.loaded {
		return nil
	}
	l, err := readTranscript(t.path)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "session.load", err)
	}
	t.size, t.exists, t.unended = l.size, l.size > 0, l.unended
	t.ids = make(map[uint32]struct{}, len(l.records))
	t.keys = map[string]struct{}{}
	t.leaf = ""
	t.view = view{}
	for i := range l.records {
		r := &l.records[i]
		if n, ok := number(r.id); ok {
			t.ids[n] = struct{}{}
		}
		if r.msg.Key != "" {
			t.keys[r.msg.Key] = struct{}{}
		}
		if r.typ != "session" && r.id != "" {
			t.leaf = r.id
		}
	}
	chain := l.path()
	for _, r := range chain {
		t.setting(r)
	}
	history(chain, &t.view)
	t.text = l.text
	if len(l.bad) > 0 || l.torn != "" {
		t.damaged(l)
	}
	t.loaded = true
	return nil
}

func (t *transcript) setting(r *record) {
	switch r.typ {
	case "model_change":
		t.provider, t.model = r.str("provider"), r.str("modelId")
	case "thinking_level_change":
		t.thinking = r.str("thinkingLevel")
	case "custom":
		if r.str("customType") == "model-snapshot" {
			var p, a, m string
			s := scanner{s: r.raw("data")}
			s.object(func(k string) (ok bool) {
				switch k {
				case "provider":
					p, ok = s.text()
				case "modelApi":
					a, ok = s.text()
				case "modelId":
					m, ok = s.text()
				default:
					ok = s.skip()
				}
				return ok
			})
			t.snapshot = p + "/" + a + "/" + m
		}
	}
}

// ready loads the transcript and, once, mends what a dead process left: calls
// without a result get one, at the end of the file and in the view.
func (t *transcript) ready(now time.Time) error {
	if err := t.load(); err != nil || t.mended || t.running {
		return err
	}
	for _, m := range t.view.missing(now.UnixMilli()) {
		if err := t.message(m, now); err != nil {
			return err
		}
	}
	t.mended = true
	return nil
}

// message appends one message to the file and the view.
func (t *transcript) message(m llm.Message, now time.Time) error {
	if m.Time == 0 {
		m.Time = now.UnixMilli()
	}
	b, next := t.begin("message", now)
	b = append(b, `,"message":`...)
	b, err := appendMessage(b, m)
	if err != nil {
		return err
	}
	if err := t.write(append(b, "}\n"...), next); err != nil {
		return err
	}
	if m.Key != "" {
		t.keys[m.Key] = struct{}{}
	}
	t.view.add(m)
	return nil
}

// begin starts the line of an entry: type, id, parentId, timestamp.
func (t *transcript) begin(typ string, now time.Time) (b []byte, next string) {
	next = t.newID()
	b = append(make([]byte, 0, 512), `{"type":"`...)
	b = append(b, typ...)
	b = append(b, `","id":"`...)
	b = append(b, next...)
	b = append(b, '"')
	b = parent(b, t.leaf)
	return member(b, "timestamp", iso(now)), next
}

func (t *transcript) newID() string {
	for {
		n := rand.Uint32() //nolint:gosec // a name, not a secret
		if _, taken := t.ids[n]; !taken {
			t.ids[n] = struct{}{}
			return fmt.Sprintf("%08x", n)
		}
	}
}

// write appends line, which may be several, behind a header if the file is new,
// and makes next the leaf.
func (t *transcript) write(line []byte, next string) error {
	if err := t.openFile(); err != nil {
		return err
	}
	switch {
	case !t.exists:
		line = append(t.header(time.Now()), line...)
	case t.unended:
		line = append([]byte{'\n'}, line...)
	}
	if err := t.put(line); err != nil {
		return err
	}
	t.exists, t.unended, t.leaf = true, false, next
	return nil
}

func (t *transcript) header(now time.Time) []byte {
	b := []byte(`{"type":"session","version":3`)
	b = member(b, "id", string(t.id))
	b = member(b, "timestamp", iso(now))
	b = member(b, "cwd", t.cwd)
	return append(b, "}\n"...)
}

// put is the one write call. After a write that went wrong half-way, the file
// is cut back, so that nothing is glued to the piece.
func (t *transcript) put(line []byte) error {
	n, err := t.file.Write(line)
	if err == nil {
		t.size += int64(n)
		t.written++
		t.grew(line)
		return nil
	}
	if n > 0 {
		if cut := t.file.Truncate(t.size); cut != nil {
			err = errors.Join(err, cut)
			t.loaded = false // the next use reads the file and mends it
		}
	}
	t.closeFile()
	return &fault.Error{
		Kind: fault.Unavailable, Op: "session.Append", Err: err,
		Hint: "the conversation could not be saved; check the free space and permissions of the state directory",
	}
}

func (t *transcript) openFile() error {
	if t.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, "session.Append", err)
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fault.Wrap(fault.Unavailable, "session.Append", err)
	}
	if !t.exists {
		t.fresh = true
	}
	t.file = f
	t.opened.Store(true)
	t.handles.Add(1)
	return nil
}

func (t *transcript) closeFile() {
	if t.file != nil {
		_ = t.file.Close() // what matters has been synced, or fails there
		t.file = nil
		t.opened.Store(false)
		t.handles.Add(-1)
	}
}

// sync returns when all that was written before the call is on the disk.
// Callers at one time share a sync. limit bounds the syncs of all transcripts
// at once, since each holds a thread.
func (t *transcript) sync(ctx context.Context, limit chan struct{}) error {
	t.mu.Lock()
	want := t.written
	t.mu.Unlock()

	t.syncMu.Lock()
	defer t.syncMu.Unlock()
	if t.synced >= want {
		return nil
	}
	select {
	case limit <- struct{}{}:
		defer func() { <-limit }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.flush()
}

// flush makes what was written durable. The caller holds syncMu.
func (t *transcript) flush() error {
	t.mu.Lock()
	at, size, fresh, dir := t.written, t.size, t.fresh, filepath.Dir(t.path)
	err := t.openFile()
	f := t.file
	t.mu.Unlock()
	if err == nil {
		err = datasync(f)
	}
	if err == nil && fresh {
		err = syncDir(dir)
	}
	if err != nil {
		return &fault.Error{
			Kind: fault.Unavailable, Op: "session.Sync", Err: err,
			Hint: "the conversation could not be saved; check the free space and permissions of the state directory",
		}
	}
	t.synced = at
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onDisk(size, at)
	if fresh {
		t.fresh = false
	}
	return nil
}
