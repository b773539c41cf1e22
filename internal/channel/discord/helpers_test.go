package discord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/channeltest"
	"github.com/openclaw-go/openclaw/internal/channel/discord"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kind is discord.Kind with short waits.
func kind() channel.Kind {
	k := discord.Kind()
	build := k.New
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		c, err := build(env, raw)
		if err != nil {
			return nil, err
		}
		return discord.Hurry(c), nil
	}
	return k
}

func server(t *testing.T) *discordtest.Server {
	t.Helper()
	s := discordtest.New()
	t.Cleanup(s.Close)
	return s
}

func config(s *discordtest.Server, more string) json.RawMessage {
	return json.RawMessage(`{"token":"` + s.Token + `","apiRoot":"` + s.URL + `"` + more + `}`)
}

// network is the suite's view of the server.
type network struct{ *discordtest.Server }

func (n network) Say(text string)    { n.Server.Say(text) }
func (n network) Acked() (int, bool) { return n.Server.Acked(), true }
func (n network) Garble() {
	n.Frame(`<html>`)
	n.Frame(`[]`)
	n.Frame(`{"op":77}`)
	n.Frame(`{"op":0,"t":"MESSAGE_CREATE","s":"x"}`)
	n.Event("MESSAGE_CREATE", map[string]any{"id": 7, "channel_id": []any{}})
	n.Event("MESSAGE_CREATE", map[string]any{"id": "7", "channel_id": "x", "author": nil})
	n.Event("MESSAGE_CREATE", nil)
	n.Event("INTERACTION_CREATE", map[string]any{"id": "1", "type": 2, "token": "../../x", "channel_id": "1"})
	n.Event("MESSAGE_REACTION_ADD", map[string]any{"emoji": "x"})
	n.Event("GUILD_CREATE", map[string]any{"id": "1", "channels": "none"})
	n.Event("NEWS_OF_TOMORROW", []any{1})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, channeltest.Suite{
		Kind: kind(),
		Start: func(t *testing.T) (channeltest.Network, json.RawMessage, msg.Address) {
			t.Helper()
			s := server(t)
			return network{s}, config(s, ""), msg.Address{Channel: "discord", Account: "acc", Kind: msg.Direct, Peer: discordtest.Person}
		},
	})
}

// rig is an account with its surroundings.
type rig struct {
	t      *testing.T
	ch     channel.Channel
	got    chan msg.Inbound
	status chan error
	done   chan error
	cancel context.CancelFunc

	mu    sync.Mutex
	log   bytes.Buffer
	state map[string]string
	recv  func(context.Context, msg.Inbound) error
}

func build(t *testing.T, raw json.RawMessage) *rig {
	t.Helper()
	return (&rig{t: t, state: map[string]string{}}).build(raw)
}

// build makes the account anew, with what it remembers.
func (r *rig) build(raw json.RawMessage) *rig {
	r.t.Helper()
	// More than any test needs.
	r.got, r.status, r.done, r.cancel = make(chan msg.Inbound, 256), make(chan error, 256), make(chan error, 1), func() {}
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
		Status: func(err error) { r.status <- err },
		Open: func(_ context.Context, a msg.Attachment) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader([]byte("bytes of " + a.Ref))), nil
		},
	}, raw)
	if err != nil {
		r.t.Fatal(err)
	}
	return r
}

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

// start runs the account until it is stopped or the test ends.
func (r *rig) start() *rig {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	finished := make(chan struct{})
	got, done, ch := r.got, r.done, r.ch
	go func() {
		defer close(finished)
		done <- ch.Run(ctx, func(ctx context.Context, in msg.Inbound) error {
			r.mu.Lock()
			f := r.recv
			r.mu.Unlock()
			if f != nil {
				if err := f(ctx, in); err != nil {
					return err
				}
			}
			got <- in
			return nil
		})
	}()
	r.t.Cleanup(func() { cancel(); <-finished })
	return r
}

// up starts the account and waits until it is connected.
func (r *rig) up() *rig {
	r.t.Helper()
	r.start()
	r.connected()
	return r
}

func (r *rig) connected() {
	r.t.Helper()
	for {
		if wait(r.t, r.status, "a connection") == nil {
			return
		}
	}
}

func (r *rig) stop() {
	r.t.Helper()
	r.cancel()
	if err := wait(r.t, r.done, "Run to end"); err != nil {
		r.t.Errorf("Run = %v", err)
	}
}

const patience = 20 * time.Second

func wait[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}

func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	end := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
