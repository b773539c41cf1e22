package client_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	local := config.Gateway{Port: 1234, Auth: config.GatewayAuth{Token: json.RawMessage(`"file"`)}}
	remote := config.Gateway{Mode: "remote", Remote: config.Remote{URL: "wss://host", Token: json.RawMessage(`"far"`)}}
	type env = map[string]string
	for name, tc := range map[string]struct {
		s     client.Search
		env   env
		url   string
		token string
		err   string
	}{
		"file":             {client.Search{Gateway: local}, nil, "ws://127.0.0.1:1234", "file", ""},
		"default port":     {client.Search{}, nil, "ws://127.0.0.1:18789", "", ""},
		"port of env":      {client.Search{Gateway: local}, env{"OPENCLAW_GATEWAY_PORT": "99"}, "ws://127.0.0.1:99", "file", ""},
		"env before file":  {client.Search{Gateway: local}, env{"OPENCLAW_GATEWAY_TOKEN": "e"}, "ws://127.0.0.1:1234", "e", ""},
		"flag before env":  {client.Search{Gateway: local, Token: "f"}, env{"OPENCLAW_GATEWAY_TOKEN": "e"}, "ws://127.0.0.1:1234", "f", ""},
		"remote":           {client.Search{Gateway: remote}, nil, "wss://host", "far", ""},
		"remote, no url":   {client.Search{Gateway: config.Gateway{Mode: "remote"}}, nil, "", "", "gateway.remote.url"},
		"url":              {client.Search{Gateway: local, URL: "wss://x", Token: "t"}, nil, "wss://x", "t", ""},
		"url alone":        {client.Search{Gateway: local, URL: "wss://x"}, nil, "", "", "--token"},
		"url of env":       {client.Search{Gateway: local}, env{"OPENCLAW_GATEWAY_URL": "wss://y"}, "wss://y", "", ""},
		"clear over net":   {client.Search{URL: "ws://10.0.0.1:1", Token: "t"}, nil, "", "", "wss://"},
		"clear, allowed":   {client.Search{URL: "ws://10.0.0.1:1", Token: "t"}, env{"OPENCLAW_ALLOW_INSECURE_PRIVATE_WS": "1"}, "ws://10.0.0.1:1", "t", ""},
		"clear, public":    {client.Search{URL: "ws://8.8.8.8:1", Token: "t"}, env{"OPENCLAW_ALLOW_INSECURE_PRIVATE_WS": "1"}, "", "", "wss://"},
		"not a websocket":  {client.Search{URL: "http://127.0.0.1", Token: "t"}, nil, "", "", "ws://host:port"},
		"custom bind":      {client.Search{Gateway: config.Gateway{Bind: "custom", CustomBindHost: "127.0.0.2"}}, nil, "ws://127.0.0.2:18789", "", ""},
		"custom bind, all": {client.Search{Gateway: config.Gateway{Bind: "custom", CustomBindHost: "0.0.0.0"}}, nil, "ws://127.0.0.1:18789", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.s.Getenv = func(k string) string { return tc.env[k] }
			tc.s.Resolve = func(_ context.Context, raw json.RawMessage) (secret.String, error) {
				return secret.String(strings.Trim(string(raw), `"`)), nil
			}
			p, err := client.Locate(t.Context(), tc.s)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("Locate = %v, want an error about %q", err, tc.err)
				}
				return
			}
			if err != nil || p.URL != tc.url || p.Token.Reveal() != tc.token {
				t.Errorf("Locate = %s %s, %v, want %s %s", p.URL, p.Token.Reveal(), err, tc.url, tc.token)
			}
		})
	}
}
