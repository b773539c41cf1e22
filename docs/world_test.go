//go:build unix

package docs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// limit is how long one command may take.
const limit = 20 * time.Second

// world is a host of its own: a home directory, a port, a shell.
type world struct {
	t     *testing.T
	home  string
	port  string
	env   []string
	in    io.Writer
	lines chan string
}

func hasCurl() bool {
	_, err := exec.LookPath("curl")
	return err == nil
}

func newWorld(t *testing.T, realCurl bool) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{t: t, home: filepath.Join(root, "home"), port: strconv.Itoa(harness.Port(t)), lines: make(chan string, 1024)}
	bin := filepath.Join(root, "bin")
	for _, d := range []string{w.home, bin} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	programs := map[string]string{"openclaw": harness.Binary(t)}
	if !realCurl {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		programs["curl"] = self
	}
	for name, target := range programs {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + w.home, "TZ=UTC", "LC_ALL=C.UTF-8", "NO_COLOR=1",
		"OPENCLAW_GATEWAY_PORT=" + w.port, "OLLAMA_HOST=127.0.0.1:1", "XDG_RUNTIME_DIR=" + root,
	}
	w.startShell()
	return w
}

func (w *world) startShell() {
	w.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(w.t.Context()), "sh")
	cmd.Env, cmd.Dir = w.env, w.home
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.in = in
	go func() {
		defer close(w.lines)
		rd := bufio.NewReader(out)
		for {
			l, err := rd.ReadString('\n')
			if l != "" {
				w.lines <- l
			}
			if err != nil {
				return
			}
		}
	}()
	w.t.Cleanup(func() {
		in.Close()
		for range w.lines {
		}
		_ = cmd.Wait()
	})
}

const mark = "=-end-of-command-="

// sh types command into the shell and returns what comes back.
func (w *world) sh(where, command string) (string, int) {
	w.t.Helper()
	command = strings.ReplaceAll(command, "18789", w.port)
	fmt.Fprintf(w.in, "{ %s\n} </dev/null\nprintf '\\n%s%%d\\n' $?\n", command, mark)
	var sb strings.Builder
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case l, ok := <-w.lines:
			if !ok {
				w.t.Fatalf("%s: $ %s\nthe shell ended\n%s", where, command, sb.String())
			}
			if code, ok := strings.CutPrefix(l, mark); ok {
				n, _ := strconv.Atoi(strings.TrimSpace(code))
				return w.plain(sb.String()), n
			}
			sb.WriteString(l)
		case <-timer.C:
			w.t.Fatalf("%s: $ %s\nstill going after %v\n%s", where, command, limit, sb.String())
		}
	}
}

// differing is what differs from run to run and from host to host.
var differing = regexp.MustCompile(`(?m)` + strings.Join([]string{
	`Config overwrite: .*`,
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, // ids
	`\b[0-9a-f]{32,}\b`,                    // hashes, keys
	`\b\d{4}-\d\d-\d\dT[0-9:.]+Z?`,         // times
	`\b1[7-9]\d{8}(\d{3})?\b`,              // and in milliseconds
	`\bjust now|\b\d+[smhd] ago`,           // and how long since
	`\b\d+(\.\d+)?(ms|µs|s)\b`,             // and how long
	`\b(linux|darwin|freebsd) .* \(\w+\)$`, // the host
	`2026\.3\.13-go[-.0-9a-z]*( \(\w+\))?`, // the version
	`\b(openclaw-\d{4}-\d\d-\d\d.log)`,
}, "|"))

var process = regexp.MustCompile(`\b(pid|kill) \d+`)

// plain puts what a page shows in the place of what differs.
func (w *world) plain(s string) string {
	s = strings.NewReplacer(w.home, "/home/ada", w.port, "18789").Replace(s)
	return process.ReplaceAllString(differing.ReplaceAllString(s, "..."), "$1 ...")
}

var included = regexp.MustCompile(`"\./([a-z]+\.json5)"`)

var variable = regexp.MustCompile(`\$\{([A-Z_]+)\}`)

// validate lets the program check a config file.
func (w *world) validate(where, text string) {
	w.t.Helper()
	dir := w.t.TempDir()
	file := filepath.Join(dir, "openclaw.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	for _, m := range included.FindAllStringSubmatch(text, -1) {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte("{}"), 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(w.t.Context(), harness.Binary(w.t), "config", "validate")
	cmd.Env = append([]string{"OPENCLAW_CONFIG_PATH=" + file, "OPENCLAW_STATE_DIR=" + dir}, w.env...)
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		cmd.Env = append(cmd.Env, m[1]+"=value")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Errorf("%s: %v\n%s", where, err, out)
	}
}

// startGateway starts a gateway, waits until it is ready, and at the end of
// the page wants it to stop cleanly.
func (w *world) startGateway() {
	w.t.Helper()
	log, err := os.Create(filepath.Join(w.t.TempDir(), "gateway.log"))
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(w.t.Context()), harness.Binary(w.t), "gateway", "run", "--allow-unconfigured")
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = w.env, w.home, log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			w.t.Errorf("the gateway: %v", err)
		}
		log.Close()
		if w.t.Failed() {
			raw, _ := os.ReadFile(log.Name())
			w.t.Logf("gateway:\n%s", raw)
		}
	})
	harness.Until(w.t, limit, "the gateway is ready", func() bool {
		resp, err := http.Get("http://127.0.0.1:" + w.port + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}
