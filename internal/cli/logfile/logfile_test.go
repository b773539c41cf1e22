package logfile_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/cli/logfile"
)

func TestLinesCanBeReadBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "x.log")
	h, err := logfile.New(logfile.Fixed(path), slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(h).With("subsystem", "channels/irc", "account", "a b")
	log.Debug("not this")
	log.WithGroup("g").Warn("lost connection", "err", errors.New(`no "route"`), "n", 3)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(raw), "\n") != 1 {
		t.Fatalf("file = %s", raw)
	}
	e, ok := logfile.Parse(strings.TrimSpace(string(raw)))
	want := `lost connection account="a b" g.err="no \"route\"" g.n=3`
	if !ok || e.Level != "warn" || e.Subsystem != "channels/irc" || e.Message != want {
		t.Errorf("Parse = %+v, %v", e, ok)
	}
	if _, err := time.Parse(time.RFC3339Nano, e.Time); err != nil {
		t.Errorf("time = %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info, err)
	}
}

func TestANewFileEachDay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	day := time.Date(2026, 3, 13, 12, 0, 0, 0, time.UTC)
	old := logfile.Daily(dir)(day.AddDate(0, 0, -8))
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := day
	h, err := logfile.New(func(at time.Time) string {
		if at.Year() > 2026 || at.Sub(day) > 240*time.Hour { // New asks for today
			at = now
		}
		return logfile.Daily(dir)(at)
	}, slog.LevelInfo)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for i := range 2 {
		r := slog.NewRecord(day.AddDate(0, 0, i), slog.LevelInfo, "x", 0)
		if err := h.Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if got := filepath.Base(h.Path()); got != "openclaw-2026-03-14.log" {
		t.Errorf("Path = %s", got)
	}
	for _, p := range []string{logfile.Daily(dir)(day), logfile.Daily(dir)(day.AddDate(0, 0, 1))} {
		if raw, err := os.ReadFile(p); err != nil || len(raw) == 0 {
			t.Errorf("%s: %q, %v", p, raw, err)
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the file of last week is still there")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "text", `{"0":"{\"subsystem\":\"gateway\"}","1":"hi","_meta":{"logLevelName":"INFO","date":"2026-11-30T10:00:00Z"}}`,
		`{"0":"a","1":{"b":1},"time":"x"}`, `{"0":null,"_meta":{"logLevelName":"ERROR"}}`, `{"time":1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, ok := logfile.Parse(s)
		if ok && (e.Raw != s || e.Type != "log" || !json.Valid([]byte(s))) {
			t.Errorf("Parse(%q) = %+v", s, e)
		}
	})
}
