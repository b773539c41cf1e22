//go:build goolm

package matrix

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"os"
	"path/filepath"

	"go.mau.fi/util/dbutil"
	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/cryptohelper"
	"maunium.net/go/mautrix/event"
	_ "modernc.org/sqlite" // the driver of the key store

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// hasCrypto tells whether this build can read encrypted rooms.
const hasCrypto = true

// ring keeps the keys of one device in a database of its own.
type ring struct {
	helper *cryptohelper.CryptoHelper
	cli    *mautrix.Client
	db     *sql.DB
}

// newKeys opens the keys of the device that is logged in, making them at the
// first time.
func newKeys(ctx context.Context, b *bot) (keys, error) {
	const op = "matrix.keys"
	if b.env.Dir == "" {
		return nil, fault.New(fault.Invalid, op, "there is no directory for the keys of encrypted rooms")
	}
	if err := os.MkdirAll(b.env.Dir, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	secret, err := b.state(ctx, "pickle")
	if err != nil {
		return nil, err
	}
	if secret == "" {
		var raw [32]byte
		_, _ = rand.Read(raw[:]) // never fails
		secret = hex.EncodeToString(raw[:])
		if err := b.setState(ctx, "pickle", secret); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(b.env.Dir, "keys-"+txnSafe(string(b.cli.DeviceID))+".sqlite")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=synchronous(full)&_txlock=immediate")
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	db.SetMaxOpenConns(1)
	wrapped, err := dbutil.NewWithDB(db, "sqlite")
	if err != nil {
		_ = db.Close() // the error is what matters
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	b.cli.StateStore = nil // the keys bring one
	h, err := cryptohelper.NewCryptoHelper(b.cli, []byte(secret), wrapped)
	if err == nil {
		err = h.Init(ctx)
	}
	if err != nil {
		_ = db.Close() // the error is what matters
		return nil, &fault.Error{Kind: fault.Unavailable, Op: op, Err: err, Hint: "the keys of encrypted rooms can't be opened: " + path}
	}
	b.cli.Crypto = h
	return &ring{h, b.cli, db}, nil
}

func (r *ring) sync(ctx context.Context, resp *mautrix.RespSync, since string) error {
	return r.cli.Syncer.ProcessResponse(ctx, resp, since)
}

func (r *ring) decrypt(ctx context.Context, ev *event.Event) (*event.Event, error) {
	return r.helper.Decrypt(ctx, ev)
}

func (r *ring) verified(ctx context.Context) (bool, error) {
	_, ok, err := r.helper.Machine().GetOwnVerificationStatus(ctx)
	return ok, err
}

func (r *ring) close() error {
	r.cli.Crypto = nil
	return r.db.Close()
}
