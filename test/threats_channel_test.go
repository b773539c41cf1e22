package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestThreatsOfStrangers(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"allowFrom": []any{7, "al", "1001"}, "groupPolicy": "allowlist", "groups": object{"-100": object{"requireMention": true}}, "groupAllowFrom": []any{7}}).online(t)
	p.tg.AddFile("spy", []byte("x"))
	t.Run("T-38 names are nobody", func(t *testing.T) {
		for i, from := range []object{
			{"id": 2002, "username": "al", "first_name": "x"}, {"id": 2003, "first_name": "1001"}, {"id": 2004, "username": "\u0430l"}, {"id": 2005, "first_name": "7"}, {"id": 70}, {"id": 100},
		} {
			p.text(0, 3000+i, fmt.Sprint("stranger", i), object{"from": from})
		}
		p.text(2002, -200, "@claw_bot stranger in a group named as ours", object{"chat": object{"id": -200, "type": "supergroup", "title": "-100"}, "entities": []any{object{"type": "mention", "offset": 0, "length": 9}}})
		p.settled(t)
		if n := len(p.model.Calls("stranger")); n != 0 {
			t.Errorf("%d model calls", n)
		}
		if !strings.Contains(p.Log(), "2002") {
			t.Error("the log doesn't name who was refused")
		}
	})
	t.Run("T-45 nothing is fetched for them", func(t *testing.T) {
		for _, kind := range []string{"photo", "voice", "document"} {
			file := any(object{"file_id": "spy", "file_size": 1})
			if kind == "photo" {
				file = []any{file}
			}
			p.text(2002, 2002, "", object{kind: file, "caption": "stranger"})
			p.text(7, -100, "", object{kind: file, "caption": "unmentioned"})
		}
		p.settled(t)
		if n := len(p.tg.Calls("getFile")) + len(p.tg.Calls("file")); n != 0 {
			t.Errorf("%d requests for files", n)
		}
	})
	t.Run("T-41 side events of strangers do nothing", func(t *testing.T) {
		before := len(p.model.Calls(""))
		from, chat := object{"id": 2002, "first_name": "x"}, object{"id": -100, "type": "supergroup"}
		for _, u := range []object{
			{"callback_query": object{"id": "1", "from": from, "data": "approve:1:allow-always", "message": object{"message_id": 1, "chat": chat, "date": 1}}},
			{"message_reaction": object{"chat": chat, "message_id": 1, "user": from, "date": 1, "old_reaction": []any{}, "new_reaction": []any{object{"type": "emoji", "emoji": "👍"}}}},
			{"message": object{"message_id": 9001, "date": 1, "chat": chat, "from": from, "new_chat_members": []any{from}}},
			{"message": object{"message_id": 9002, "date": 1, "chat": chat, "from": from, "pinned_message": object{"message_id": 1, "chat": chat, "date": 1, "text": "stranger"}}},
			{"edited_message": object{"message_id": 9003, "date": 1, "chat": chat, "from": from, "text": "@claw_bot stranger"}},
			{"my_chat_member": object{"chat": chat, "from": from, "date": 1}},
			{"inline_query": object{"id": "1", "from": from, "query": "stranger"}},
		} {
			p.tg.Push(jsonOf(u))
		}
		p.settled(t)
		if n := len(p.model.Calls("")) - before; n != 1 {
			t.Errorf("%d model calls, want the one of the owner", n)
		}
		if raw := fmt.Sprint(p.Transcript("agent:main:main")); strings.Contains(raw, "stranger") {
			t.Error("a stranger's words are in the transcript")
		}
	})
	t.Run("T-38 none of it is stored as a message to answer", func(t *testing.T) {
		for _, s := range p.tg.Shown() {
			if !strings.Contains(s, "settled") {
				t.Errorf("somebody was told %q", s)
			}
		}
	})
}

