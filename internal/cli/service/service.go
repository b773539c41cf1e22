// Package service installs the gateway as a service of the user: a systemd
// user unit on Linux, a launchd agent on macOS, a scheduled task on Windows.
//
// [Spec] says what to run and the three text functions say how each system
// wants to hear it. A [Manager] writes the text to its place and drives the
// system's own tool through a [Runner].
package service

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// NoRestart is the exit code of a service that can't start as it is set up
// (EX_CONFIG of sysexits.h): starting it again would not help.
const NoRestart = 78

// Spec is the service to install.
type Spec struct {
	Profile string // "" is the default one
	Program string // absolute path of this binary
	Args    []string
	Env     map[string]string // no secrets: the file is readable
	Dir     string            // working directory
	Log     string            // file for output, where the system keeps none
	Version string
}

// State is what the system says about the service.
type State struct {
	Installed bool
	Running   bool
	PID       int
	Detail    string // the system's own words
}

// Manager is the service manager of one system.
type Manager interface {
	// Kind is the system's name for it, as in "systemd".
	Kind() string
	// Label is the name of the service there.
	Label() string
	// Path is the file that Install writes.
	Path() string
	// Install writes the file, registers it and starts the service.
	Install(ctx context.Context, s Spec) error
	// Uninstall stops the service and removes the file; a service that isn't
	// installed is no error.
	Uninstall(ctx context.Context) error
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	Restart(ctx context.Context) error
	// State never fails because the service is absent.
	State(ctx context.Context) (State, error)
}

// Runner runs a program of the system and returns what it printed.
type Runner interface {
	Run(ctx context.Context, name string, args ...string) (string, error)
}

// Exec is the Runner that runs programs.
type Exec struct{}

// Run runs name. The error of a missing program has the kind fault.NotFound.
func (Exec) Run(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fault.Wrap(fault.NotFound, "service.Run", err)
	}
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput() //nolint:gosec // one of three programs of the system
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, &fault.Error{Kind: fault.Unavailable, Op: "service.Run", Err: err, Hint: firstLine(name+": "+text, err)}
	}
	return text, nil
}

func firstLine(text string, err error) string {
	line, _, _ := strings.Cut(text, "\n")
	if strings.HasSuffix(line, ": ") {
		return line + err.Error()
	}
	return line
}

// Host is the system that a manager works on.
type Host struct {
	OS      string // as in runtime.GOOS
	Home    string
	UID     int
	Profile string
	Runner  Runner
}

// New returns the manager of h.
func New(h Host) (Manager, error) {
	switch h.OS {
	case "linux":
		return &systemd{h: h}, nil
	case "darwin":
		return &launchd{h: h}, nil
	case "windows":
		return &schtasks{h: h}, nil
	}
	return nil, fault.New(fault.Invalid, "service.New",
		"there is no service manager that we know on "+h.OS+"; run openclaw gateway run under your own")
}

func suffix(profile string) string {
	if profile == "" || strings.EqualFold(profile, "default") {
		return ""
	}
	return "-" + profile
}

// pairs lists env in a fixed order, so that the same service has the same text.
func pairs(env map[string]string) [][2]string {
	out := make([][2]string, 0, len(env))
	for k, v := range env {
		out = append(out, [2]string{k, v})
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// marked adds what the gateway reads to know that it is a service.
func marked(s Spec, key, label string) map[string]string {
	env := map[string]string{
		"OPENCLAW_SERVICE_MARKER": "openclaw", "OPENCLAW_SERVICE_KIND": "gateway", "OPENCLAW_SERVICE_VERSION": s.Version, key: label,
	}
	for k, v := range s.Env {
		env[k] = v
	}
	return env
}

func join(elem ...string) string { return filepath.Join(elem...) }
