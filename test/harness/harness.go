// Package harness runs the built program against real servers: a gateway
// process, an IRC server and a model server that holds each stage on request.
package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Token is the gateway token of every test.
const Token = "test-token-0123456789abcdef"

// Main runs the tests of a package and removes what was built for them.
func Main(m *testing.M) int {
	defer func() {
		if built != "" {
			_ = os.RemoveAll(built) // of no use to anybody
		}
	}()
	return m.Run()
}

var built string // the directory that build made

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "openclaw-bin")
	if err != nil {
		return "", err
	}
	built = dir
	bin := filepath.Join(dir, "openclaw")
	args := []string{"build", "-tags", "goolm", "-o", bin}
	cmd := exec.Command("go", append(args, "github.com/openclaw-go/openclaw/cmd/openclaw")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return bin, nil
})

// Binary builds the program once and returns its path; OPENCLAW_TEST_BINARY
// names one that is built already.
func Binary(t testing.TB) string {
	t.Helper()
	if b := os.Getenv("OPENCLAW_TEST_BINARY"); b != "" {
		return b
	}
	bin, err := build()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return bin
}

// The ports of tests: below those that the system gives to clients, each one
// handed out once, from a place that differs between processes.
const (
	firstPort = 12_000
	ports     = 18_000
)

var nextPort = func() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(int64(os.Getpid()) * 97 % ports)
	return n
}()

// Port returns a free port of 127.0.0.1.
func Port(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := firstPort + int(nextPort.Add(1)%ports)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// Gateway is a gateway with its own state directory; it can be started and
// killed many times.
type Gateway struct {
	t     testing.TB
	Dir   string // state directory
	Work  string // workspace
	Port  int
	Env   []string
	Args  []string // more of gateway run
	UID   int      // of the process, when the test is root; 0 is the test's own
	Umask bool     // none for the process: it must care for modes itself
	cmd   *exec.Cmd
	ended chan error
	log   *os.File
}

// New writes config, a map in the shape of openclaw.json, into a new state
// directory. Gateway port, token, workspace and the model at modelURL are
// filled in.
func New(t testing.TB, modelURL string, config map[string]any) *Gateway {
	t.Helper()
	root := t.TempDir()
	g := &Gateway{t: t, Dir: filepath.Join(root, "state"), Work: filepath.Join(root, "ws"), Port: Port(t)}
	for _, d := range []string{g.Dir, g.Work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	full := map[string]any{
		"gateway": map[string]any{
			"mode": "local", "bind": "loopback", "port": g.Port, "auth": map[string]any{"mode": "token", "token": Token},
			"http": map[string]any{"endpoints": map[string]any{"chatCompletions": map[string]any{"enabled": true}}},
		},
		"agents": map[string]any{"defaults": map[string]any{"workspace": g.Work, "skipBootstrap": true, "model": map[string]any{"primary": "fake/fake-1"}}},
		"models": map[string]any{"mode": "replace", "providers": map[string]any{"fake": map[string]any{
			"baseUrl": modelURL + "/v1", "apiKey": "sk-fake", "api": "openai-completions",
			"models": []any{map[string]any{
				"id": "fake-1", "name": "Fake", "reasoning": false, "input": []any{"text"}, "contextWindow": 200000, "maxTokens": 4096,
				"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
			}},
		}}},
	}
	for k, v := range config {
		full[k] = v
	}
	raw, err := json.MarshalIndent(full, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.Dir, "openclaw.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(root, "gateway.log"))
	if err != nil {
		t.Fatal(err)
	}
	g.log = log
	t.Cleanup(func() {
		g.Kill()
		if t.Failed() {
			raw, _ := os.ReadFile(log.Name())
			if len(raw) > 8000 {
				raw = raw[len(raw)-8000:]
			}
			t.Logf("gateway log:\n%s", raw)
		}
		log.Close()
	})
	return g
}

// ConfigPath is the configuration file.
func (g *Gateway) ConfigPath() string { return filepath.Join(g.Dir, "openclaw.json") }

// Edit changes the configuration file as an editor does: in place.
func (g *Gateway) Edit(change func(config map[string]any)) {
	g.t.Helper()
	raw, err := os.ReadFile(g.ConfigPath())
	if err != nil {
		g.t.Fatal(err)
	}
	config := map[string]any{}
	if err := json.Unmarshal(raw, &config); err != nil {
		g.t.Fatal(err)
	}
	change(config)
	if raw, err = json.MarshalIndent(config, "", "  "); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(g.ConfigPath(), raw, 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// Log returns what the gateway printed so far.
func (g *Gateway) Log() string {
	raw, err := os.ReadFile(g.log.Name())
	if err != nil {
		g.t.Fatal(err)
	}
	return string(raw)
}

// Ended waits for the end of the process and returns its exit code.
func (g *Gateway) Ended(limit time.Duration) (code int) {
	g.t.Helper()
	select {
	case err := <-g.ended:
		g.cmd = nil
		if ee, ok := errors.AsType[*exec.ExitError](err); ok {
			return ee.ExitCode()
		}
		return 0
	case <-time.After(limit):
		g.t.Fatalf("the gateway still runs after %v", limit)
		return -1
	}
}

// Signal sends a signal to the process.
func (g *Gateway) Signal(s syscall.Signal) { _ = g.cmd.Process.Signal(s) }

// Command is the program with this gateway's environment.
func (g *Gateway) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, Binary(g.t), args...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(g.Dir), "TZ=UTC", "NO_COLOR=1",
		"OPENCLAW_STATE_DIR=" + g.Dir, "OPENCLAW_CONFIG_PATH=" + filepath.Join(g.Dir, "openclaw.json"),
	}, g.Env...)
	cmd.Dir = g.Work
	return cmd
}

// Start starts the gateway and waits until it is ready.
func (g *Gateway) Start() {
	g.t.Helper()
	g.StartOnly()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		resp, err := http.Get(g.URL("/readyz"))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-g.ended:
			g.ended <- err
			g.t.Fatalf("the gateway ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	g.t.Fatal("the gateway isn't ready after 20 s")
}

// StartOnly starts the gateway and doesn't wait.
func (g *Gateway) StartOnly() {
	g.t.Helper()
	g.cmd = g.Command(context.Background(), append([]string{"gateway", "run", "--port", fmt.Sprint(g.Port)}, g.Args...)...)
	g.cmd.Stdout, g.cmd.Stderr = g.log, g.log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if g.UID != 0 && os.Getuid() == 0 {
		g.give()
		g.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(g.UID), Gid: uint32(g.UID)}
	}
	if g.Umask {
		g.cmd.Path, g.cmd.Args = "/bin/sh", append([]string{"sh", "-c", `umask 000; exec "$0" "$@"`, g.cmd.Path}, g.cmd.Args[1:]...)
	}
	if err := g.cmd.Start(); err != nil {
		g.cmd = nil
		g.t.Fatal(err)
	}
	ended := make(chan error, 1)
	g.ended = ended
	cmd := g.cmd
	go func() { ended <- cmd.Wait() }()
}

// give makes everything of the gateway its user's.
func (g *Gateway) give() {
	g.t.Helper()
	root := filepath.Dir(g.Dir)
	for _, p := range []string{filepath.Dir(g.cmd.Path), filepath.Dir(root)} {
		_ = os.Chmod(p, 0o711)
	}
	err := filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(p, g.UID, g.UID)
	})
	if err != nil {
		g.t.Fatal(err)
	}
}

