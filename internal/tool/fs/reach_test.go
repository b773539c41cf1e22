//go:build unix

package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/tool/fs"
)

const canary = "CANARY-2718"

// TestOutsideWorkspace: a call that isn't the owner's stays inside.
func TestOutsideWorkspace(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"stranger", "workspaceOnly"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if mode == "stranger" {
				r.scope.Owner = false
			} else {
				for _, tl := range fs.New(fs.Options{Home: filepath.Dir(r.dir), WorkspaceOnly: func() bool { return true }}) {
					r.tools[tl.Spec().Name] = tl
				}
			}
			outside := filepath.Join(filepath.Dir(r.dir), "outside")
			r.put(outside+"/secret.txt", canary)
			r.put(outside+"/dir/x.txt", canary)
			r.put("in.txt", "inside")
			for link, to := range map[string]string{
				"link": outside + "/secret.txt", "rel": "../outside/secret.txt", "dirlink": outside, "dangling": outside + "/new.txt", "proc": "/proc/self/root",
			} {
				if err := os.Symlink(to, filepath.Join(r.dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Link(outside+"/secret.txt", filepath.Join(r.dir, "hard")); err != nil {
				t.Fatal(err)
			}
			paths := []string{
				"../outside/secret.txt", "../../" + filepath.Base(filepath.Dir(r.dir)) + "/outside/secret.txt", outside + "/secret.txt", "~/outside/secret.txt",
				"@" + outside + "/secret.txt", "file://" + outside + "/secret.txt", "a/../../outside/secret.txt", "./../outside/secret.txt",
				"link", "rel", "dirlink/secret.txt", "hard", "proc" + outside + "/secret.txt",
				"/proc/self/root" + outside + "/secret.txt", "/proc/self/environ", "/dev/stdin", "\x00", "in.txt\x00" + outside, "dirlink/dir/x.txt",
				r.dir + "/../outside/secret.txt", "..", "/", "~",
			}
			for _, p := range paths {
				for name, args := range map[string]m{
					"read": {}, "write": {"content": "x"}, "edit": {"oldText": canary, "newText": "x"}, "ls": {}, "grep": {"pattern": "CANARY"}, "find": {"pattern": "*.txt"},
				} {
					args["path"] = p
					res := r.call(name, args)
					if got := textOf(res); !res.IsError || strings.Contains(got, canary) {
						t.Errorf("%s(%q) = %q, error %v", name, p, got, res.IsError)
					}
				}
			}
			for _, p := range []string{"dangling", "dirlink/new.txt"} {
				r.call("write", m{"path": p, "content": "x"})
			}
			if _, err := os.Stat(outside + "/new.txt"); err == nil {
				t.Error("a file was written outside")
			}
			if b, _ := os.ReadFile(outside + "/secret.txt"); string(b) != canary {
				t.Errorf("the file outside was changed to %q", b)
			}
			for name, args := range map[string]m{"grep": {"pattern": "CANARY"}, "find": {"pattern": "secret*"}} {
				if got := r.text(name, args); strings.Contains(got, canary) || strings.Contains(got, "secret.txt") {
					t.Errorf("%s over the workspace = %q", name, got)
				}
			}
			if got := r.text("read", m{"path": r.dir + "/in.txt"}); got != "inside" {
				t.Errorf("absolute path inside = %q", got)
			}
		})
	}
}

// TestGatewayFiles: nobody writes them, and only the owner reads them.
func TestGatewayFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	names := []string{"openclaw.json", "openclaw.json.bak", ".env", "credentials/telegram-allowFrom.json", "identity/device.json", "openclaw.sqlite", "openclaw.sqlite-wal", "agents/main/agent/auth-profiles.json", "exec-approvals.json"}
	// The worst case: a workspace that holds the state directory.
	r.scope.StateDir = filepath.Join(r.dir, ".openclaw")
	for _, n := range names {
		r.put(".openclaw/"+n, canary)
	}
	if err := os.Symlink(".openclaw/openclaw.json", filepath.Join(r.dir, "innocent.txt")); err != nil {
		t.Fatal(err)
	}
	writes := func() {
		for _, n := range append(names, "hooks/new.js", "agents/main/sessions/s.jsonl", "../innocent.txt") {
			r.refused("write", m{"path": ".openclaw/" + n, "content": "x"}, "")
			r.refused("edit", m{"path": ".openclaw/" + n, "oldText": canary, "newText": "x"}, "")
		}
	}
	writes()
	if got := r.text("read", m{"path": ".openclaw/openclaw.json"}); got != canary {
		t.Errorf("the owner reads %q", got)
	}
	r.scope.Owner = false
	writes()
	for _, n := range append(names, "../innocent.txt") {
		r.refused("read", m{"path": ".openclaw/" + n}, "belongs to the gateway")
	}
	if got := r.text("grep", m{"pattern": "CANARY"}); strings.Contains(got, canary) {
		t.Errorf("grep = %q", got)
	}
	for _, n := range names {
		if got := r.get(".openclaw/" + n); got != canary {
			t.Errorf("%s was changed to %q", n, got)
		}
	}
}

func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, owner := range []bool{true, false} {
		r.scope.Owner = owner
		r.refused("read", m{"path": "pipe"}, "named pipe")
		r.refused("write", m{"path": "pipe", "content": "x"}, "named pipe")
		r.refused("edit", m{"path": "pipe", "oldText": "a", "newText": "x"}, "named pipe")
		r.text("grep", m{"pattern": "x"})
	}
}

// TestSwapRace swaps a directory with a link to the outside while the tools
// read and write through it.
func TestSwapRace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.scope.Owner = false
	outside := filepath.Join(filepath.Dir(r.dir), "outside")
	r.put(outside+"/f.txt", canary)
	r.put("d/f.txt", "inside")
	d, spare, link := filepath.Join(r.dir, "d"), filepath.Join(r.dir, "spare"), filepath.Join(r.dir, "l")

	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			_ = os.Symlink(outside, link)
			_ = os.Rename(d, spare)
			_ = os.Rename(link, d)
			_ = os.Rename(d, link)
			_ = os.Rename(spare, d)
			_ = os.Remove(link)
		}
	})
	tries := 0
	for end := time.Now().Add(time.Second); time.Now().Before(end) && tries < 10_000; tries++ {
		if got := textOf(r.call("read", m{"path": "d/f.txt"})); strings.Contains(got, canary) {
			t.Fatalf("try %d read the file outside", tries)
		}
		r.call("write", m{"path": "d/new.txt", "content": "x"})
	}
	stop.Store(true)
	wg.Wait()
	if _, err := os.Stat(outside + "/new.txt"); err == nil {
		t.Errorf("a file was written outside in %d tries", tries)
	}
}
