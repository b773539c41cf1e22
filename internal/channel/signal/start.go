package signal

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// child is a daemon that we have started.
type child struct {
	group *proc.Group
	done  chan struct{} // closed when it has ended
}

// start starts signal-cli's daemon and waits until it answers.
func (b *bot) start(ctx context.Context) (*child, error) {
	const op = "signal.start"
	path := b.cfg.CLIPath
	if path == "" {
		path = "signal-cli"
	}
	full, err := exec.LookPath(path)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Unavailable, Op: op, Err: err, Hint: "signal-cli is not there (" + path + "): install it, set channels.signal.cliPath, or set httpUrl to a running daemon"}
	}
	args := []string{}
	if b.daemon.account != "" {
		args = append(args, "-a", b.daemon.account)
	}
	mode := b.cfg.ReceiveMode
	if mode == "" {
		mode = "on-connection" // what nobody listens for stays at Signal
	}
	args = append(args, "daemon", "--http", b.cfg.listen(), "--no-receive-stdout", "--receive-mode", mode)
	if b.cfg.IgnoreAttachments {
		args = append(args, "--ignore-attachments")
	}
	if b.cfg.IgnoreStories {
		args = append(args, "--ignore-stories")
	}
	cmd := exec.Command(full, args...) //nolint:gosec,noctx // the owner's program, stopped below
	cmd.Env = proc.Clean(os.Environ())
	proc.Own(cmd)
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	g, err := proc.Watch(cmd)
	if err != nil {
		_ = cmd.Process.Kill() // nobody would watch it
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	c := &child{group: g, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			b.log.DebugContext(ctx, "signal-cli", "line", text.Preview(strings.TrimSpace(lines.Text()), 300))
		}
		err := cmd.Wait()
		b.log.InfoContext(ctx, "signal-cli ended", "err", err)
	}()
	limit := time.Duration(b.cfg.StartupMs) * time.Millisecond
	if limit == 0 {
		limit = 30 * time.Second
	}
	deadline := time.Now().Add(limit)
	for {
		select {
		case <-c.done:
			return nil, fault.New(fault.Unavailable, op, "signal-cli ended at once; run it by hand to see why: "+path+" "+strings.Join(args, " "))
		default:
		}
		if b.daemon.check(ctx) == nil {
			return c, nil
		}
		if time.Now().After(deadline) || backoff.Sleep(ctx, 200*time.Millisecond) != nil {
			c.stop()
			return nil, fault.New(fault.Unavailable, op, "signal-cli didn't answer in time (channels.signal.startupTimeoutMs)")
		}
	}
}

// stop ends the daemon and waits for it.
func (c *child) stop() {
	_ = c.group.Signal("TERM") // it may be gone
	c.group.Sweep(5 * time.Second)
	<-c.done
	c.group.Close()
}
