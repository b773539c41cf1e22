package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// dieWithUs ends the command when the thread that started it ends, which for
// threads of the Go runtime is when the process does: kill -9 of the gateway
// leaves no command behind.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// Marked returns the processes that carry mark in their environment, wherever
// they moved to. Only ids above after are looked at: 0 is all of them, and the
// id of the marked command makes it cheap, at the price of missing processes
// started just when ids wrapped around.
func Marked(mark string, after int) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	want := []byte(MarkVar + "=" + mark)
	var pids []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid < after || pid == os.Getpid() {
			continue
		}
		if env, err := os.ReadFile("/proc/" + name + "/environ"); err == nil && hasVar(env, want) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func hasVar(env, want []byte) bool {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(kv, want) {
			return true
		}
	}
	return false
}

// KillMarked kills every process that [Marked] finds, and waits for a moment
// until they are gone. It looks again until there are none, as a process may
// have forked between the look and the kill.
func KillMarked(mark string) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for range 250 {
		pids := Marked(mark, 0)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		<-tick.C
	}
}

// Harden keeps other processes of the same user from reading this process's
// environment and memory through /proc. Call it once, early.
func Harden() error {
	const prSetDumpable = 4
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
