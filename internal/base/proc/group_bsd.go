//go:build unix && !linux

package proc

import "syscall"

// dieWithUs has no counterpart here.
func dieWithUs(*syscall.SysProcAttr) {}
