//go:build official

// Package official drives our gateway with OpenClaw's own command line, as npm
// has it. It needs npm and the network, or a directory in OPENCLAW_OFFICIAL_DIR
// where both are installed already:
//
//	make official
package official

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// The release that we stand in for, and a node that it runs on.
const (
	release = "2026.3.13"
	node    = "24"
)

// client is an installed OpenClaw.
type client struct {
	dir  string
	home string
}

// install puts OpenClaw and node into a directory that later runs find again.
func install(t *testing.T) client {
	t.Helper()
	dir := os.Getenv("OPENCLAW_OFFICIAL_DIR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		dir = filepath.Join(cache, "openclaw-official-"+release)
	}
	c := client{dir: dir, home: t.TempDir()}
	if c.installed() {
		return c
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pkg, err := json.MarshalIndent(map[string]any{
		"private":      true,
		"dependencies": map[string]string{"openclaw": release, "node": node},
		// Its own source is a git repository, which npm can't always reach.
		"overrides": map[string]string{"libsignal": "npm:libsignal"},
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), pkg, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	// The scripts of other packages aren't wanted, but node's unpacks the binary.
	if !c.installed() {
		cmd := exec.CommandContext(ctx, "npm", "rebuild", "node")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm rebuild node: %v\n%s", err, out)
		}
	}
	if !c.installed() {
		t.Fatalf("npm installed no node in %s", c.node())
	}
	return c
}

func (c client) node() string { return filepath.Join(c.dir, "node_modules", "node", "bin", "node") }
func (c client) entry() string {
	return filepath.Join(c.dir, "node_modules", "openclaw", "openclaw.mjs")
}

func (c client) installed() bool {
	for _, p := range []string{c.node(), c.entry()} {
		if _, err := os.Stat(p); err != nil {
			return false
		}
	}
	return true
}

// run runs the official command line with these variables.
func (c client) run(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.node(), append([]string{c.entry()}, args...)...)
	cmd.Env = append([]string{
		"PATH=" + filepath.Dir(c.node()) + ":" + os.Getenv("PATH"), "HOME=" + c.home, "NO_COLOR=1", "OPENCLAW_HIDE_BANNER=1",
		"OPENCLAW_NO_RESPAWN=1", "TZ=UTC",
	}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), err
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
