package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openclaw-go/openclaw/test/harness"
)

// absent fails when path exists.
func absent(t *testing.T, path, why string) {
	t.Helper()
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s: %s exists", why, path)
		_ = os.Remove(path)
	}
}

func TestThreatsOfCommands(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, func(cfg object) { section(cfg, "tools")["exec"] = object{"security": "allowlist", "ask": "off"} })
	mark := filepath.Join(g.Work, "M")
	t.Run("T-49 T-50 the allowlist lets nothing through by syntax or wrapper", func(t *testing.T) {
		for _, c := range []string{
			"echo hi", `echo "$(touch M)"`, "echo `touch M`", "echo a; touch M", "echo a && touch M", "echo a | tee M", "cat <(touch M)", "echo > M", "cat <<E > M\nx\nE",
			"echo a\ntouch M", "echo a & touch M", `$'touch' M`, "{touch,M}", `env sh -c 'touch M'`, `env -S "sh -c 'touch M'"`, "timeout 5 sh -c 'touch M'",
			"nice -n 5 bash -c 'touch M'", "find . -exec touch M \\;", "xargs touch M", "git -c core.pager='touch M' log", `awk 'BEGIN{system("touch M")}'`, "busybox sh -c 'touch M'",
		} {
			if got := callTool(t, g, "exec", object{"command": c}); !strings.Contains(got, "allowlist") {
				t.Errorf("%q: %s", c, got)
			}
			absent(t, mark, c)
		}
	})
	t.Run("T-87 a call asks for no less than is configured", func(t *testing.T) {
		for _, a := range []object{{"security": "full"}, {"security": "full", "ask": "off", "elevated": true}, {"host": "gateway", "security": "full"}, {"security": "FULL"}} {
			a["command"] = "touch M"
			callTool(t, g, "exec", a)
			absent(t, mark, fmt.Sprint(a))
		}
	})
}

func TestThreatsOfApprovals(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, func(cfg object) { section(cfg, "tools")["exec"] = object{"security": "full", "ask": "always"} })
	t.Run("T-55 nobody to ask means no", func(t *testing.T) {
		got := callTool(t, g, "exec", object{"command": "touch M", "ask": "off"})
		if !strings.Contains(got, "approval") {
			t.Errorf("the model is told %q", got)
		}
		absent(t, filepath.Join(g.Work, "M"), "ask always without an approver")
		if got := turn(t, g, "still there?"); !strings.Contains(got, "echo: still there?") {
			t.Errorf("the next turn: %q", got)
		}
	})
}

func TestThreatsOfHosts(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, func(cfg object) { section(cfg, "tools")["exec"] = object{"host": "sandbox"} })
	t.Run("T-63 no sandbox, no command", func(t *testing.T) {
		for _, a := range []object{{}, {"host": "gateway"}, {"host": "node"}, {"elevated": true}} {
			a["command"] = "touch M"
			if got := callTool(t, g, "exec", a); !strings.Contains(got, "sandbox") {
				t.Errorf("%v: %s", a, got)
			}
			absent(t, filepath.Join(g.Work, "M"), fmt.Sprint(a))
		}
	})
}

