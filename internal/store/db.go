// Package store keeps everything that outlives the process, except the files
// that people own and the transcripts. Each domain package declares the few
// methods that it needs; one [DB] has them all.
//
// The database is SQLite, <state>/openclaw.sqlite. There is one writer, which
// commits in groups: a method returns when its change is on the disk, and many
// concurrent changes share one fsync. Reads go to a small pool and never wait
// for the writer. Start at [Open]; writer.go is the heart.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/session"
)

// The whole interface set, checked here.
var (
	_ session.Store     = (*DB)(nil)
	_ session.TailStore = (*DB)(nil)
	_ inbox.Store       = (*DB)(nil)
	_ outbox.Store      = (*DB)(nil)
	_ access.Store      = (*DB)(nil)
	_ auth.Store        = (*DB)(nil)
)

// FileName is the database in the state directory.
const FileName = "openclaw.sqlite"

// Options says what to open.
type Options struct {
	StateDir string // the database is <StateDir>/openclaw.sqlite
	Log      *slog.Logger
	Now      func() time.Time // nil is time.Now
	// Guest is for a command beside the gateway that owns the state: nothing is
	// taken in from files or given back to them, and damage is only an error.
	Guest bool
}

// DB is the open store.
type DB struct {
	dir     string
	path    string
	log     *slog.Logger
	now     func() time.Time
	dialect dialect

	writeDB   *sql.DB // one connection, the writer's
	w         *writer
	readDB    *sql.DB
	project   *projector
	eventKeys eventKeys
	rebuilt   bool            // a damaged one was set aside
	guest     bool            // another process owns the state
	base      context.Context //nolint:containedctx // without an end: for what Close does

	mu    sync.RWMutex
	stmts map[string]*sql.Stmt // of readDB

	closeOnce sync.Once
	closeErr  error
}

// Open opens the database, making it when there is none. A damaged one is set
// aside and rebuilt from the files that OpenClaw keeps beside it; what those
// files gained while no gateway ran is taken in.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "store.Open", err)
	}
	// fdatasync keeps all that is needed to read the data back and costs half.
	_, _ = sqlite.Fdatasync(true) // unavailable on some systems: then fsync

	d, err := open(ctx, o)
	if err != nil && isDamage(err) && !o.Guest {
		d, err = rebuild(ctx, o, err)
	}
	if err != nil {
		return nil, openError(o, err)
	}
	if d.guest = o.Guest; d.guest {
		return d, nil
	}
	if err = d.loadEventKeys(ctx); err == nil {
		err = d.takeIn(ctx)
	}
	if err != nil {
		return nil, errors.Join(openError(o, err), d.Close())
	}
	d.project.follow.Store(true)
	return d, nil
}

func openError(o Options, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return &fault.Error{
		Kind: fault.Unavailable, Op: "store.Open", Err: err,
		Hint: "cannot open " + filepath.Join(o.StateDir, FileName) + "; run `openclaw doctor`",
	}
}

func open(ctx context.Context, o Options) (_ *DB, err error) {
	path := filepath.Join(o.StateDir, FileName)
	if err := touch(path); err != nil {
		return nil, err
	}
	d := &DB{
		dir: o.StateDir, path: path, log: o.Log, now: o.Now, dialect: sqliteDialect(),
		stmts: map[string]*sql.Stmt{},
	}
	if d.writeDB, err = sql.Open("sqlite", dsn(path,
		"busy_timeout(5000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)",
		"cache_size(-512)", "wal_autocheckpoint(1000)", "journal_size_limit(8388608)", "temp_store(memory)")); err != nil {
		return nil, err
	}
	d.writeDB.SetMaxOpenConns(1)
	conn, err := d.writeDB.Conn(ctx)
	if err == nil {
		err = migrate(ctx, conn, d.dialect, path)
	}
	if err == nil {
		err = check(ctx, conn, path)
	}
	if err != nil {
		if conn != nil {
			_ = conn.Close()
		}
		return nil, errors.Join(err, d.writeDB.Close())
	}
	if d.readDB, err = sql.Open("sqlite", dsn(path,
		"busy_timeout(5000)", "query_only(1)", "cache_size(-256)", "temp_store(memory)")); err != nil {
		_ = conn.Close()
		return nil, errors.Join(err, d.writeDB.Close())
	}
	d.readDB.SetMaxOpenConns(4)
	d.readDB.SetMaxIdleConns(2)

	// The writer and the projector end with Close, not with the caller's ctx:
	// what was accepted must reach the disk.
	base := context.WithoutCancel(ctx)
	d.base = base
	d.w = newWriter(conn, d.dialect, o.Log)
	go d.w.loop(base)
	d.project = newProjector(d)
	go d.project.loop(base)
	return d, nil
}

// Close finishes what is pending, writes the projections and closes.
func (d *DB) Close() error {
	d.closeOnce.Do(func() { d.closeErr = d.close() })
	return d.closeErr
}

func (d *DB) close() error {
	d.project.close()
	var errs []error
	if !d.guest {
		errs = append(errs, d.giveQueue(d.base))
	}
	d.w.close()
	d.mu.Lock()
	for _, s := range d.stmts {
		errs = append(errs, s.Close())
	}
	clear(d.stmts)
	d.mu.Unlock()
	errs = append(errs, d.readDB.Close(), d.w.closeStmts(), d.w.conn.Close(), d.writeDB.Close())
	return errors.Join(errs...)
}

// touch makes the database file, so that it and the files SQLite puts beside
// it are readable by their owner only, and its directory entry durable.
func touch(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return os.Chmod(path, 0o600)
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func dsn(path string, pragmas ...string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true}
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// one runs a single statement durably.
func (d *DB) one(ctx context.Context, q string, args ...any) (affected int64, err error) {
	err = d.w.do(ctx, true, func(ctx context.Context, w *writer) error {
		r, err := w.exec(ctx, q, args...)
		if err != nil {
			return err
		}
		affected, err = r.RowsAffected()
		return err
	})
	return affected, err
}

// query runs a read. Reads are short; a canceled ctx is noticed before one.
func (d *DB) query(ctx context.Context, q string, args []any, row func(*sql.Rows) error) error {
	s, err := d.prepare(ctx, q) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return err
	}
	// A context that can be canceled costs a goroutine a query.
	rows, err := s.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return readError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return readError(rows.Err())
}

func (d *DB) prepare(ctx context.Context, q string) (*sql.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.RLock()
	s := d.stmts[q]
	d.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s = d.stmts[q]; s != nil {
		return s, nil
	}
	s, err := d.readDB.PrepareContext(context.WithoutCancel(ctx), d.dialect.rebind(q)) //nolint:sqlclosecheck // kept until Close
	if err != nil {
		return nil, readError(err)
	}
	d.stmts[q] = s
	return s, nil
}

func readError(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, "store.read", fmt.Errorf("sqlite: %w", err))
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
