package proc

import (
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Group is a job object: ending it ends every process that a command started.
type Group struct{ job windows.Handle }

// Own makes cmd lead a process group of its own when it is started.
func Own(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr.HideWindow = true
}

// OwnTerminal does nothing: a pseudo-console sets up its own group.
func OwnTerminal(*exec.Cmd) {}

// Watch puts the started cmd in a job object, which dies with us.
func Watch(cmd *exec.Cmd) (*Group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "proc.Watch", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))) //nolint:gosec // how the API takes it
	if err == nil {
		err = assign(job, cmd.Process.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job) //nolint:errcheck // nothing to do about it
		return nil, fault.Wrap(fault.Unavailable, "proc.Watch", err)
	}
	return &Group{job}, nil
}

func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)) //nolint:gosec // a process id
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing to do about it
	return windows.AssignProcessToJobObject(job, h)
}

// Signal ends every process of the group: Windows knows no gentle signal for
// programs without a window.
func (g *Group) Signal(name string) error {
	switch strings.TrimPrefix(strings.ToUpper(name), "SIG") {
	case "TERM", "INT", "HUP", "QUIT", "KILL":
		return windows.TerminateJobObject(g.job, 1)
	}
	return fault.New(fault.Invalid, "proc.Signal", "the signal must be TERM, INT, HUP, QUIT or KILL")
}

// Alive reports false: [Group.Sweep] always ends the job.
func (g *Group) Alive() bool { return false }

// Sweep ends what is left of the group.
func (g *Group) Sweep(time.Duration) { _ = g.Signal("KILL") } //nolint:errcheck // it may be gone

// Close releases the job; what is left in it ends.
func (g *Group) Close() { _ = windows.CloseHandle(g.job) } //nolint:errcheck // nothing to do about it

// SignalName returns the signal's name.
func SignalName(sig syscall.Signal) string { return sig.String() }
