package service_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/service"
)

var update = flag.Bool("update", false, "rewrite golden files")

// plain and odd are the two ends: what most people have, and every character
// that one of the three formats treats specially.
func specs() map[string]service.Spec {
	return map[string]service.Spec{
		"plain": {
			Program: "/usr/local/bin/openclaw", Args: []string{"gateway", "run", "--port", "18789"}, Version: "2026.3.13-go.0.1.0",
			Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin", "OPENCLAW_GATEWAY_PORT": "18789"},
			Dir: "/home/u/.openclaw", Log: "/home/u/.openclaw/logs/gateway.log",
		},
		"odd": {
			Profile: "work", Program: `/opt/a b/50%/open"claw`, Args: []string{"gateway", "run", "--x=$HOME;<&>'\\"}, Version: "v",
			Env: map[string]string{"NAME": `a "b" $c %d% <e>`}, Dir: "/home/ü x/%h",
		},
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for name, s := range specs() {
		for file, got := range map[string]string{
			name + ".service": service.SystemdUnit(s),
			name + ".plist":   service.LaunchdPlist(s),
			name + ".xml":     service.TaskXML(s, `C:\Users\u\gateway.cmd`),
			name + ".cmd":     service.TaskScript(s),
		} {
			golden(t, file, got)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// fake notes what it is asked to run and answers from a list.
type fake struct {
	ran     []string
	answers map[string]string // by a part of the command
	fails   map[string]error
}

func (f *fake) Run(_ context.Context, name string, args ...string) (string, error) {
	line := name + " " + strings.Join(args, " ")
	f.ran = append(f.ran, line)
	for part, err := range f.fails {
		if strings.Contains(line, part) {
			return "", err
		}
	}
	for part, out := range f.answers {
		if strings.Contains(line, part) {
			return out, nil
		}
	}
	return "", nil
}

func TestManagersDriveTheSystem(t *testing.T) {
	t.Parallel()
	for os, tc := range map[string]struct {
		install, uninstall []string
		running            map[string]string
	}{
		"linux": {
			[]string{"systemctl --user daemon-reload", "systemctl --user enable openclaw-gateway.service", "systemctl --user restart openclaw-gateway.service"},
			[]string{"systemctl --user disable --now openclaw-gateway.service", "systemctl --user daemon-reload"},
			map[string]string{"show": "ActiveState=active\nSubState=running\nMainPID=42\nExecMainStatus=0"},
		},
		"darwin": {
			[]string{"launchctl bootout gui/501/ai.openclaw.gateway", "launchctl enable gui/501/ai.openclaw.gateway", "launchctl bootstrap gui/501 HOME/Library/LaunchAgents/ai.openclaw.gateway.plist"},
			[]string{"launchctl bootout gui/501/ai.openclaw.gateway"},
			map[string]string{"print": "gui/501/x = {\n\tstate = running\n\tpid = 42\n}"},
		},
		"windows": {
			[]string{"schtasks /Create /F /TN OpenClaw Gateway /XML HOME/AppData/Local/OpenClaw/gateway.xml", "schtasks /Run /TN OpenClaw Gateway"},
			[]string{"schtasks /End /TN OpenClaw Gateway", "schtasks /Delete /F /TN OpenClaw Gateway"},
			map[string]string{"/Query": "TaskName: x\nStatus: Running"},
		},
	} {
		t.Run(os, func(t *testing.T) {
			t.Parallel()
			f, home := &fake{}, t.TempDir()
			m, err := service.New(service.Host{OS: os, Home: home, UID: 501, Runner: f})
			if err != nil {
				t.Fatal(err)
			}
			if st, err := m.State(t.Context()); err != nil || st.Installed || st.Running {
				t.Errorf("State before = %+v, %v", st, err)
			}
			if err := m.Uninstall(t.Context()); err != nil {
				t.Errorf("Uninstall of nothing = %v", err)
			}
			f.ran = nil
			if err := m.Install(t.Context(), specs()["plain"]); err != nil {
				t.Fatal(err)
			}
			check(t, home, f, tc.install)
			f.answers = tc.running
			st, err := m.State(t.Context())
			if err != nil || !st.Installed || !st.Running {
				t.Errorf("State = %+v, %v", st, err)
			}
			if os != "windows" && st.PID != 42 {
				t.Errorf("PID = %d, want 42", st.PID)
			}
			f.ran = nil
			if err := m.Uninstall(t.Context()); err != nil {
				t.Fatal(err)
			}
			check(t, home, f, tc.uninstall)
			if st, _ := m.State(t.Context()); st.Installed {
				t.Error("still installed")
			}
		})
	}
}

func check(t *testing.T, home string, f *fake, want []string) {
	t.Helper()
	got := strings.ReplaceAll(strings.Join(f.ran, "\n"), home, "HOME")
	if diff := cmp.Diff(strings.Join(want, "\n"), filepath.ToSlash(got)); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

func TestNoSystemd(t *testing.T) {
	t.Parallel()
	f := &fake{fails: map[string]error{"systemctl": fault.Wrap(fault.NotFound, "x", errors.New("not found"))}}
	m, _ := service.New(service.Host{OS: "linux", Home: t.TempDir(), Runner: f})
	if err := m.Start(t.Context()); !strings.Contains(fault.Hint(err), "openclaw gateway run") {
		t.Errorf("Start without systemd = %v", err)
	}
	if _, err := service.New(service.Host{OS: "plan9"}); err == nil {
		t.Error("New on an unknown system = nil")
	}
}

// Without a session of the user an installation leaves nothing behind, keeps
// what was there, and an uninstallation removes it all the same.
func TestNoSession(t *testing.T) {
	t.Parallel()
	f := &fake{fails: map[string]error{"systemctl": fault.New(fault.Unavailable, "x", "Failed to connect to bus: No medium found")}}
	home := t.TempDir()
	m, _ := service.New(service.Host{OS: "linux", Home: home, Runner: f})
	if err := m.Install(t.Context(), specs()["plain"]); !strings.Contains(fault.Hint(err), "enable-linger") {
		t.Errorf("Install = %v", err)
	}
	if _, err := os.Stat(m.Path()); err == nil {
		t.Error("a failed installation left its unit")
	}
	if err := os.WriteFile(m.Path(), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = m.Install(t.Context(), specs()["plain"])
	if raw, _ := os.ReadFile(m.Path()); string(raw) != "old" {
		t.Errorf("a failed installation left %q instead of the old unit", raw)
	}
	if err := m.Uninstall(t.Context()); err != nil {
		t.Errorf("Uninstall = %v", err)
	}
	if _, err := os.Stat(m.Path()); err == nil {
		t.Error("the unit is still there")
	}
}