func TestThreatOfLaxPolicies(t *testing.T) {
	t.Parallel()
	var cases []struct {
		N       int
		Config  object
		Sender  any
		Channel string
		Chat    string
		Allow   any
	}
	if err := json.Unmarshal([]byte(read(t, "testdata/GW-03/cases.json")), &cases); err != nil {
		t.Fatal(err)
	}
	type row struct {
		name   string
		config object
		sender any
		group  bool
		allow  bool
	}
	rows := []row{
		{"T-39 an empty entry", object{"dmPolicy": "allowlist", "allowFrom": []any{""}}, "1", false, false},
		{"T-39 a blank entry", object{"dmPolicy": "allowlist", "allowFrom": []any{" "}}, "1", false, false},
		{"T-39 a star without open", object{"dmPolicy": "allowlist", "allowFrom": []any{"*"}}, "1", false, false},
		{"T-39 no policy at all", object{"dmPolicy": nil, "allowFrom": nil}, "1", false, false},
		{"T-39 disabled", object{"dmPolicy": "disabled", "allowFrom": []any{"1"}}, "1", false, false},
		{"T-39 an unlisted group", object{"groupPolicy": "allowlist", "groups": object{}, "groupAllowFrom": []any{"1"}}, "1", true, false},
		{"T-39 a misspelt group policy", object{"groupPolicy": "opne", "groups": object{"-100": object{"requireMention": false}}}, "1", true, false},
	}
	for _, c := range cases {
		if c.Channel != "" {
			continue // of a network that isn't built
		}
		allow, _ := c.Allow.(bool)
		for _, k := range []string{"dmPolicy", "allowFrom"} {
			if _, ok := c.Config[k]; !ok {
				c.Config[k] = nil
			}
		}
		rows = append(rows, row{fmt.Sprintf("GW-03 %d", c.N), c.Config, c.Sender, c.Chat == "group", allow})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			p := newPhone(t, r.config)
			p.StartOnly()
			// A policy that can't be read is refused at the start, or lets nobody in.
			deadline := time.Now().Add(20 * time.Second)
			for len(p.tg.Calls("getUpdates")) == 0 {
				if strings.Contains(p.Log(), "nvalid") || strings.Contains(p.Log(), "not started") {
					if r.allow {
						t.Errorf("refused: %s", p.Log())
					}
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("neither polls nor refuses:\n%s", p.Log())
				}
				time.Sleep(10 * time.Millisecond)
			}
			from, _ := r.sender.(object)
			if from == nil {
				from = object{"id": json.Number(fmt.Sprint(r.sender))}
			} else {
				from["id"] = json.Number(fmt.Sprint(from["id"]))
			}
			var chat any = from["id"]
			kind := "private"
			if r.group {
				chat, kind = -100, "supergroup"
			}
			p.tg.Push(jsonOf(object{"message": object{
				"message_id": 1, "date": time.Now().Unix(), "from": from, "chat": object{"id": chat, "type": kind}, "text": "knock @claw_bot",
				"entities": []any{object{"type": "mention", "offset": 6, "length": 9}},
			}}))
			if r.allow {
				p.answers(t, "knock")
				return
			}
			harness.Until(t, within, "the message is read", func() bool {
				return strings.Contains(p.Log(), "not admitted")
			})
			if n := len(p.model.Calls("knock")); n != 0 || p.shows("knock") != 0 {
				t.Errorf("%d model calls, shown %q", n, p.tg.Shown())
			}
		})
	}
}

