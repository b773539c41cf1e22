package workspace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/workspace"
	"github.com/openclaw-go/openclaw/internal/base/fault"
)

func ensure(t *testing.T, o workspace.Options) workspace.State {
	t.Helper()
	s, err := workspace.Ensure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLifeOfBootstrap(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "ws")
	o := workspace.Options{Dir: dir}
	s := ensure(t, o)
	if got := names(t, dir); got != ".openclaw AGENTS.md BOOTSTRAP.md HEARTBEAT.md IDENTITY.md SOUL.md TOOLS.md USER.md memory" {
		t.Errorf("a new workspace has %s", got)
	}
	if s.SeededAt == "" || s.CompletedAt != "" {
		t.Errorf("state = %+v", s)
	}
	raw, err := os.ReadFile(filepath.Join(dir, ".openclaw", "workspace-state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"version\": 1,\n  \"bootstrapSeededAt\": \"" + s.SeededAt + "\"\n}\n"; string(raw) != want {
		t.Errorf("state file = %q, want %q", raw, want)
	}
	put(t, dir, "SOUL.md", "mine")
	if again := ensure(t, o); again != s {
		t.Errorf("the second time changed %+v to %+v", s, again)
	}
	// The agent is done with it.
	if err := os.Remove(filepath.Join(dir, "BOOTSTRAP.md")); err != nil {
		t.Fatal(err)
	}
	done := ensure(t, o)
	if done.CompletedAt == "" || done.SeededAt != s.SeededAt {
		t.Errorf("state = %+v", done)
	}
	for range 2 {
		ensure(t, o)
	}
	if got := names(t, dir); strings.Contains(got, "BOOTSTRAP") {
		t.Errorf("BOOTSTRAP.md came back: %s", got)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "SOUL.md")); string(b) != "mine" {
		t.Errorf("SOUL.md was changed to %q", b)
	}
}

func TestExistingWorkspaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		prepare   func(dir string)
		bootstrap bool
		completed bool
	}{
		{"edited identity", func(d string) { put(t, d, "IDENTITY.md", "Name: Max") }, false, true},
		{"memory", func(d string) { put(t, d, "MEMORY.md", "x") }, false, true},
		{"under version control", func(d string) { _ = os.Mkdir(filepath.Join(d, ".git"), 0o700) }, false, true},
		{"only an AGENTS.md", func(d string) { put(t, d, "AGENTS.md", "x") }, true, false},
		{"something else", func(d string) { put(t, d, "notes.txt", "x") }, true, false},
		{"state of the original", func(d string) {
			_ = os.Mkdir(filepath.Join(d, ".openclaw"), 0o700)
			put(t, d, ".openclaw/workspace-state.json", `{"version":1,"bootstrapSeededAt":"2026-01-01T00:00:00.000Z","onboardingCompletedAt":"2026-01-02T00:00:00.000Z"}`)
		}, false, true},
		{"damaged state", func(d string) {
			_ = os.Mkdir(filepath.Join(d, ".openclaw"), 0o700)
			put(t, d, ".openclaw/workspace-state.json", `{"vers`)
		}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.prepare(dir)
			s := ensure(t, workspace.Options{Dir: dir})
			_, err := os.Stat(filepath.Join(dir, "BOOTSTRAP.md"))
			if (err == nil) != c.bootstrap || (s.CompletedAt != "") != c.completed {
				t.Errorf("BOOTSTRAP.md there: %v, state %+v", err == nil, s)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	skip := filepath.Join(t.TempDir(), "ws")
	ensure(t, workspace.Options{Dir: skip, Skip: true})
	if got := names(t, skip); got != "" {
		t.Errorf("skipBootstrap made %s", got)
	}
	private := filepath.Join(t.TempDir(), "ws")
	ensure(t, workspace.Options{Dir: private, Private: true})
	err := filepath.Walk(private, func(p string, fi os.FileInfo, err error) error {
		if err == nil && fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", p, fi.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, dir := range []string{"", "relative", "/"} {
		if _, err := workspace.Ensure(t.Context(), workspace.Options{Dir: dir}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Ensure(%q) = %v", dir, err)
		}
	}
	file := filepath.Join(t.TempDir(), "f")
	put(t, filepath.Dir(file), "f", "")
	if _, err := workspace.Ensure(t.Context(), workspace.Options{Dir: file}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Ensure of a file = %v", err)
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"} {
		if s := workspace.Template(n); len(s) < 100 || !strings.HasPrefix(s, "# ") || !json.Valid([]byte(`"`+strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s)+`"`)) {
			t.Errorf("template %s = %q", n, s)
		}
	}
	if workspace.Template("../workspace.go") != "" {
		t.Error("a template from outside")
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	write := func(name, content string) {
		put(t, dir, name, content)
		old = old.Add(time.Second)
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{"SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"} {
		write(n, "text of "+n)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	put(t, filepath.Dir(outside), "secret", "CANARY")
	if err := os.Chtimes(outside, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	write("USER.md", strings.Repeat("x", workspace.MaxFile+1))

	var r workspace.Reader
	files, stamp, err := r.Files(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	at := func(n string) string { return filepath.Join(dir, n) }
	want := []workspace.File{
		{Name: "AGENTS.md", Path: at("AGENTS.md"), Missing: true}, // leads out
		{Name: "SOUL.md", Path: at("SOUL.md"), Text: "text of SOUL.md"},
		{Name: "TOOLS.md", Path: at("TOOLS.md"), Text: "text of TOOLS.md"},
		{Name: "IDENTITY.md", Path: at("IDENTITY.md"), Text: "text of IDENTITY.md"},
		{Name: "USER.md", Path: at("USER.md"), Missing: true}, // too large
		{Name: "HEARTBEAT.md", Path: at("HEARTBEAT.md"), Text: "text of HEARTBEAT.md"},
		{Name: "MEMORY.md", Path: at("MEMORY.md"), Text: "text of MEMORY.md"},
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	again, same, err := r.Files(t.Context(), dir)
	if err != nil || same != stamp || &again[0] != &files[0] {
		t.Error("unchanged files were read again")
	}
	write("SOUL.md", "TEXT of SOUL.md") // the same size
	if files, next, err := r.Files(t.Context(), dir); err != nil || next == stamp || files[1].Text != "TEXT of SOUL.md" {
		t.Errorf("a change went unseen: %+v, %v", files[1], err)
	}
	if _, _, err := r.Files(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a missing workspace")
	}
}

// TestQuickEdits: edits within one tick of the clock are seen.
func TestQuickEdits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var r workspace.Reader
	var last workspace.Stamp
	for i := range 50 {
		content := string(rune('a' + i%26))
		put(t, dir, "SOUL.md", content)
		files, stamp, err := r.Files(t.Context(), dir)
		if err != nil || files[1].Text != content || stamp == last {
			t.Fatalf("edit %d: %q, %v", i, files[1].Text, err)
		}
		last = stamp
	}
}

func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	if _, err := workspace.Ensure(b.Context(), workspace.Options{Dir: dir}); err != nil {
		b.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for _, n := range []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"} {
		if err := os.Chtimes(filepath.Join(dir, n), old, old); err != nil {
			b.Fatal(err)
		}
	}
	var r workspace.Reader
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := r.Files(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEnsure(b *testing.B) {
	o := workspace.Options{Dir: b.TempDir()}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := workspace.Ensure(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}
