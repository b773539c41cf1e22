package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/config"
)

// What is kept out of texts is secrets, not the words that stand beside them.
func TestSecretTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := config.Paths{Home: dir, State: dir, Config: filepath.Join(dir, "openclaw.json")}
	write(t, paths.Config, `{
  gateway: { auth: { mode: "password", password: "hunter2" } },
  models: { providers: {
    local: { baseUrl: "http://127.0.0.1:11434/v1", apiKey: "ollama-local", models: [], headers: { "Content-Type": "application/json", Authorization: "Bearer head-5551234567" } },
    named: { baseUrl: "https://x.example/v1", apiKey: { source: "env", provider: "default", id: "NAMED_API_KEY" }, models: [] },
    plain: { baseUrl: "https://y.example/v1", apiKey: "sk-plain-0123456789", models: [] },
    variable: { baseUrl: "https://z.example/v1", apiKey: "OTHER_API_KEY", models: [] },
  } },
}`)
	write(t, filepath.Join(dir, ".env"), "BRAVE_API_KEY=brave-1234567\nCOLOR=blue-green-1234\n")
	l, err := config.Load(t.Context(), paths, config.LoadOptions{Env: func(string) string { return "" }, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	got := l.Config.SecretTexts()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"brave-1234567", "head-5551234567", "hunter2", "sk-plain-0123456789"}, got); diff != "" {
		t.Error(diff)
	}
}
