package test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

const (
	sessionsDir = "agents/main/sessions"
	mainKey     = "agent:main:main"
)

// plant writes a session index with one entry per transcript, and the
// transcripts; index "" stands for a file of no bytes.
func plant(t *testing.T, g *harness.Gateway, transcripts map[string]string, index any) {
	t.Helper()
	dir := filepath.Join(g.Dir, sessionsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range transcripts {
		put(name, text)
	}
	if s, ok := index.(string); ok {
		put("sessions.json", s)
		return
	}
	put("sessions.json", jsonOf(index))
}

func entry(id string) object {
	return object{"sessionId": id, "updatedAt": time.Now().UnixMilli(), "sessionFile": id + ".jsonl"}
}

// say asks in a session of agent main over the protocol and returns what the
// model was sent.
func say(t *testing.T, g *harness.Gateway, m *harness.Model, key, text string) harness.ModelCall {
	t.Helper()
	s := owner(t, g)
	if f := s.call("chat.send", object{"sessionKey": key, "message": text, "idempotencyKey": text}); !f.OK {
		t.Fatalf("chat.send: %+v", f.Error)
	}
	harness.Until(t, within, "the model is asked "+text, func() bool { return len(m.Calls(text)) > 0 })
	f := s.call("agent.wait", object{"runId": text, "timeoutMs": 20_000})
	if !f.OK {
		t.Errorf("agent.wait: %+v", f.Error)
	}
	calls := m.Calls(text)
	return calls[len(calls)-1]
}

func TestFaultDamagedTranscripts(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	torn, nul, glued := read(t, "testdata/DSK-01/torn.jsonl"), read(t, "testdata/DSK-01/nul.jsonl"), read(t, "testdata/DSK-01/glued.jsonl")
	whole := strings.TrimSuffix(torn, torn[strings.LastIndex(torn, "\n"):]) + "\n"
	last := whole[strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n")+1:]
	head := strings.TrimSuffix(whole, last)
	next := strings.NewReplacer(`"m1"`, `"m2"`, `null`, `"m1"`, "keep me", "second").Replace(last)
	for name, c := range map[string]struct{ text, keeps string }{
		"DSK-01 torn":         {torn, "keep me"},
		"DSK-01 nul":          {nul, "after the hole"},
		"DSK-01 glued":        {glued, ""},
		"F-24 one byte short": {whole + strings.TrimSuffix(next, "}\n"), "keep me"},
		"F-24 forty short":    {whole + next[:len(next)-40], "keep me"},
		"F-24 half":           {whole + next[:len(next)/2], "keep me"},
		"F-24 NULs behind":    {whole + strings.Repeat("\x00", 512), "keep me"},
		"F-24 CRLF":           {strings.ReplaceAll(whole, "\n", "\r\n"), "keep me"},
		"F-24 blank lines":    {strings.ReplaceAll(whole, "\n", "\n\n\n"), "keep me"},
		"F-25 a bad middle":   {head + strings.Replace(last, "user", "us\x00r", 1) + next, "second"},
		"F-25 one id twice":   {whole + last + next, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := harness.New(t, m.URL, nil)
			plant(t, g, map[string]string{"t.jsonl": c.text}, object{mainKey: entry("t")})
			g.Start()
			call := say(t, g, m, mainKey, "go on "+name)
			if !strings.Contains(call.Raw, c.keeps) {
				t.Errorf("the model isn't told %q: %.2000s", c.keeps, call.Raw)
			}
			g.Kill()
			g.Start()
			again := say(t, g, m, mainKey, "once more "+name)
			for _, w := range []string{c.keeps, "go on " + name, "echo: go on"} {
				if !strings.Contains(again.Raw, w) {
					t.Errorf("after another start the model isn't told %q", w)
				}
			}
			n := 0
			for l := range strings.Lines(read(t, g.TranscriptFile(mainKey))) {
				if strings.Contains(l, "go on") && json.Valid([]byte(l)) {
					n++
				}
			}
			if n < 2 {
				t.Errorf("%d whole lines of the new turn, want 2", n)
			}
		})
	}
	for name, index := range map[string]any{"empty": "", "half": `{"agent:main:main":{"sessionId":"t","upda`, "wrong types": `{"agent:main:main":[1,2]}`, "an array": `[]`, "binary": "\x00\x01\x02"} {
		t.Run("F-26 DSK-01 the index is "+name, func(t *testing.T) {
			t.Parallel()
			g := harness.New(t, m.URL, nil)
			plant(t, g, map[string]string{"t.jsonl": whole}, index)
			g.Start()
			say(t, g, m, mainKey, "indexed "+name)
			if !strings.Contains(fmt.Sprint(names(t, g)), "t.jsonl") {
				t.Errorf("the transcript is gone: %q", names(t, g))
			}
			list := string(owner(t, g).call("sessions.list", object{}).Payload)
			if !strings.Contains(list, mainKey) {
				t.Errorf("sessions.list: %.500s", list)
			}
			// Whatever it held is kept beside the new one, and said once.
			if text, _ := index.(string); text != "" && text != "[]" {
				kept := false
				for _, n := range names(t, g) {
					kept = kept || strings.HasPrefix(n, "sessions.json.") && read(t, filepath.Join(g.Dir, sessionsDir, n)) == text
				}
				if !kept {
					t.Errorf("the damaged index wasn't kept: %q", names(t, g))
				}
			}
			history := string(owner(t, g).call("sessions.list", object{"limit": 100}).Payload)
			if !strings.Contains(history, `"t"`) && !strings.Contains(m.Calls("indexed " + name)[0].Raw, "keep me") {
				t.Errorf("the old history can't be reached: %.500s", history)
			}
		})
	}
}

func names(t *testing.T, g *harness.Gateway) (out []string) {
	t.Helper()
	d, err := os.ReadDir(filepath.Join(g.Dir, sessionsDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range d {
		out = append(out, e.Name())
	}
	return out
}

func TestFaultUnansweredCalls(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	t.Run("SES-01 F-10 a call without a result gets one, and isn't run again", func(t *testing.T) {
		t.Parallel()
		g := harness.New(t, m.URL, nil)
		plant(t, g, map[string]string{"s.jsonl": read(t, "testdata/SES-01/session.jsonl")}, object{mainKey: entry("s")})
		g.Start()
		call := say(t, g, m, mainKey, "are you there?")
		results := paired(t, call)
		if results["call_A"] != "/ 41%" || !strings.Contains(results["call_B"], "Interrupted") || len(results) != 2 {
			t.Errorf("results %q", results)
		}
		lines := strings.Count(read(t, g.TranscriptFile(mainKey)), "\n")
		g.Kill()
		g.Start()
		owner(t, g).call("chat.history", object{"sessionKey": mainKey})
		if n := strings.Count(read(t, g.TranscriptFile(mainKey)), "\n"); n != lines {
			t.Errorf("%d lines after another start, want %d", n, lines)
		}
	})
	t.Run("SES-03 one result for each call, the real one", func(t *testing.T) {
		t.Parallel()
		g := harness.New(t, m.URL, nil)
		plant(t, g, map[string]string{"s.jsonl": read(t, "testdata/SES-03/session.jsonl")}, object{mainKey: entry("s")})
		g.Start()
		results := paired(t, say(t, g, m, mainKey, "go ahead"))
		if results["t1"] != "content of a" || results["t2"] != "content of b" || len(results) != 2 {
			t.Errorf("results %q", results)
		}
	})
}

// paired checks that each call of a request is followed by exactly one result,
// and returns the results.
func paired(t *testing.T, c harness.ModelCall) map[string]string {
	t.Helper()
	results := map[string]string{}
	var open []string
	for _, m := range c.Messages {
		switch {
		case m.Role == "tool":
			if len(open) == 0 || open[0] != m.CallID {
				t.Errorf("result of %s where %q are open", m.CallID, open)
				continue
			}
			open = open[1:]
			results[m.CallID] = m.Text()
		case len(open) > 0:
			t.Errorf("%q have no result before the next message", open)
			open = nil
		}
		for _, tc := range m.ToolCalls {
			open = append(open, tc.ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("%q have no result", open)
	}
	return results
}

func TestFaultFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 { // only root mounts a file system; in a namespace of its own, everybody is
		again := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", os.Args[0], "-test.run=^TestFaultFullDisk$")
		again.Env = append(os.Environ(), "OPENCLAW_TEST_BINARY="+harness.Binary(t))
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("in a namespace: %v\n%s", err, out)
		}
		return
	}
	t.Run("F-22 a full disk loses nothing and heals by itself", func(t *testing.T) {
		p := newPhone(t, nil)
		small := filepath.Join(t.TempDir(), "small")
		if err := os.Mkdir(small, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16m,mode=0700", "tmpfs", small).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("umount", "-l", small).Run() })
		config := read(t, p.ConfigPath())
		p.Dir = small
		if err := os.WriteFile(p.ConfigPath(), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		p.online(t)
		p.text(7, 7, "before the flood", nil)
		p.answers(t, "before the flood")
		p.text(7, 7, "computed !hold w", nil)
		harness.Until(t, within, "the model is asked", func() bool { return len(p.model.Calls("computed")) > 0 })

		ballast := filepath.Join(small, "ballast")
		fill(t, ballast)
		transcript := read(t, p.TranscriptFile(mainKey))
		p.model.Release("w") // an answer that can't be stored
		p.text(7, 7, "during the flood", nil)
		start := time.Now()
		harness.Until(t, 20*time.Second, "the log says so", func() bool {
			l := p.Log()
			return strings.Contains(l, "space") || strings.Contains(l, "full")
		})
		t.Logf("said after %v", time.Since(start))
		polls := len(p.tg.Calls("getUpdates"))
		time.Sleep(2 * time.Second) // a busy loop would show
		if n := len(p.tg.Calls("getUpdates")) - polls; n > 20 {
			t.Errorf("%d polls in two seconds", n)
		}
		if n := strings.Count(p.Log(), "\n"); n > 400 {
			t.Errorf("%d lines of log", n)
		}
		if now := read(t, p.TranscriptFile(mainKey)); !strings.HasPrefix(now, strings.TrimSuffix(transcript, "\n")) {
			t.Error("the transcript was shortened")
		}
		if read(t, p.ConfigPath()) != config {
			t.Error("the configuration was damaged")
		}
		if code, _, _ := ask(t, p.Gateway, "GET", "/health", "", nil); code != 200 {
			t.Errorf("health: %d", code)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		freed := time.Now()
		harness.Until(t, 60*time.Second, "both are answered", func() bool { return p.shows("computed") > 0 && p.shows("during the flood") > 0 })
		t.Logf("healed after %v", time.Since(freed))
		p.settled(t)
		for _, w := range []string{"before the flood", "computed", "during the flood"} {
			if n := p.shows(w); n != 1 {
				t.Errorf("%s: %d answers; %q", w, n, p.tg.Shown())
			}
		}
		if left, _ := filepath.Glob(filepath.Join(small, "*.tmp*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// fill writes to path until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

func TestFaultDeliveryQueue(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"allowFrom": []any{7}})
	t.Run("MSG-02 what an earlier gateway left to send", func(t *testing.T) {
		var cases []struct {
			ID, State, Error, To, Text string
			CreatedAgoHours            float64
		}
		if err := json.Unmarshal([]byte(read(t, "testdata/MSG-02/outbox.json")), &cases); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(p.Dir, "delivery-queue")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		chat := map[string]string{"1": "11", "2": "404", "3": "404", "9": "9"}
		for i, c := range cases {
			ch, to, _ := strings.Cut(c.To, ":")
			tries := 0
			if c.Error != "" {
				tries = 1
			}
			at := time.Now().Add(-time.Duration(c.CreatedAgoHours * float64(time.Hour))).Add(time.Duration(i-20) * time.Second)
			q := object{"id": c.ID, "enqueuedAt": at.UnixMilli(), "channel": ch, "to": chat[to], "accountId": "default", "payloads": []any{object{"text": c.ID + " " + c.Text}}, "retryCount": tries, "lastError": c.Error}
			if err := os.WriteFile(filepath.Join(dir, c.ID+".json"), []byte(jsonOf(q)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "torn.json"), []byte(`{"id":"torn","cha`), 0o600); err != nil {
			t.Fatal(err)
		}
		p.online(t)
		for _, id := range []string{"o1", "o5", "o8"} {
			p.answers(t, id+" ")
		}
		p.settled(t)
		for id, want := range map[string]int{"o1": 1, "o3": 0, "o4": 0, "o5": 1, "o6": 0, "o7": 0} {
			if n := p.shows(id + " "); n != want {
				t.Errorf("%s was sent %d times, want %d", id, n, want)
			}
		}
		if n := p.shows("o2 "); n > 1 {
			t.Errorf("o2 was sent %d times", n)
		}
		refused := len(p.tg.Calls("sendMessage"))
		for _, c := range p.tg.Calls("sendMessage") {
			if fmt.Sprint(c.Params["chat_id"]) == "404" && c.Status == 200 {
				t.Error("sent to a chat that isn't there")
			}
		}
		// Killed before it has stored that an answer went out, it may repeat that
		// one: Telegram can't tell.
		harness.Until(t, within, "nothing is left to send", func() bool {
			code, out := run(t, p.Gateway, within, "message", "queue")
			return code == 0 && !strings.Contains(out, "settled") && !strings.Contains(out, "not answered")
		})
		p.Kill()
		p.online(t)
		p.settled(t)
		if n := len(p.tg.Calls("sendMessage")) - refused; n != 1 {
			t.Errorf("%d sends after the second start, want the one of the test: %v", n, p.tg.Shown())
		}
	})
}
