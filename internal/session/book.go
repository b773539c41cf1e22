package session

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Book opens sessions and keeps their transcripts. It is the only writer of
// the index and of the transcripts; it is safe for concurrent use. Close it.
type Book struct {
	Store  Store
	Config func() *config.Config
	Now    func() time.Time
	Log    *slog.Logger // nil discards
	// Model is the model that answers in a by default; nil reads it from the
	// configuration alone.
	Model func(a id.Agent) llm.Model
	// Halt ends what runs in a session before its transcript is taken away; nil
	// does nothing.
	Halt func(ctx context.Context, key id.SessionKey) error
	// Busy tells whether something runs or waits in a session, so that a clean-up
	// leaves it alone; nil is never.
	Busy func(key id.SessionKey) bool
	// Tails keeps the ends of transcripts; nil has each run sync its own.
	Tails TailStore

	shelf shelf
}

func (b *Book) logger() *slog.Logger {
	if b.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return b.Log
}

// Close lets go of all files once they are on the disk.
func (b *Book) Close() error {
	var errs []error
	b.shelf.mu.Lock()
	b.shelf.closed = true
	kept := b.shelf.settling != nil
	if kept {
		b.shelf.settling.Stop()
	}
	b.shelf.mu.Unlock()
	b.shelf.settleMu.Lock() // one that is under way ends first
	if kept {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) //nolint:forbidigo // the program ends
		errs = append(errs, b.settleNow(ctx))
		cancel()
	}
	b.shelf.settleMu.Unlock()
	b.shelf.mu.Lock()
	open := maps.Clone(b.shelf.open)
	clear(b.shelf.open)
	b.shelf.bytes = 0
	b.shelf.mu.Unlock()
	for _, t := range open {
		t.syncMu.Lock()
		t.mu.Lock()
		unsynced := t.written > t.synced
		t.mu.Unlock()
		if unsynced {
			errs = append(errs, t.flush())
		}
		t.mu.Lock()
		t.closeFile()
		t.mu.Unlock()
		t.syncMu.Unlock()
	}
	return errors.Join(errs...)
}

// Open returns the session of key, making it, or giving it a fresh transcript
// when the reset policy says so. fresh is true when the transcript is new.
func (b *Book) Open(ctx context.Context, key id.SessionKey) (s Session, fresh bool, err error) {
	defer b.lock(key)()
	s, ok, err := b.get(ctx, key)
	if err != nil {
		return Session{}, false, err
	}
	now := b.Now()
	switch {
	case !ok:
		s = Session{Key: key, ID: id.NewSession(), TotalTokensFresh: true}
	case stale(b.Config().Session, s, now):
		b.retire(s, "reset", now)
		s = s.renewed()
	default:
		return s, false, nil
	}
	s.Updated = now.UnixMilli()
	if s.SessionFile, err = b.path(s); err != nil {
		return Session{}, false, err
	}
	return s, true, b.put(ctx, s)
}

// Get returns the session of key without making or resetting it.
func (b *Book) Get(ctx context.Context, key id.SessionKey) (s Session, ok bool, err error) {
	s, ok, err = b.get(ctx, key)
	return s.clone(), ok, err
}

func (b *Book) get(ctx context.Context, key id.SessionKey) (Session, bool, error) {
	if s, ok := b.remembered(key); ok {
		return s, true, nil
	}
	s, ok, err := b.Store.Session(ctx, key)
	return s, ok, err
}

// put stores s. The caller holds the lock of its key.
func (b *Book) put(ctx context.Context, s Session) error {
	return b.putBy(s, func(s Session) error { return b.Store.PutSession(ctx, s) })
}

func (b *Book) putBy(s Session, store func(Session) error) error {
	if err := store(s); err != nil {
		b.forget(s.Key)
		return err
	}
	b.remember(s)
	return nil
}

// ByID returns the key whose current transcript is sid.
func (b *Book) ByID(ctx context.Context, sid id.Session) (key id.SessionKey, ok bool, err error) {
	if sid == "" {
		return "", false, nil
	}
	ss, err := b.Store.Sessions(ctx, Filter{ID: sid, Limit: 1})
	if err != nil || len(ss) == 0 {
		return "", false, err
	}
	return ss[0].Key, true, nil
}

// List returns index entries, newest first.
func (b *Book) List(ctx context.Context, f Filter) ([]Session, error) {
	return b.Store.Sessions(ctx, f)
}

// Update changes the index entry of key under a lock of that key and stores
// it; there need not be one before. Updated is now, unless change sets it.
func (b *Book) Update(ctx context.Context, key id.SessionKey, change func(*Session) error) (Session, error) {
	return b.UpdateBy(ctx, key, change, func(s Session) error { return b.Store.PutSession(ctx, s) })
}

// UpdateBy is Update where store stores the entry, along with what must be
// stored in one piece with it. It must not use the Book.
func (b *Book) UpdateBy(ctx context.Context, key id.SessionKey, change func(*Session) error, store func(Session) error) (Session, error) {
	defer b.lock(key)()
	s, ok, err := b.get(ctx, key)
	if err != nil {
		return Session{}, err
	}
	if ok {
		s = s.clone()
	} else {
		s = Session{Key: key, ID: id.NewSession(), TotalTokensFresh: true}
	}
	s.Updated = b.Now().UnixMilli()
	if err := change(&s); err != nil {
		return Session{}, err
	}
	if _, err := b.path(s); err != nil {
		return Session{}, err
	}
	return s.clone(), b.putBy(s, store)
}

// clone returns a copy that shares nothing that a caller may change.
func (s Session) clone() Session {
	if s.Delivery != nil {
		d := *s.Delivery
		s.Delivery = &d
	}
	if s.Origin != nil {
		o := *s.Origin
		s.Origin = &o
	}
	if s.FastMode != nil {
		f := *s.FastMode
		s.FastMode = &f
	}
	s.Extra = maps.Clone(s.Extra)
	return s
}

// History returns the messages of s that the model should see, repaired: every
// call has exactly one result right behind its turn, torn lines are set aside.
// The caller must not change them. A cache keeps its cost independent of the
// length of the file on disk.
//
// It is for a run that begins: calls that a dead process left open get their
// result in the file, too. To look at a session, use [Book.Entries].
func (b *Book) History(_ context.Context, s Session) ([]llm.Message, error) {
	t, err := b.transcript(s)
	if err != nil {
		return nil, err
	}
	defer b.release(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.ready(b.Now()); err != nil {
		return nil, err
	}
	return t.view.whole(b.Now().UnixMilli()), nil
}

// Entries returns the last n lines of the transcript (all when n is 0), the
// oldest first. It changes nothing.
func (b *Book) Entries(_ context.Context, s Session, n int) ([]Entry, error) {
	path, err := b.path(s)
	if err != nil {
		return nil, err
	}
	return readEntries(path, n)
}

// Sync returns when all that was appended to the transcript sid is on the
// disk. Concurrent calls share the work; with nothing new it costs nothing.
func (b *Book) Sync(ctx context.Context, sid id.Session) error {
	b.shelf.mu.Lock()
	t := b.shelf.open[sid]
	if t != nil {
		t.refs++
	}
	limit := b.shelf.syncs
	b.shelf.mu.Unlock()
	if t == nil {
		return nil // what leaves memory has been synced
	}
	defer func() {
		b.shelf.mu.Lock()
		t.refs--
		b.shelf.mu.Unlock()
	}()
	return t.sync(ctx, limit)
}
