package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// Modes of gateway.auth.mode.
const (
	ModeToken    = "token"
	ModePassword = "password"
	ModeNone     = "none"
	ModeProxy    = "trusted-proxy"
)

// Settings is what is in force: the section with its secrets resolved.
type Settings struct {
	Mode     string // "" is token
	Token    secret.String
	Password secret.String
	Proxy    Proxy
	Gateway  config.Gateway
}

// Proxy is gateway.auth.trustedProxy: who signs people in for us.
type Proxy struct {
	UserHeader      string
	RequiredHeaders []string
	AllowUsers      []string // empty allows every user that the proxy names
}

func (s Settings) mode() string {
	if s.Mode == "" {
		return ModeToken
	}
	return s.Mode
}

// ModeName is the mode in force, as hello-ok reports it.
func (s Settings) ModeName() string { return s.mode() }

// shared returns the secret that the mode compares with.
func (s Settings) shared() secret.String {
	switch s.mode() {
	case ModeToken:
		return s.Token
	case ModePassword:
		return s.Password
	}
	return ""
}

// Check reports a secret that is missing or that nobody would mean: a gateway
// with such a one must not listen.
func (s Settings) Check() error {
	const op = "auth.Settings"
	key := "gateway.auth." + s.mode()
	switch s.mode() {
	case ModeNone:
		return nil
	case ModeProxy:
		if s.Proxy.UserHeader == "" {
			return fault.New(fault.Invalid, op, "gateway.auth.mode is trusted-proxy but gateway.auth.trustedProxy.userHeader is missing: name the header your proxy sets")
		}
		if len(s.Gateway.TrustedProxies) == 0 {
			return fault.New(fault.Invalid, op, "gateway.auth.mode is trusted-proxy but gateway.trustedProxies is empty: list the address of your proxy")
		}
		return nil
	case ModeToken, ModePassword:
	default:
		return fault.New(fault.Invalid, op, fmt.Sprintf("gateway.auth.mode %q is unknown: use token, password, none or trusted-proxy", s.mode()))
	}
	switch v := strings.ToLower(strings.TrimSpace(s.shared().Reveal())); {
	case v == "":
		return fault.New(fault.Invalid, op, key+" is empty: set it with `openclaw config set "+key+" <secret>`")
	case v == "undefined", v == "null", v == "changeme", v == "change-me", v == "password", v == "token", v == "secret",
		strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">"), strings.HasPrefix(v, "${"):
		return fault.New(fault.Invalid, op, key+" is a placeholder: set a secret of your own with `openclaw config set "+key+" <secret>`")
	}
	return nil
}

// fingerprint identifies a secret without holding it.
func fingerprint(s string) [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

// same compares in a time that tells nothing about either side.
func same(given string, want secret.String) bool {
	a, b := fingerprint(given), fingerprint(want.Reveal())
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && want != ""
}
