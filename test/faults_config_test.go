package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// damaged are files that no gateway should take, and what the message names.
func damaged(good string) map[string][2]string {
	return map[string][2]string{
		"half":        {good[:len(good)/2], ""},
		"unknown key": {strings.Replace(good, "{", `{"nosuchkey": 1,`, 1), "nosuchkey"},
		"wrong type":  {strings.Replace(good, `"mode": "local"`, `"mode": ["local"]`, 1), "gateway.mode"},
		"bad channel": {strings.Replace(good, "{", `{"channels": {"telegram": {"dmPolicy": "opne"}},`, 1), "channels.telegram.dmPolicy"},
		"wrong guard": {strings.Replace(good, "{", `{"channels": {"telegram": {"allowFrom": {"x": true}}},`, 1), "channels.telegram.allowFrom"},
		"empty":       {"", ""},
	}
}

func TestFaultInvalidConfigAtStart(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	good := read(t, harness.New(t, m.URL, nil).ConfigPath())
	for name, bad := range damaged(good) {
		t.Run("F-47 "+name, func(t *testing.T) {
			t.Parallel()
			g := harness.New(t, m.URL, nil)
			if err := os.WriteFile(g.ConfigPath(), []byte(bad[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			refusedStart(t, g, bad[1])
			if got := read(t, g.ConfigPath()); got != bad[0] {
				t.Errorf("the file was rewritten:\n%s", got)
			}
			if !strings.Contains(g.Log(), "openclaw") || strings.Contains(g.Log(), harness.Token) {
				t.Errorf("the message says nothing to type, or a secret:\n%s", g.Log())
			}
		})
	}
	t.Run("F-47 missing", func(t *testing.T) {
		t.Parallel()
		g := harness.New(t, m.URL, nil)
		if err := os.Remove(g.ConfigPath()); err != nil {
			t.Fatal(err)
		}
		refusedStart(t, g, "openclaw setup")
		absent(t, g.ConfigPath(), "a configuration was made up")
	})
}

func TestFaultInvalidConfigWhileRunning(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	good := read(t, g.ConfigPath())
	put := func(t *testing.T, text string) {
		t.Helper()
		if err := os.WriteFile(g.ConfigPath(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, bad := range damaged(good) {
		t.Run("F-46 "+name, func(t *testing.T) {
			text := strings.Replace(bad[0], harness.Token, "token-of-a-bad-file-00000", 1)
			before := strings.Count(g.Log(), "invalid")
			put(t, text)
			harness.Until(t, within, "the log says so", func() bool { return strings.Count(g.Log(), "invalid") > before })
			if !strings.Contains(g.Log(), bad[1]) {
				t.Errorf("the log doesn't name %s", bad[1])
			}
			if code, _, _ := ask(t, g, "GET", "/v1/models", "", bearer()); code != 200 {
				t.Errorf("the old token: %d", code)
			}
			if code, _, _ := ask(t, g, "GET", "/v1/models", "", header("Authorization", "Bearer token-of-a-bad-file-00000")); code == 200 {
				t.Error("a part of the bad file is in force")
			}
			if got := read(t, g.ConfigPath()); got != text {
				t.Errorf("the file was rewritten:\n%s", got)
			}
			if got := turn(t, g, "works "+name); !strings.Contains(got, "works "+name) {
				t.Errorf("a turn: %s", got)
			}
			put(t, good)
		})
	}
	t.Run("F-46 the last of twenty writes is in force", func(t *testing.T) {
		for i := range 20 {
			g.Edit(func(cfg object) { section(cfg, "messages")["responsePrefix"] = fmt.Sprint("p", i) })
		}
		s := owner(t, g)
		harness.Until(t, within, "the last is in force", func() bool {
			return strings.Contains(string(s.call("config.get", object{}).Payload), `"responsePrefix":"p19"`)
		})
	})
}

func TestFaultOldKeys(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	keys := []string{"gateway.controlUi.requirePairing", "gateway.controlUi.autoApproveDevices", "commands.ownerDisplay", "plugins.bundledDiscovery", "telegram", "channels.discord.streamMode"}
	t.Run("CFG-01 every problem in one pass, and the repair is theirs alone", func(t *testing.T) {
		t.Parallel()
		g := harness.New(t, m.URL, nil)
		text := read(t, "testdata/CFG-01/openclaw.json")
		// Keys of the case that this version knows are swapped for invented ones.
		for k, other := range map[string]string{`"ownerDisplay"`: `"ownerDisplayX"`, `"streamMode"`: `"streamModeX"`} {
			text = strings.Replace(text, k, other, 1)
		}
		keys := strings.Split(strings.NewReplacer("ownerDisplay", "ownerDisplayX", "streamMode", "streamModeX").Replace(strings.Join(keys, " ")), " ")
		if err := os.WriteFile(g.ConfigPath(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, out := run(t, g, 20*time.Second, "config", "validate")
		for _, k := range keys {
			if !strings.Contains(out, k) {
				t.Errorf("config validate doesn't name %s:\n%s", k, out)
			}
		}
		for _, args := range [][]string{{"--help"}, {"--version"}, {"doctor"}} {
			if code, out := run(t, g, 30*time.Second, args...); code != 0 && args[0] != "doctor" || strings.Contains(out, "panic") {
				t.Errorf("%q: %d\n%s", args, code, out)
			}
		}
		refusedStart(t, g, keys[0])
		if read(t, g.ConfigPath()) != text {
			t.Fatal("the file was rewritten by starting")
		}
		run(t, g, 30*time.Second, "doctor", "--fix", "--yes")
		if backups, _ := filepath.Glob(g.ConfigPath() + ".*"); len(backups) == 0 {
			t.Error("no backup was made")
		}
		fixed := read(t, g.ConfigPath())
		for _, k := range keys {
			if last := k[strings.LastIndex(k, ".")+1:]; k != "telegram" && strings.Contains(fixed, `"`+last+`"`) {
				t.Errorf("%s is still there:\n%s", k, fixed)
			}
		}
		if !strings.Contains(fixed, "18789") || !strings.Contains(fixed, "file written by an older release") {
			t.Errorf("more than the bad keys went:\n%s", fixed)
		}
		if code, out := run(t, g, 20*time.Second, "config", "validate"); code != 0 {
			t.Errorf("after the repair: %s", out)
		}
	})
	t.Run("CFG-01 a wrong type of a guard refuses", func(t *testing.T) {
		t.Parallel()
		for _, bad := range []string{`{"gateway":{"mode":"local","auth":{"token":{"x":1}}}}`, `{"gateway":{"mode":"local","bind":true}}`, `{"gateway":{"mode":"local"},"channels":{"telegram":{"allowFrom":"*"}}}`} {
			g := harness.New(t, m.URL, nil)
			if err := os.WriteFile(g.ConfigPath(), []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
			refusedStart(t, g, "")
		}
	})
}

func TestFaultLargeIDs(t *testing.T) {
	t.Parallel()
	const id = "923475000111222333"
	p := newPhone(t, object{"allowFrom": []any{7, json.Number(id), 42, "tg:7000000002", json.Number("7000000001")}})
	t.Run("CFG-03 ids keep every digit", func(t *testing.T) {
		p.online(t)
		say := func(from string) {
			p.ids++
			p.tg.Push(fmt.Sprintf(`{"message":{"message_id":%d,"date":%d,"chat":{"id":%s,"type":"private"},"from":{"id":%s,"first_name":"x"},"text":"from %s."}}`, p.ids, time.Now().Unix(), from, from, from))
		}
		for _, from := range []string{"923475000111222272", "923475000111222300", id, "42", "7000000001", "7000000002"} {
			say(from)
		}
		for _, from := range []string{id, "42", "7000000001", "7000000002"} {
			p.answers(t, "from "+from+".")
		}
		p.settled(t)
		for _, from := range []string{"923475000111222272", "923475000111222300"} {
			if n := len(p.model.Calls("from " + from + ".")); n != 0 {
				t.Errorf("%s was let in", from)
			}
		}
		s := owner(t, p.Gateway)
		var c struct{ Hash, Raw string }
		f := s.call("config.get", object{})
		_ = json.Unmarshal(f.Payload, &c)
		if !strings.Contains(string(f.Payload), id) {
			t.Error("the digits are lost over the control API")
		}
		if f := s.call("config.patch", object{"raw": `{"messages":{"responsePrefix":"x"}}`, "baseHash": c.Hash}); !f.OK {
			t.Fatal(f.Error)
		}
		if text := read(t, p.ConfigPath()); !strings.Contains(text, id) || !strings.Contains(text, "responsePrefix") {
			t.Errorf("the digits changed on disk:\n%s", text)
		}
	})
}

func TestFaultTwoGateways(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	t.Run("F-49 the second is refused and says who owns the state", func(t *testing.T) {
		start := time.Now()
		code, out := run(t, g, 10*time.Second, "gateway", "run", "--port", fmt.Sprint(harness.Port(t)))
		if code == 0 || !strings.Contains(out, fmt.Sprint(g.PID())) || time.Since(start) > 5*time.Second {
			t.Errorf("code %d after %v:\n%s", code, time.Since(start), out)
		}
	})
	t.Run("F-49 also by another path, and while the first is paused", func(t *testing.T) {
		alias := filepath.Join(t.TempDir(), "alias")
		if err := os.Symlink(g.Dir, alias); err != nil {
			t.Fatal(err)
		}
		g.Signal(syscall.SIGSTOP)
		defer g.Signal(syscall.SIGCONT)
		other := harness.New(t, m.URL, nil)
		other.Env = append(other.Env, "OPENCLAW_STATE_DIR="+alias, "OPENCLAW_CONFIG_PATH="+filepath.Join(alias, "openclaw.json"))
		code, out := run(t, other, 10*time.Second, "gateway", "run", "--port", fmt.Sprint(other.Port))
		if code == 0 || !strings.Contains(out, fmt.Sprint(g.PID())) {
			t.Errorf("code %d:\n%s", code, out)
		}
	})
	if got := turn(t, g, "one answer"); !strings.Contains(got, "one answer") {
		t.Errorf("the first: %s", got)
	}
}

func TestFaultSignals(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	t.Run("F-48 the second SIGTERM stops at once, and nothing is lost", func(t *testing.T) {
		p.text(7, 7, "first !hold w", nil)
		harness.Until(t, within, "the model is asked", func() bool { return len(p.model.Calls("first")) > 0 })
		p.text(7, 7, "second", nil)
		p.text(7, 7, "third", nil)
		harness.Until(t, within, "all are stored", func() bool {
			polls := p.tg.Calls("getUpdates")
			return num(polls[len(polls)-1].Params["offset"]) == 1003
		})
		p.Signal(syscall.SIGTERM)
		time.Sleep(300 * time.Millisecond) // it is draining now
		start := time.Now()
		p.Signal(syscall.SIGTERM)
		if code := p.Ended(10 * time.Second); code != 0 || time.Since(start) > 2*time.Second {
			t.Errorf("code %d after %v, want 0 within 2 s", code, time.Since(start))
		}
		p.model.Release("w")
		p.online(t)
		for _, w := range []string{"first", "second", "third"} {
			p.answers(t, w)
		}
		p.settled(t)
		all := strings.Join(p.tg.Shown(), "\n")
		if f, s, th := strings.Index(all, "first"), strings.Index(all, "second"), strings.Index(all, "third"); f > s || s > th {
			t.Errorf("out of order:\n%s", all)
		}
		for _, w := range []string{"first", "second", "third"} {
			if p.shows(w) != 1 {
				t.Errorf("%s is answered %d times", w, p.shows(w))
			}
		}
	})
}

func num(v any) int64 {
	f, _ := v.(float64)
	return int64(f)
}

func TestFaultKillDuringWrites(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"dmPolicy": "pairing"})
	t.Run("F-19 a file is old or new, never mixed", func(t *testing.T) {
		for i := range 12 {
			p.online(t)
			stop := make(chan struct{})
			ended := make(chan struct{})
			s, err := dialOwner(t, p.Gateway)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer close(ended)
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					f, err := s.try("config.get", object{})
					if err != nil {
						return
					}
					var c struct{ Hash string }
					_ = json.Unmarshal(f.Payload, &c)
					if _, err := s.try("config.patch", object{"raw": fmt.Sprintf(`{"messages":{"responsePrefix":"%d-%d"}}`, i, n), "baseHash": c.Hash}); err != nil {
						return
					}
				}
			}()
			time.Sleep(time.Duration(3+7*i) * time.Millisecond)
			p.Kill()
			close(stop)
			<-ended
			if !json.Valid([]byte(read(t, p.ConfigPath()))) {
				t.Fatalf("round %d: the configuration is damaged:\n%s", i, read(t, p.ConfigPath()))
			}
		}
		p.online(t)
		p.settled(t)
		tmp, _ := filepath.Glob(filepath.Join(p.Dir, "*.tmp*"))
		more, _ := filepath.Glob(filepath.Join(p.Dir, ".*"))
		if left := append(tmp, more...); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

func dialOwner(t *testing.T, g *harness.Gateway) (*socket, error) {
	s, _, err := dial(t, g, nil)
	if err != nil {
		return nil, err
	}
	_, err = s.try("connect", newDevice(t).sign(cli(object{"token": harness.Token}), s.nonce()))
	return s, err
}
