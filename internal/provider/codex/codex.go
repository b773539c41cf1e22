// Package codex speaks to the models of a ChatGPT subscription
// ("openai-codex-responses"): the Responses format, with the token of a login
// instead of a key.
package codex

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "openai-codex-responses"

// Base is where the models of a subscription are.
const Base = "https://chatgpt.com/backend-api"

// claim is the member of the token that names the account.
const claim = "https://api.openai.com/auth"

// Kind makes providers that speak inner, the Responses format, for a
// subscription.
func Kind(inner provider.Kind) provider.Kind {
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		account, err := Account(cfg.APIKey)
		if err != nil {
			return nil, &fault.Error{
				Kind: fault.Unauthenticated, Op: "codex.New", Err: err,
				Hint: cfg.ID + ": this isn't the token of a ChatGPT login; run: openclaw models auth login --provider openai-codex",
			}
		}
		cfg.BaseURL = address(cfg.BaseURL)
		headers := map[string]string{"Chatgpt-Account-Id": account, "Openai-Beta": "responses=experimental", "Originator": "openclaw"}
		maps.Copy(headers, cfg.Headers)
		cfg.Headers = headers
		p, err := inner.New(c, cfg)
		if err != nil {
			return nil, err
		}
		return service{p}, nil
	}}
}

// address is base with the path that all of them have in common.
func address(base string) string {
	if base == "" {
		base = Base
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/responses")
	if strings.HasSuffix(base, "/codex") {
		return base
	}
	return provider.Join(base, "/codex")
}

// Account is the account that a token was given to.
func Account(token string) (string, error) {
	bad := fault.New(fault.Invalid, "codex.Account", "the token names no account")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", bad
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return "", bad
	}
	var body map[string]json.RawMessage
	var auth struct {
		Account string `json:"chatgpt_account_id"`
	}
	if json.Unmarshal(raw, &body) != nil || json.Unmarshal(body[claim], &auth) != nil || auth.Account == "" {
		return "", bad
	}
	return auth.Account, nil
}

type service struct{ inner provider.Provider }

// Stream leaves the length of the answer to the service, which refuses a limit.
func (s service) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	req.MaxTokens, req.Model.MaxTokens = 0, 0
	if req.System == "" {
		req.System = "Help the user." // the service refuses a request without instructions
	}
	return s.inner.Stream(ctx, req)
}
