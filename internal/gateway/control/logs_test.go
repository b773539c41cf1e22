package control_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type tail struct {
	File             string
	Cursor, Size     int64
	Lines            []string
	Truncated, Reset bool
}

func TestLogsTail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(w.dir, "openclaw.log")
	read := func(params object) tail { return into[tail](t, w.ok(t, "logs.tail", params)) }
	if got := read(object{}); got.Size != 0 || len(got.Lines) != 0 || got.Reset {
		t.Errorf("without a file: %+v", got)
	}
	var text strings.Builder
	for i := range 10 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	write(t, file, text.String()+"half")
	sameShape(t, payload(t, "logs.tail", "ok"), w.ok(t, "logs.tail", object{"limit": 3}))
	got := read(object{"limit": 3})
	if d := cmp.Diff(tail{File: file, Cursor: 70, Size: 74, Lines: []string{"line 7", "line 8", "line 9"}, Truncated: true}, got); d != "" {
		t.Errorf("last lines, the one in the making left out:\n%s", d)
	}
	write(t, file, text.String()+"half a line\nnext\n")
	got = read(object{"cursor": got.Cursor})
	if d := cmp.Diff(tail{File: file, Cursor: 87, Size: 87, Lines: []string{"half a line", "next"}}, got); d != "" {
		t.Errorf("after the cursor:\n%s", d)
	}
	if got = read(object{"cursor": 0, "maxBytes": 20}); !got.Reset || !got.Truncated || !cmp.Equal(got.Lines, []string{"half a line", "next"}) {
		t.Errorf("cursor too far back: %+v", got)
	}
	if got = read(object{"cursor": 0, "maxBytes": 2}); !got.Reset || len(got.Lines) != 0 || got.Cursor != 87 {
		t.Errorf("no whole line fits: %+v", got)
	}
	if got = read(object{"cursor": 5000}); !got.Reset || got.Truncated || len(got.Lines) != 12 {
		t.Errorf("cursor beyond the end: %+v", got)
	}
}

func TestLogsRotate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(w.dir, "openclaw.log")
	write(t, file, "old\n")
	first := into[tail](t, w.ok(t, "logs.tail", object{}))
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	write(t, file, "new 1\nnew 2\n")
	got := into[tail](t, w.ok(t, "logs.tail", object{"cursor": first.Cursor}))
	if !got.Reset || !cmp.Equal(got.Lines, []string{"new 1", "new 2"}) {
		t.Errorf("after rotation: %+v", got)
	}
}

func TestLogsRedact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secrets := []string{"sk-abcdefghijklmnop", "hunter2hunter2", "123456789:AAE-abcdefghijklmnopqrstuvwxyz0123", "c2VjcmV0c2VjcmV0", "pass-canary"}
	lines := []string{
		`{"1":"key sk-abcdefghijklmnop used","time":"t"}`, `{"1":"{\"password\":\"hunter2hunter2\"}"}`,
		`{"1":"GET https://api/bot123456789:AAE-abcdefghijklmnopqrstuvwxyz0123/x"}`, `{"1":"Authorization: Bearer c2VjcmV0c2VjcmV0"}`,
		`{"1":"dial https://user:pass-canary@host/x failed"}`,
		`{"1":"totalTokens: 123456789, session agent:main:main, monkey: business"}`,
	}
	write(t, filepath.Join(w.dir, "openclaw.log"), strings.Join(lines, "\n")+"\n")
	got := into[tail](t, w.ok(t, "logs.tail", object{})).Lines
	for _, s := range secrets {
		if strings.Contains(strings.Join(got, "\n"), s) {
			t.Errorf("%s is shown", s)
		}
	}
	if got[5] != lines[5] {
		t.Errorf("harmless line became %s", got[5])
	}
}

func BenchmarkLogsTail(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "openclaw.log")
	line := `{"0":"{\"subsystem\":\"gateway/ws\"}","1":"res ok chat.send 10ms session agent:main:main totalTokens=123","time":"2026-11-30T00:00:00Z"}` + "\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(line, 4000)), 0o600); err != nil {
		b.Fatal(err)
	}
	c := benchControl(file)
	m := methodOf(c, "logs.tail")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Call(b.Context(), owner(), []byte(`{"limit":500}`)); err != nil {
			b.Fatal(err)
		}
	}
}
