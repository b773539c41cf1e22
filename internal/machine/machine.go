// Package machine is the contract with a place where tools act: this host, a
// container, a host behind SSH or a paired node.
package machine

import (
	"context"
	"io"
	"time"
)

// Machine runs commands and holds files.
type Machine interface {
	Name() string
	// Start starts cmd and returns at once. An error of kind fault.Invalid means
	// that the command can't be run as written (no such program or directory).
	Start(ctx context.Context, cmd Command) (Process, error)
}

// Process is a running command. It has its own process group; nothing it
// started outlives Kill.
type Process interface {
	PID() int
	// Write sends to standard input; it fails when Stdin wasn't asked for.
	io.Writer
	// CloseStdin ends standard input.
	CloseStdin() error
	// Signal asks the whole group to stop: "TERM", "INT", "KILL", "HUP".
	Signal(name string) error
	// Kill sends TERM, then KILL after grace, to the whole group.
	Kill(grace time.Duration)
	// Wait blocks until the command ended and its output was delivered, or the
	// bounded wait for inherited pipes passed. It may be called more than once.
	Wait() Exit
	// Done is closed when Wait would not block.
	Done() <-chan struct{}
}

// Run runs cmd to its end; when ctx ends first the group is killed.
func Run(ctx context.Context, m Machine, cmd Command) (Exit, error) {
	p, err := m.Start(ctx, cmd)
	if err != nil {
		return Exit{}, err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Kill(2 * time.Second)
	}
	return p.Wait(), ctx.Err()
}

// Command is a command to run.
type Command struct {
	Argv   []string
	Dir    string
	Env    []string  // the whole environment; nil is the machine's own, filtered
	Stdin  bool      // keep standard input open for Write; otherwise it is empty
	PTY    bool      // run in a pseudo-terminal
	Output io.Writer // stdout and stderr, as they come
}

// Exit is how a command ended.
type Exit struct {
	Code   int    // -1 when a signal ended it
	Signal string // "SIGKILL", …
	// Swept: what it left in its group still held its output, and was ended.
	Swept bool
	// Left are processes that it detached on purpose and that still run, as far
	// as they can be found.
	Left []int
}
