package plugin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/plugin"
)

// world is the network of the fake plugin.
type world struct {
	l net.Listener

	mu    sync.Mutex
	conns map[net.Conn]bool
	said  []string
	acked int
	shown []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{l: l, conns: map[net.Conn]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { w.serve(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); w.Cut(); wg.Wait() })
	return w
}

func (w *world) serve(c net.Conn) {
	defer c.Close()
	w.mu.Lock()
	w.conns[c] = true
	for i := w.acked; i < len(w.said); i++ {
		w.tell(c, i)
	}
	w.mu.Unlock()
	r := bufio.NewReader(c)
	for {
		raw, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		var m struct {
			Show *string
			Ack  *int
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		w.mu.Lock()
		if m.Show != nil {
			w.shown = append(w.shown, *m.Show)
		}
		if m.Ack != nil {
			w.acked = *m.Ack + 1
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	delete(w.conns, c)
	w.mu.Unlock()
}

func (w *world) tell(c net.Conn, i int) {
	b, _ := json.Marshal(map[string]any{"ID": i, "Text": w.said[i]})
	_, _ = c.Write(append(b, '\n'))
}

func (w *world) Say(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, s)
	for c := range w.conns {
		w.tell(c, len(w.said)-1)
	}
}

func (w *world) Shown() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.shown...)
}

func (w *world) Acked() (int, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked, true
}

func (w *world) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
	}
}

func (w *world) Garble() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_, _ = c.Write([]byte("\x00\xff garbage\n{\"jsonrpc\":\"2.0\",\"id\":\n"))
	}
}

func (w *world) config() json.RawMessage {
	return json.RawMessage(`{"server":"` + w.l.Addr().String() + `"}`)
}

func kindOf(t *testing.T, mode string) channel.Kind {
	t.Helper()
	kinds, problems := plugin.Kinds([]plugin.Manifest{manifest(t, mode)}, nil, plugin.Options{
		Data:   t.TempDir(),
		Timing: plugin.Timing{Start: 15 * time.Second, Call: 15 * time.Second, Stop: 3 * time.Second, Retry: backoff.Policy{Min: 20 * time.Millisecond, Max: 200 * time.Millisecond}},
	})
	if len(kinds) != 1 || len(problems) != 0 {
		t.Fatalf("Kinds = %v, %v", kinds, problems)
	}
	return kinds[0]
}

func TestChannel(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: kindOf(t, "good"), Patience: 40 * time.Second,
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			w := newWorld(t)
			return w, w.config(), msg.Address{Channel: "fake", Account: "acc", Kind: msg.Direct, Peer: "ada"}
		},
	})
}

// run starts a channel in a mode and returns it when it is connected, unless
// it never will be.
func run(t *testing.T, mode string, w *world, recv channel.Receiver) (channel.Channel, chan error) {
	t.Helper()
	states := make(chan error, 64)
	ch, err := kindOf(t, mode).New(channel.Env{
		Account: "acc", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Status: func(err error) {
			select {
			case states <- err:
			default:
			}
		},
	}, w.config())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- ch.Run(ctx, recv) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	return ch, states
}

func wait[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(40 * time.Second):
		t.Fatal("waited in vain")
	}
	panic("not reached")
}

func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode string
		ok   bool
	}{{"slow", true}, {"junk", true}, {"stubborn", true}, {"crash", false}} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			_, states := run(t, tt.mode, newWorld(t), nil)
			if err := wait(t, states); (err == nil) != tt.ok {
				t.Errorf("the first status is %v", err)
			}
			if !tt.ok { // it is tried again
				if err := wait(t, states); err == nil {
					t.Error("the second status is good")
				}
			}
		})
	}
}

// TestCrashes: the program ends behind every message; each arrives, in order.
func TestCrashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := make(chan msg.Inbound, 16)
	run(t, "once", w, func(_ context.Context, in msg.Inbound) error { got <- in; return nil })
	for _, s := range []string{"1", "2", "3"} {
		w.Say(s)
	}
	var texts []string
	for len(texts) < 3 {
		in := wait(t, got)
		if in.Client != nil {
			t.Fatal("a plugin made itself an authenticated client")
		}
		if n := len(texts); n == 0 || texts[n-1] != in.Text { // the confirmation may have been lost
			texts = append(texts, in.Text)
		}
	}
	if d := cmp.Diff([]string{"1", "2", "3"}, texts); d != "" {
		t.Error(d)
	}
}

func TestAnswersOutOfOrder(t *testing.T) {
	t.Parallel()
	ch, states := run(t, "reorder", newWorld(t), nil)
	wait(t, states)
	var wg sync.WaitGroup
	for _, d := range []id.Delivery{"a", "b", "c"} {
		wg.Go(func() {
			r, err := ch.Send(t.Context(), msg.Outbound{ID: d, To: msg.Address{Peer: "ada"}, Text: "x"})
			if err != nil || len(r.IDs) != 1 || string(r.IDs[0]) != string(d) {
				t.Errorf("Send %s = %v, %v", d, r, err)
			}
		})
	}
	wg.Wait()
}

