package config

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"syscall"
)

// notifier tells which files of some directories changed. It isn't told of
// single writes, only of the end of them: the database lies in such a
// directory, and each of its writes would wake us to look away.
type notifier struct {
	names  chan string // of files, without their directory; "" may be any
	errs   chan error
	fd     int
	file   *os.File
	closed chan struct{}
	wg     sync.WaitGroup
}

func newNotifier() (*notifier, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &notifier{
		names: make(chan string), errs: make(chan error), fd: fd,
		file:   os.NewFile(uintptr(fd), "inotify"),
		closed: make(chan struct{}),
	}
	n.wg.Go(n.read)
	return n, nil
}

// Add watches dir; once more is no harm.
func (n *notifier) Add(dir string) error {
	const what = syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_TO | syscall.IN_MOVED_FROM | syscall.IN_CREATE |
		syscall.IN_DELETE | syscall.IN_ATTRIB | syscall.IN_ONLYDIR
	_, err := syscall.InotifyAddWatch(n.fd, dir, what)
	return os.NewSyscallError("inotify_add_watch", err)
}

// Close ends the notifications.
func (n *notifier) Close() error {
	close(n.closed)
	err := n.file.Close()
	n.wg.Wait()
	return err
}

func (n *notifier) read() {
	buf := make([]byte, 16<<10)
	for {
		k, err := n.file.Read(buf)
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				select {
				case n.errs <- err:
				case <-n.closed:
				}
			}
			return
		}
		for rest := buf[:k]; len(rest) >= syscall.SizeofInotifyEvent; {
			mask := binary.NativeEndian.Uint32(rest[4:])
			end := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			if end > len(rest) {
				break
			}
			name := string(bytes.TrimRight(rest[syscall.SizeofInotifyEvent:end], "\x00"))
			rest = rest[end:]
			if name == "" && mask&syscall.IN_Q_OVERFLOW == 0 {
				continue // of the directory itself, or the end of a watch
			}
			select {
			case n.names <- name:
			case <-n.closed:
				return
			}
		}
	}
}
