package store_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/store"
)

const lockDir = "STORE_LOCK_TEST_DIR"

// holdLock is the child of TestLock: it takes the lock and waits to be killed.
func holdLock() bool {
	dir := os.Getenv(lockDir)
	if dir == "" {
		return false
	}
	if _, err := store.Lock(dir); err != nil {
		fmt.Println("error", err)
		return true
	}
	fmt.Println("locked")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return true
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	ok(t, err)
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), lockDir+"="+dir)
	_, err = child.StdinPipe()
	ok(t, err)
	stdout, err := child.StdoutPipe()
	ok(t, err)
	ok(t, child.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("child: %q, %v", line, err)
	}
	_, err = store.Lock(dir)
	pid := fmt.Sprintf("pid %d", child.Process.Pid)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.Hint(err), pid) || !strings.Contains(fault.Hint(err), "openclaw gateway stop") {
		t.Errorf("second lock: %v", err)
	}
	if n, held, err := store.Holder(dir); n != child.Process.Pid || !held || err != nil {
		t.Errorf("Holder = %d, %v, %v", n, held, err)
	}
	ok(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	l, err := store.Lock(dir)
	if err != nil {
		t.Fatalf("the lock outlived its process: %v", err)
	}
	ok(t, l.Close())
	if n, held, err := store.Holder(dir); n != 0 || held || err != nil {
		t.Errorf("Holder of a free lock = %d, %v, %v", n, held, err)
	}
}
