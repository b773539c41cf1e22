package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/logfile"
	"github.com/openclaw-go/openclaw/internal/client"
)

type logFlags struct {
	t                      target
	limit, bytes, interval int
	follow, plain, local   bool
}

// tailReply is the answer of logs.tail.
type tailReply struct {
	File      string   `json:"file"`
	Cursor    int64    `json:"cursor"`
	Size      int64    `json:"size"`
	Lines     []string `json:"lines"`
	Truncated bool     `json:"truncated"`
	Reset     bool     `json:"reset"`
}

// logs is openclaw logs.
func (sh *shell) logs() *cobra.Command {
	var f logFlags
	cmd := sh.command(spec{name: "logs", short: "Show the gateway's log", run: func(ctx context.Context, _ []string) error {
		err := sh.showLogs(ctx, f)
		if err != nil && sh.json && !interrupted(ctx) {
			sh.logError(err)
			return quiet{1}
		}
		if interrupted(ctx) {
			return nil
		}
		return err
	}})
	fs := cmd.Flags()
	fs.IntVar(&f.limit, "limit", 200, "the last `n` lines")
	fs.IntVar(&f.bytes, "max-bytes", 250000, "at most `n` bytes of them")
	fs.BoolVar(&f.follow, "follow", false, "go on until Ctrl-C, through restarts of the gateway")
	fs.IntVar(&f.interval, "interval", 1000, "with --follow: look every so many `ms`")
	fs.BoolVar(&f.plain, "plain", false, "no colours")
	fs.BoolVar(&f.local, "local-time", false, "times of this host's time zone")
	f.t.flags(cmd, 30000)
	f.t.finalFlag(cmd)
	sh.jsonFlag(cmd)
	return cmd
}

// showLogs prints the tail, and with follow all that comes after it.
func (sh *shell) showLogs(ctx context.Context, f logFlags) error {
	o, wrap, err := sh.options(ctx, f.t)
	if err != nil {
		return err
	}
	if f.limit < 1 || f.limit > 5000 {
		return say("--limit is a number from 1 to 5000")
	}
	t := &tail{sh: sh, f: f}
	if !f.follow {
		conn, err := client.Dial(ctx, o)
		if err != nil {
			return wrap(err)
		}
		defer conn.Close()
		return t.once(ctx, conn)
	}
	err = client.Keep(ctx, o, t.follow, func(err error, wait time.Duration) {
		t.notice("gateway disconnected, trying again in " + wait.String() + ": " + hint(err))
	})
	if err != nil && ctx.Err() == nil {
		return wrap(err)
	}
	return nil
}

// tail is where a follower is in the log.
type tail struct {
	sh     *shell
	f      logFlags
	cursor *int64
	file   string
}

func (t *tail) once(ctx context.Context, conn *client.Conn) error {
	params := map[string]any{"limit": t.f.limit, "maxBytes": min(max(t.f.bytes, 1), 1000000)}
	if t.cursor != nil {
		params["cursor"] = *t.cursor
	}
	ctx, cancel := context.WithTimeout(ctx, t.f.t.wait())
	defer cancel()
	var r tailReply
	if err := conn.Call(ctx, "logs.tail", params, &r); err != nil {
		return err
	}
	if r.File != t.file {
		t.file = r.File
		t.meta(r)
	}
	if r.Reset && t.cursor != nil {
		t.notice("the log was cut or rotated")
	}
	if r.Truncated && t.cursor != nil {
		t.notice("some lines were left out")
	}
	for _, l := range r.Lines {
		t.print(l)
	}
	t.cursor = &r.Cursor
	return nil
}

func (t *tail) follow(ctx context.Context, conn *client.Conn) error {
	tick := time.NewTicker(time.Duration(max(t.f.interval, 100)) * time.Millisecond)
	defer tick.Stop()
	for {
		if err := t.once(ctx, conn); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (t *tail) meta(r tailReply) {
	if !t.sh.json {
		t.sh.note("%s", t.sh.err.Dim("Log file: "+r.File))
		return
	}
	t.sh.jsonLine(struct {
		Type   string `json:"type"`
		File   string `json:"file"`
		Cursor int64  `json:"cursor"`
		Size   int64  `json:"size"`
	}{"meta", r.File, r.Cursor, r.Size})
}

func (t *tail) notice(text string) {
	if t.sh.json {
		t.sh.jsonLine(logfile.Entry{Type: "notice", Message: text})
		return
	}
	t.sh.note("%s", t.sh.err.Warn(text))
}

func (t *tail) print(raw string) {
	e, ok := logfile.Parse(raw)
	switch {
	case t.sh.json && ok:
		t.sh.jsonLine(e)
	case t.sh.json:
		t.sh.jsonLine(logfile.Entry{Type: "raw", Raw: raw})
	case !ok:
		t.sh.line("%s", raw)
	default:
		t.sh.line("%s", t.sh.logLine(e, t.f))
	}
}

func (sh *shell) jsonLine(v any) {
	enc := json.NewEncoder(sh.Stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && !errors.Is(err, os.ErrClosed) {
		sh.note("Error: %v", err)
	}
}

func (sh *shell) logLine(e logfile.Entry, f logFlags) string {
	s := sh.out
	if f.plain {
		s.Color = false
	}
	when := e.Time
	if t, err := time.Parse(time.RFC3339Nano, e.Time); err == nil {
		when = t.UTC().Format("2006-01-02T15:04:05.000Z")
		if f.local {
			when = t.Local().Format("2006-01-02T15:04:05.000-07:00")
		}
	}
	level := e.Level
	switch level {
	case "error", "fatal":
		level = s.Bad(level)
	case "warn":
		level = s.Warn(level)
	}
	line := s.Dim(when) + " " + level
	if e.Subsystem != "" {
		line += " " + s.Accent(e.Subsystem)
	}
	return line + " " + e.Message
}

// logError is the error of logs --json: one line, as the lines before it.
func (sh *shell) logError(err error) {
	kind := "Gateway not reachable. Is it running and accessible?"
	if !hasKind(err, fault.Unavailable) && !hasKind(err, fault.Timeout) {
		kind = hint(err)
	}
	enc := json.NewEncoder(sh.Stderr)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{"type": "error", "message": kind, "error": text(err), "hint": "openclaw doctor"}) // stderr is all there is
}
