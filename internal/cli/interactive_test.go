//go:build unix

package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"
)

// talk runs a command line on a terminal and answers its questions, each when
// it has been asked.
func talk(t *testing.T, home string, args []string, dialog ...[2]string) (screen string, code int) {
	t.Helper()
	tty, err := xpty.NewUnixPty(100, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	bin := openclaw(t)
	cmd := exec.CommandContext(t.Context(), bin, args...)
	cmd.Env = []string{"HOME=" + home, "TERM=xterm", "PATH=" + filepath.Dir(bin) + ":" + os.Getenv("PATH")}
	if err := tty.Start(cmd); err != nil {
		t.Fatal(err)
	}
	lines := make(chan rune, 1<<16) // all that a dialog can print
	go func() {
		defer close(lines)
		r := bufio.NewReader(tty)
		for {
			c, _, err := r.ReadRune()
			if err != nil {
				return
			}
			lines <- c
		}
	}()
	var all strings.Builder
	limit := time.After(20 * time.Second)
	for _, step := range dialog {
		for mark := all.Len(); !strings.Contains(all.String()[mark:], step[0]); {
			select {
			case c, ok := <-lines:
				if !ok {
					t.Fatalf("ended before %q:\n%s", step[0], all.String())
				}
				all.WriteRune(c)
			case <-limit:
				t.Fatalf("no %q:\n%s", step[0], all.String())
			}
		}
		if _, err := io.WriteString(tty, step[1]+"\r"); err != nil {
			t.Fatal(err)
		}
	}
	err = xpty.WaitProcess(t.Context(), cmd)
	for {
		select {
		case c, ok := <-lines:
			if ok {
				all.WriteRune(c)
				continue
			}
		case <-time.After(200 * time.Millisecond):
		}
		break
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return all.String(), cmd.ProcessState.ExitCode()
}

// openclaw is this test's own binary under the name that testscript gave it.
func openclaw(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("openclaw")
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func TestOnboardAsks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	screen, code := talk(t, home, []string{"onboard"},
		[2]string{"understand the risk", "y"}, [2]string{"Number", "1"}, [2]string{"Workspace", ""}, [2]string{"Number", "2"},
		[2]string{"Key of anthropic", "sk-ant-secret"})
	if code != 0 || !strings.Contains(screen, "Ready") {
		t.Fatalf("onboard = %d:\n%s", code, screen)
	}
	if strings.Contains(screen, "sk-ant-secret") {
		t.Error("the key is on the screen")
	}
	raw, err := os.ReadFile(filepath.Join(home, ".openclaw", "agents", "main", "agent", "auth-profiles.json"))
	if err != nil || !strings.Contains(string(raw), "sk-ant-secret") {
		t.Errorf("profiles = %s, %v", raw, err)
	}
	if !strings.Contains(screen, "\x1b[1m") {
		t.Error("no colours on a terminal")
	}
}

func TestOnboardTakesNoForAnAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	screen, code := talk(t, home, []string{"onboard"}, [2]string{"understand the risk", "n"})
	if code != 1 {
		t.Errorf("onboard = %d:\n%s", code, screen)
	}
	if _, err := os.Stat(filepath.Join(home, ".openclaw", "openclaw.json")); err == nil {
		t.Error("a config was made")
	}
}

func TestDoctorAsks(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	state := filepath.Join(home, ".openclaw")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(state, "openclaw.json")
	if err := os.WriteFile(file, []byte("{gateway: {mode: 'local', auth: {token: 'tttttttttttttttttttttttttttt'}}, oldKey: 1}"), 0o600); err != nil {
		t.Fatal(err)
	}
	screen, code := talk(t, home, []string{"doctor"}, [2]string{"Mend it?", "y"})
	raw, err := os.ReadFile(file)
	if code != 0 || err != nil || strings.Contains(string(raw), "oldKey") {
		t.Errorf("doctor = %d, %s, %v:\n%s", code, raw, err, screen)
	}
}
