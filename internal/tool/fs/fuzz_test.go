package fs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/fs"
)

// FuzzFile: whatever a file or an ignore file holds, the tools answer with
// valid text.
func FuzzFile(f *testing.F) {
	for _, s := range []string{"a\nb\n", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00", "caf\xe9", "a\x00", "*.go\n!b\n/c/\n", "[\n\\\n{a,b}\n**\n", "\xff\xfe\x00\xd8"} {
		f.Add([]byte(s))
	}
	tools := fs.New(fs.Options{})
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		for _, name := range []string{"f.txt", ".gitignore"} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i, args := range []string{`{"path":"f.txt"}`, "", `{"path":"f.txt","oldText":"a","newText":"é"}`, `{}`, `{"pattern":"a","context":1}`, `{"pattern":"*"}`} {
			if args == "" {
				continue
			}
			res, err := tools[i].Run(t.Context(), tool.Call{Call: llm.Call{Args: json.RawMessage(args)}, Scope: tool.Scope{Workspace: dir}})
			if err != nil {
				t.Fatal(err)
			}
			if got := (llm.Message{Content: res.Content}).Text(); !utf8.ValidString(got) || got == "" {
				t.Errorf("%s on %q = %q", args, b, got)
			}
		}
	})
}