func TestThreatsOfEnvironments(t *testing.T) {
	t.Parallel()
	const canary = "CANARY8c1d5e"
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	where, hits := sink(t)
	g.UID = 65534
	g.Env = append(g.Env, "OPENCLAW_GATEWAY_PASSWORD=pw-"+canary, "OPENAI_API_KEY=sk-"+canary, "ANTHROPIC_API_KEY=ant-"+canary, "TELEGRAM_BOT_TOKEN=1:"+canary,
		"DATABASE_URL=postgres://u:"+canary+"@h/", "MY_SECRET="+canary, "SHELL="+filepath.Join(g.Work, "evil"), "HARMLESS=yes")
	g.Edit(func(cfg object) { section(cfg, "models", "providers", "fake")["apiKey"] = "sk-file-" + canary })
	for name, text := range map[string]string{
		".env": "OPENCLAW_GATEWAY_TOKEN=planted\nOPENAI_BASE_URL=http://" + where + "\nHTTPS_PROXY=http://" + where + "\nHTTP_PROXY=http://" + where + "\nPATH=/nowhere\nPLANTED=1\n",
		"evil": "#!/bin/sh\ntouch " + filepath.Join(g.Work, "M") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(g.Work, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"rg", "git", "node", "sh", "bash"} { // T-84
		if err := os.WriteFile(filepath.Join(g.Work, name), []byte("#!/bin/sh\ntouch "+filepath.Join(g.Work, "M")+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g.Start()
	mark := filepath.Join(g.Work, "M")
	t.Run("T-57 loader variables are refused", func(t *testing.T) {
		for _, k := range []string{
			"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PATH", "BASH_ENV", "ENV", "SHELLOPTS", "PS4", "HOME", "ZDOTDIR", "IFS", "GIT_SSH_COMMAND", "GIT_EXEC_PATH",
			"GIT_CONFIG_COUNT", "VIMINIT", "LUA_INIT", "HOSTALIASES", "NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "PERL5OPT", "RUBYOPT", "SSL_CERT_FILE", "ld_preload", "Ld_Preload", "SHELL", "BASH_FUNC_ls%%", "PROMPT_COMMAND", "GCONV_PATH",
		} {
			got := callTool(t, g, "exec", object{"command": "touch M", "env": object{k: "x"}})
			if !strings.Contains(got, k) {
				t.Errorf("%s: the answer doesn't name it: %s", k, got)
			}
			absent(t, mark, k)
		}
		if got := callTool(t, g, "exec", object{"command": "echo lang=$LANG", "env": object{"LANG": "C"}}); !strings.Contains(got, "lang=C") {
			t.Errorf("LANG may be set: %s", got)
		}
	})
	t.Run("T-58 T-84 the workspace sets no environment and no program", func(t *testing.T) {
		got := callTool(t, g, "exec", object{"command": "echo [$PLANTED] $PATH; ls >/dev/null; git --version >/dev/null 2>&1; true"})
		if strings.Contains(got, "[1]") || strings.Contains(got, "/nowhere") {
			t.Errorf("the workspace's .env is in force: %s", got)
		}
		absent(t, mark, "a program of the workspace ran")
		if code, _, _ := ask(t, g, "GET", "/v1/models", "", header("Authorization", "Bearer planted")); code != 401 {
			t.Errorf("the workspace's token: %d", code)
		}
		if hits() != 0 {
			t.Error("the workspace's proxy was used")
		}
	})
	t.Run("T-59 children inherit no secret", func(t *testing.T) {
		for _, c := range []string{"env", "cat /proc/self/environ", "cat /proc/$PPID/environ", "ps auxww || true", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '", "set"} {
			got := callTool(t, g, "exec", object{"command": c})
			if strings.Contains(got, canary) {
				t.Errorf("%q shows a secret", c)
			}
			if c == "env" && !strings.Contains(got, "HARMLESS=yes") {
				t.Errorf("env: %s", got)
			}
		}
	})
	t.Run("T-78 and none is in any file", func(t *testing.T) {
		noLeak(t, g, canary)
		noLeak(t, g, harness.Token)
	})
}

func TestThreatsOfFiles(t *testing.T) {
	t.Parallel()
	const canary = "CANARY5b2f77"
	g, _ := alone(t, func(cfg object) { section(cfg, "tools")["fs"] = object{"workspaceOnly": true} })
	outside := filepath.Join(filepath.Dir(g.Dir), "outside")
	secret := filepath.Join(outside, "secret.txt")
	if err := os.MkdirAll(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(p, text string) {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(secret, canary)
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(g.Work, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(secret, "link.txt")
	link(outside, "dir")
	link(filepath.Join(outside, "new.txt"), "dangling")
	if err := os.Link(secret, filepath.Join(g.Work, "hard.txt")); err != nil {
		t.Fatal(err)
	}
	intact := func(t *testing.T, why string) {
		t.Helper()
		if got := read(t, secret); got != canary {
			t.Errorf("%s: the file outside is now %q", why, got)
			put(secret, canary)
		}
		if d, _ := os.ReadDir(outside); len(d) != 1 {
			t.Fatalf("%s: outside has %v", why, d)
		}
	}
	paths := []string{
		"../outside/secret.txt", secret, "~/outside/secret.txt", "@" + secret, "file://" + secret, "./x/../../outside/secret.txt", "/proc/self/root" + secret, "/etc/passwd", "@/etc/passwd",
		"file:///etc/passwd", "/proc/self/environ", "/proc/self/cwd/../outside/secret.txt", "secret\x00.txt", "..", "/", "~", g.ConfigPath(), filepath.Join(g.Dir, "openclaw.sqlite"),
		"link.txt", "dir/secret.txt", "hard.txt", "dir/../dir/secret.txt", "dangling", "\\..\\outside\\secret.txt",
	}
	t.Run("T-60 T-61 no path and no link leads out", func(t *testing.T) {
		for _, p := range paths {
			for _, c := range []struct {
				tool string
				args object
			}{
				{"read", object{"path": p}},
				{"write", object{"path": p, "content": "overwritten"}},
				{"edit", object{"path": p, "edits": []any{object{"oldText": canary, "newText": "overwritten"}}, "oldText": canary, "newText": "overwritten"}},
				{"ls", object{"path": p}},
				{"grep", object{"pattern": "CANARY", "path": p}},
				{"find", object{"pattern": "*secret*", "path": p}},
			} {
				got := callTool(t, g, c.tool, c.args)
				if strings.Contains(got, canary) || strings.Contains(got, "root:x:") || strings.Contains(got, harness.Token) {
					t.Errorf("%s %q shows what is outside: %.300s", c.tool, p, got)
				}
				intact(t, c.tool+" "+p)
			}
		}
		if code := strings.Count(read(t, g.ConfigPath()), harness.Token); code != 1 {
			t.Error("the configuration changed")
		}
		if got := callTool(t, g, "write", object{"path": "ok.txt", "content": "fine"}); read(t, filepath.Join(g.Work, "ok.txt")) != "fine" {
			t.Errorf("a file of the workspace: %s", got)
		}
	})
	t.Run("T-61 swapping a directory and a link wins no race", func(t *testing.T) {
		inner := filepath.Join(g.Work, "swap")
		if err := os.MkdirAll(inner, 0o700); err != nil {
			t.Fatal(err)
		}
		put(filepath.Join(inner, "secret.txt"), "inside")
		link(outside, "swapped")
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = unix.Renameat2(unix.AT_FDCWD, inner, unix.AT_FDCWD, filepath.Join(g.Work, "swapped"), unix.RENAME_EXCHANGE)
				}
			}
		})
		deadline := time.Now().Add(3 * time.Second)
		n := 0
		for ; time.Now().Before(deadline); n++ {
			if got := callTool(t, g, "read", object{"path": "swap/secret.txt"}); strings.Contains(got, canary) {
				t.Error("read what is outside")
				break
			}
			callTool(t, g, "write", object{"path": fmt.Sprintf("swap/new%d.txt", n), "content": "x"})
			if d, _ := os.ReadDir(outside); len(d) != 1 {
				t.Errorf("wrote outside: %v", d)
				break
			}
		}
		close(stop)
		wg.Wait()
		intact(t, "the race")
		t.Logf("%d tries", 2*n)
	})
	t.Run("T-78 what was refused is in no transcript", func(t *testing.T) {
		if found := leaks(t, harness.Token, secrets, g.Dir); len(found) > 0 {
			t.Errorf("the token is in %q", found)
		}
	})
}

func TestThreatsOfTheAgentItself(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	t.Run("T-87 file tools change no settings", func(t *testing.T) {
		before := read(t, g.ConfigPath())
		for _, p := range []string{g.ConfigPath(), "~/state/openclaw.json", "../state/openclaw.json", filepath.Join(g.Dir, "x", "..", "openclaw.json"), filepath.Join(g.Dir, "credentials", "telegram-allowFrom.json"), filepath.Join(g.Dir, "openclaw.last-good.json")} {
			callTool(t, g, "write", object{"path": p, "content": "{}"})
			callTool(t, g, "edit", object{"path": p, "oldText": "token", "newText": "none", "edits": []any{object{"oldText": "token", "newText": "none"}}})
		}
		if read(t, g.ConfigPath()) != before {
			t.Error("the configuration changed")
		}
		absent(t, filepath.Join(g.Dir, "credentials", "telegram-allowFrom.json"), "an allow list was planted")
		if code, _, _ := ask(t, g, "GET", "/v1/models", "", nil); code != 401 {
			t.Errorf("without a token: %d", code)
		}
	})
	t.Run("T-24 no tool takes an address of another gateway", func(t *testing.T) {
		where, hits := sink(t)
		for _, name := range []string{"session_status", "exec", "read", "process"} {
			callTool(t, g, name, object{"gatewayUrl": "ws://" + where, "gatewayToken": "x", "baseUrl": "http://" + where, "endpoint": "http://" + where, "command": "true", "path": "x", "action": "list"})
		}
		if hits() != 0 {
			t.Error("a tool connected there")
		}
	})
	t.Run("T-65 other sessions can't be told from absent ones", func(t *testing.T) {
		turn(t, g, "the canary line CANARY11aa22")
		one := callTool(t, g, "session_status", object{"sessionKey": "agent:second:main"})
		two := callTool(t, g, "session_status", object{"sessionKey": "agent:absent:main"})
		if strings.Contains(one, "CANARY11aa22") || strings.ReplaceAll(one, "second", "X") != strings.ReplaceAll(two, "absent", "X") {
			t.Errorf("existing %q, absent %q", one, two)
		}
	})
	t.Run("T-32 one loopback listener and no more", func(t *testing.T) {
		for _, n := range []string{"tcp", "tcp6", "udp", "udp6"} {
			for _, l := range listening(t, g, n) {
				if l != fmt.Sprintf("0100007F:%04X", g.Port) && l != fmt.Sprintf("00000000000000000000000001000000:%04X", g.Port) {
					t.Errorf("%s listener %s", n, l)
				}
			}
		}
	})
	_ = m
	t.Run("T-79 nothing of the state is open to others", func(t *testing.T) {
		open := harness.New(t, m.URL, nil)
		_ = os.Chmod(open.Dir, 0o777)
		for _, d := range []string{"logs", "agents/main/sessions"} {
			if err := os.MkdirAll(filepath.Join(open.Dir, d), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		open.Umask = true
		open.Start()
		callTool(t, open, "write", object{"path": "a.txt", "content": "x"})
		s := owner(t, open)
		var c struct{ Hash string }
		_ = json.Unmarshal(s.call("config.get", object{}).Payload, &c)
		s.call("config.patch", object{"raw": `{"messages":{"responsePrefix":"x"}}`, "baseHash": c.Hash})
		err := filepath.WalkDir(open.Dir, func(p string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err == nil && fi.Mode()&os.ModeSymlink == 0 && fi.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v", strings.TrimPrefix(p, open.Dir), fi.Mode())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// listening are the sockets of g's process on which somebody may call.
func listening(t *testing.T, g *harness.Gateway, network string) (out []string) {
	t.Helper()
	mine := map[string]bool{}
	dir := fmt.Sprintf("/proc/%d/fd", g.PID())
	d, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range d {
		if l, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			if inode, ok := strings.CutPrefix(l, "socket:["); ok {
				mine[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	for l := range strings.Lines(read(t, fmt.Sprintf("/proc/%d/net/%s", g.PID(), network))) {
		f := strings.Fields(l)
		if len(f) > 9 && mine[f[9]] && (f[3] == "0A" || strings.HasPrefix(network, "udp")) {
			out = append(out, f[1])
		}
	}
	return out
}

func TestCommandsThatDontEnd(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	// The cases of EX-01: what a command leaves behind never holds a turn up.
	var cases []struct {
		N          int
		Cmd        string
		TimeoutSec float64
		Want       string
	}
	if err := json.Unmarshal([]byte(read(t, "testdata/EX-01/commands.json")), &cases); err != nil {
		t.Fatal(err)
	}
	want := map[int]string{1: "started", 2: "ok", 3: "ok", 4: "time limit", 5: "time limit", 8: "x", 9: "ignal", 10: "part"}
	for _, c := range cases {
		t.Run(fmt.Sprintf("EX-01 %d %s", c.N, c.Want), func(t *testing.T) {
			start := time.Now()
			got := callTool(t, g, "exec", object{"command": c.Cmd, "timeout": c.TimeoutSec})
			if took := time.Since(start); took > time.Duration(min(c.TimeoutSec+6, 14))*time.Second {
				t.Errorf("took %v", took)
			}
			if !strings.Contains(got, want[c.N]) || strings.Contains(got, "echo: never") {
				t.Errorf("%q: %.500s", c.Cmd, got)
			}
			if len(got) > 1<<20 {
				t.Errorf("%d bytes of output", len(got))
			}
		})
	}
	t.Run("EX-01 no child is left", func(t *testing.T) {
		for _, w := range []string{"301", "302"} {
			harness.Until(t, within, "sleep "+w+" is gone", func() bool { return !running("sleep\x00" + w) })
		}
	})
}

// running reports whether a process has this command line.
func running(cmdline string) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range all {
		if b, err := os.ReadFile(p); err == nil && strings.TrimSuffix(string(b), "\x00") == cmdline {
			return true
		}
	}
	return false
}
