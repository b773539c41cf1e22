//go:build unix

package secret

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd and its children die together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
