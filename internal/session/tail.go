package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Tail is the end of a transcript that may not be on the disk yet. A run that
// ends stores it together with all else, so that it waits for one disk write
// that many runs share and not for one of its own; the files follow a little
// later. After a crash [Book.Restore] puts back what a file has lost.
type Tail struct {
	Session id.Session
	Path    string
	At      int64 // offset in the file
	Data    []byte
}

// TailStore keeps tails. Rows are numbered in the order in which they are put,
// which is done by the transaction that ends a run.
type TailStore interface {
	// Tails returns what is kept, oldest first.
	Tails(ctx context.Context) ([]Tail, error)
	// TailMark is the number of the newest row, 0 when there is none.
	TailMark(ctx context.Context) (int64, error)
	// DropTails removes the rows up to a number.
	DropTails(ctx context.Context, upTo int64) error
}

const (
	maxTail    = 64 << 10        // bytes; a longer end is synced instead
	settleWait = 3 * time.Second // how long the files may be behind
)

// grew notes that data was just written at the end of the file.
func (t *transcript) grew(data []byte) {
	switch {
	case t.long:
	case len(t.pending)+len(data) > maxTail:
		t.long, t.pending = true, nil
	default:
		if len(t.pending) == 0 {
			t.pendingAt = t.size - int64(len(data))
		}
		t.pending = append(t.pending, data...)
	}
}

// onDisk notes that the file is on the disk up to size, which it had after
// written writes.
func (t *transcript) onDisk(size int64, written uint64) {
	switch {
	case t.written == written:
		t.long, t.pending = false, nil
	case !t.long && t.pendingAt < size:
		t.pending = t.pending[min(int64(len(t.pending)), size-t.pendingAt):]
		t.pendingAt = size
	}
}

// Tail returns the end of the transcript sid that is neither on the disk nor
// kept. It reports false when that is too long to be kept, or nothing keeps
// tails: then [Book.Sync] is needed.
func (b *Book) Tail(sid id.Session) (Tail, bool) {
	if b.Tails == nil {
		return Tail{}, false
	}
	b.shelf.mu.Lock()
	t := b.shelf.open[sid]
	b.shelf.mu.Unlock()
	if t == nil {
		return Tail{}, true // what leaves memory has been synced
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.long {
		return Tail{}, false
	}
	return Tail{Session: sid, Path: t.path, At: t.pendingAt, Data: bytes.Clone(t.pending)}, true
}

// Kept tells that the store has tail durably. The file is synced soon.
func (b *Book) Kept(tail Tail) {
	if len(tail.Data) == 0 {
		return
	}
	b.shelf.mu.Lock()
	t := b.shelf.open[tail.Session]
	if b.shelf.settling == nil && !b.shelf.closed {
		b.shelf.settling = time.AfterFunc(settleWait, b.settle)
	}
	b.shelf.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.long && t.pendingAt == tail.At && len(t.pending) >= len(tail.Data) {
		t.pending = t.pending[len(tail.Data):]
		t.pendingAt += int64(len(tail.Data))
	}
}

// settle syncs the files behind the tails that are kept, and drops those.
func (b *Book) settle() {
	b.shelf.settleMu.Lock()
	defer b.shelf.settleMu.Unlock()
	b.shelf.mu.Lock()
	b.shelf.settling = nil
	b.shelf.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) //nolint:forbidigo // nobody waits for it
	defer cancel()
	if err := b.settleNow(ctx); err != nil {
		b.logger().ErrorContext(ctx, "transcripts can't be synced; their ends stay in the database", "err", err)
	}
}

func (b *Book) settleNow(ctx context.Context) error {
	mark, err := b.Tails.TailMark(ctx)
	if err != nil || mark == 0 {
		return err
	}
	b.shelf.mu.Lock()
	var open []id.Session
	for sid := range b.shelf.open {
		open = append(open, sid)
	}
	b.shelf.mu.Unlock()
	var errs []error
	for _, sid := range open {
		errs = append(errs, b.Sync(ctx, sid))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.Tails.DropTails(ctx, mark)
}

// Restore puts back what the files of transcripts lost when the host went down
// before they were on the disk. Call it before anything is opened.
func (b *Book) Restore(ctx context.Context) error {
	if b.Tails == nil {
		return nil
	}
	mark, err := b.Tails.TailMark(ctx)
	if err != nil || mark == 0 {
		return err
	}
	tails, err := b.Tails.Tails(ctx)
	if err != nil {
		return err
	}
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			_ = f.Close() // synced below, or the error says so
		}
	}()
	for _, t := range tails {
		if err := b.restore(ctx, t, files); err != nil {
			return err
		}
	}
	for path, f := range files {
		if err := errors.Join(f.Sync(), syncDir(filepath.Dir(path))); err != nil {
			return fault.Wrap(fault.Unavailable, "session.Restore", err)
		}
	}
	return b.Tails.DropTails(ctx, mark)
}

// restore makes sure that t is in its file. What stands in its place wins: only
// what is missing, or reads as zeros, is written.
func (b *Book) restore(ctx context.Context, t Tail, files map[string]*os.File) error {
	const op = "session.Restore"
	f := files[t.Path]
	if f == nil {
		_, current, err := b.ByID(ctx, t.Session)
		if err != nil {
			return err
		}
		if !current {
			return nil // reset or deleted meanwhile
		}
		flag := os.O_RDWR
		if t.At == 0 {
			flag |= os.O_CREATE
			if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
				return fault.Wrap(fault.Unavailable, op, err)
			}
		}
		f, err = os.OpenFile(filepath.Clean(t.Path), flag, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fault.Wrap(fault.Unavailable, op, err)
		}
		files[t.Path] = f
	}
	st, err := f.Stat()
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	if st.Size() < t.At {
		b.logger().WarnContext(ctx, "the end of a transcript doesn't fit it any more", "path", t.Path, "at", t.At, "size", st.Size())
		return nil
	}
	there := make([]byte, min(int64(len(t.Data)), st.Size()-t.At))
	if _, err := f.ReadAt(there, t.At); err != nil && !errors.Is(err, io.EOF) {
		return fault.Wrap(fault.Unavailable, op, err)
	}
	for i, c := range there {
		if c != 0 && c != t.Data[i] {
			b.logger().WarnContext(ctx, "the end of a transcript is another one by now", "path", t.Path, "at", t.At)
			return nil
		}
	}
	if bytes.Equal(there, t.Data) {
		return nil
	}
	b.logger().WarnContext(ctx, "the end of a transcript was lost and is put back", "path", t.Path, "at", t.At, "bytes", len(t.Data))
	_, err = f.WriteAt(t.Data, t.At)
	return fault.Wrap(fault.Unavailable, op, err)
}
