package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/config"
)

// home is a fresh home directory with its state directory.
func home(t testing.TB) config.Paths {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := config.FindPaths(func(string) string { return "" }, config.PathOptions{UserHome: dir})
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func vars(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

// options take nothing from the environment of the test.
func options(t testing.TB, env map[string]string) config.LoadOptions {
	return config.LoadOptions{Env: vars(env), Dir: t.TempDir()}
}

type issue struct {
	Path          string
	Message       string
	AllowedValues []any
}

// place copies a sample into a fresh home.
func place(t *testing.T, name string) config.Paths {
	t.Helper()
	p := home(t)
	src := filepath.Join("testdata/samples", name)
	info, err := os.Stat(src)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		raw, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		write(t, p.Config, string(raw))
		return p
	}
	if err := os.CopyFS(p.State, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(p.State, "openclaw.json5"), p.Config); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSamples(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/samples/verdicts.json")
	if err != nil {
		t.Fatal(err)
	}
	var verdicts struct {
		Environment map[string]string
		Results     []struct {
			File   string
			Valid  bool
			Issues []issue
		}
	}
	if err := json.Unmarshal(raw, &verdicts); err != nil {
		t.Fatal(err)
	}
	if len(verdicts.Results) != 49 {
		t.Fatalf("%d verdicts, want 49", len(verdicts.Results))
	}
	// The original stops early; these it would find later.
	beyond := map[string][]string{
		"invalid/19-heartbeat-target-and-duration.json5": {"agents.defaults.heartbeat.target"},
		"invalid/20-many-errors.json5":                   {"tools"},
	}
	for _, v := range verdicts.Results {
		t.Run(v.File, func(t *testing.T) {
			t.Parallel()
			p := place(t, v.File)
			l, err := config.Load(t.Context(), p, options(t, verdicts.Environment))
			if v.File == "invalid/02-mcp-top-level.json5" { // valid for us
				v.Valid, v.Issues = true, nil
			}
			if (err == nil) != v.Valid {
				t.Fatalf("Load: %v, want valid = %v", err, v.Valid)
			}
			got := map[string]issue{}
			for _, pr := range l.Problems {
				message := strings.NewReplacer(p.State, "<STATE>", p.Home, "<HOME>").Replace(pr.Message)
				got[pr.Where()+": "+message] = issue{pr.Where(), message, pr.Allowed}
				if pr.Line == 0 || pr.Column == 0 && !strings.Contains(message, "parse failed") || pr.File == "" {
					t.Errorf("%s has no place", pr)
				}
			}
			want := map[string]issue{}
			for _, i := range v.Issues {
				want[i.Path+": "+i.Message] = i
			}
			for _, path := range beyond[v.File] {
				for k, i := range got {
					if _, recorded := want[k]; i.Path == path && !recorded {
						delete(got, k)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissingFileIsEmpty(t *testing.T) {
	t.Parallel()
	l, err := config.Load(t.Context(), home(t), options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if l.Exists || l.Config.Gateway.Port != 18789 {
		t.Errorf("exists = %v, port = %d", l.Exists, l.Config.Gateway.Port)
	}
	if want := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; l.Hash != want {
		t.Errorf("hash = %s, want that of nothing", l.Hash)
	}
}

func TestAllProblemsInOnePass(t *testing.T) { // CFG-01
	t.Parallel()
	raw, err := os.ReadFile("testdata/faults/retired-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	p := home(t)
	write(t, p.Config, strings.NewReplacer(`"ownerDisplay"`, `"ownerDisplayed"`, `"streamMode"`, `"streamingMode"`).Replace(string(raw))) // keys that are known here
	l, err := config.Load(t.Context(), p, options(t, nil))
	var invalid *config.Invalid
	if !errors.As(err, &invalid) {
		t.Fatalf("Load: %v", err)
	}
	got := map[string]int{}
	for _, pr := range l.Problems {
		got[pr.Key] = pr.Line
		if pr.Mend == "" {
			t.Errorf("%s says no mend", pr)
		}
	}
	want := map[string]int{
		"gateway.controlUi.requirePairing": 3, "gateway.controlUi.autoApproveDevices": 3, "commands.ownerDisplayed": 4,
		"plugins.bundledDiscovery": 5, "telegram": 6, "channels.discord.streamingMode": 7,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if l.Config == nil || l.Config.Gateway.Mode != "local" {
		t.Error("no best-effort configuration for commands that only look")
	}
	if now, _ := os.ReadFile(p.Config); !strings.Contains(string(now), "requirePairing") {
		t.Error("loading changed the file")
	}
}

func BenchmarkLoad(b *testing.B) {
	p := home(b)
	raw, err := os.ReadFile("testdata/samples/valid/21-gateway-full.json5")
	if err != nil {
		b.Fatal(err)
	}
	write(b, p.Config, string(raw))
	opts := options(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := config.Load(context.Background(), p, opts); err != nil {
			b.Fatal(err)
		}
	}
}
