package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/proc"
	"github.com/openclaw-go/openclaw/internal/machine"
	"github.com/openclaw-go/openclaw/internal/tool"
)

type execArgs struct {
	Command    string            `json:"command" doc:"Shell command to run"`
	Workdir    string            `json:"workdir,omitempty" doc:"Directory to run in; the workspace when left out"`
	Env        map[string]string `json:"env,omitempty" doc:"Variables to set for the command"`
	YieldMs    *float64          `json:"yieldMs,omitempty" doc:"Milliseconds to wait before the command goes on in the background (10 to 120000)"`
	Background bool              `json:"background,omitempty" doc:"Go on in the background at once"`
	Timeout    float64           `json:"timeout,omitempty" doc:"Seconds after which the command is ended; 1800 when left out"`
	PTY        bool              `json:"pty,omitempty" doc:"Run in a terminal, for programs that need one or ask questions"`
	Elevated   bool              `json:"elevated,omitempty" doc:"Run outside a sandbox; without effect where there is none"`
	Host       string            `json:"host,omitempty" doc:"Where to run: gateway"`
	Security   string            `json:"security,omitempty" doc:"Stricter security than configured: deny, allowlist"`
	Ask        string            `json:"ask,omitempty" doc:"Stricter approval than configured: on-miss, always"`
	Node       string            `json:"node,omitempty" doc:"Node to run on, with host node"`
}

// environer is a machine whose commands get a known environment.
type environer interface{ Env() []string }

func (r *Runner) exec(ctx context.Context, call tool.Call, a execArgs) (tool.Result, error) {
	if reason := unfit(a); reason != "" {
		return tool.Errorf("%s", reason), nil
	}
	cfg := r.config()
	m := call.Scope.Machine
	if m == nil {
		m = r.o.Machine
	}
	env, reason := environment(m, a.Env)
	if reason != "" {
		return tool.Errorf("%s", reason), nil
	}
	c := Command{Text: a.Command, Dir: directory(call.Scope.Workspace, a.Workdir, proc.Lookup(env, "HOME")), Env: a.Env}
	if reason := r.allow(ctx, call.Scope, cfg, &c, a); reason != "" {
		return tool.Errorf("%s", reason), nil
	}
	background := a.Background || a.YieldMs != nil && *a.YieldMs <= 0
	if background && !r.room(call.Scope) {
		return tool.Errorf("Too many commands run in the background already (%d in this chat at most). End some with process kill, or wait.", perChat), nil
	}
	s, err := r.start(ctx, call.Scope, m, c, env, a.PTY, r.timeout(cfg, a))
	if err != nil {
		if fault.KindOf(err) == fault.Canceled {
			return tool.Result{}, err
		}
		return tool.Errorf("The command was not run: %s.", fault.Hint(err)), nil
	}
	res := r.follow(ctx, call, s, r.yield(cfg, a), background)
	res.Meta = describe(a.Command)
	return res, nil
}

// unfit says what is wrong with the arguments themselves.
func unfit(a execArgs) string {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return "command is empty"
	case strings.ContainsRune(a.Command, 0), strings.ContainsRune(a.Workdir, 0):
		return "the command or workdir holds a NUL character"
	case len(a.Command) > maxCommand:
		return fmt.Sprintf("the command is longer than %d bytes. Write a script with the write tool and run that", maxCommand)
	case len(a.Env) > 100:
		return "too many variables in env"
	}
	for _, name := range sortedKeys(a.Env) {
		switch {
		case !proc.Settable(name):
			return fmt.Sprintf("the variable %q may not be set: it can make programs load or run something else. Nothing was run", name)
		case strings.ContainsRune(a.Env[name], 0):
			return fmt.Sprintf("the variable %q holds a NUL character", name)
		}
	}
	return ""
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// environment returns the machine's environment with extra on top, or nil when
// the machine keeps its own.
func environment(m machine.Machine, extra map[string]string) (env []string, reason string) {
	e, ok := m.(environer)
	if !ok {
		if len(extra) > 0 {
			return nil, "env can't be set on " + m.Name() + "; set variables in the command itself"
		}
		return nil, ""
	}
	env = append(e.Env(), "OPENCLAW_SHELL=exec")
	for _, k := range sortedKeys(extra) {
		env = proc.Set(env, k, extra[k])
	}
	return env, ""
}

