package plugin_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/plugin"
)

// TestMain is also the fake plugin's program: the manifest starts the test
// binary again.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "-fake-plugin" {
		os.Exit(fake(os.Args[2]))
	}
	goleak.VerifyTestMain(m)
}

type line struct {
	V      string          `json:"jsonrpc"`
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result any             `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// speaker is the plugin's end of the lines.
type speaker struct {
	mu      sync.Mutex
	net     net.Conn
	state   string
	answers chan line
	held    []line // answered later, in the other order
}

func (s *speaker) say(l line) {
	l.V = "2.0"
	b, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = os.Stdout.Write(append(b, '\n'))
}

func (s *speaker) raw(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = os.Stdout.WriteString(t)
}

// fake is a network client whose network is the test's: a line of JSON each way
// over TCP. mode makes it behave badly.
func fake(mode string) int {
	s := &speaker{answers: make(chan line, 16)}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	if mode == "slow" {
		<-time.After(300 * time.Millisecond)
	}
	for {
		raw, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var l line
		if json.Unmarshal(raw, &l) != nil {
			return 3
		}
		if l.Method == "" {
			s.answers <- l
			continue
		}
		if code := s.serve(mode, l); code >= 0 {
			return code
		}
	}
}

func (s *speaker) serve(mode string, l line) int {
	ok := line{ID: l.ID, Result: map[string]any{}}
	switch l.Method {
	case "initialize":
		if mode == "crash" {
			fmt.Fprintln(os.Stderr, "crashed on purpose")
			return 2
		}
		if mode == "mute" {
			return -1
		}
		if mode == "junk" {
			s.raw("hello\n{}\n[1]\n\n" + strings.Repeat("x", 5<<20) + "\n")
		}
		ok.Result = map[string]any{"protocol": 1, "id": "fake"}
	case "channel.start":
		var p struct {
			Config struct{ Server string }
			State  string
		}
		if json.Unmarshal(l.Params, &p) != nil {
			return 3
		}
		c, err := net.Dial("tcp", p.Config.Server)
		if err != nil {
			return 1
		}
		s.net, s.state = c, p.State
		go s.receive(mode)
		s.say(ok)
		s.say(line{Method: "channel.status", Params: json.RawMessage(`{"connected":true}`)})
		return -1
	case "channel.send":
		var p struct{ Text, ID string }
		_ = json.Unmarshal(l.Params, &p)
		if mode == "reorder" {
			ok.Result = map[string]any{"ids": []string{p.ID}}
			if s.held = append(s.held, ok); len(s.held) == 3 {
				for i := range s.held {
					s.say(s.held[2-i])
				}
			}
			return -1
		}
		if mode == "dying" {
			return 1
		}
		b, _ := json.Marshal(map[string]string{"show": p.Text})
		_, _ = s.net.Write(append(b, '\n'))
	case "channel.login.start":
		s.say(line{ID: l.ID, Result: map[string]any{"qr": "first"}})
		s.say(line{Method: "channel.login.step", Params: json.RawMessage(`{"qr":"second"}`)})
		s.say(line{Method: "channel.login.step", Params: json.RawMessage(`{"done":true,"text":"linked"}`)})
		return -1
	case "channel.fetch":
		var p struct{ Ref string }
		_ = json.Unmarshal(l.Params, &p)
		ok.Result = map[string]any{"file": strings.TrimPrefix(p.Ref, "fake:")}
	case "shutdown":
		if mode == "stubborn" {
			return -1
		}
		s.say(ok)
		return 0
	}
	s.say(ok)
	return -1
}

// receive hands each message over until it is stored, and only then confirms it.
func (s *speaker) receive(mode string) {
	r := bufio.NewReader(s.net)
	n := 0
	for {
		raw, err := r.ReadBytes('\n')
		if err != nil {
			os.Exit(1) // the network is gone: a crash, for the host to mend
		}
		var m struct {
			ID   int
			Text string
		}
		if json.Unmarshal(raw, &m) != nil {
			s.raw(string(raw)) // hand the nonsense on
			continue
		}
		for stored := false; !stored; {
			n++
			p, _ := json.Marshal(map[string]any{
				"id": fmt.Sprint(m.ID), "from": map[string]any{"id": "ada"}, "text": m.Text,
				"at": map[string]any{"kind": "direct", "peer": "ada"}, "client": map[string]any{"owner": true},
			})
			s.say(line{ID: json.RawMessage(fmt.Sprint(n)), Method: "channel.receive", Params: p})
			a := <-s.answers
			if stored = a.Error == nil; !stored {
				<-time.After(20 * time.Millisecond)
			}
		}
		_, _ = fmt.Fprintf(s.net, `{"ack":%d}`+"\n", m.ID)
		if mode == "once" {
			os.Exit(1)
		}
	}
}

// manifest makes a plugin's directory.
func manifest(t *testing.T, mode string) plugin.Manifest {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Link(self, filepath.Join(dir, "fake")); err != nil {
		b, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fake"), b, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	raw := `{"id":"fake","name":"Fake","version":"1.0.0","protocol":1,"program":"fake","args":["-fake-plugin","` + mode + `"],
	 "channels":[{"id":"fake","label":"Fake","format":"plain","limits":{"text":1000,"media":1000},"can":["typing","fetch","login"],
	 "configSchema":{"type":"object","properties":{"server":{"type":"string"}},"required":["server"],"additionalProperties":false}}]}`
	if err := os.WriteFile(filepath.Join(dir, "openclaw.plugin.json"), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := plugin.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
