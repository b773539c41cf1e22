package slack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/slack"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kind is slack.Kind with short waits.
func kind() channel.Kind {
	k := slack.Kind()
	build := k.New
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		c, err := build(env, raw)
		if err != nil {
			return nil, err
		}
		return slack.Hurry(c), nil
	}
	return k
}

func server(t *testing.T) *slacktest.Server {
	t.Helper()
	s := slacktest.New()
	t.Cleanup(s.Close)
	return s
}

func config(s *slacktest.Server, more string) json.RawMessage {
	return json.RawMessage(`{"botToken":"` + s.BotToken + `","appToken":"` + s.AppToken + `","apiRoot":"` + s.URL + `"` + more + `}`)
}

// network is the suite's view of the server.
type network struct{ *slacktest.Server }

func (n network) Say(text string) {
	n.Server.Say(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text))
}
func (n network) Acked() (int, bool) { return n.Server.Acked(), true }
func (n network) Garble() {
	for _, f := range []string{
		"<html>", "[]", "5", `{"type":5}`, `{}`, `{"type":"no_such_thing","envelope_id":"x"}`, `{"type":"events_api","envelope_id":"y"}`,
		`{"type":"events_api","envelope_id":"z","payload":{"event":[]}}`, `{"type":"interactive","envelope_id":"i","payload":"text"}`,
		`{"type":"slash_commands","envelope_id":"s","payload":{}}`, `{"type":"hello"}`,
	} {
		n.Frame(f)
	}
	n.Event(map[string]any{"type": "message", "ts": 5, "channel": []int{1}})
	n.Event(map[string]any{"type": "message", "ts": "../..", "channel": "D0PERSON", "user": "U0PERSON", "text": "odd"})
	n.Event(map[string]any{"type": "message", "ts": "1.2", "channel": "<>", "user": "U0PERSON", "text": "odd"})
	n.Event(map[string]any{"type": "reaction_added", "user": "U0PERSON", "item": map[string]any{"type": "message"}})
	n.Fail("users.info", slacktest.Fault{Status: 200, Body: "<html>"}, slacktest.Fault{Status: 502, Body: "bad gateway"})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: kind(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			s := server(t)
			return network{s}, config(s, ""), msg.Address{Channel: "slack", Account: "acc", Kind: msg.Direct, Peer: slacktest.Person}
		},
	})
}

const patience = 15 * time.Second

// rig is a running bot.
type rig struct {
	t      *testing.T
	ch     channel.Channel
	got    chan msg.Inbound
	up     chan struct{}
	done   chan error
	cancel context.CancelFunc

	mu    sync.Mutex
	log   bytes.Buffer
	state map[string]string
	last  error // of Status
}

// Write implements io.Writer for the log.
func (r *rig) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(p)
}

func (r *rig) logged() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.String()
}

// build makes a bot that doesn't run.
func build(t *testing.T, raw json.RawMessage) *rig {
	t.Helper()
	r := &rig{
		t: t, got: make(chan msg.Inbound, 256), up: make(chan struct{}, 256), done: make(chan error, 16), // more than any test needs
		state: map[string]string{}, cancel: func() {},
	}
	r.make(raw)
	return r
}

func (r *rig) make(raw json.RawMessage) {
	r.t.Helper()
	var err error
	r.ch, err = kind().New(channel.Env{
		Account: "default", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Log: slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug})),
		State: func(_ context.Context, k string) (string, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.state[k], nil
		},
		SetState: func(_ context.Context, k, v string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.state[k] = v
			return nil
		},
		Status: func(err error) {
			r.mu.Lock()
			r.last = err
			r.mu.Unlock()
			if err == nil {
				r.up <- struct{}{}
			}
		},
	}, raw)
	if err != nil {
		r.t.Fatal(err)
	}
}

// run starts it; stop ends it.
func (r *rig) run() (stop func()) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() {
		done <- r.ch.Run(ctx, func(_ context.Context, in msg.Inbound) error { r.got <- in; return nil })
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				r.done <- err
			case <-time.After(patience):
				r.t.Error("Run didn't end")
			}
		})
	}
	r.t.Cleanup(stop)
	return stop
}

// running is a bot that is connected.
func running(t *testing.T, raw json.RawMessage) *rig {
	t.Helper()
	r := build(t, raw)
	r.run()
	r.connected()
	return r
}

func (r *rig) connected() {
	r.t.Helper()
	select {
	case <-r.up:
	case <-time.After(patience):
		r.t.Fatalf("not connected: %s", r.logged())
	}
}

func (r *rig) next() msg.Inbound {
	r.t.Helper()
	select {
	case in := <-r.got:
		return in
	case <-time.After(patience):
		r.t.Fatalf("nothing received: %s", r.logged())
	}
	return msg.Inbound{}
}

func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func to(peer, thread string) msg.Address {
	at := msg.Address{Channel: "slack", Account: "default", Peer: id.Peer(peer), Thread: id.Thread(thread), Kind: msg.Channel}
	if peer[0] == 'U' {
		at.Kind = msg.Direct
	}
	return at
}
