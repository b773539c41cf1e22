package test

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// A gateway that no flag holds to its port goes where the file sends it, within
// its process.
func TestPortMoves(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	cmd := g.Command(t.Context(), "gateway", "run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, cmd) })
	answers(t, g)
	g.Port = harness.Port(t)
	g.Edit(func(c map[string]any) { c["gateway"].(map[string]any)["port"] = g.Port })
	answers(t, g)
	if code, out := run(t, g, 20*time.Second, "agent", "--agent", "main", "-m", "a question"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
}

func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}

func answers(t *testing.T, g *harness.Gateway) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		resp, err := http.Get(g.URL("/readyz"))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("nothing answers on port %d", g.Port)
}

// A logout takes the token out of the configuration, and the account goes.
func TestLogout(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, map[string]any{"channels": map[string]any{
		"telegram": map[string]any{"enabled": true, "botToken": "123456:TEST-token_of_the_bot", "apiRoot": "http://127.0.0.1:1"},
		"irc":      map[string]any{"enabled": false, "host": "127.0.0.1", "port": 1, "nick": "bot"},
	}})
	g.Start()
	if code, out := run(t, g, 20*time.Second, "channels", "logout", "--channel", "telegram"); code != 0 || !strings.Contains(out, "Logged out of telegram default") {
		t.Fatalf("%d: %s", code, out)
	}
	if code, out := run(t, g, 20*time.Second, "config", "get", "channels.telegram.botToken"); code == 0 {
		t.Errorf("the token is still there: %s", out)
	}
	if code, out := run(t, g, 20*time.Second, "config", "get", "channels.telegram.apiRoot"); code != 0 {
		t.Errorf("more than the token is gone: %s", out)
	}
	if code, out := run(t, g, 20*time.Second, "channels", "logout", "--channel", "telegram"); code != 0 || !strings.Contains(out, "wasn't logged in") {
		t.Errorf("a second logout: %d: %s", code, out)
	}
	if code, out := run(t, g, 20*time.Second, "channels", "logout", "--channel", "irc"); code == 0 || !strings.Contains(out, "does not support logout") {
		t.Errorf("IRC: %d: %s", code, out)
	}
	if code, out := run(t, g, 20*time.Second, "message", "send", "--channel", "telegram", "--target", "abc", "-m", "x"); code == 0 || strings.Contains(out, "Error: Error:") {
		t.Errorf("send: %d: %s", code, out)
	}
}
