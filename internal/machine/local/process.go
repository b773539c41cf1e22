package local

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
)

const (
	// pipeGrace is how long output may stay open after the program ended.
	pipeGrace = time.Second
	// sweepGrace is how long what is left in the group has to end itself.
	sweepGrace = 300 * time.Millisecond
	// writeWait bounds a write to a command that doesn't read.
	writeWait = 5 * time.Second
	// drain bounds the wait for output once nothing is left to write any.
	drain = 250 * time.Millisecond
)

// terminal is a pseudo-terminal with a command on it.
type terminal interface {
	io.ReadWriteCloser
}

// process is a started command. Two goroutines belong to it: copy moves its
// output, and watch closes done when all is over.
type process struct {
	cmd   *exec.Cmd
	group *proc.Group
	mark  string
	out   io.Writer

	output io.ReadCloser // our end of its stdout and stderr
	term   terminal      // nil without a pseudo-terminal

	inMu  sync.Mutex
	stdin *os.File // nil when closed or never asked for

	killed atomic.Bool
	exited chan struct{} // the program itself ended
	done   chan struct{} // and its output was delivered
	exit   machine.Exit  // valid once done is closed
}

// startPiped starts the command with one pipe for both of its outputs, which
// keeps their order.
func (p *process) startPiped(c machine.Command) error {
	proc.Own(p.cmd)
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if c.Stdin {
		in, ours, err := os.Pipe()
		if err != nil {
			r.Close()
			return err
		}
		defer in.Close()
		p.cmd.Stdin, p.stdin = in, ours
	}
	if err := p.start(p.cmd.Start); err != nil {
		r.Close()
		if p.stdin != nil {
			p.stdin.Close()
		}
		return err
	}
	p.output = r
	p.run()
	return nil
}

// start starts the command and takes hold of its group.
func (p *process) start(start func() error) error {
	if err := start(); err != nil {
		return err
	}
	g, err := proc.Watch(p.cmd)
	if err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return err
	}
	p.group = g
	return nil
}

// run starts the goroutines.
func (p *process) run() {
	eof := make(chan struct{})
	go func() {
		defer close(eof)
		p.copy()
	}()
	go p.watch(eof)
}

// copy moves output until its end or until watch closes our end.
func (p *process) copy() {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.output.Read(buf)
		if n > 0 && p.out != nil {
			_, _ = p.out.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// watch waits for the program, then for its output for a bounded time, and
// cleans up behind it.
func (p *process) watch(eof <-chan struct{}) {
	err := p.wait()
	close(p.exited)
	p.exit = exitOf(p.cmd, err)

	held := !p.killed.Load() && !within(eof, pipeGrace)
	if held && p.group.Alive() {
		p.exit.Swept = true
	}
	switch {
	case p.killed.Load():
		p.group.Sweep(sweepGrace)
		proc.KillMarked(p.mark)
	case held:
		p.group.Sweep(sweepGrace)
	}
	if !within(eof, drain) {
		// Somebody who left the group holds the pipe; let go of it.
		p.output.Close()
		<-eof
	}
	if !p.killed.Load() {
		p.exit.Left = proc.Marked(p.mark, p.cmd.Process.Pid)
	}
	p.CloseStdin() //nolint:errcheck // nobody reads it any more
	p.output.Close()
	p.group.Close()
	close(p.done)
}

// within reports whether c is closed before d passes.
func within(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

func exitOf(cmd *exec.Cmd, err error) machine.Exit {
	state := cmd.ProcessState
	if state == nil {
		return machine.Exit{Code: -1, Signal: "lost: " + err.Error()}
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return machine.Exit{Code: -1, Signal: proc.SignalName(ws.Signal())}
	}
	return machine.Exit{Code: state.ExitCode()}
}

// PID returns the process id of the program.
func (p *process) PID() int { return p.cmd.Process.Pid }

// Write sends b to standard input.
func (p *process) Write(b []byte) (int, error) {
	select {
	case <-p.exited:
		return 0, fault.New(fault.Conflict, "local.Write", "the command has ended")
	default:
	}
	p.inMu.Lock()
	defer p.inMu.Unlock()
	var in io.Writer = p.term
	if p.term == nil {
		if p.stdin == nil {
			return 0, fault.New(fault.Invalid, "local.Write", "the command's standard input is closed")
		}
		in = p.stdin
	}
	if d, ok := in.(interface{ SetWriteDeadline(time.Time) error }); ok {
		if err := d.SetWriteDeadline(time.Now().Add(writeWait)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
			return 0, err
		}
	}
	n, err := in.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fault.New(fault.Timeout, "local.Write", "the command doesn't read its input")
	}
	return n, err
}

// CloseStdin ends standard input; on a terminal it types ^D.
func (p *process) CloseStdin() error {
	if p.term != nil {
		select {
		case <-p.exited:
			return nil
		default:
		}
		_, err := p.term.Write([]byte{4})
		return err
	}
	p.inMu.Lock()
	defer p.inMu.Unlock()
	if p.stdin == nil {
		return nil
	}
	err := p.stdin.Close()
	p.stdin = nil
	return err
}

// Signal signals the group.
func (p *process) Signal(name string) error {
	select {
	case <-p.done:
		return nil // the id may be somebody else's by now
	default:
	}
	return p.group.Signal(name)
}

// Kill ends everything that the command started. It returns when the command
// has ended; [process.Wait] tells when all is cleaned up.
func (p *process) Kill(grace time.Duration) {
	p.killed.Store(true)
	select {
	case <-p.done:
		proc.KillMarked(p.mark) // what it left behind
		return
	default:
	}
	if p.Signal("TERM") == nil && within(p.exited, grace) {
		return // watch ends the rest
	}
	_ = p.Signal("KILL")
	<-p.exited
}

// Wait waits for the end.
func (p *process) Wait() machine.Exit {
	<-p.done
	return p.exit
}

// Done is closed at the end.
func (p *process) Done() <-chan struct{} { return p.done }
