package matrix

import (
	"context"
	"errors"

	"maunium.net/go/mautrix"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// login makes sure that the client is logged in and knows who it is.
func (b *bot) login(ctx context.Context) error {
	b.mu.Lock()
	ready := b.ready
	b.mu.Unlock()
	if ready {
		return nil
	}
	if b.cli.AccessToken == "" {
		if err := b.password(ctx); err != nil {
			return err
		}
	}
	who, err := b.cli.Whoami(ctx)
	if err != nil {
		return classify("matrix.login", err)
	}
	b.cli.UserID, b.cli.DeviceID = who.UserID, who.DeviceID
	var k keys
	if b.cfg.Encryption {
		if k, err = newKeys(ctx, b); err != nil {
			return err
		}
	}
	b.resolveAliases(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready, b.keys = true, k
	b.log.InfoContext(ctx, "matrix connected", "user", who.UserID, "device", who.DeviceID, "encryption", k != nil)
	return nil
}

// password logs in with the password, or takes the token of the time before.
func (b *bot) password(ctx context.Context) error {
	token, err := b.state(ctx, "token")
	if err != nil {
		return err
	}
	if token != "" {
		b.cli.AccessToken = token
		if _, err := b.cli.Whoami(ctx); err == nil {
			return nil
		} else if !errors.Is(err, mautrix.MUnknownToken) {
			b.cli.AccessToken = ""
			return classify("matrix.login", err)
		}
		b.cli.AccessToken = ""
	}
	resp, err := b.cli.Login(ctx, &mautrix.ReqLogin{
		Type: mautrix.AuthTypePassword, Identifier: mautrix.UserIdentifier{Type: mautrix.IdentifierTypeUser, User: b.cfg.UserID},
		Password: b.cfg.Password, InitialDeviceDisplayName: b.cfg.DeviceName,
	})
	if err != nil {
		err = classify("matrix.login", err)
		if fault.KindOf(err) == fault.Forbidden {
			return &fault.Error{Kind: fault.Unauthenticated, Op: "matrix.login", Err: err, Hint: "the homeserver refuses userId and password"}
		}
		return err
	}
	b.cli.AccessToken, b.cli.UserID, b.cli.DeviceID = resp.AccessToken, resp.UserID, resp.DeviceID
	return b.setState(ctx, "token", resp.AccessToken)
}

func (b *bot) closeKeys() {
	b.mu.Lock()
	k := b.keys
	b.keys, b.ready = nil, false
	b.mu.Unlock()
	if k != nil {
		if err := k.close(); err != nil {
			b.log.Warn("matrix keys not closed cleanly", "err", err)
		}
	}
}

func (b *bot) crypto() keys {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keys
}
