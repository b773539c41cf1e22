//go:build official

package official_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// approve has OpenClaw's command line let a sender in, which it does by writing
// files, and then ours, which must not undo it.
func approve(t *testing.T, c official, g *harness.Gateway, env []string) {
	t.Helper()
	dir := filepath.Join(g.Dir, "credentials")
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	one := `{"id":%q,"code":%q,"createdAt":%[3]q,"lastSeenAt":%[3]q,"meta":{"accountId":"default"}}`
	text := fmt.Sprintf(`{"version":1,"requests":[%s,%s]}`, fmt.Sprintf(one, "42", "ABCD2345", now), fmt.Sprintf(one, "43", "EFGH2345", now))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "telegram-pairing.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run(t, env, "pairing", "approve", "telegram", "ABCD2345"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	harness.Until(t, 60*time.Second, "our gateway knows who asks", func() bool {
		out, err := g.Command(t.Context(), "pairing", "list", "telegram", "--json").CombinedOutput()
		return err == nil && strings.Contains(string(out), "EFGH2345") && !strings.Contains(string(out), "ABCD2345")
	})
	if out, err := g.Command(t.Context(), "pairing", "approve", "telegram", "EFGH2345").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	harness.Until(t, 60*time.Second, "both are let in", func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "telegram-default-allowFrom.json"))
		return err == nil && strings.Contains(string(b), `"42"`) && strings.Contains(string(b), `"43"`)
	})
}

func TestOfficialClient(t *testing.T) {
	c := install(t)
	model := harness.NewModel(t)
	g := harness.New(t, model.URL, nil)
	g.Start()
	url := fmt.Sprintf("ws://127.0.0.1:%d", g.Port)
	remote := []string{"OPENCLAW_STATE_DIR=" + filepath.Join(c.home, "elsewhere")}

	for method, keys := range map[string][]string{
		"health":        {"ok", "agents", "channels", "defaultAgentId", "sessions"},
		"status":        {"runtimeVersion", "heartbeat", "sessions"},
		"sessions.list": {"count", "defaults", "sessions"},
		"config.get":    {"path", "exists", "raw", "parsed", "hash", "valid"},
		"models.list":   {"models"},
	} {
		t.Run("gateway call "+method, func(t *testing.T) {
			out, err := c.run(t, remote, "gateway", "call", method, "--json", "--url", url, "--token", harness.Token)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]json.RawMessage
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, k := range keys {
				if got[k] == nil {
					t.Errorf("%s has no %s: %.400s", method, k, out)
				}
			}
			if strings.Contains(out, harness.Token) {
				t.Error("the answer holds the gateway's token")
			}
		})
	}

	t.Run("a wrong token", func(t *testing.T) {
		_, err := c.run(t, remote, "gateway", "call", "health", "--url", url, "--token", "wrong")
		if err == nil || !strings.Contains(err.Error(), "gateway token mismatch") {
			t.Errorf("err = %v", err)
		}
	})

	// The same host, the same state: what the command line reads from files
	// must be there too.
	here := []string{
		"OPENCLAW_STATE_DIR=" + g.Dir, "OPENCLAW_CONFIG_PATH=" + filepath.Join(g.Dir, "openclaw.json"),
		fmt.Sprintf("OPENCLAW_GATEWAY_PORT=%d", g.Port),
	}
	t.Run("agent", func(t *testing.T) {
		out, err := c.run(t, here, "agent", "--agent", "main", "--message", "Say something", "--json")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Status string
			Result struct {
				Payloads []struct{ Text string }
			}
		}
		// Without the wrapper it would be an answer of the client's own, embedded.
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Status != "ok" || len(got.Result.Payloads) == 0 || got.Result.Payloads[0].Text == "" {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("pairing approve", func(t *testing.T) { approve(t, c, g, here) })
	t.Run("config set", func(t *testing.T) {
		if out, err := c.run(t, here, "config", "set", "agents.list", `[{"id":"main","default":true,"identity":{"name":"Renamed"}}]`, "--strict-json"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		harness.Until(t, 10*time.Second, "the gateway takes the change", func() bool {
			out, err := g.Command(t.Context(), "gateway", "call", "agent.identity.get", "--json").CombinedOutput()
			return err == nil && strings.Contains(string(out), "Renamed")
		})
	})
	t.Run("sessions", func(t *testing.T) {
		deadline := time.Now().Add(10 * time.Second) // the index is written behind
		for {
			out, err := c.run(t, here, "sessions", "--json")
			if err == nil && strings.Contains(out, "agent:main:main") {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%v: %s", err, out)
			}
		}
	})
	t.Run("logs", func(t *testing.T) {
		out, err := c.run(t, here, "logs", "--json", "--limit", "50")
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		for line := range strings.Lines(out) {
			var l struct{ Type, Level, Message string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if l.Type == "log" && (l.Level == "" || l.Message == "") {
				t.Errorf("a line that the client can't read: %s", line)
			}
			types = append(types, l.Type)
		}
		if !slices.Contains(types, "meta") || !slices.Contains(types, "log") || slices.Contains(types, "raw") {
			t.Errorf("types = %v", types)
		}
	})
	for name, args := range map[string][]string{
		"devices": {"devices", "list", "--json"}, "health": {"health", "--json"}, "channels": {"channels", "status", "--json"},
		"config": {"config", "get", "gateway.port"}, "models": {"models", "list", "--json"}, "status": {"status", "--json"},
		"presence": {"system", "presence", "--json"}, "pairing": {"pairing", "list", "telegram", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := c.run(t, here, args...); err != nil || strings.TrimSpace(out) == "" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
