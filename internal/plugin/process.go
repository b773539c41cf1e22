package plugin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// process is one life of a plugin's program, for one account.
type process struct {
	conn  *conn
	group *proc.Group
	out   io.Closer
	files string        // what is handed over, both ways
	done  chan struct{} // closed when the program has ended
}

// launch starts the program and its reader.
func (a *account) launch(ctx context.Context, handle func(*process, frame)) (_ *process, err error) {
	const op = "plugin.launch"
	program, err := programPath(a.plugin)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(a.data, 0o700); err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	files, err := os.MkdirTemp("", "openclaw-plugin-")
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(files)
		}
	}()
	cmd := exec.Command(program, a.plugin.Args...) //nolint:gosec,noctx // the owner's program, stopped by stop
	cmd.Dir = a.plugin.Dir
	cmd.Env = proc.Clean(os.Environ())
	proc.Own(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, &fault.Error{Kind: fault.Unavailable, Op: op, Err: err, Hint: "the plugin's program can't be started: " + program}
	}
	group, err := proc.Watch(cmd)
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, fault.Wrap(fault.Unavailable, op, err)
	}
	p := &process{group: group, out: out, files: files, done: make(chan struct{})}
	p.conn = newConn(in, a.log, func(f frame) { handle(p, f) })
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		a.logLines(ctx, stderr)
	}()
	go p.conn.read(out)
	go func() {
		defer close(p.done)
		<-p.conn.done // all of the output is read
		// It closed its output: without that it is of no use.
		_ = in.Close()
		kill := time.AfterFunc(a.opts.Timing.Stop, func() { _ = p.group.Signal("KILL") })
		state, err := cmd.Process.Wait()
		kill.Stop()
		a.log.DebugContext(ctx, "the plugin's program ended", "state", state.String(), "err", err)
		p.group.Sweep(100 * time.Millisecond) // what it started
		_ = out.Close()
		_ = stderr.Close() // something may hold the other end
		<-logged
		p.group.Close()
		_ = os.RemoveAll(files)
	}()
	return p, nil
}

// programPath is the program, which must not leave its plugin's directory by
// links either.
func programPath(m Manifest) (string, error) {
	dir, err := filepath.EvalSymlinks(m.Dir)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "plugin.program", err)
	}
	full, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(m.Program)))
	if err != nil {
		return "", &fault.Error{Kind: fault.Unavailable, Op: "plugin.program", Err: err, Hint: "the program of the plugin " + m.ID + " isn't there: build or install it again"}
	}
	if rel, err := filepath.Rel(dir, full); err != nil || !filepath.IsLocal(rel) {
		return "", fault.New(fault.Invalid, "plugin.program", "the program of the plugin "+m.ID+" lies outside its directory")
	}
	return full, nil
}

// logLines puts what the program says on its standard error into the log.
func (a *account) logLines(ctx context.Context, r io.Reader) {
	br := bufio.NewReaderSize(r, 8<<10)
	for {
		line, err := br.ReadSlice('\n')
		if s := strings.TrimSpace(string(line)); s != "" {
			a.log.InfoContext(ctx, "plugin", "plugin", a.plugin.ID, "line", text.Preview(s, 400))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// stop ends the program: it is asked, then told, then killed.
func (p *process) stop(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit) //nolint:forbidigo // ending takes its own time
	defer cancel()
	select {
	case <-p.conn.done:
	default:
		_ = p.conn.call(ctx, "shutdown", struct{}{}, nil)
	}
	_ = p.conn.w.Close()
	_ = p.group.Signal("TERM")
	select {
	case <-p.done:
		return
	case <-ctx.Done():
	}
	_ = p.group.Signal("KILL")
	_ = p.out.Close() // something that left the group may hold the other end
	<-p.done
}

// begin makes the program ready to serve an account.
func (a *account) begin(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timing.Start)
	defer cancel()
	var hello struct {
		Protocol int    `json:"protocol"`
		ID       string `json:"id"`
	}
	err := p.conn.call(ctx, "initialize", map[string]any{"protocol": protocol, "host": map[string]string{"name": "openclaw", "version": a.opts.Version}}, &hello)
	if err != nil {
		return err
	}
	if hello.Protocol != protocol || hello.ID != a.plugin.ID {
		return fault.New(fault.Invalid, "plugin.initialize", "the program isn't what the manifest says: install the plugin "+a.plugin.ID+" again")
	}
	return p.conn.call(ctx, "channel.start", startParams{a.about.ID, string(a.env.Account), a.config, a.data, p.files}, nil)
}

type startParams struct {
	Channel any             `json:"channel"`
	Account string          `json:"account"`
	Config  json.RawMessage `json:"config"`
	State   string          `json:"state"` // a directory to keep things in
	Files   string          `json:"files"` // a directory to hand files over
}
