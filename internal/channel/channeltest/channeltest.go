// Package channeltest is what every channel must pass: nothing is acknowledged
// before it is stored, nothing is lost when storing fails, parts fit, and the
// channel survives its network and stops when told to.
//
// A channel's test starts a server that speaks the network's protocol, wraps
// it as a [Network], and calls [Run].
package channeltest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Network is a server of the network, with one person on it who talks to the
// channel's account directly.
type Network interface {
	// Say lets the person write text to the account. It returns when the server
	// has the message, whether or not the channel is connected.
	Say(text string)
	// Shown returns what the person sees of the account's messages, without
	// formatting, in order. The server refuses what its protocol forbids.
	Shown() []string
	// Acked is how many of the person's messages the channel has confirmed; ok
	// is false on a network that has no such thing.
	Acked() (n int, ok bool)
	// Cut breaks every connection; new ones are accepted.
	Cut()
	// Garble makes the server say things that make no sense.
	Garble()
}

// Suite is a channel to test.
type Suite struct {
	Kind channel.Kind
	// Start starts a server for one test and returns the configuration of an
	// account on it, and the person's address.
	Start func(t *testing.T) (n Network, config json.RawMessage, person msg.Address)
	// Patience bounds the wait for one thing to happen; 0 is 20 s.
	Patience time.Duration
}

// Run runs all tests.
func Run(t *testing.T, s Suite) {
	t.Helper()
	if s.Patience == 0 {
		s.Patience = 20 * time.Second
	}
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *rig)
	}{
		{"Receive", receive},
		{"StoreBeforeAck", storeBeforeAck},
		{"StoreFails", storeFails},
		{"RestartBeforeAck", restartBeforeAck},
		{"Send", send},
		{"SendUnconnected", sendUnconnected},
		{"SendParts", sendParts},
		{"SendOddText", sendOddText},
		{"Reconnect", reconnect},
		{"Garbage", garbage},
		{"Panic", panics},
		{"Stop", stop},
		{"StopWhileStoring", stopWhileStoring},
		{"BadConfig", badConfig},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{t: t, suite: s, state: map[string]string{}}
			r.net, r.config, r.person = s.Start(t)
			tt.run(t, r)
		})
	}
}

// rig is one test's channel with its surroundings.
type rig struct {
	t      *testing.T
	suite  Suite
	net    Network
	config json.RawMessage
	person msg.Address
	ch     channel.Channel
	up     chan struct{} // a value for each time the connection came up

	mu    sync.Mutex
	got   []msg.Inbound
	state map[string]string
	recv  func(context.Context, msg.Inbound) error // before got; nil is none
}

// build makes the channel.
func (r *rig) build() channel.Channel {
	r.t.Helper()
	r.up = make(chan struct{}, 64) // more than any test connects
	c, err := r.suite.Kind.New(channel.Env{
		Account: "acc",
		Log:     slog.New(slog.NewTextHandler(r.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		HTTP:    &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		State: func(_ context.Context, key string) (string, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.state[key], nil
		},
		SetState: func(_ context.Context, key, value string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.state[key] = value
			return nil
		},
		Status: func(err error) {
			if err == nil {
				select {
				case r.up <- struct{}{}:
				default:
				}
			}
		},
	}, r.config)
	if err != nil {
		r.t.Fatalf("New(%s) = %v", r.config, err)
	}
	return c
}

// start runs the channel until the test ends or stop is called; stop fails the
// test when Run doesn't end well.
func (r *rig) start() (stop func()) {
	r.t.Helper()
	r.ch = r.build()
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1) // Run's result, read once
	go func() { done <- r.ch.Run(ctx, r.receive) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			select {
			case err := <-done:
				if err != nil {
					r.t.Errorf("Run ended with %v after its context", err)
				}
			case <-time.After(r.suite.Patience):
				r.t.Error("Run didn't end after its context")
			}
		})
	}
	r.t.Cleanup(stop)
	r.waitUp()
	return stop
}

func (r *rig) waitUp() {
	r.t.Helper()
	select {
	case <-r.up:
	case <-time.After(r.suite.Patience):
		r.t.Fatal("the channel didn't report a connection")
	}
}

func (r *rig) receive(ctx context.Context, in msg.Inbound) error {
	r.mu.Lock()
	hook := r.recv
	r.mu.Unlock()
	if hook != nil {
		if err := hook(ctx, in); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, in)
	return nil
}

func (r *rig) onReceive(f func(context.Context, msg.Inbound) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recv = f
}

// received waits for n messages and returns them.
func (r *rig) received(n int) []msg.Inbound {
	r.t.Helper()
	r.until("messages to be received", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.got) >= n
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]msg.Inbound(nil), r.got...)
}

// until waits for a condition.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(r.suite.Patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-end:
			r.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// send delivers out, again while the channel says that it may help.
func (r *rig) send(out msg.Outbound) {
	r.t.Helper()
	end := time.Now().Add(r.suite.Patience)
	for {
		_, err := r.ch.Send(r.t.Context(), out)
		if err == nil {
			return
		}
		if !retryable(err) || time.Now().After(end) {
			r.t.Fatalf("Send(%q) = %v", out.Text, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

var errStore = errors.New("disk full")
