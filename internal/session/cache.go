package session

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

const (
	cacheBytes  = 16 << 20 // of histories in memory
	maxHandles  = 256      // open transcript files
	maxEntries  = 512      // index entries in memory
	maxSyncs    = 8        // at once; each holds a thread
	perSession  = 600      // bytes of an empty transcript in the cache
	maxArchives = 256      // archived transcripts that a running turn may still append to
)

// shelf holds the transcripts that are in memory.
type shelf struct {
	mu      sync.Mutex
	open    map[id.Session]*transcript
	bytes   int
	clock   uint64
	handles atomic.Int64
	moved   map[id.Session]string // where an archived transcript is now
	syncs   chan struct{}
	entries map[id.SessionKey]Session
	locks   map[id.SessionKey]*keyLock

	settling *time.Timer // until kept tails are dropped; nil when there are none
	closed   bool
	settleMu sync.Mutex // one settles at a time
}

type keyLock struct {
	mu   sync.Mutex
	refs int
}

// transcript returns the transcript of s, held until release.
func (b *Book) transcript(s Session) (*transcript, error) {
	path, err := b.path(s)
	if err != nil {
		return nil, err
	}
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	t := b.shelf.open[s.ID]
	if t == nil {
		if at, ok := b.shelf.moved[s.ID]; ok {
			path = at
		}
		t = &transcript{id: s.ID, path: path, cwd: b.Config().Workspace(s.Key.Agent()), log: b.logger(), handles: &b.shelf.handles}
		if b.shelf.open == nil {
			b.shelf.open = map[id.Session]*transcript{}
			b.shelf.syncs = make(chan struct{}, maxSyncs)
		}
		b.shelf.open[s.ID] = t
	}
	b.shelf.clock++
	t.used = b.shelf.clock
	t.refs++
	return t, nil
}

// release gives t back and makes room in the cache. The caller holds no lock
// of t.
func (b *Book) release(t *transcript) {
	t.mu.Lock()
	cost := perSession + t.text + t.view.bytes + 48*len(t.keys) + 16*len(t.ids)
	if t.text > 0 {
		cost += 300 * len(t.view.msgs)
	}
	t.mu.Unlock()

	b.shelf.mu.Lock()
	b.shelf.bytes += cost - t.cost
	t.cost = cost
	t.refs--
	full := b.shelf.bytes > cacheBytes
	var out []*transcript
	if full || b.shelf.handles.Load() > maxHandles {
		out = b.victims(full)
	}
	b.shelf.mu.Unlock()
	for _, v := range out {
		b.evict(v, full)
	}
}

// victims picks the least recently used transcripts, held until evicted:
// enough of them to make the cache fit, or else a quarter to give up their
// file handles. It takes more than it must, so that it isn't called each time.
func (b *Book) victims(full bool) []*transcript {
	idle := make([]*transcript, 0, len(b.shelf.open))
	for _, t := range b.shelf.open {
		if t.refs == 0 && (full || t.opened.Load()) {
			idle = append(idle, t)
		}
	}
	slices.SortFunc(idle, func(x, y *transcript) int { return cmp.Compare(x.used, y.used) })
	n, bytes := 0, b.shelf.bytes
	for n < len(idle) && (full && bytes > cacheBytes*3/4 || !full && n < maxHandles/4) {
		bytes -= idle[n].cost
		n++
	}
	for _, t := range idle[:n] {
		t.refs++
	}
	return idle[:n]
}

// evict closes the file of v and, if drop says so, takes v out of memory,
// unless something would be lost: calls being worked on, or writes that are
// not on the disk.
func (b *Book) evict(v *transcript, drop bool) {
	keep := !drop
	v.syncMu.Lock()
	v.mu.Lock()
	unsynced := v.written > v.synced
	keep = keep || v.running
	v.mu.Unlock()
	if drop && unsynced && v.flush() != nil {
		keep = true
	}
	v.mu.Lock()
	v.closeFile()
	v.mu.Unlock()
	v.syncMu.Unlock()

	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	v.refs--
	if v.refs == 0 && !keep && b.shelf.open[v.id] == v {
		delete(b.shelf.open, v.id)
		b.shelf.bytes -= v.cost
	}
}

// path is where the transcript of s is, or would be.
func (b *Book) path(s Session) (string, error) {
	agent := s.Key.Agent()
	if !ValidID(s.ID) || !validAgent(agent) {
		return "", fault.New(fault.Invalid, "session", "not a session: "+string(s.Key))
	}
	dir := b.Config().SessionsDir(agent)
	// A file of another name (a thread's) belongs to this directory, wherever it
	// stood when the entry was written.
	if base := filepath.Base(filepath.ToSlash(s.SessionFile)); s.SessionFile != "" &&
		strings.HasPrefix(base, string(s.ID)) && strings.HasSuffix(base, ".jsonl") && ValidID(id.Session(base)) {
		return filepath.Join(dir, base), nil
	}
	return filepath.Join(dir, string(s.ID)+".jsonl"), nil
}

// validAgent reports whether a can be the name of a directory.
func validAgent(a id.Agent) bool {
	if a == "" || len(a) > 64 || a[0] == '-' {
		return false
	}
	for _, c := range []byte(a) {
		if !plainByte(c) {
			return false
		}
	}
	return true
}

// lock serializes changes of one key.
func (b *Book) lock(key id.SessionKey) (unlock func()) {
	b.shelf.mu.Lock()
	l := b.shelf.locks[key]
	if l == nil {
		if b.shelf.locks == nil {
			b.shelf.locks = map[id.SessionKey]*keyLock{}
		}
		l = &keyLock{}
		b.shelf.locks[key] = l
	}
	l.refs++
	b.shelf.mu.Unlock()
	l.mu.Lock()
	return func() {
		l.mu.Unlock()
		b.shelf.mu.Lock()
		defer b.shelf.mu.Unlock()
		if l.refs--; l.refs == 0 {
			delete(b.shelf.locks, key)
		}
	}
}

// remember keeps s in memory. The store is only written through b, so what is
// remembered is right.
func (b *Book) remember(s Session) {
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	if b.shelf.entries == nil {
		b.shelf.entries = map[id.SessionKey]Session{}
	}
	if _, has := b.shelf.entries[s.Key]; !has && len(b.shelf.entries) >= maxEntries {
		for k := range b.shelf.entries { // any
			delete(b.shelf.entries, k)
			break
		}
	}
	b.shelf.entries[s.Key] = s
}

func (b *Book) forget(key id.SessionKey) {
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	delete(b.shelf.entries, key)
}

func (b *Book) remembered(key id.SessionKey) (Session, bool) {
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	s, ok := b.shelf.entries[key]
	return s, ok
}
