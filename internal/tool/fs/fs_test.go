package fs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/fs"
)

// rig is a workspace with the file tools.
type rig struct {
	t     *testing.T
	dir   string // the workspace
	tools map[string]tool.Tool
	scope tool.Scope
}

func newRig(t *testing.T) *rig {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: filepath.Join(top, "ws"), tools: map[string]tool.Tool{}}
	r.scope = tool.Scope{Owner: true, Workspace: r.dir, StateDir: filepath.Join(top, "state")}
	for _, d := range []string{r.dir, r.scope.StateDir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tl := range fs.New(fs.Options{Home: top}) {
		r.tools[tl.Spec().Name] = tl
	}
	return r
}

func (r *rig) put(name, content string) string {
	r.t.Helper()
	p := name
	if !filepath.IsAbs(p) {
		p = filepath.Join(r.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (r *rig) get(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r *rig) call(name string, args map[string]any) tool.Result {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	res, err := r.tools[name].Run(r.t.Context(), tool.Call{Call: llm.Call{Name: name, Args: raw}, Scope: r.scope, Update: func(string) {}})
	if err != nil {
		r.t.Fatalf("%s(%s): %v", name, raw, err)
	}
	return res
}

// text calls a tool that must succeed, and fails one that must fail when want
// is an error.
func (r *rig) text(name string, args map[string]any) string {
	r.t.Helper()
	res := r.call(name, args)
	if res.IsError {
		r.t.Errorf("%s(%v) failed: %s", name, args, textOf(res))
	}
	return textOf(res)
}

func (r *rig) refused(name string, args map[string]any, part string) {
	r.t.Helper()
	res := r.call(name, args)
	if !res.IsError || !strings.Contains(textOf(res), part) {
		r.t.Errorf("%s(%v) = %q (error %v), want an error with %q", name, args, textOf(res), res.IsError, part)
	}
}

func textOf(res tool.Result) string { return llm.Message{Content: res.Content}.Text() }

type m = map[string]any

func TestReadPages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var b strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	r.put("long.txt", b.String())

	first := r.text("read", m{"path": "long.txt"})
	if !strings.HasPrefix(first, "line 1\n") || !strings.HasSuffix(first, "line 2000\n\n[Lines 1-2000 of 2500. Go on with offset=2001.]") {
		t.Errorf("first page ends in %q", first[len(first)-80:])
	}
	rest := r.text("read", m{"file_path": "long.txt", "offset": 2001})
	if !strings.HasPrefix(rest, "line 2001\n") || !strings.HasSuffix(rest, "line 2500\n") {
		t.Errorf("second page = %q…", rest[:40])
	}
	if got := r.text("read", m{"path": "long.txt", "offset": 3, "limit": 2}); got != "line 3\nline 4\n\n[Lines 3-4 of 2500. Go on with offset=5.]" {
		t.Errorf("two lines = %q", got)
	}
	r.refused("read", m{"path": "long.txt", "offset": 9999}, "only 2500 lines")
}

func TestReadBytesCap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put("wide.txt", strings.Repeat(strings.Repeat("漢", 300)+"\n", 200))
	got := r.text("read", m{"path": "wide.txt"})
	if len(got) > 51<<10 || !utf8.ValidString(got) || !strings.Contains(got, "of 200. Go on with offset=") {
		t.Errorf("%d bytes, ends in %q", len(got), got[len(got)-60:])
	}
	r.put("one.txt", strings.Repeat("漢", 40_000)+"\nnext\n")
	got = r.text("read", m{"path": "one.txt"})
	if !utf8.ValidString(got) || strings.ContainsRune(got, utf8.RuneError) || !strings.Contains(got, "[Line 1 is 117.2 KiB long") || !strings.Contains(got, "offset=2") {
		t.Errorf("ends in %q", got[len(got)-150:])
	}
	if got := r.text("read", m{"path": "one.txt", "offset": 2}); got != "next\n" {
		t.Errorf("after the long line: %q", got)
	}
}

func TestReadEncodings(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, c := range map[string]struct{ in, want string }{
		"utf8 bom": {"\xef\xbb\xbfhé\n", "hé\n"},
		"utf16le":  {"\xff\xfeh\x00\xe9\x00\n\x00", "hé\n"},
		"utf16be":  {"\xfe\xff\x00h\x00\xe9\x00\n", "hé\n"},
		"latin1":   {"caf\xe9 cr\xe8me\n", "café crème\n"},
		"empty":    {"", "(empty is empty)"},
		"no end":   {"abc", "abc"},
	} {
		r.put(name, c.in)
		if got := r.text("read", m{"path": name}); got != c.want {
			t.Errorf("read %s = %q, want %q", name, got, c.want)
		}
	}
}

func TestReadOtherKinds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 100)
	r.put("a.png", png)
	res := r.call("read", m{"path": "a.png"})
	if len(res.Content) != 2 || res.Content[1].Type != llm.ImageBlock || res.Content[1].MIME != "image/png" || !bytes.Equal(res.Content[1].Data, []byte(png)) {
		t.Errorf("image = %+v", res.Content)
	}
	r.put("a.bin", "\x7fELF\x00\x01\x02\x03")
	if got := r.text("read", m{"path": "a.bin"}); strings.ContainsAny(got, "\x00\x7f") || !strings.Contains(got, "binary data") {
		t.Errorf("binary = %q", got)
	}
	r.refused("read", m{"path": "."}, "is a directory")
	r.refused("read", m{"path": "none.txt"}, "does not exist")
	r.refused("read", m{}, "a path is required")
	r.refused("read", m{"path": "/dev/zero"}, "not a stored file")
	r.refused("read", m{"path": "/proc/self/environ"}, "not a stored file")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.text("write", m{"path": "a/b/c.txt", "content": "one\ntwo\n"}); got != "Created a/b/c.txt (8 bytes, 2 lines)" {
		t.Errorf("write = %q", got)
	}
	if got := r.get("a/b/c.txt"); got != "one\ntwo\n" {
		t.Errorf("file = %q", got)
	}
	script := r.put("run.sh", "old")
	if err := os.Chmod(script, 0o751); err != nil {
		t.Fatal(err)
	}
	r.text("write", m{"file_path": "run.sh", "content": "new"})
	if fi, err := os.Stat(script); err != nil || fi.Mode().Perm() != 0o751 {
		t.Errorf("mode = %v, %v", fi.Mode(), err)
	}
	r.refused("write", m{"path": "a", "content": "x"}, "is a directory")
	r.refused("write", m{"path": "x.txt"}, "content")
	left, _ := filepath.Glob(filepath.Join(r.dir, ".*.tmp"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	// Home and links, for an owner.
	r.text("write", m{"path": "~/home.txt", "content": "h"})
	if got := r.text("read", m{"path": "~/home.txt"}); got != "h" {
		t.Errorf("~/home.txt = %q", got)
	}
	if err := os.Symlink("run.sh", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	r.text("write", m{"path": "link", "content": "through"})
	if got := r.get("run.sh"); got != "through" {
		t.Errorf("the link's file = %q", got)
	}
}

func TestWriteInStateDirIsPrivate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.dir = filepath.Join(r.scope.StateDir, "workspace")
	r.scope.Workspace = r.dir
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.text("write", m{"path": "d/notes.md", "content": "x"})
	for name, want := range map[string]os.FileMode{"d": 0o700, "d/notes.md": 0o600} {
		if fi, err := os.Stat(filepath.Join(r.dir, name)); err != nil || fi.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, want %v", name, fi.Mode().Perm(), want)
		}
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		args       m
		want       string
	}{
		{"simple", "a\nb\nc\n", m{"oldText": "b", "newText": "B"}, "a\nB\nc\n"},
		{"aliases", "abc", m{"old_string": "b", "new_string": ""}, "ac"},
		{"CRLF kept", "a\r\nb\r\nc\r\n", m{"oldText": "a\nb\n", "newText": "a\nx\nb\n"}, "a\r\nx\r\nb\r\nc\r\n"},
		{"mixed ends untouched", "a\r\nb\nc\r\n", m{"oldText": "b", "newText": "B"}, "a\r\nB\nc\r\n"},
		{"BOM kept", "\xef\xbb\xbfabc", m{"oldText": "abc", "newText": "xyz"}, "\xef\xbb\xbfxyz"},
		{"UTF-16 kept", "\xff\xfea\x00b\x00", m{"oldText": "b", "newText": "é"}, "\xff\xfea\x00\xe9\x00"},
		{"Latin-1 kept", "caf\xe9", m{"oldText": "é", "newText": "è"}, "caf\xe8"},
		{"dollar is plain", "price", m{"oldText": "price", "newText": "$1 \\1"}, "$1 \\1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.put("f", c.file)
			c.args["path"] = "f"
			r.text("edit", c.args)
			if got := r.get("f"); got != c.want {
				t.Errorf("file = %q, want %q", got, c.want)
			}
		})
	}
}

func TestEditRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		args       m
		part       string
	}{
		{"none", "abc", m{"oldText": "x", "newText": "y"}, "was not found"},
		{"several", "x\ny\nx\n", m{"oldText": "x", "newText": "y"}, "lines 1, 3"},
		{"overlapping", "aaa", m{"oldText": "aa", "newText": "b"}, "more than once"},
		{"white space", "if a {\n\t\tb\n}\n", m{"oldText": "if a {\n    b\n}", "newText": "y"}, "Line 1 differs from it in white space"},
		{"first line", "func f() {\n\treturn 1\n}\n", m{"oldText": "func f() {\n\treturn 2\n", "newText": "y"}, "Its first line stands at line 1"},
		{"same", "abc", m{"oldText": "a", "newText": "a"}, "nothing to do"},
		{"no old text", "abc", m{"newText": "a"}, "oldText is required"},
		{"no new text", "abc", m{"oldText": "a"}, "newText is required"},
		{"binary", "a\x00b", m{"oldText": "a", "newText": "b"}, "binary data"},
		{"not in Latin-1", "caf\xe9", m{"oldText": "c", "newText": "漢"}, "Latin-1"},
		{"missing file", "", m{"path": "none", "oldText": "c", "newText": "d"}, "does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.put("f", c.file)
			if c.args["path"] == nil {
				c.args["path"] = "f"
			}
			r.refused("edit", c.args, c.part)
			if got := r.get("f"); got != c.file {
				t.Errorf("the file changed to %q", got)
			}
		})
	}
}

