package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openclaw-go/openclaw/plugins/whatsapp/watest"
)

// model is a model server that says back what it is told. A word in hold makes
// it wait until that is taken out.
type model struct {
	mu    sync.Mutex
	hold  string
	asked int // requests that wait
}

func (m *model) set(word string) {
	m.mu.Lock()
	m.hold = word
	m.mu.Unlock()
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &in)
	text := ""
	for _, x := range in.Messages {
		if x.Role == "user" {
			text = string(x.Content)
		}
	}
	m.mu.Lock()
	held := m.hold != "" && strings.Contains(text, m.hold)
	if held {
		m.asked++
	}
	m.mu.Unlock()
	if held {
		<-r.Context().Done()
		return
	}
	i := strings.LastIndex(text, "say:")
	word := strings.Trim(strings.SplitN(text[max(i, 0):], `"`, 2)[0], `"\`)
	b, _ := json.Marshal(map[string]any{"id": "c", "choices": []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": "you " + word}, "finish_reason": "stop"}}})
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", b)
}

// build compiles the gateway, and the plugin for the network of tests, side by
// side as make does.
func build(t *testing.T) (openclaw string) {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, "plugins", "whatsapp")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*exec.Cmd{
		exec.Command("go", "build", "-tags", "watest", "-o", filepath.Join(at, "openclaw-whatsapp"), "."),
		exec.Command("go", "build", "-C", "../..", "-tags", "goolm", "-o", filepath.Join(dir, "openclaw"), "./cmd/openclaw"),
		exec.Command("cp", "openclaw.plugin.json", at),
	} {
		c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", c.Args, err, out)
		}
	}
	return filepath.Join(dir, "openclaw")
}

// The whole way: WhatsApp, the plugin, the gateway, a model, and back; over
// kills of the gateway and of the plugin each message is answered once.
func TestWholeWay(t *testing.T) {
	t.Parallel()
	openclaw := build(t)
	bot, person := network.Account("+15553000001"), network.Link(t, network.Account("+15553000002"))
	stranger := network.Link(t, network.Account("+15553000003"))
	dir := t.TempDir()
	linked(t, dir, bot, `{}`).kill()
	state := filepath.Join(dir, "gateway")
	at := filepath.Join(state, "plugin-data", "whatsapp", "whatsapp", "default")
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "state"), at); err != nil {
		t.Fatal(err)
	}
	m := &model{}
	srv := httptest.NewServer(m)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	conf, _ := json.Marshal(map[string]any{
		"gateway":  map[string]any{"mode": "local", "bind": "loopback", "port": port, "auth": map[string]any{"mode": "token", "token": "t0ken-for-tests"}},
		"agents":   map[string]any{"defaults": map[string]any{"workspace": filepath.Join(dir, "ws"), "skipBootstrap": true, "model": map[string]any{"primary": "fake/fake-1"}}},
		"models":   map[string]any{"mode": "replace", "providers": map[string]any{"fake": map[string]any{"baseUrl": srv.URL + "/v1", "apiKey": "k", "api": "openai-completions", "models": []any{map[string]any{"id": "fake-1", "name": "F"}}}}},
		"channels": map[string]any{"whatsapp": map[string]any{"dmPolicy": "allowlist", "allowFrom": []any{person.Number()}, "groupPolicy": "allowlist", "groupAllowFrom": []any{person.Number()}, "groups": map[string]any{"*": map[string]any{"requireMention": true}}}},
		"messages": map[string]any{"queue": map[string]any{"mode": "followup"}},
	})
	if err := os.WriteFile(filepath.Join(state, "openclaw.json"), conf, 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = log.Close()
		if b, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s", b)
		}
	})
	var gw *exec.Cmd
	up := func() {
		gw = exec.Command(openclaw, "gateway", "run")
		gw.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+state, "HOME="+dir, "WATEST_ADDR="+network.Addr, "WATEST_ROOT="+network.RootHex(), "NO_COLOR=1")
		gw.Stdout, gw.Stderr = log, log
		if err := gw.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the bot is online", func() bool { return network.Online(bot) == 1 })
	}
	down := func() {
		_ = gw.Process.Kill()
		_ = gw.Wait()
		until(t, "the plugin ends with its gateway", func() bool { return network.Online(bot) == 0 })
	}
	up()
	t.Cleanup(func() { down() })

	person.Say(bot.PN, "say:hello")
	until(t, "an answer", func() bool { return len(person.Texts("you say:hello")) == 1 })
	stranger.Say(bot.PN, "say:stranger")
	tea := network.Group("Tea", bot, person.Account, stranger.Account)
	person.Say(tea.JID, "say:unasked")
	stranger.Mention(tea.JID, bot, "say:forbidden")
	person.Mention(tea.JID, bot, "say:tea")
	until(t, "an answer in the group", func() bool { return len(person.Texts("you say:tea")) == 1 })

	// The gateway is killed while the model works.
	m.set("say:killed")
	person.Say(bot.PN, "say:killed")
	until(t, "the model is asked", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.asked > 0 })
	down()
	m.set("")
	person.Say(bot.PN, "say:meanwhile")
	up()
	for _, word := range []string{"killed", "meanwhile"} {
		until(t, word+" is answered", func() bool { return len(person.Texts("you say:"+word)) > 0 })
	}

	// The plugin alone is killed; the gateway starts it again.
	if out, err := exec.Command("pkill", "-9", "-P", fmt.Sprint(gw.Process.Pid), "-f", "openclaw-whatsapp").CombinedOutput(); err != nil {
		t.Fatalf("pkill: %v %s", err, out)
	}
	until(t, "the plugin is gone", func() bool { return network.Online(bot) == 0 })
	person.Say(bot.PN, "say:orphan")
	until(t, "the plugin is back and answers", func() bool { return len(person.Texts("you say:orphan")) > 0 })
	person.Say(bot.PN, "say:settled")
	until(t, "all is said", func() bool { return len(person.Texts("you say:settled")) > 0 })
	for word, want := range map[string]int{"hello": 1, "tea": 1, "killed": 1, "meanwhile": 1, "orphan": 1, "unasked": 0, "forbidden": 0, "stranger": 0} {
		got := person.Texts("you say:" + word)
		got = append(got, stranger.Got(func(s watest.Shown) bool {
			return s.Chat.Server != tea.JID.Server && strings.Contains(s.Text, "you say:"+word)
		})...)
		if len(got) != want {
			t.Errorf("%s is answered %d times, want %d", word, len(got), want)
		}
	}
}
