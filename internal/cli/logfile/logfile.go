// Package logfile writes the gateway's log: one JSON object a line, in the
// shape that OpenClaw's clients read from logs.tail, a new file each day.
package logfile

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// keepDays is how long old files stay.
const keepDays = 7

// Handler is a slog handler that writes to a file.
type Handler struct {
	file   *file
	level  slog.Leveler
	prefix string      // of the groups, with its dot
	attrs  []slog.Attr // their keys are complete
}

var _ slog.Handler = (*Handler)(nil)

type file struct {
	mu   sync.Mutex
	path func(time.Time) string
	open string // path of f
	f    *os.File
	host string
}

// New returns a handler that writes to path; a path of the form
// <dir>/openclaw-2006-01-02.log, as [Daily] makes it, follows the date.
func New(path func(time.Time) string, level slog.Leveler) (*Handler, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	h := &Handler{file: &file{path: path, host: host}, level: level}
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	return h, h.file.rotateLocked(time.Now())
}

// Daily names a file for each day in dir.
func Daily(dir string) func(time.Time) string {
	return func(t time.Time) string { return filepath.Join(dir, "openclaw-"+t.Format(time.DateOnly)+".log") }
}

// Fixed names one file.
func Fixed(path string) func(time.Time) string { return func(time.Time) string { return path } }

// Path is the file that is written now.
func (h *Handler) Path() string {
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	return h.file.open
}

// Close closes the file.
func (h *Handler) Close() error {
	h.file.mu.Lock()
	defer h.file.mu.Unlock()
	if h.file.f == nil {
		return nil
	}
	err := h.file.f.Close()
	h.file.f = nil
	return err
}

// Enabled implements [slog.Handler].
func (h *Handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.attrs = append(out.attrs[:len(out.attrs):len(out.attrs)], h.named(attrs)...)
	return &out
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	out := *h
	out.prefix += name + "."
	return &out
}

func (h *Handler) named(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = slog.Attr{Key: h.prefix + a.Key, Value: a.Value}
	}
	return out
}

// line is the shape of tslog, which OpenClaw logs with: "0" names the
// subsystem, "1" is the message.
type line struct {
	Subsystem string `json:"0"`
	Message   string `json:"1"`
	Meta      meta   `json:"_meta"`
	Time      string `json:"time"`
}

type meta struct {
	Runtime   string    `json:"runtime"`
	Hostname  string    `json:"hostname"`
	Name      string    `json:"name"`
	Date      time.Time `json:"date"`
	LevelID   int       `json:"logLevelId"`
	LevelName string    `json:"logLevelName"`
}

// Handle implements [slog.Handler].
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	subsystem := "gateway"
	var b strings.Builder
	b.WriteString(r.Message)
	add := func(a slog.Attr) {
		v := a.Value.Resolve()
		if a.Key == "subsystem" || a.Key == "component" {
			subsystem = v.String()
			return
		}
		if !a.Equal(slog.Attr{}) {
			fmt.Fprintf(&b, " %s=%s", a.Key, word(v.String()))
		}
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool {
		add(slog.Attr{Key: h.prefix + a.Key, Value: a.Value})
		return true
	})
	sub, err := json.Marshal(map[string]string{"subsystem": subsystem})
	if err != nil {
		return err
	}
	n, name := level(r.Level)
	raw, err := json.Marshal(line{
		Subsystem: string(sub), Message: b.String(), Time: r.Time.Format("2006-01-02T15:04:05.000-07:00"),
		Meta: meta{Runtime: "go", Hostname: h.file.host, Name: "openclaw", Date: r.Time.UTC(), LevelID: n, LevelName: name},
	})
	if err != nil {
		return err
	}
	return h.file.write(append(raw, '\n'), r.Time)
}

func word(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"=") {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func level(l slog.Level) (int, string) {
	switch {
	case l < slog.LevelDebug:
		return 1, "TRACE"
	case l < slog.LevelInfo:
		return 2, "DEBUG"
	case l < slog.LevelWarn:
		return 3, "INFO"
	case l < slog.LevelError:
		return 4, "WARN"
	}
	return 5, "ERROR"
}

func (f *file) write(raw []byte, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.rotateLocked(now); err != nil {
		return err
	}
	_, err := f.f.Write(raw)
	return err
}

// rotateLocked opens the file of now, when it isn't open, and removes old ones.
func (f *file) rotateLocked(now time.Time) error {
	path := f.path(now)
	if f.f != nil && path == f.open {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	next, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if f.f != nil {
		_ = f.f.Close() // of yesterday, all written
		f.sweepLocked(now)
	}
	f.f, f.open = next, path
	return nil
}

func (f *file) sweepLocked(now time.Time) {
	for d := keepDays + 1; d < keepDays+15; d++ {
		_ = os.Remove(f.path(now.AddDate(0, 0, -d))) // most days there is none
	}
}
