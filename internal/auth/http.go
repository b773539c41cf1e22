package auth

import (
	"net/http"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// HTTPRefusal is why an HTTP request isn't served.
type HTTPRefusal struct {
	Status     int
	RetryAfter time.Duration // for 429
	Type       string        // of the error in the body
	Message    string
}

// HTTP decides about a request that bears no socket. Only the Authorization
// header counts, never the query. The holder of the shared secret is the owner.
func (a *Authenticator) HTTP(r *http.Request) (*rpc.Caller, *HTTPRefusal) {
	s := a.settings()
	p := PeerOf(r, s)
	g := &Grant{Role: rpc.Operator, Peer: p}
	auth := &wire.Auth{}
	if given := Bearer(r); s.mode() == ModePassword {
		auth.Password = given
	} else {
		auth.Token = given
	}
	if s.mode() == ModeNone || s.mode() == ModeProxy {
		// Whoever can make the browser of an admitted person send a request would
		// be admitted with it.
		if ok, _ := OriginOK(p, s); p.Browser && p.Origin != "" && !ok {
			return nil, &HTTPRefusal{Status: http.StatusForbidden, Type: "forbidden", Message: "origin not allowed (allow it in gateway.controlUi.allowedOrigins)"}
		}
	}
	why, wait := a.checkShared(auth, s, g)
	switch why {
	case "":
		return &rpc.Caller{Role: rpc.Operator, Scopes: allScopes(), Local: p.Local, Client: wire.Client{ID: "http", Mode: "http"}}, nil
	case rateLimited:
		return nil, &HTTPRefusal{
			Status: http.StatusTooManyRequests, RetryAfter: wait, Type: "rate_limited",
			Message: "Too many failed authentication attempts. Please try again later.",
		}
	}
	a.failed("secret", p, s, why)
	return nil, &HTTPRefusal{Status: http.StatusUnauthorized, Type: "unauthorized", Message: "Unauthorized"}
}

// Bearer returns the credential of the Authorization header, "" for none.
func Bearer(r *http.Request) string {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return ""
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return token
}
