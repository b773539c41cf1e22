package control_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

type fileAnswer struct {
	OK        bool
	AgentID   string
	Workspace string
	File      struct {
		Name, Path string
		Missing    bool
		Size       int64
		Content    *string
	}
	Files []struct {
		Name    string
		Missing bool
	}
}

func TestFilesList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ws := filepath.Join(w.dir, "ws")
	names := func() (have, missing []string) {
		for _, f := range into[fileAnswer](t, w.ok(t, "agents.files.list", object{"agentId": "Main"})).Files {
			if have = append(have, f.Name); f.Missing {
				missing = append(missing, f.Name)
			}
		}
		return have, missing
	}
	have, missing := names()
	want := []string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"}
	if d := cmp.Diff(want, have) + cmp.Diff(want, missing); d != "" {
		t.Errorf("without a workspace:\n%s", d)
	}
	write(t, filepath.Join(ws, "AGENTS.md"), "a")
	write(t, filepath.Join(ws, "memory.md"), "m")
	write(t, filepath.Join(ws, ".openclaw", "workspace-state.json"), `{"version":1,"onboardingCompletedAt":"2026-11-30T00:00:00.000Z"}`)
	have, missing = names()
	if d := cmp.Diff([]string{"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "memory.md"}, have); d != "" {
		t.Errorf("after the first conversation:\n%s", d)
	}
	if d := cmp.Diff([]string{"SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md"}, missing); d != "" {
		t.Errorf("missing:\n%s", d)
	}
}

func TestFilesSetAndGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := w.ok(t, "agents.files.set", object{"agentId": "main", "name": "TOOLS.md", "content": "# Tools\n"})
	sameShape(t, payload(t, "agents.files.set", "ok"), set)
	got := w.ok(t, "agents.files.get", object{"agentId": "main", "name": "TOOLS.md"})
	sameShape(t, payload(t, "agents.files.get", "ok"), got)
	if a := into[fileAnswer](t, got); a.File.Content == nil || *a.File.Content != "# Tools\n" || a.File.Size != 8 {
		t.Errorf("got %s", got)
	}
	sameShape(t, payload(t, "agents.files.get", "missing file"), w.ok(t, "agents.files.get", object{"agentId": "main", "name": "MEMORY.md"}))
	left, err := os.ReadDir(filepath.Join(w.dir, "ws"))
	if err != nil || len(left) != 1 {
		t.Errorf("the workspace holds %v, %v", left, err)
	}
}

func TestFilesRefuse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ws := filepath.Join(w.dir, "ws")
	secret := filepath.Join(w.dir, "secret")
	write(t, secret, "out of reach")
	write(t, filepath.Join(ws, "notes.txt"), "inside")
	for name, to := range map[string]string{"SOUL.md": secret, "AGENTS.md": "../secret", "USER.md": "notes.txt", "HEARTBEAT.md": "/nowhere/at/all"} {
		if err := os.Symlink(to, filepath.Join(ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(ws, "IDENTITY.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", 2<<20+1)
	write(t, filepath.Join(ws, "TOOLS.md"), big)
	for _, tc := range []struct {
		name   string
		method string
		params object
	}{
		{"absolute link, read", "agents.files.get", object{"agentId": "main", "name": "SOUL.md"}},
		{"absolute link, write", "agents.files.set", object{"agentId": "main", "name": "SOUL.md", "content": "x"}},
		{"relative link, read", "agents.files.get", object{"agentId": "main", "name": "AGENTS.md"}},
		{"relative link, write", "agents.files.set", object{"agentId": "main", "name": "AGENTS.md", "content": "x"}},
		{"dangling link, write", "agents.files.set", object{"agentId": "main", "name": "HEARTBEAT.md", "content": "x"}},
		{"directory, read", "agents.files.get", object{"agentId": "main", "name": "IDENTITY.md"}},
		{"directory, write", "agents.files.set", object{"agentId": "main", "name": "IDENTITY.md", "content": "x"}},
		{"too large, read", "agents.files.get", object{"agentId": "main", "name": "TOOLS.md"}},
		{"too large, write", "agents.files.set", object{"agentId": "main", "name": "MEMORY.md", "content": big}},
		{"other case", "agents.files.get", object{"agentId": "main", "name": "tools.md"}},
		{"state file", "agents.files.get", object{"agentId": "main", "name": ".openclaw/workspace-state.json"}},
	} {
		if out, err := w.call(t, owner(), tc.method, tc.params); err == nil {
			t.Errorf("%s: %.80s", tc.name, out)
		} else if _, ok := errors.AsType[*rpc.Error](err); !ok {
			t.Errorf("%s: %v is no protocol error", tc.name, err)
		}
	}
	if raw, err := os.ReadFile(secret); err != nil || string(raw) != "out of reach" {
		t.Errorf("the file outside is now %q, %v", raw, err)
	}
	w.ok(t, "agents.files.set", object{"agentId": "main", "name": "USER.md", "content": "new"})
	if raw, _ := os.ReadFile(filepath.Join(ws, "notes.txt")); string(raw) != "new" {
		t.Errorf("a link inside the workspace was not followed: %q", raw)
	}
	if info, err := os.Lstat(filepath.Join(ws, "USER.md")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestIdentityFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"template", "- **Name:**\n  _(pick something)_\n- **Emoji:** (your sign)\n", `{"agentId":"main","name":"Assistant","avatar":"A"}`},
		{"added lines", "- Name: _(pick)_\n\n- Name: Temp Agent\n- Emoji: 🦊\n- Avatar: F\n", `{"agentId":"main","name":"Temp Agent","avatar":"F","emoji":"🦊"}`},
		{"bold", "- **Name:** Zoe\n", `{"agentId":"main","name":"Zoe","avatar":"A"}`},
		{"path avatar", "- Avatar: pics/me.png\n- Emoji: 🐙\n", `{"agentId":"main","name":"Assistant","avatar":"🐙","emoji":"🐙"}`},
		{"web avatar", "- Avatar: https://example.org/a.png\n", `{"agentId":"main","name":"Assistant","avatar":"https://example.org/a.png"}`},
	} {
		w := newWorld(t)
		write(t, filepath.Join(w.dir, "ws", "IDENTITY.md"), tc.text)
		got := w.ok(t, "agent.identity.get", object{"agentId": "main"})
		if d := cmp.Diff(into[any](t, []byte(tc.want)), into[any](t, got)); d != "" {
			t.Errorf("%s:\n%s", tc.name, d)
		}
	}
}
