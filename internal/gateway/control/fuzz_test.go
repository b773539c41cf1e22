package control_test

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
)

// FuzzIdentity: whatever IDENTITY.md holds, clients get a name and a face.
func FuzzIdentity(f *testing.F) {
	for _, s := range []string{"- Name: Zoe\n- Emoji: 🦊\n", "- **Name:** _(pick)_\r\n", "Name:\n:\n*", "\xff\xfe- Name: \xff", "- Avatar: data:image/png;base64,AA"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	file := filepath.Join(dir, "IDENTITY.md")
	cfg := &config.Config{}
	cfg.Agents.Defaults.Workspace = dir
	m := methodOf(control.New(control.Deps{Config: func() *config.Config { return cfg }}), "agent.identity.get")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := m.Call(t.Context(), owner(), []byte(`{}`))
		if err != nil || got == nil {
			t.Errorf("%q: %v, %v", raw, got, err)
		}
	})
}

// FuzzLogs: a tail is whole lines of valid text, and its cursor lies in the file.
func FuzzLogs(f *testing.F) {
	f.Add([]byte("a\nb\n"), uint8(1), uint8(2))
	f.Add([]byte("no end"), uint8(0), uint8(200))
	f.Add([]byte("\n\n\xff\n\"token\":\"abcdefgh\"\n"), uint8(3), uint8(9))
	file := filepath.Join(f.TempDir(), "openclaw.log")
	c := benchControl(file)
	m := methodOf(c, "logs.tail")
	f.Fuzz(func(t *testing.T, raw []byte, cursor, most uint8) {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := call(t, m, object{"cursor": cursor, "maxBytes": max(1, int(most))})
		if err != nil {
			t.Fatal(err)
		}
		got := into[tail](t, out)
		if got.Cursor < 0 || got.Cursor > int64(len(raw)) || got.Size != int64(len(raw)) {
			t.Errorf("cursor %d of %d", got.Cursor, len(raw))
		}
		for _, l := range got.Lines {
			if !utf8.ValidString(l) {
				t.Errorf("line %q", l)
			}
		}
	})
}
