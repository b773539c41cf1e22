package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"

	"github.com/openclaw-go/openclaw/plugins/whatsapp/watest"
)

var network *watest.Server //nolint:gochecknoglobals // one root key a process

func TestMain(m *testing.M) {
	network = watest.New()
	whatsmeow.WACertPubKey = network.Root()
	code := m.Run()
	network.Close()
	os.Exit(code)
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// gateway is the other end of the plugin's lines.
type gateway struct {
	t    *testing.T
	in   io.WriteCloser
	done chan struct{}

	mu      sync.Mutex
	next    int
	answers map[int]map[string]any
	steps   []map[string]any // channel.login.step
	states  []map[string]any // channel.status
	got     []map[string]any // channel.receive
	refuse  bool             // answer no message
}

// start runs a plugin over files in dir.
func start(t *testing.T, dir, config string) *gateway {
	t.Helper()
	toPlugin, in := io.Pipe()
	out, fromPlugin := io.Pipe()
	g := &gateway{t: t, in: in, done: make(chan struct{}), answers: map[int]map[string]any{}}
	h := newHost(toPlugin, fromPlugin, func(c *whatsmeow.Client) { watest.Tune(c, network.Addr) })
	go func() {
		defer close(g.done)
		_ = h.serve()
		_ = fromPlugin.Close()
	}()
	go g.read(out)
	t.Cleanup(g.kill)
	for _, d := range []string{"state", "files"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if r := g.call("channel.start", map[string]any{"config": json.RawMessage(config), "state": filepath.Join(dir, "state"), "files": filepath.Join(dir, "files")}); r["error"] != nil {
		t.Fatal(r)
	}
	return g
}

// kill ends the plugin as when its gateway is gone.
func (g *gateway) kill() {
	_ = g.in.Close()
	<-g.done
}

func (g *gateway) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var f map[string]any
		if json.Unmarshal(line, &f) != nil {
			continue
		}
		p, _ := f["params"].(map[string]any)
		g.mu.Lock()
		switch f["method"] {
		case nil:
			id, _ := f["id"].(float64)
			g.answers[int(id)] = f
		case "channel.login.step":
			g.steps = append(g.steps, p)
		case "channel.status":
			g.states = append(g.states, p)
		case "channel.receive":
			g.got = append(g.got, p)
			if !g.refuse {
				id := f["id"]
				go g.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": map[string]any{}})
			}
		}
		g.mu.Unlock()
	}
}

func (g *gateway) write(v any) {
	b, _ := json.Marshal(v)
	_, _ = g.in.Write(append(b, '\n'))
}

func (g *gateway) call(method string, params any) map[string]any {
	g.t.Helper()
	g.mu.Lock()
	g.next++
	id := 1000 + g.next
	g.mu.Unlock()
	g.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	var r map[string]any
	until(g.t, method+" is answered", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		r = g.answers[id]
		return r != nil
	})
	return r
}

// ok fails unless a call succeeds.
func (g *gateway) ok(method string, params any) map[string]any {
	g.t.Helper()
	r := g.call(method, params)
	if r["error"] != nil {
		g.t.Fatalf("%s: %v", method, r["error"])
	}
	x, _ := r["result"].(map[string]any)
	return x
}

// received returns the messages with word in their text.
func (g *gateway) received(word string) (out []map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.got {
		if strings.Contains(fmt.Sprint(m["text"]), word) {
			out = append(out, m)
		}
	}
	return out
}

func (g *gateway) state(word string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.states) > 0 && strings.Contains(fmt.Sprint(g.states[len(g.states)-1]), word)
}

// linked starts a plugin whose device is linked to a.
func linked(t *testing.T, dir string, a *watest.Account, config string) *gateway {
	t.Helper()
	g := start(t, dir, config)
	until(t, "it says that it isn't linked", func() bool { return g.state("not linked") })
	first := g.ok("channel.login.start", map[string]any{})
	if err := network.Scan(a, fmt.Sprint(first["qr"])); err != nil {
		t.Fatal(err)
	}
	until(t, "linked", func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.steps) > 0 && g.steps[len(g.steps)-1]["done"] == true
	})
	until(t, "connected", func() bool { return g.state("connected:true") && network.Ready(a) })
	return g
}

func to(peer string) map[string]any { return map[string]any{"kind": "direct", "peer": peer} }