// PID is the process id.
func (g *Gateway) PID() int { return g.cmd.Process.Pid }

// Kill kills the process as kill -9 does, and waits for its end.
func (g *Gateway) Kill() {
	if g.cmd == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	err := <-g.ended
	g.ended <- err
	g.cmd = nil
}

// Term sends SIGTERM and returns how the process ended and after how long.
func (g *Gateway) Term(limit time.Duration) (code int, took time.Duration) {
	g.t.Helper()
	start := time.Now()
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-g.ended:
		g.cmd = nil
		if ee, ok := errors.AsType[*exec.ExitError](err); ok {
			return ee.ExitCode(), time.Since(start)
		}
		return 0, time.Since(start)
	case <-time.After(limit):
		g.t.Fatalf("the gateway still runs %v after SIGTERM", limit)
		return -1, limit
	}
}

// URL is the address of path.
func (g *Gateway) URL(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", g.Port, path) }

// HTTP makes an authorized request and returns status and body.
func (g *Gateway) HTTP(method, path string, body any) (int, string) {
	g.t.Helper()
	var rd io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			g.t.Fatal(err)
		}
		rd = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, g.URL(path), rd)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw)
}

// Transcript returns the lines of the current transcript of agent main's
// session key.
func (g *Gateway) Transcript(key string) []map[string]any {
	g.t.Helper()
	dir := filepath.Join(g.Dir, "agents", "main", "sessions")
	var index map[string]struct {
		ID string `json:"sessionId"`
	}
	deadline := time.Now().Add(5 * time.Second)
	for index[key].ID == "" && time.Now().Before(deadline) {
		raw, err := os.ReadFile(filepath.Join(dir, "sessions.json"))
		if err == nil {
			_ = json.Unmarshal(raw, &index)
		}
		if index[key].ID == "" {
			time.Sleep(50 * time.Millisecond)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, index[key].ID+".jsonl"))
	if err != nil {
		g.t.Fatalf("transcript of %s: %v", key, err)
	}
	var out []map[string]any
	for l := range strings.Lines(string(raw)) {
		var m map[string]any
		if json.Unmarshal([]byte(l), &m) == nil {
			out = append(out, m)
		}
	}
	return out
}

// TranscriptFile is the path of the current transcript of key.
func (g *Gateway) TranscriptFile(key string) string {
	g.t.Helper()
	files, err := filepath.Glob(filepath.Join(g.Dir, "agents", "main", "sessions", "*.jsonl"))
	if err != nil || len(files) == 0 {
		g.t.Fatalf("no transcript: %v", err)
	}
	return files[0]
}

// Until waits until ok holds.
func Until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