func directory(workspace, dir, home string) string {
	if home != "" && (dir == "~" || strings.HasPrefix(dir, "~/")) {
		dir = home + dir[1:]
	}
	switch {
	case dir == "":
		return workspace
	case filepath.IsAbs(dir), workspace == "":
		return filepath.Clean(dir)
	}
	return filepath.Join(workspace, dir)
}

func (r *Runner) timeout(cfg Config, a execArgs) time.Duration {
	if a.Timeout > 0 {
		return min(time.Duration(min(a.Timeout, maxTimeout.Seconds())*float64(time.Second)), maxTimeout)
	}
	return between(time.Duration(cfg.TimeoutSec)*time.Second, defaultTimeout, time.Second, maxTimeout)
}

func (r *Runner) yield(cfg Config, a execArgs) time.Duration {
	if a.YieldMs != nil {
		return between(time.Duration(min(*a.YieldMs, 1e9))*time.Millisecond, defaultYield, minYield, maxYield)
	}
	return between(time.Duration(cfg.BackgroundMs)*time.Millisecond, defaultYield, minYield, maxYield)
}

// start starts a command and its watcher.
func (r *Runner) start(ctx context.Context, sc tool.Scope, m machine.Machine, c Command, env []string, pty bool, limit time.Duration) (*session, error) {
	s := &session{
		chat: chatOf(sc), key: sc.Session, command: c.Text, pty: pty, limit: limit,
		ring: proc.NewRing(keepBytes), over: make(chan struct{}), started: time.Now(),
	}
	argv := append(shell(m, env), c.Text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, fault.New(fault.Unavailable, "exec.Run", "the gateway is shutting down")
	}
	var err error
	s.p, err = m.Start(ctx, machine.Command{Argv: argv, Dir: c.Dir, Env: env, PTY: pty, Output: s.ring})
	if err != nil {
		return nil, err
	}
	s.id = r.freshLocked()
	r.sessions[s.id] = s
	r.watchers.Go(func() { r.watch(s) })
	return s, nil
}

func shell(m machine.Machine, env []string) []string {
	if _, ok := m.(environer); ok {
		return proc.Shell(env)
	}
	return []string{"/bin/sh", "-c"}
}

// follow waits for the command until it ends or goes on in the background, and
// streams what it prints.
func (r *Runner) follow(ctx context.Context, call tool.Call, s *session, yield time.Duration, now bool) tool.Result {
	if now && r.detach(s) {
		return s.running()
	}
	tick := time.NewTicker(updateEvery)
	defer tick.Stop()
	rest := time.NewTimer(yield)
	defer rest.Stop()
	var sent int64
	for {
		select {
		case <-s.over:
			r.forget(s)
			return s.finished()
		case <-ctx.Done():
			s.stop(stopAbort)
			<-s.over
			r.forget(s)
			return s.finished()
		case <-rest.C:
			if r.room(call.Scope) && r.detach(s) {
				return s.running()
			}
			// No room, or it ended this moment: stay with it.
		case <-tick.C:
			if n := s.ring.Total(); n != sent && call.Update != nil {
				sent = n
				call.Update(s.text(updateBytes))
			}
		}
	}
}

// running is the result of a command that goes on in the background.
func (s *session) running() tool.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "The command is still running: session %s, process %d. Use process to follow it (poll, log), to type into it (pty only) or to kill it.", s.id, s.p.PID())
	out, next := s.since(0, keepBytes)
	if out != "" {
		b.WriteString("\n\nOutput so far:\n" + out)
	}
	s.mu.Lock()
	s.seen = next
	s.mu.Unlock()
	return tool.Text(b.String())
}

// finished is the result of a command that ended.
func (s *session) finished() tool.Result {
	out := s.text(keepBytes)
	end, failed := s.end()
	var b strings.Builder
	switch {
	case out == "" && end == "":
		b.WriteString("(no output)")
	case out == "":
		b.WriteString("(no output)\n\n" + end)
	case end == "":
		b.WriteString(out)
	default:
		b.WriteString(out + "\n\n" + end)
	}
	return tool.Result{Content: []llm.Block{llm.Text(b.String())}, IsError: failed}
}

var errGone = errors.New("no such session")
