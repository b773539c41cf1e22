//go:build unix

package proc

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Group is a command's process group, so that it can be signalled as one.
type Group struct{ pgid int }

// Own makes cmd lead a process group of its own when it is started.
func Own(cmd *exec.Cmd) {
	attr := attributes(cmd)
	attr.Setpgid = true
}

// OwnTerminal makes cmd lead a session of its own, whose terminal is its
// standard input.
func OwnTerminal(cmd *exec.Cmd) {
	attr := attributes(cmd)
	attr.Setsid, attr.Setctty = true, true
}

func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	dieWithUs(cmd.SysProcAttr)
	return cmd.SysProcAttr
}

// Watch returns the group of cmd, which was prepared with [Own] or
// [OwnTerminal] and is started.
func Watch(cmd *exec.Cmd) (*Group, error) { return &Group{cmd.Process.Pid}, nil }

// Signal sends TERM, INT, HUP or KILL to every process of the group. It is no
// error when none is left.
func (g *Group) Signal(name string) error {
	var sig syscall.Signal
	switch strings.TrimPrefix(strings.ToUpper(name), "SIG") {
	case "TERM":
		sig = syscall.SIGTERM
	case "INT":
		sig = syscall.SIGINT
	case "HUP":
		sig = syscall.SIGHUP
	case "QUIT":
		sig = syscall.SIGQUIT
	case "KILL":
		sig = syscall.SIGKILL
	default:
		return fault.New(fault.Invalid, "proc.Signal", "the signal must be TERM, INT, HUP, QUIT or KILL")
	}
	err := syscall.Kill(-g.pgid, sig)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) {
		return nil // EPERM: only zombies are left, on darwin
	}
	return err
}

// Alive reports whether a process of the group is left. A zombie that nobody
// reaped counts.
func (g *Group) Alive() bool { return syscall.Kill(-g.pgid, 0) == nil }

// Sweep ends what is left of the group: TERM now, KILL after grace.
func (g *Group) Sweep(grace time.Duration) {
	if !g.Alive() {
		return
	}
	_ = g.Signal("TERM")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(grace); time.Now().Before(end); <-tick.C {
		if !g.Alive() {
			return
		}
	}
	_ = g.Signal("KILL")
}

// Close releases what the group holds.
func (g *Group) Close() {}

// SignalName returns SIGKILL for 9 and so on.
func SignalName(sig syscall.Signal) string {
	for s, name := range map[syscall.Signal]string{
		syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
		syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
		syscall.SIGKILL: "SIGKILL", syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
		syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM", syscall.SIGXCPU: "SIGXCPU",
		syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGSYS: "SIGSYS",
	} {
		if s == sig {
			return name
		}
	}
	return "signal " + sig.String()
}