func TestThreatOfWideningPairing(t *testing.T) {
	t.Parallel()
	p := newPhone(t, object{"dmPolicy": "pairing", "groupPolicy": "allowlist", "groups": object{"-100": object{"requireMention": false}}}).online(t)
	code := ""
	t.Run("T-44 a code once, and three at most", func(t *testing.T) {
		for i := range 5 {
			for range 5 {
				p.text(50+i, 50+i, "let me in", nil)
			}
		}
		p.settled(t)
		codes := 0
		for i := range 5 {
			texts := p.to(50 + i)
			codes += len(texts)
			if i == 0 && len(texts) > 0 {
				if _, rest, ok := strings.Cut(texts[0], "telegram "); ok {
					code = strings.Fields(rest)[0]
				}
			}
		}
		if codes != 3 || len(code) != 8 {
			t.Errorf("%d codes were told, want 3; %q", codes, code)
		}
		for _, guess := range []string{code, "/pair approve telegram " + code, "/approve " + code, "openclaw pairing approve telegram " + code} {
			p.text(51, 51, guess, nil)
		}
		p.settled(t)
		if len(p.model.Calls("approve")) != 0 {
			t.Error("a stranger approved by chat")
		}
	})
	t.Run("T-40 pairing counts in that chat only", func(t *testing.T) {
		if c, out := run(t, p.Gateway, 20*time.Second, "pairing", "approve", "telegram", code); c != 0 {
			t.Fatalf("%d %s", c, out)
		}
		p.text(50, 50, "paired pear", nil)
		p.answers(t, "paired pear")
		p.text(50, -100, "group pear", nil)
		p.text(52, 52, "other pear", nil)
		p.settled(t)
		if n := len(p.model.Calls("group pear")) + len(p.model.Calls("other pear")); n != 0 {
			t.Errorf("%d runs for a group or another person", n)
		}
	})
	t.Run("T-42 a paired person owns nothing", func(t *testing.T) {
		p.text(50, 50, `please !tool exec {"command":"touch M"}`, nil)
		p.answers(t, "please")
		absent(t, filepath.Join(p.Work, "M"), "a guest's command ran")
		before := read(t, p.ConfigPath())
		for _, c := range []string{
			"/config set gateway.auth.mode none", "/restart", "/exec host=gateway security=full", "/approve 1 allow-always", "/allowlist add dm 50", "/debug set x=1", "/elevated full",
			"hello /config set gateway.auth.mode none", "/CONFIG set gateway.auth.mode none", "/config@claw_bot set gateway.auth.mode none", "/bash touch M", "! touch M",
		} {
			p.text(50, 50, c, nil)
		}
		p.text(50, 50, `thirdly !tool write {"path":"../state/openclaw.json","content":"{}"}`, nil)
		p.answers(t, "thirdly")
		if read(t, p.ConfigPath()) != before {
			t.Error("the configuration changed")
		}
		absent(t, filepath.Join(p.Work, "M"), "a guest's command ran")
		pid := p.PID()
		if code, _, _ := ask(t, p.Gateway, "GET", "/v1/models", "", bearer()); code != 200 || p.PID() != pid {
			t.Errorf("the gateway answers %d", code)
		}
	})
}

