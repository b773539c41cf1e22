//go:build official

package official_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/secret"
	"github.com/openclaw-go/openclaw/test/harness"
)

// original is a gateway of OpenClaw's that runs on a state directory.
type original struct {
	t     *testing.T
	port  int
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// gateway starts OpenClaw's gateway on state and waits until it is ready.
func (c official) gateway(t *testing.T, state string) *original {
	t.Helper()
	g := &original{t: t, port: harness.Port(t), log: filepath.Join(t.TempDir(), "gateway.log"), ended: make(chan struct{})}
	log, err := os.Create(g.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	g.cmd = exec.Command(c.node(), c.entry(), "gateway", "run", "--port", fmt.Sprint(g.port))
	g.cmd.Env = append(c.env(), here(state, g.port)...)
	g.cmd.Dir = filepath.Dir(state)
	g.cmd.Stdout, g.cmd.Stderr = log, log
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.cmd.Wait(); close(g.ended) }()
	t.Cleanup(func() {
		_ = g.cmd.Process.Kill()
		<-g.ended
		if t.Failed() {
			t.Logf("log of OpenClaw's gateway:\n%s", g.said())
		}
	})
	harness.Until(t, 2*time.Minute, "OpenClaw's gateway is ready", func() bool {
		select {
		case <-g.ended:
			t.Fatal("OpenClaw's gateway ended")
		case <-time.After(100 * time.Millisecond):
		}
		resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/readyz", g.port))
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return g
}

// stop ends it as a service manager would.
func (g *original) stop() {
	g.t.Helper()
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-g.ended:
	case <-time.After(time.Minute):
		g.t.Fatal("OpenClaw's gateway still runs a minute after SIGTERM")
	}
}

func (g *original) said() string {
	b, err := os.ReadFile(g.log)
	if err != nil {
		g.t.Error(err)
	}
	return string(b)
}

// here are the variables of a program that works in a state directory.
func here(state string, port int) []string {
	return []string{
		"OPENCLAW_STATE_DIR=" + state, "OPENCLAW_CONFIG_PATH=" + filepath.Join(state, "openclaw.json"),
		fmt.Sprintf("OPENCLAW_GATEWAY_PORT=%d", port), keyVariable + "=" + modelKey,
	}
}

// caller is a connection to either gateway.
type caller struct {
	t    *testing.T
	conn *client.Conn
	n    int
}

// dial connects as the device whose key is in dir. The first time it shows the
// gateway's token, and from then on only the one that it got for itself.
func dial(t *testing.T, port int, dir string) *caller {
	t.Helper()
	shared := secret.String(harness.Token)
	if _, err := os.Stat(filepath.Join(dir, "identity", "device-auth.json")); err == nil {
		shared = ""
	}
	self, err := client.LoadIdentity(client.IdentityPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := client.Dial(t.Context(), client.Options{
		URL: fmt.Sprintf("ws://127.0.0.1:%d", port), Token: shared, Identity: self, Tokens: client.NewTokenFile(dir), Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &caller{t: t, conn: conn}
}

// call makes a request that has to succeed.
func (c *caller) call(method string, params any) map[string]any {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	var out map[string]any
	if err := c.conn.Call(ctx, method, params, &out); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return out
}

// turn has the agent of a session answer text, and returns the answer.
func (c *caller) turn(key, text string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	c.n++
	var out struct {
		Status string
		Result struct {
			Payloads []struct{ Text string }
		}
	}
	err := c.conn.CallFinal(ctx, "agent", object{
		"sessionKey": key, "message": text, "idempotencyKey": fmt.Sprintf("%d-%d", time.Now().UnixNano(), c.n),
	}, &out, nil)
	if err != nil || out.Status != "ok" || len(out.Result.Payloads) == 0 {
		c.t.Fatalf("turn %q in %s: %+v, %v", text, key, out, err)
	}
	return out.Result.Payloads[0].Text
}

type object map[string]any

// seen is what a gateway shows of a state directory.
type seen struct {
	Sessions map[string]any   // rows of sessions.list by key
	History  map[string][]any // messages of chat.history by key
	Levels   map[string]any   // what chat.history says of the session
	Devices  map[string]any   // paired devices by id
}

// look reads all of it.
func (c *caller) look() seen {
	c.t.Helper()
	s := seen{Sessions: map[string]any{}, History: map[string][]any{}, Levels: map[string]any{}, Devices: map[string]any{}}
	for _, row := range list(c.call("sessions.list", object{"includeLastMessage": true}), "sessions") {
		s.Sessions[row["key"].(string)] = row
	}
	for key := range s.Sessions {
		h := c.call("chat.history", object{"sessionKey": key, "limit": 1000})
		for _, m := range list(h, "messages") {
			delete(m, "idempotencyKey") // ours marks what people wrote with it, too
			s.History[key] = append(s.History[key], m)
		}
		delete(h, "messages")
		s.Levels[key] = h
	}
	for _, d := range list(c.call("device.pair.list", object{}), "paired") {
		for _, token := range list(d, "tokens") {
			delete(token, "lastUsedAtMs") // by this connection
		}
		s.Devices[d["deviceId"].(string)] = d
	}
	return s
}

func list(from map[string]any, name string) []map[string]any {
	items, _ := from[name].([]any)
	var out []map[string]any
	for _, x := range items {
		out = append(out, x.(map[string]any))
	}
	return out
}

// words are what people wrote in a session, in order.
func (s seen) words(key string) []string {
	var out []string
	for _, m := range s.History[key] {
		raw, err := json.Marshal(m)
		if err != nil {
			continue
		}
		var v struct {
			Role    string
			Content []struct{ Text string }
		}
		if json.Unmarshal(raw, &v) == nil && v.Role == "user" && len(v.Content) > 0 {
			out = append(out, v.Content[0].Text)
		}
	}
	return out
}

// copyState copies a state directory, as somebody does before an experiment.
func copyState(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		st, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), st.Mode().Perm())
		case !st.Mode().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, st.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// files are the texts of the files in dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// value is a JSON file.
func value(t *testing.T, path string) any {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}
