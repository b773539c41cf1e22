package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// secrets takes from the environment what the flags leave open.
func (sh *shell) secrets(o *ServeOptions) {
	if o.Token == "" {
		o.Token = secret.String(first(sh.Getenv("OPENCLAW_GATEWAY_TOKEN"), sh.Getenv("CLAWDBOT_GATEWAY_TOKEN")))
	}
	if o.Password == "" {
		o.Password = secret.String(first(sh.Getenv("OPENCLAW_GATEWAY_PASSWORD"), sh.Getenv("CLAWDBOT_GATEWAY_PASSWORD")))
	}
}

// needsToken says whether nothing says yet how clients get in.
func needsToken(c *config.Config, o ServeOptions) bool {
	a := c.Gateway.Auth
	if first(o.Auth, a.Mode, "token") != "token" || o.Token != "" || len(a.Token) > 0 {
		return false
	}
	return a.Mode != "" || o.Password == "" && len(a.Password) == 0
}

// ensureToken makes a token and keeps it in the configuration, where one is
// needed.
func (sh *shell) ensureToken(ctx context.Context, l *config.Loaded, o ServeOptions) (*config.Loaded, error) {
	if !needsToken(l.Config, o) {
		return l, nil
	}
	changes, err := tokenChanges()
	if err != nil {
		return nil, err
	}
	return sh.edit(ctx, changes...)
}

// tokenChanges put a new token into the configuration.
func tokenChanges() ([]change, error) {
	token, err := newToken()
	if err != nil {
		return nil, err
	}
	return []change{{"gateway.auth.mode", "token", false}, {"gateway.auth.token", token, false}}, nil
}

// newToken is 48 hex digits.
func newToken() (string, error) {
	raw := make([]byte, 24)
	if _, err := rand.Read(raw); err != nil {
		return "", fault.Wrap(fault.Internal, "cli.newToken", err)
	}
	return hex.EncodeToString(raw), nil
}