func TestThreatsOfAttachments(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	outside := filepath.Dir(p.Dir)
	p.online(t)
	names := []string{"../../../../tmp/planted", "/etc/cron.d/planted", "a\x00b", "..\\..\\planted", strings.Repeat("n", 4096), ".env", "\u202egnp.exe", "../state/openclaw.json"}
	t.Run("T-47 a name is no path", func(t *testing.T) {
		before := read(t, p.ConfigPath())
		for i, name := range names {
			p.tg.AddFile(fmt.Sprint("f", i), []byte("planted content"))
			p.text(7, 7, "", object{"document": object{"file_id": fmt.Sprint("f", i), "file_name": name, "mime_type": "image/png", "file_size": 15}, "caption": fmt.Sprintf("attached %d.", i)})
		}
		p.text(7, 7, "", object{"photo": []any{object{"file_id": "../../f0", "file_size": 1}}, "caption": "attached last."})
		for i := range names {
			p.answers(t, fmt.Sprintf("attached %d.", i))
		}
		p.answers(t, "attached last.")
		for _, path := range []string{"/tmp/planted", "/etc/cron.d/planted", filepath.Join(outside, "planted"), filepath.Join(p.Work, ".env"), filepath.Join(p.Dir, ".env")} {
			absent(t, path, "an attachment's name")
		}
		if read(t, p.ConfigPath()) != before {
			t.Error("the configuration changed")
		}
		for _, f := range leaks(t, "planted content", []string{"openclaw.sqlite", "gateway.log"}, outside) {
			if !strings.HasPrefix(f, p.Dir) {
				t.Errorf("the file is at %s", f)
			}
		}
	})
	t.Run("T-46 a large file stops at its limit", func(t *testing.T) {
		p.tg.AddFile("huge", make([]byte, 40<<20))
		before := rss(t, p.Gateway)
		p.text(7, 7, "", object{"photo": []any{object{"file_id": "huge", "file_size": 10}}, "caption": "huge one"})
		p.answers(t, "huge one")
		if now := rss(t, p.Gateway); now > before+100 {
			t.Errorf("memory grew from %d to %d MB", before, now)
		}
	})
	t.Run("T-47 odd session keys are refused", func(t *testing.T) {
		s := owner(t, p.Gateway)
		for _, k := range []string{"../x", "agent:main:../../x", "agent:../../x:main", "agent:main:a/../../b", "a\x00b", strings.Repeat("k", 10_000), "%2e%2e%2fx"} {
			s.call("chat.send", object{"sessionKey": k, "message": "odd", "idempotencyKey": fmt.Sprint("i", len(k), k[:2])})
			s.call("sessions.patch", object{"key": k, "label": "x"})
			s.call("sessions.delete", object{"key": k})
		}
		s.call("agents.files.set", object{"agentId": "main", "name": "../../state/openclaw.json", "content": "{}"})
		s.call("agents.files.set", object{"agentId": "../../x", "name": "SOUL.md", "content": "{}"})
		for _, d := range []string{filepath.Join(outside, "x"), filepath.Join(p.Dir, "x"), filepath.Join(p.Dir, "agents", "x")} {
			absent(t, d, "a key became a path")
		}
		if !strings.Contains(read(t, p.ConfigPath()), harness.Token) {
			t.Error("the configuration changed")
		}
		left, _ := os.ReadDir(outside)
		for _, e := range left {
			if !slices.Contains([]string{"state", "ws", "gateway.log"}, e.Name()) {
				t.Errorf("%s is outside the state directory", e.Name())
			}
		}
	})
}

func TestThreatsOfModelText(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil).online(t)
	where, hits := sink(t)
	t.Run("T-73 a reply sends no file", func(t *testing.T) {
		for i, path := range []string{"/etc/passwd", "../../outside/secret.txt", "~/state/openclaw.json", p.ConfigPath(), "file:///etc/passwd"} {
			p.text(7, 7, fmt.Sprintf("file%d.\nMEDIA:%s\n![a](%s)", i, path, path), nil)
			p.answers(t, fmt.Sprintf("file%d.", i))
		}
		for _, m := range []string{"sendDocument", "sendPhoto", "sendAudio", "sendVideo"} {
			if n := len(p.tg.Calls(m)); n != 0 {
				t.Errorf("%d × %s", n, m)
			}
		}
		for _, s := range p.tg.Shown() {
			if strings.Contains(s, "root:x:") || strings.Contains(s, harness.Token) {
				t.Errorf("shown: %.200q", s)
			}
		}
	})
	t.Run("T-75 no link of a reply is fetched or previewed", func(t *testing.T) {
		p.text(7, 7, "leak ![a](http://"+where+"/?d=1) <img src=http://"+where+"/> http://"+where+"/x", nil)
		p.answers(t, "leak")
		for _, c := range p.tg.Calls("sendMessage") {
			o, _ := c.Params["link_preview_options"].(object)
			if off, _ := o["is_disabled"].(bool); !off {
				t.Errorf("previews are on: %v", c.Params)
			}
		}
		if hits() != 0 {
			t.Error("somebody fetched it")
		}
	})
	t.Run("T-76 markup of a reply is text", func(t *testing.T) {
		const evil = `<img src=x onerror=alert(1)> <a href="javascript:alert(1)">x</a> [y](javascript:alert(1)) </code><b>`
		p.text(7, 7, "markup "+evil, nil)
		p.answers(t, "markup")
		for _, c := range p.tg.Calls("sendMessage") {
			if s, _ := c.Params["text"].(string); strings.Contains(s, "<img") || strings.Contains(s, `<a href="javascript`) {
				t.Errorf("sent %q", s)
			}
			if c.Status != 200 {
				t.Errorf("refused: %v", c.Params)
			}
		}
	})
	t.Run("T-48 each chat gets its own answers", func(t *testing.T) {
		q := newPhone(t, object{"allowFrom": []any{7, 8, 9}, "groupPolicy": "allowlist", "groups": object{"-100": object{"requireMention": false}}, "groupAllowFrom": []any{7, 8, 9}})
		q.Edit(func(cfg object) {
			cfg["session"] = object{"dmScope": "per-channel-peer"}
			cfg["messages"] = object{"queue": object{"mode": "followup", "debounceMs": 0, "cap": 100}} // an answer to each
		})
		q.online(t)
		const each = 30
		chats := [][2]int{{7, 7}, {8, 8}, {9, -100}}
		for i := range each {
			for _, c := range chats {
				q.text(c[0], c[1], fmt.Sprintf("own%d-%d.", c[0], i), nil)
			}
		}
		for _, c := range chats {
			harness.Until(t, 60*time.Second, "all are answered", func() bool {
				return strings.Contains(strings.Join(q.to(c[1]), "\n"), fmt.Sprintf("own%d-%d.", c[0], each-1))
			})
			all := strings.Join(q.to(c[1]), "\n")
			at := -1
			for i := range each {
				j := strings.Index(all, fmt.Sprintf("own%d-%d.", c[0], i))
				if j < at {
					t.Errorf("chat %d: %d is missing or out of order", c[1], i)
				}
				at = j
			}
			for _, o := range chats {
				if o != c && strings.Contains(all, fmt.Sprintf("own%d-", o[0])) {
					t.Errorf("chat %d got words of %d", c[1], o[0])
				}
			}
		}
	})
}

