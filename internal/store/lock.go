package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// LockName is the file that the running gateway holds locked.
const LockName = "gateway.lock"

// StateLock says that this process owns a state directory. The system drops it
// when the process ends, however that happens.
type StateLock struct{ f *os.File }

// errHeld is what lockFile returns for a lock that another process holds.
var errHeld = errors.New("held by another process")

// Lock takes the lock of a state directory. When another process has it, the
// error is of kind fault.Conflict and says which.
func Lock(stateDir string) (*StateLock, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "store.Lock", err)
	}
	path := filepath.Join(stateDir, LockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "store.Lock", err)
	}
	if err := lockFile(f); err != nil {
		pid := readPID(f)
		_ = f.Close()
		if errors.Is(err, errHeld) {
			return nil, fault.New(fault.Conflict, "store.Lock", refusal(stateDir, pid))
		}
		return nil, fault.Wrap(fault.Unavailable, "store.Lock", err)
	}
	// The number is for people; the lock is the system's.
	if err := errors.Join(f.Truncate(0), writePID(f)); err != nil {
		return nil, errors.Join(fault.Wrap(fault.Unavailable, "store.Lock", err), f.Close())
	}
	return &StateLock{f: f}, nil
}

// Holder returns the pid of the process that holds the lock of a state
// directory, 0 when it is free.
func Holder(stateDir string) (pid int, held bool, err error) {
	f, err := os.OpenFile(filepath.Join(stateDir, LockName), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	err = lockFile(f)
	if errors.Is(err, errHeld) {
		return readPID(f), true, nil
	}
	return 0, false, err
}

func refusal(dir string, pid int) string {
	who := "another gateway"
	if pid > 0 {
		who = fmt.Sprintf("another gateway (pid %d)", pid)
	}
	return who + " is using " + dir + "; stop it with `openclaw gateway stop`" +
		", or give this one a state directory of its own with `openclaw --profile <name> gateway run`"
}

// Close gives the state directory up.
func (l *StateLock) Close() error { return l.f.Close() }

func writePID(f *os.File) error {
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func readPID(f *os.File) int {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(bytes.Trim(b, "\x00"))))
	if err != nil {
		return 0
	}
	return n
}
