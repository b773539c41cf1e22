package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// maxGroup bounds the writes that share one commit.
const maxGroup = 256

var errClosed = fault.New(fault.Unavailable, "store", "the store is closed")

// writer is the one goroutine that writes. Whatever waits while it commits
// goes into its next transaction, so that many writes share one fsync without
// any of them waiting for others to come.
type writer struct {
	conn    *sql.Conn
	dialect dialect
	log     *slog.Logger
	stmts   map[string]*sql.Stmt // by the SQL as written; the goroutine's own

	mu      sync.Mutex
	pending []*write
	closed  bool

	wake chan struct{} // one slot: there is something pending
	done chan struct{}
}

// write is one caller's change.
type write struct {
	run  func(context.Context, *writer) error
	one  bool // a single statement
	drop func() error
	err  error
	done chan struct{} // one slot, so that the writer never waits for a caller
}

func newWriter(conn *sql.Conn, d dialect, log *slog.Logger) *writer {
	return &writer{
		conn: conn, dialect: d, log: log, stmts: map[string]*sql.Stmt{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// do runs f in a transaction and returns when that is durable or has failed.
// A canceled ctx is noticed before the writer begins, not after.
func (w *writer) do(ctx context.Context, one bool, f func(context.Context, *writer) error) error {
	j := &write{run: f, one: one, drop: ctx.Err, done: make(chan struct{}, 1)}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errClosed
	}
	w.pending = append(w.pending, j)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-j.done
	return j.err
}

// loop writes until close. ctx has no deadline: a change that is begun is
// brought to its end.
func (w *writer) loop(ctx context.Context) {
	defer close(w.done)
	var group []*write
	for range w.wake {
		for {
			w.mu.Lock()
			n := min(len(w.pending), maxGroup)
			group = append(group[:0], w.pending[:n]...)
			rest := copy(w.pending, w.pending[n:])
			clear(w.pending[rest:])
			w.pending = w.pending[:rest]
			closed := w.closed
			w.mu.Unlock()
			if n == 0 {
				if closed {
					return
				}
				break
			}
			w.commit(ctx, group)
			clear(group)
		}
	}
}

// close lets what is pending finish and ends the loop.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	<-w.done
}

// commit runs one group. A change that fails takes only itself back; when the
// transaction as a whole fails, all of the group fail.
func (w *writer) commit(ctx context.Context, group []*write) {
	err := w.group(ctx, group)
	for _, j := range group {
		if err != nil {
			j.err = err
		}
		j.done <- struct{}{}
	}
}

func (w *writer) group(ctx context.Context, group []*write) error {
	if _, err := w.exec(ctx, w.dialect.begin); err != nil {
		return wrapWrite(err)
	}
	changed := false
	for _, j := range group {
		if j.err = j.drop(); j.err != nil {
			continue
		}
		err := w.runOne(ctx, j, len(group) == 1)
		if err != nil && w.dialect.fatal(err) {
			return w.rollback(ctx, err)
		}
		j.err = err
		changed = changed || err == nil
	}
	if !changed {
		_ = w.rollback(ctx, nil)
		return nil
	}
	if _, err := w.exec(ctx, "COMMIT"); err != nil {
		return w.rollback(ctx, err)
	}
	return nil
}

// runOne runs j so that its failure leaves no trace in the transaction.
func (w *writer) runOne(ctx context.Context, j *write, alone bool) (err error) {
	if alone || j.one && w.dialect.atomic {
		return w.guard(ctx, j)
	}
	if _, err := w.exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	if err = w.guard(ctx, j); err != nil {
		if w.dialect.fatal(err) {
			return err
		}
		if _, back := w.exec(ctx, "ROLLBACK TO one"); back != nil {
			return back
		}
	}
	if _, rel := w.exec(ctx, "RELEASE one"); rel != nil {
		return rel
	}
	return err
}

// guard turns a panic in one caller's change into its error.
func (w *writer) guard(ctx context.Context, j *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: panic in a write: %v", p)
		}
	}()
	return j.run(ctx, w)
}

// rollback ends the transaction and returns err as callers should see it.
func (w *writer) rollback(ctx context.Context, err error) error {
	// SQLite has rolled back by itself after some errors; then this one fails.
	_, _ = w.exec(ctx, "ROLLBACK")
	return wrapWrite(err)
}

// exec runs one statement, prepared once.
func (w *writer) exec(ctx context.Context, q string, args ...any) (sql.Result, error) {
	s, err := w.prepare(ctx, q) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// rows runs a query, prepared once.
func (w *writer) rows(ctx context.Context, q string, args ...any) (*sql.Rows, error) {
	s, err := w.prepare(ctx, q) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// row runs a query for one row.
func (w *writer) row(ctx context.Context, q string, args []any, into ...any) error {
	s, err := w.prepare(ctx, q) //nolint:sqlclosecheck // kept until close
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(into...)
}

func (w *writer) prepare(ctx context.Context, q string) (*sql.Stmt, error) {
	if s := w.stmts[q]; s != nil {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, w.dialect.rebind(q))
	if err != nil {
		return nil, err
	}
	w.stmts[q] = s
	return s, nil
}

func (w *writer) closeStmts() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// wrapWrite classifies the failure of a transaction: the disk is full, broken
// or busy, and trying again may help.
func wrapWrite(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Kind: fault.Unavailable, Op: "store.write", Hint: "the state could not be saved; check the free space and permissions of the state directory", Err: err}
}