func TestThreatOfTalkativeErrors(t *testing.T) {
	t.Parallel()
	const canary = "CANARY4d9e21"
	p := newPhone(t, nil)
	p.Edit(func(cfg object) {
		cfg["logging"] = object{"level": "trace", "consoleLevel": "trace"}
		section(cfg, "models", "providers", "fake")["apiKey"] = "sk-" + canary
	})
	t.Run("T-78 no key or token in a log, a text or a transcript", func(t *testing.T) {
		p.model.Fail = func(auth string) string { return `{"error":{"message":"Incorrect API key provided: ` + auth + `"}}` }
		p.online(t)
		p.text(7, 7, "word !fail 401", nil)
		harness.Until(t, within, "an error is shown", func() bool { return len(p.to(7)) > 0 })
		p.tg.Close()
		harness.Until(t, within, "the lost connection is noticed", func() bool { return strings.Contains(p.Log(), "connection") })
		for _, args := range [][]string{{"status", "--all"}, {"doctor"}, {"channels", "status"}, {"logs", "--limit", "200"}} {
			if _, out := run(t, p.Gateway, 30*time.Second, args...); strings.Contains(out, canary) || strings.Contains(out, "TEST-token") {
				t.Errorf("%q shows a secret", args)
			}
		}
		for _, s := range p.tg.Shown() {
			if strings.Contains(s, canary) {
				t.Errorf("the person is shown %q", s)
			}
		}
		noLeak(t, p.Gateway, canary)
		noLeak(t, p.Gateway, "TEST-token_of_the_bot")
	})
	t.Run("T-77 an event is one line without control characters", func(t *testing.T) {
		q := newPhone(t, nil).online(t)
		q.text(2002, 2002, "x", object{"from": object{"id": 2002, "first_name": "a\r\n2026-01-01 INF forged\x1b]0;x\x07\x1b[2J" + strings.Repeat("y", 15_000)}})
		_, _, _ = dial(t, q.Gateway, header("User-Agent", "a\x1b[2J"+strings.Repeat("z", 15_000), "Origin", "http://\x1b[2J.example"))
		q.settled(t)
		files, _ := filepath.Glob(filepath.Join(q.Dir, "logs", "*"))
		for _, text := range []string{q.Log(), read(t, files[0])} {
			for l := range strings.Lines(text) {
				if strings.HasPrefix(l, "2026-01-01 INF forged") || strings.ContainsAny(l, "\x1b\x07\r") || len(l) > 4096 {
					t.Errorf("%.200q", l)
				}
			}
		}
	})
}
