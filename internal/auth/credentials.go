package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// credential says what a client showed.
type credential uint8

const (
	byNone credential = iota
	byToken
	byPassword
	byDevice
	byNothing // mode none
	byProxy
)

func (g *Grant) sharedSecret() bool { return g.method == byToken || g.method == byPassword }

// credentials checks what c shows: the shared secret first, else the token of
// its device.
func (a *Authenticator) credentials(ctx context.Context, c *wire.Connect, s Settings, g *Grant) *Refusal {
	why, wait := a.checkShared(c.Auth, s, g)
	if why == "" {
		return nil
	}
	if why == rateLimited {
		return a.unauthorized(why, wait, c)
	}
	auth := c.Auth
	if auth == nil {
		auth = &wire.Auth{}
	}
	candidate := auth.DeviceToken
	if candidate == "" {
		candidate = auth.Token
	}
	switch {
	case candidate != "":
		if wait := a.lockedOut("device", g.Peer, s); wait > 0 {
			return a.unauthorized(rateLimited, wait, c)
		}
		if a.useDeviceToken(ctx, g, candidate, c.Scopes) {
			g.method, g.proof = byDevice, fingerprint(candidate)
			a.passed("device", g.Peer)
			a.passed("secret", g.Peer)
			return nil
		}
		if auth.DeviceToken != "" {
			why = deviceMismatch
			a.failed("device", g.Peer, s, why)
		}
	case auth.BootstrapToken != "":
		why = bootstrapInvalid
	}
	a.failed("secret", g.Peer, s, why)
	return a.unauthorized(why, 0, c)
}

// sharedSecret checks the shared secret alone.
func (a *Authenticator) sharedSecret(c *wire.Connect, s Settings, g *Grant) *Refusal {
	why, wait := a.checkShared(c.Auth, s, g)
	if why == "" {
		return nil
	}
	if why != rateLimited {
		a.failed("secret", g.Peer, s, why)
	}
	return a.unauthorized(why, wait, c)
}

// checkShared sets how g was admitted, or returns why not. It doesn't count
// failures, since a device token may still follow.
func (a *Authenticator) checkShared(auth *wire.Auth, s Settings, g *Grant) (why reason, wait time.Duration) {
	if wait := a.lockedOut("secret", g.Peer, s); wait > 0 {
		return rateLimited, wait
	}
	if auth == nil {
		auth = &wire.Auth{}
	}
	switch s.mode() {
	case ModeNone:
		g.method = byNothing
	case ModeToken:
		switch {
		case auth.Token == "":
			return tokenMissing, 0
		case !same(auth.Token, s.Token):
			return tokenMismatch, 0
		}
		g.method, g.proof = byToken, fingerprint(auth.Token)
	case ModePassword:
		switch {
		case auth.Password == "":
			return passwordMissing, 0
		case !same(auth.Password, s.Password):
			return passwordMismatch, 0
		}
		g.method, g.proof = byPassword, fingerprint(auth.Password)
	default:
		if g.Peer.User == "" {
			return g.Peer.noUser, 0
		}
		g.User, g.method = g.Peer.User, byProxy
	}
	a.passed("secret", g.Peer)
	return "", 0
}

func (a *Authenticator) unauthorized(why reason, wait time.Duration, c *wire.Connect) *Refusal {
	v := verdictOf(why, c.Client)
	retry := why == tokenMismatch && c.Device != nil && c.Auth != nil && c.Auth.Token != "" && c.Auth.DeviceToken == ""
	if retry {
		v.next = "retry_with_device_token"
	}
	r := refuse(wire.CodeInvalid, v.text, authDetails{v.code, string(why), retry, v.next})
	if wait > 0 {
		r.Err.RetryAfterMs = wait.Milliseconds()
	}
	return r
}

func (a *Authenticator) lockedOut(kind string, p Peer, s Settings) time.Duration {
	if _, ok := rule(p, s.Gateway.Auth.RateLimit); !ok {
		return 0
	}
	return a.limiter.locked(bucketKey(kind, p), a.now())
}

func (a *Authenticator) failed(kind string, p Peer, s Settings, why reason) {
	if why == tokenMissing || why == passwordMissing {
		return // nothing was guessed
	}
	l, ok := rule(p, s.Gateway.Auth.RateLimit)
	if !ok {
		l = limit{window: time.Minute} // count for the log only
	}
	if a.limiter.fail(bucketKey(kind, p), l, a.now()) {
		a.log.Warn("authentication failed", "reason", string(why), "addr", p.Addr.String(), "page", p.Browser)
	}
}

func (a *Authenticator) passed(kind string, p Peer) { a.limiter.succeed(bucketKey(kind, p)) }

// proxyUser returns whom a trusted proxy signed in.
func proxyUser(r *http.Request, s Settings) (user string, why reason) {
	if !trusted(addrOf(r.RemoteAddr), s.Gateway.TrustedProxies) {
		return "", proxyUntrusted
	}
	for _, h := range s.Proxy.RequiredHeaders {
		if strings.TrimSpace(r.Header.Get(h)) == "" {
			return "", proxyHeaderAbsent
		}
	}
	values := r.Header.Values(s.Proxy.UserHeader)
	if s.Proxy.UserHeader == "" || len(values) != 1 || strings.TrimSpace(values[0]) == "" {
		return "", proxyUserMissing
	}
	user = strings.TrimSpace(values[0])
	if len(s.Proxy.AllowUsers) > 0 && !slices.Contains(s.Proxy.AllowUsers, user) {
		return "", proxyUserDenied
	}
	return user, ""
}
