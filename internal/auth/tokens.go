package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"maps"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// newToken returns 256 random bits as 43 characters.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func issuedAt(t Token) int64 {
	if t.RotatedAtMs != 0 {
		return t.RotatedAtMs
	}
	return t.CreatedAtMs
}

func (a *Authenticator) device(d id.Device) (Device, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	dev, ok := a.devices[d]
	return dev, ok
}

// put stores d and then shows it. The caller holds a.change.
func (a *Authenticator) put(ctx context.Context, d Device) error {
	if err := a.store.PutDevice(ctx, d); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.devices[d.ID] = d
	return nil
}

// withToken returns a copy of d in which t is the token of its role.
func withToken(d Device, t Token) Device {
	tokens := maps.Clone(d.Tokens)
	if tokens == nil {
		tokens = map[string]Token{}
	}
	tokens[t.Role] = t
	d.Tokens = tokens
	return d
}

// useDeviceToken reports whether token is good for the role of g and all of
// scopes, and notes the use.
func (a *Authenticator) useDeviceToken(ctx context.Context, g *Grant, token string, scopes []string) bool {
	a.change.Lock()
	defer a.change.Unlock()
	d, _ := a.device(g.Device)
	t := d.Tokens[g.Role] // an unknown device costs the same compare
	if !same(token, secret.String(t.Token)) || t.RevokedAtMs != 0 {
		return false
	}
	if _, ok := covers(t.Scopes, scopes); !ok {
		return false
	}
	t.LastUsedAtMs = a.now().UnixMilli()
	if err := a.put(ctx, withToken(d, t)); err != nil {
		a.log.WarnContext(ctx, "device token use not stored", "err", err)
	}
	return true
}

// deviceToken returns the token of a paired device for role, making one when it
// has none that is good for scopes.
func (a *Authenticator) deviceToken(ctx context.Context, device id.Device, role string, scopes []string) (Token, error) {
	a.change.Lock()
	defer a.change.Unlock()
	d, ok := a.device(device)
	if !ok {
		return Token{}, nil
	}
	t, has := d.Tokens[role]
	if has && t.RevokedAtMs == 0 {
		if _, ok := covers(t.Scopes, scopes); ok {
			return t, nil
		}
	}
	t = a.issue(t, has, role, scopes)
	return t, a.put(ctx, withToken(d, t))
}

// issue makes a token in the place of old.
func (a *Authenticator) issue(old Token, has bool, role string, scopes []string) Token {
	now := a.now().UnixMilli()
	t := Token{Token: newToken(), Role: role, Scopes: sorted(scopes), CreatedAtMs: now}
	if has {
		t.CreatedAtMs, t.RotatedAtMs = old.CreatedAtMs, now
	}
	return t
}
