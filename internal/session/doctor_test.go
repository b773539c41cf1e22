package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/session"
)

func findings(t *testing.T, dir string, running bool) []feature.Finding {
	t.Helper()
	var out []feature.Finding
	for _, c := range session.Checks(dir, func() bool { return running }) {
		out = append(out, c.Run(t.Context())...)
	}
	return out
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := filepath.Join(dir, "agents", "main", "sessions")
	ok(t, os.MkdirAll(at, 0o700))
	for _, name := range []string{"torn", "glued", "hole", "open-call"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		ok(t, err)
		ok(t, os.WriteFile(filepath.Join(at, name+".jsonl"), b, 0o600))
	}
	ok(t, os.WriteFile(filepath.Join(at, "x.jsonl.lock"), []byte(`{"pid":999999999,"createdAt":"2026-11-30T20:45:28.971Z"}`), 0o600))
	old := filepath.Join(at, "x.jsonl.reset.2026-01-01T00-00-00.000Z")
	ok(t, os.WriteFile(old, nil, 0o600))
	ok(t, os.Chtimes(old, time.Time{}, time.Now().Add(-31*24*time.Hour)))

	for _, f := range findings(t, dir, true) {
		if strings.Contains(f.Text, "transcript ") && (f.Fix != nil || !strings.Contains(f.Mend, "gateway stop")) {
			t.Errorf("would mend under the hands of a gateway: %+v", f)
		}
	}
	fs := findings(t, dir, false)
	if len(fs) != 4 { // torn, glued, the lock, the old archive
		t.Errorf("%d findings: %+v", len(fs), fs)
	}
	for _, f := range fs {
		if f.Fix == nil || f.Mend == "" {
			t.Errorf("no way out: %+v", f)
			continue
		}
		ok(t, f.Fix(t.Context()))
	}
	if fs := findings(t, dir, false); len(fs) != 0 {
		t.Errorf("still: %+v", fs)
	}
	b, err := os.ReadFile(filepath.Join(at, "glued.jsonl"))
	ok(t, err)
	if n := strings.Count(string(b), "\n"); n != 2 || !strings.Contains(string(b), "next start wrote here") {
		t.Errorf("mended:\n%s", b)
	}
	for _, pattern := range []string{"*.torn.*", "*.bak.*"} {
		if l, err := filepath.Glob(filepath.Join(at, pattern)); err != nil || len(l) != 2 {
			t.Errorf("%s: %v, %v", pattern, l, err)
		}
	}
}
