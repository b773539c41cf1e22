package control

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
)

type restartParams struct {
	SessionKey string `json:"sessionKey,omitempty"`
	Note       string `json:"note,omitempty"`
	DelayMs    *int64 `json:"restartDelayMs,omitempty" schema:"minimum=0"`
}

// restartPlan is what a client is told about the restart that its change
// brings. Mode is emit when there will be one, hot when none is needed.
type restartPlan struct {
	OK        bool   `json:"ok"`
	PID       int    `json:"pid"`
	Signal    string `json:"signal"`
	DelayMs   int64  `json:"delayMs"`
	Reason    string `json:"reason"`
	Mode      string `json:"mode"`
	Coalesced bool   `json:"coalesced"`
	Cooldown  int64  `json:"cooldownMsApplied"`
}

// Sentinel is a note to the next process, which tells the session that asked
// for the restart that it is done.
type Sentinel struct {
	Kind       string            `json:"kind"` // config-apply, config-patch
	Status     string            `json:"status"`
	Ts         int64             `json:"ts"`
	SessionKey id.SessionKey     `json:"sessionKey,omitempty"`
	Delivery   *session.Delivery `json:"deliveryContext,omitempty"`
	ThreadID   string            `json:"threadId,omitempty"`
	Message    *string           `json:"message"`
	DoctorHint string            `json:"doctorHint"`
	Stats      SentinelStats     `json:"stats"`
}

// SentinelStats says what was done.
type SentinelStats struct {
	Mode string `json:"mode"`
	Root string `json:"root"`
}

type sentinelRef struct {
	Path    *string  `json:"path"` // null when no restart needs it
	Payload Sentinel `json:"payload"`
}

const sentinelName = "restart-sentinel.json"

// restartWait is how long a restart waits so that the answer gets out.
const (
	restartWait    = 2 * time.Second
	maxRestartWait = time.Minute
)

type sentinelFile struct {
	Version int      `json:"version"`
	Payload Sentinel `json:"payload"`
}

// restarting adds to r what happens next: a restart when one of the changed
// paths needs it or the client asked for one by giving a delay.
func (c *Control) restarting(ctx context.Context, r changeResult, method string, p restartParams, changed []string) (changeResult, error) {
	r.Restart = &restartPlan{OK: true, PID: os.Getpid(), Signal: "SIGUSR1", Reason: method, Mode: "hot"}
	r.Sentinel = &sentinelRef{Payload: c.sentinel(ctx, method, p)}
	if c.Restart == nil || p.DelayMs == nil && !NeedsRestart(changed) {
		return r, nil
	}
	wait := restartWait
	if p.DelayMs != nil {
		wait = time.Duration(min(*p.DelayMs, maxRestartWait.Milliseconds())) * time.Millisecond
	}
	if path, err := putSentinel(c.Config().Paths.State, r.Sentinel.Payload); err != nil {
		c.Log.WarnContext(ctx, "the note for after the restart can't be written", "err", err)
	} else {
		r.Sentinel.Path = &path
	}
	r.Restart.Mode, r.Restart.DelayMs = "emit", wait.Milliseconds()
	r.Restart.Coalesced = c.Restart(method, wait)
	return r, nil
}

func (c *Control) sentinel(ctx context.Context, method string, p restartParams) Sentinel {
	s := Sentinel{
		Kind: strings.ReplaceAll(method, ".", "-"), Status: "ok", Ts: millis(c.Now()),
		DoctorHint: "Run: openclaw doctor --non-interactive",
		Stats:      SentinelStats{Mode: method, Root: c.File.Paths.Config},
	}
	if note := strings.TrimSpace(p.Note); note != "" {
		s.Message = &note
	}
	if key := strings.TrimSpace(p.SessionKey); key != "" {
		cfg := c.Config()
		s.SessionKey = cfg.Key(cfg.DefaultAgent(), key)
		if asked, ok, err := c.Sessions.Get(ctx, s.SessionKey); err == nil && ok && asked.Delivery != nil {
			s.Delivery, s.ThreadID = asked.Delivery, asked.Delivery.ThreadID
		}
	}
	return s
}

func putSentinel(state string, s Sentinel) (string, error) {
	raw, err := json.MarshalIndent(sentinelFile{1, s}, "", "  ")
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return "", err
	}
	defer root.Close()
	_, err = replace(root, sentinelName, append(raw, '\n'), 0o600)
	return filepath.Join(state, sentinelName), err
}

// TakeSentinel returns the note that the process before left in the state
// directory, and removes it. ok is false when there is none.
func TakeSentinel(state string) (s Sentinel, ok bool, err error) {
	const op = "control.TakeSentinel"
	path := filepath.Join(state, sentinelName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil || info.Size() > maxIdentity {
		return s, false, errors.Join(fault.Wrap(fault.Invalid, op, err), os.Remove(path))
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return s, false, fault.Wrap(fault.Unavailable, op, err)
	}
	if err := os.Remove(path); err != nil {
		return s, false, fault.Wrap(fault.Unavailable, op, err)
	}
	var f sentinelFile
	if err := json.Unmarshal(raw, &f); err != nil || f.Payload.Kind == "" {
		return s, false, fault.New(fault.Invalid, op, "restart-sentinel.json is no note of a restart; it was removed")
	}
	return f.Payload, true, nil
}
