// Package local runs commands on this host.
//
// A command leads a process group of its own, gets none of our secrets in its
// environment and, unless asked for, an empty standard input. It is over when
// the program itself has ended: a process that it left behind and that still
// holds its output is given a moment and then ended, so no call waits for an
// end-of-file that may never come. What was detached on purpose (setsid, or a
// job with its output sent elsewhere) is left alone and reported; [machine.Process.Kill]
// finds and ends that too.
package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
)

// Name is what this machine is called in configuration and in tool arguments.
const Name = "gateway"

// Host is this host.
type Host struct{ env []string }

var (
	_ machine.Machine = (*Host)(nil)
	_ machine.Process = (*process)(nil)
)

// New returns this host. Commands get env, cleaned by [proc.Clean], when they
// bring no environment of their own; prepend is put before its PATH.
func New(env []string, prepend ...string) *Host {
	env = proc.Clean(env)
	if len(prepend) > 0 {
		path := proc.Lookup(env, "PATH")
		for i := len(prepend) - 1; i >= 0; i-- {
			path = prepend[i] + string(os.PathListSeparator) + path
		}
		env = proc.Set(env, "PATH", path)
	}
	return &Host{env: env}
}

// Name returns [Name].
func (h *Host) Name() string { return Name }

// Env returns the environment that commands get.
func (h *Host) Env() []string { return append([]string(nil), h.env...) }

// Start starts c. The command lives until it ends or is killed, whatever
// happens to ctx.
func (h *Host) Start(ctx context.Context, c machine.Command) (machine.Process, error) {
	const op = "local.Start"
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, fault.New(fault.Invalid, op, "there is no command to run")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Dir != "" {
		switch fi, err := os.Stat(c.Dir); {
		case err != nil:
			return nil, &fault.Error{Kind: fault.Invalid, Op: op, Hint: "the working directory " + c.Dir + " doesn't exist", Err: err}
		case !fi.IsDir():
			return nil, fault.New(fault.Invalid, op, "the working directory "+c.Dir+" is not a directory")
		}
	}
	env := c.Env
	if env == nil {
		env = h.env
	}
	mark := proc.NewMark()
	env = proc.Set(env, proc.MarkVar, mark)

	prog, err := lookup(c.Argv[0], proc.Lookup(env, "PATH"))
	if err != nil {
		return nil, &fault.Error{Kind: fault.Invalid, Op: op, Hint: "there is no program " + c.Argv[0] + " here", Err: err}
	}
	// The command must outlive the call that started it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), prog, c.Argv[1:]...)
	cmd.Args[0] = c.Argv[0]
	cmd.Dir, cmd.Env = c.Dir, env

	p := &process{cmd: cmd, mark: mark, out: c.Output, exited: make(chan struct{}), done: make(chan struct{})}
	start := p.startPiped
	if c.PTY {
		start = p.startTerminal
	}
	if err := start(c); err != nil {
		return nil, startError(op, c.Argv[0], err)
	}
	return p, nil
}

// lookup finds a program in path, never in the current directory.
func lookup(name, path string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", exec.ErrNotFound
}

func startError(op, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Kind: fault.Invalid, Op: op, Hint: "there is no program " + name + " here", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &fault.Error{Kind: fault.Invalid, Op: op, Hint: name + " may not be run", Err: err}
	}
	return &fault.Error{Kind: fault.Unavailable, Op: op, Hint: "the system could not start " + name, Err: err}
}