// TestDeathWhileSending: what was sent may have been shown.
func TestDeathWhileSending(t *testing.T) {
	t.Parallel()
	ch, states := run(t, "dying", newWorld(t), nil)
	wait(t, states)
	_, err := ch.Send(t.Context(), msg.Outbound{ID: "a", To: msg.Address{Peer: "ada"}, Text: "x"})
	var doubt channel.InDoubt
	if fault.KindOf(err) != fault.Unavailable || !as(err, &doubt) {
		t.Errorf("Send = %v, want a doubtful one", err)
	}
}

func as(err error, target *channel.InDoubt) bool {
	for err != nil {
		if d, ok := err.(channel.InDoubt); ok { //nolint:errorlint // walks the chain itself
			*target = d
			return true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return false
		}
		err = u.Unwrap()
	}
	return false
}

func TestLogin(t *testing.T) {
	t.Parallel()
	ch, states := run(t, "good", newWorld(t), nil)
	wait(t, states)
	l, ok := channel.As[channel.Login](ch)
	if !ok {
		t.Fatal("no login")
	}
	var got []channel.LoginStep
	if err := l.Login(t.Context(), func(s channel.LoginStep) { got = append(got, s) }); err != nil {
		t.Fatal(err)
	}
	want := []channel.LoginStep{{QR: "first"}, {QR: "second"}, {Text: "linked", Done: true}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, ok := channel.As[channel.Reactor](ch); ok {
		t.Error("it reacts, though its manifest doesn't say so")
	}
}

// TestFetchStaysInside: a file elsewhere isn't handed out.
func TestFetchStaysInside(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	ch, states := run(t, "good", newWorld(t), nil)
	wait(t, states)
	f, _ := channel.As[channel.Fetcher](ch)
	for _, ref := range []string{"fake:" + secret, "fake:../../../etc/passwd", "fake:", "fake:."} {
		if r, err := f.Fetch(t.Context(), msg.Attachment{Ref: ref}); err == nil {
			b, _ := io.ReadAll(r)
			t.Errorf("Fetch(%s) gave %q", ref, b)
		}
	}
}

func TestKindsTaken(t *testing.T) {
	t.Parallel()
	kinds, problems := plugin.Kinds([]plugin.Manifest{manifest(t, "good")}, []id.Channel{"fake"}, plugin.Options{})
	if len(kinds) != 0 || len(problems) != 1 {
		t.Errorf("Kinds = %v, %v", kinds, problems)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	m := manifest(t, "good")
	off := false
	found, problems := plugin.Find([]string{filepath.Dir(m.Dir), "/nowhere"}, plugin.Settings{})
	if len(found) != 1 || len(problems) != 0 {
		t.Errorf("Find = %v, %v", found, problems)
	}
	if !(plugin.Settings{}).On("x") || (plugin.Settings{Enabled: &off}).On("x") || (plugin.Settings{Deny: []string{"x"}}).On("x") || (plugin.Settings{Allow: []string{"y"}}).On("x") {
		t.Error("allow, deny or enabled isn't kept")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const good = `{"id":"a","name":"A","version":"1","protocol":1,"program":"bin/a","channels":[{"id":"c","label":"C"}]}`
	if _, err := plugin.Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{
		``, `[]`, good + good,
		`{"id":"../a","name":"A","version":"1","protocol":1,"program":"a","channels":[{"id":"c","label":"C"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":2,"program":"a","channels":[{"id":"c","label":"C"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"/bin/sh","channels":[{"id":"c","label":"C"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"../sh","channels":[{"id":"c","label":"C"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"a","channels":[]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"a","channels":[{"id":"c","label":"C"},{"id":"c","label":"C"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"a","channels":[{"id":"c","label":"C","format":"html"}]}`,
		`{"id":"a","name":"A","version":"1","protocol":1,"program":"a","run":"rm","channels":[{"id":"c","label":"C"}]}`,
	} {
		if _, err := plugin.Parse([]byte(raw)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Parse(%s) = %v, want kind Invalid", raw, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":"a","name":"A","version":"1","protocol":1,"program":"bin/a","channels":[{"id":"c","label":"C","configSchema":{"type":"object"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := plugin.Parse(raw); err == nil && !filepath.IsLocal(m.Program) {
			t.Errorf("program %q isn't local", m.Program)
		}
	})
}

func TestWhatsAppIDs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"+49 151 234-5678": "+491512345678", "00491512345678": "+491512345678", "whatsapp:+491512345678": "+491512345678",
		"491512345678@s.whatsapp.net": "+491512345678", "491512345678:12@s.whatsapp.net": "+491512345678",
		"123456@lid": "123456@lid", "123456:7@lid": "123456@lid", "120363000@g.us": "120363000@g.us", "1-2@g.us": "1-2@g.us",
		"*": "*", "": "", "alice": "", "+": "", "12": "", "x@lid": "", "1@evil": "", "+49151x": "", "49@151@lid": "",
	} {
		if got := plugin.WhatsApp(in); got != want {
			t.Errorf("WhatsApp(%q) = %q, want %q", in, got, want)
		}
	}
}