// A device is linked by QR code, and messages, files, reactions and groups go
// both ways; one person has one name whichever id a message came with.
func TestWhatsApp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bot, person := network.Account("+15551000001"), network.Link(t, network.Account("+15551000002"))
	g := linked(t, dir, bot, `{}`)

	id := person.Say(bot.PN, "hello bot")
	until(t, "a message", func() bool { return len(g.received("hello bot")) == 1 })
	in := g.received("hello bot")[0]
	if from, _ := in["from"].(map[string]any); from["id"] != person.Number() || in["id"] != id || in["mentioned"] != true || in["backlog"] != nil {
		t.Errorf("received %v", in)
	}
	until(t, "it is confirmed", func() bool { return network.Pending(bot) == 0 })
	until(t, "a read receipt", func() bool { return person.Receipts("read", id) == 1 })

	sent := g.ok("channel.send", map[string]any{"id": "d1/0", "to": to(person.Number()), "text": "hello person"})
	until(t, "an answer", func() bool { return len(person.Texts("hello person")) == 1 })
	again := g.ok("channel.send", map[string]any{"id": "d1/0", "to": to(person.Number()), "text": "hello person"})
	if fmt.Sprint(sent["ids"]) != fmt.Sprint(again["ids"]) {
		t.Errorf("the same message has the ids %v and %v", sent["ids"], again["ids"])
	}
	ours := fmt.Sprint(sent["ids"].([]any)[0])
	g.ok("channel.react", map[string]any{"to": to(person.Number()), "message": id, "emoji": "👍"})
	g.ok("channel.edit", map[string]any{"to": to(person.Number()), "message": ours, "text": "hello dear person"})
	g.ok("channel.typing", map[string]any{"to": to(person.Number())})
	until(t, "an edit", func() bool {
		for _, m := range person.Got(func(watest.Shown) bool { return true }) {
			if strings.Contains(fmt.Sprint(m.Message), "hello dear person") {
				return true
			}
		}
		return false
	})

	// Files, encrypted for the receiver alone.
	if err := os.WriteFile(filepath.Join(dir, "files", "pic"), []byte("\x89PNG bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.ok("channel.send", map[string]any{"id": "d2/0", "to": to(person.Number()), "text": "see this", "attachments": []any{map[string]any{"file": "pic", "mime": "image/png", "name": "a.png"}}})
	until(t, "a picture", func() bool { return len(person.Texts("see this")) == 1 })
	data, err := person.Client.Download(t.Context(), person.Texts("see this")[0].Message.GetImageMessage())
	if err != nil || string(data) != "\x89PNG bytes" {
		t.Errorf("the picture is %q, %v", data, err)
	}
	person.SendFile(bot.PN, []byte("some words"), "text/plain", "notes.txt", "my notes")
	until(t, "a file", func() bool { return len(g.received("my notes")) == 1 })
	at, _ := g.received("my notes")[0]["attachments"].([]any)
	file := g.ok("channel.fetch", map[string]any{"ref": at[0].(map[string]any)["ref"], "limit": 1000})
	if b, err := os.ReadFile(filepath.Join(dir, "files", fmt.Sprint(file["file"]))); err != nil || string(b) != "some words" {
		t.Errorf("the file is %q, %v", b, err)
	}
	if r := g.call("channel.fetch", map[string]any{"ref": at[0].(map[string]any)["ref"], "limit": 3}); r["error"] == nil {
		t.Error("a file over the limit was fetched")
	}

	// A group, with linked ids; a mention counts by either of our ids.
	tea := network.Group("Tea", bot, person.Account)
	person.Say(tea.JID, "among us")
	person.Mention(tea.JID, bot, "you there")
	until(t, "a mention", func() bool { return len(g.received("you there")) == 1 })
	for word, mentioned := range map[string]bool{"among us": false, "you there": true} {
		in := g.received(word)
		if len(in) != 1 {
			t.Fatalf("%s came %d times", word, len(in))
		}
		from, _ := in[0]["from"].(map[string]any)
		where, _ := in[0]["at"].(map[string]any)
		if from["id"] != person.Number() || where["kind"] != "group" || where["peer"] != tea.JID.String() || (in[0]["mentioned"] == true) != mentioned {
			t.Errorf("%s: %v", word, in[0])
		}
	}
	g.ok("channel.send", map[string]any{"id": "d3/0", "to": map[string]any{"kind": "group", "peer": tea.JID.String()}, "text": "to all of you"})
	until(t, "an answer in the group", func() bool { return len(person.Texts("to all of you")) == 1 })
}

// WA-03 and what a gateway must not lose: what isn't stored isn't confirmed and
// comes again; what came while nobody was there follows, marked as old.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bot, person := network.Account("+15552000001"), network.Link(t, network.Account("+15552000002"))
	g := linked(t, dir, bot, `{"sendReadReceipts":false}`)
	g.mu.Lock()
	g.refuse = true
	g.mu.Unlock()
	id := person.Say(bot.PN, "not stored yet")
	until(t, "it comes", func() bool { return len(g.received("not stored yet")) > 0 })
	g.kill()
	if network.Pending(bot) == 0 {
		t.Error("a message that nobody stored was confirmed")
	}
	person.Say(bot.PN, "while away")
	g = start(t, dir, `{"sendReadReceipts":false}`)
	for _, word := range []string{"not stored yet", "while away"} {
		until(t, word+" comes", func() bool { return len(g.received(word)) == 1 })
	}
	until(t, "all is confirmed", func() bool { return network.Pending(bot) == 0 })
	if n := person.Receipts("read", id); n != 0 {
		t.Errorf("%d read receipts were sent", n)
	}

	// The connection breaks: it comes back by itself.
	network.Cut(bot, person.Account) // other tests go on beside this one
	person.Client.Disconnect()
	if err := person.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	until(t, "both are back", func() bool { return network.Online(bot) == 1 && network.Online(person.Account) == 1 })
	person.Say(bot.PN, "after the cut")
	until(t, "a message after the cut", func() bool { return len(g.received("after the cut")) == 1 })

	// The phone unlinks the device: it says so and can be linked anew.
	network.Unlink(bot)
	until(t, "it says that it was unlinked", func() bool { return g.state("unlinked this device") })
	if r := g.call("channel.send", map[string]any{"id": "d9/0", "to": to(person.Number()), "text": "x"}); !strings.Contains(fmt.Sprint(r["error"]), "channels login") {
		t.Errorf("sending then says %v", r)
	}
	first := g.ok("channel.login.start", map[string]any{})
	if err := network.Scan(bot, fmt.Sprint(first["qr"])); err != nil {
		t.Fatal(err)
	}
	until(t, "connected again", func() bool { return g.state("connected:true") && network.Ready(bot) })
	until(t, "a message to the new device", func() bool { // the first learns that there is one
		person.Say(bot.PN, "to the new device")
		time.Sleep(50 * time.Millisecond)
		return len(g.received("to the new device")) > 0
	})
	g.ok("channel.logout", map[string]any{})
	until(t, "no device is left", func() bool { return network.Linked(bot) == 0 })
}
