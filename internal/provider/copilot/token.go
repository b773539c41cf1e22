package copilot

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	early    = 5 * time.Minute // before its end a token is exchanged
	lifetime = 25 * time.Minute
)

// token is one of Copilot's: fields joined by semicolons, which also say where
// it may be used.
type token struct {
	value string
	base  string
	until time.Time
}

// tokens exchanges the login for tokens and keeps the current one.
type tokens struct {
	client *http.Client
	cfg    provider.Config

	turn chan struct{} // holds one: whoever exchanges puts it in

	mu  sync.Mutex
	cur token
}

// get is a token that is still good for a while. Several that need one wait for
// the same exchange.
func (k *tokens) get(ctx context.Context) (token, error) {
	if isToken(k.cfg.APIKey) { // the login kept one itself
		return token{value: k.cfg.APIKey, base: k.base(k.cfg.APIKey)}, nil
	}
	if t, ok := k.current(); ok {
		return t, nil
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return token{}, provider.Unreachable(ctx, "copilot.token", k.cfg.ID, ctx.Err())
	}
	if t, ok := k.current(); ok {
		return t, nil
	}
	t, err := k.exchange(ctx)
	if err != nil {
		return token{}, err
	}
	k.mu.Lock()
	k.cur = t
	k.mu.Unlock()
	return t, nil
}

func (k *tokens) current() (token, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cur, k.cur.value != "" && time.Until(k.cur.until) > early
}

// drop forgets t, which was refused; false when there is no way to another.
func (k *tokens) drop(t token) bool {
	if isToken(k.cfg.APIKey) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cur.value == t.value {
		k.cur = token{}
	}
	return true
}

func isToken(s string) bool { return strings.Contains(s, ";") && strings.Contains(s, "exp=") }

// exchange asks GitHub for a token.
func (k *tokens) exchange(ctx context.Context) (token, error) {
	header := http.Header{"Authorization": {"Bearer " + k.cfg.APIKey}, "Accept": {"application/json"}}
	for name, v := range identity() {
		header.Set(name, v)
	}
	call, err := provider.Open(ctx, k.client, "copilot.token", k.cfg, "https://api."+k.domain()+"/copilot_internal/v2/token", header, nil)
	if err != nil {
		return token{}, err
	}
	defer call.Close()
	var got struct {
		Token   string `json:"token"`
		Expires int64  `json:"expires_at"` // Unix seconds
	}
	if err := call.Decode(&got, "GitHub's answer"); err != nil {
		return token{}, err
	}
	if got.Token == "" || strings.ContainsAny(got.Token, "\r\n") {
		return token{}, call.Garbled("GitHub gave no token for Copilot; is there a subscription?")
	}
	t := token{value: got.Token, base: k.base(got.Token), until: time.Unix(got.Expires, 0)}
	if got.Expires > 1e11 { // milliseconds
		t.until = time.UnixMilli(got.Expires)
	}
	if got.Expires == 0 {
		t.until = time.Now().Add(lifetime + early)
	}
	return t, nil
}

// domain is GitHub's, or that of an enterprise with its own.
func (k *tokens) domain() string {
	if d, ok := strings.CutPrefix(provider.Host(k.cfg.BaseURL), "copilot-api."); ok {
		return d
	}
	return "github.com"
}

// base is where a token may be used: a configured place of one's own, else what
// the token says about its proxy.
func (k *tokens) base(value string) string {
	host := provider.Host(k.cfg.BaseURL)
	if host != "" && host != "githubcopilot.com" && !strings.HasSuffix(host, ".githubcopilot.com") {
		return k.cfg.BaseURL
	}
	for field := range strings.SplitSeq(value, ";") {
		proxy, ok := strings.CutPrefix(strings.TrimSpace(field), "proxy-ep=")
		if !ok {
			continue
		}
		api := "https://api." + strings.TrimPrefix(proxy, "proxy.")
		if h := provider.Host(api); strings.HasSuffix(h, ".githubcopilot.com") {
			return "https://" + h
		}
	}
	if host != "" {
		return k.cfg.BaseURL
	}
	return Base
}
