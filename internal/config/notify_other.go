//go:build !linux

package config

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// notifier tells which files of some directories changed.
type notifier struct {
	names  chan string // of files, without their directory
	errs   chan error
	below  *fsnotify.Watcher
	closed chan struct{}
	wg     sync.WaitGroup
}

func newNotifier() (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{names: make(chan string), errs: w.Errors, below: w, closed: make(chan struct{})}
	n.wg.Go(n.read)
	return n, nil
}

// Add watches dir; once more is no harm.
func (n *notifier) Add(dir string) error { return n.below.Add(dir) }

// Close ends the notifications.
func (n *notifier) Close() error {
	close(n.closed)
	err := n.below.Close()
	n.wg.Wait()
	return err
}

func (n *notifier) read() {
	for ev := range n.below.Events {
		select {
		case n.names <- filepath.Base(ev.Name):
		case <-n.closed:
			return
		}
	}
}