func TestLs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put("b.txt", "")
	r.put("A/x", "")
	r.put(".hidden", "")
	if got := r.text("ls", m{}); got != ".hidden\nA/\nb.txt" {
		t.Errorf("ls = %q", got)
	}
	if got := r.text("ls", m{"path": "A"}); got != "x" {
		t.Errorf("ls A = %q", got)
	}
	if got := r.text("ls", m{"limit": 1}); got != ".hidden\n\n[1 of 3 entries. Use a greater limit, or find with a pattern.]" {
		t.Errorf("ls limit = %q", got)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "none"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := r.text("ls", m{"path": "none"}); got != "(empty directory)" {
		t.Errorf("empty = %q", got)
	}
	r.refused("ls", m{"path": "b.txt"}, "is a file")
}

func TestFindAndIgnore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, f := range []string{
		"main.go", "a/one.go", "a/b/two.go", "a/b/two_test.go", "node_modules/x/y.go", "build/out.go", "a/build/kept.go", ".git/config.go",
		"keep.log", "drop.log", "a/skip.tmp", "a/{x}.go",
	} {
		r.put(f, "")
	}
	r.put(".gitignore", "# comment\nnode_modules/\n/build\n*.log\n!keep.log\n")
	r.put("a/.gitignore", "*.tmp\r\n")
	for _, c := range []struct {
		args m
		want string
	}{
		{m{"pattern": "*.go"}, "a/b/two.go\na/b/two_test.go\na/build/kept.go\na/one.go\na/{x}.go\nmain.go"},
		{m{"pattern": "a/*.go"}, "a/one.go\na/{x}.go"},
		{m{"pattern": "**/*_test.go"}, "a/b/two_test.go"},
		{m{"pattern": "*.{log,tmp}"}, "keep.log"},
		{m{"pattern": "b"}, "a/b/"},
		{m{"pattern": "*.go", "path": "a/b"}, "two.go\ntwo_test.go"},
		{m{"pattern": "*.zig"}, "Nothing matches *.zig"},
		{m{"pattern": "*.go", "limit": 1}, "a/b/two.go\n\n[The first 1 matches. Narrow the pattern or the path to see others.]"},
	} {
		if got := r.text("find", c.args); got != c.want {
			t.Errorf("find %v = %q, want %q", c.args, got, c.want)
		}
	}
	r.refused("find", m{"pattern": "[a"}, "not a valid glob")
	r.refused("find", m{"pattern": "*", "path": "main.go"}, "not a directory")
}

