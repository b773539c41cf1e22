package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// request and response are what is spoken with the program of an exec
// provider, on its standard input and output.
type request struct {
	Version  int      `json:"protocolVersion"`
	Provider string   `json:"provider"`
	IDs      []string `json:"ids"`
}

type response struct {
	Version int               `json:"protocolVersion"`
	Values  map[string]string `json:"values"`
	Errors  map[string]struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// fromExec runs the program of a provider: no shell, an absolute path, only
// the environment that is named, bounded time and output.
func (r *Resolver) fromExec(ctx context.Context, p Provider, ref Ref) (String, error) {
	path, err := trusted(p)
	if err != nil {
		return "", fail(fault.Forbidden, ref, err.Error())
	}
	timeout := time.Duration(pick(int64(p.TimeoutMs), defaultTimeoutMs, maxTimeoutMs)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	in, err := json.Marshal(request{Version: 1, Provider: ref.Provider, IDs: []string{ref.ID}})
	if err != nil {
		return "", fail(fault.Internal, ref, "the request can't be written")
	}
	out := &limited{max: pick(p.MaxOutputBytes, defaultBytes, maxBytes), end: cancel}
	if p.NoOutputTimeoutMs > 0 {
		out.silent = time.Duration(pick(int64(p.NoOutputTimeoutMs), 0, maxTimeoutMs)) * time.Millisecond
	}
	out.watch()
	cmd := exec.CommandContext(ctx, path, p.Args...) //nolint:gosec // the owner configured it; checked by trusted
	cmd.Env = r.environ(p)
	cmd.Dir = filepath.Dir(path)
	cmd.Stdin = bytes.NewReader(append(in, '\n'))
	cmd.Stdout = out
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err = cmd.Run()
	out.stop()
	switch {
	case out.tooMuch:
		return "", fail(fault.Invalid, ref, "the secret program wrote more than maxOutputBytes")
	case out.quiet.Load():
		return "", fail(fault.Timeout, ref, "the secret program wrote nothing for noOutputTimeoutMs")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fail(fault.Timeout, ref, "the secret program took longer than timeoutMs")
	case err != nil:
		return "", fail(fault.Unavailable, ref, "the secret program failed: "+exitText(err))
	}
	return answer(out.buf.Bytes(), p, ref)
}

func answer(raw []byte, p Provider, ref Ref) (String, error) {
	var res response
	if err := json.Unmarshal(bytes.TrimSpace(raw), &res); err != nil || res.Version != 1 {
		if p.JSONOnly != nil && !*p.JSONOnly {
			return String(strings.TrimSpace(string(raw))), nil
		}
		return "", fail(fault.Invalid, ref, "the secret program must answer {protocolVersion: 1, values: {…}}; set jsonOnly: false if it prints the secret itself")
	}
	if v, ok := res.Values[ref.ID]; ok {
		return String(v), nil
	}
	return "", fail(fault.NotFound, ref, "the secret program has no value for this id") // its message may quote a secret
}

// trusted returns the real path of the program, or why it isn't run.
func trusted(p Provider) (string, error) {
	if field, message := p.Check(); field != "" {
		return "", errors.New(message)
	}
	info, err := os.Lstat(p.Command)
	if err != nil {
		return "", errors.New("the secret program isn't there; check secrets.providers.*.command")
	}
	path := filepath.Clean(p.Command)
	if info.Mode()&os.ModeSymlink != 0 && !p.AllowSymlinkCommand {
		return "", errors.New("the secret program is a symbolic link; name its target, or set allowSymlinkCommand")
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", errors.New("the secret program is a broken link")
	}
	if info, err = os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", errors.New("the secret program is no regular file")
	}
	if len(p.TrustedDirs) > 0 && !slices.ContainsFunc(p.TrustedDirs, func(d string) bool { return inside(path, d) }) {
		return "", errors.New("the secret program is outside of trustedDirs")
	}
	if bad := exposed(info, 0o022); bad != "" && !p.AllowInsecurePath {
		return "", errors.New("the secret program isn't safe: " + bad + "; run: chmod go-w on it, or set allowInsecurePath")
	}
	return path, nil
}

func inside(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// environ is all the program sees: passEnv and env, nothing else.
func (r *Resolver) environ(p Provider) []string {
	env := []string{}
	for _, k := range p.PassEnv {
		if v := r.env(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	for k, v := range p.Env {
		env = append(env, k+"="+v)
	}
	return env
}

func exitText(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.String()
	}
	return "it can't be started"
}

// limited collects output up to a bound, and ends the program when it passes
// that or, with a bound on silence, stays silent too long.
type limited struct {
	buf     bytes.Buffer
	max     int64
	end     func()
	silent  time.Duration // 0 is no bound
	timer   *time.Timer
	tooMuch bool
	quiet   atomic.Bool
}

func (l *limited) watch() {
	if l.silent > 0 {
		l.timer = time.AfterFunc(l.silent, func() { l.quiet.Store(true); l.end() })
	}
}

func (l *limited) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// Write implements io.Writer.
func (l *limited) Write(b []byte) (int, error) {
	if l.timer != nil {
		l.timer.Reset(l.silent)
	}
	if int64(l.buf.Len()+len(b)) > l.max {
		l.tooMuch = true
		l.end()
		return 0, errors.New("too much output")
	}
	return l.buf.Write(b)
}