func TestGrep(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put("a.go", "one\nTwo\nthree\nfour\nfive two\n")
	r.put("b.txt", "two (x)\n")
	r.put("c.bin", "two\x00")
	r.put("latin.txt", "caf\xe9 two\n")
	r.put("skip/d.go", "two\n")
	r.put(".gitignore", "skip\n")
	for _, c := range []struct {
		args m
		want string
	}{
		{m{"pattern": "two"}, "a.go:5: five two\nb.txt:1: two (x)\nlatin.txt:1: café two"},
		{m{"pattern": "^two", "ignoreCase": true, "glob": "*.go"}, "a.go:2: Two"},
		{m{"pattern": "(x)", "literal": true}, "b.txt:1: two (x)"},
		{m{"pattern": "three", "context": 1, "path": "a.go"}, "a.go-2- Two\na.go:3: three\na.go-4- four"},
		{m{"pattern": "one|five", "context": 1, "path": "a.go"}, "a.go:1: one\na.go-2- Two\n--\na.go-4- four\na.go:5: five two"},
		{m{"pattern": "nowhere"}, "No matches for nowhere"},
		{m{"pattern": "two", "limit": 1}, "a.go:5: five two\n\n[The first 1 matches. Narrow the pattern, path or glob, or use a greater limit.]"},
	} {
		if got := r.text("grep", c.args); got != c.want {
			t.Errorf("grep %v = %q, want %q", c.args, got, c.want)
		}
	}
	r.refused("grep", m{"pattern": "(?=x)"}, "RE2")
	r.refused("grep", m{"pattern": ""}, "required")
}

func TestGrepStops(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put("a", strings.Repeat("x\n", 10_000))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.tools["grep"].Run(ctx, tool.Call{Call: llm.Call{Args: json.RawMessage(`{"pattern":"y"}`)}, Scope: r.scope})
	if err == nil {
		t.Error("grep went on after its context ended")
	}
}

func TestFaces(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for name, tl := range r.tools {
		if g, ok := tl.(tool.Grouped); !ok || g.Group() != "fs" {
			t.Errorf("%s is in no group", name)
		}
		want := name == "write" || name == "edit"
		if s, ok := tl.(tool.Serial); !ok || s.Serial() != want {
			t.Errorf("%s: serial isn't %v", name, want)
		}
		if len(tl.Spec().Description) < 40 {
			t.Errorf("%s has no description", name)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), bytes.Repeat([]byte("a line of text\n"), 1000), 0o600); err != nil {
		b.Fatal(err)
	}
	tl := fs.New(fs.Options{})[0]
	call := tool.Call{Call: llm.Call{Args: json.RawMessage(`{"path":"f"}`)}, Scope: tool.Scope{Owner: true, Workspace: dir}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tl.Run(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
