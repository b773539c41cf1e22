//go:build dendrite && goolm

package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// alice is a person on a homeserver who reads and writes encrypted rooms.
type alice struct {
	t  *testing.T
	ch channel.Channel

	mu    sync.Mutex
	state map[string]string
	got   []string
	n     int
}

func newAlice(t *testing.T, base string) *alice {
	t.Helper()
	a := &alice{t: t, state: map[string]string{}}
	env := channel.Env{
		Account: "default", Dir: t.TempDir(),
		State: func(_ context.Context, k string) (string, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.state[k], nil
		},
		SetState: func(_ context.Context, k, v string) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.state[k] = v
			return nil
		},
	}
	raw := fmt.Sprintf(`{"homeserver":%q,"userId":"@alice:localhost","accessToken":%q,"encryption":true}`, base, matrixtest.Register(t, base, "alice"))
	ch, err := matrix.Kind().New(env, json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	a.ch = ch
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = ch.Run(ctx, func(_ context.Context, in msg.Inbound) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.got = append(a.got, in.Text)
			return nil
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return a
}

func (a *alice) say(text string) {
	a.t.Helper()
	a.n++
	out := msg.Outbound{ID: id.Delivery(fmt.Sprint("a", a.n)), To: msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: "@claw:localhost"}, Text: text}
	if _, err := a.ch.Send(a.t.Context(), out); err != nil {
		a.t.Fatal(err)
	}
}

func (a *alice) shown(word string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.got {
		n += strings.Count(s, word)
	}
	return n
}

// On a real homeserver, in an encrypted room: what ran and what waited when the
// process was killed is answered, once.
func TestDendriteCrash(t *testing.T) {
	t.Parallel()
	base := matrixtest.Dendrite(t)
	a := newAlice(t, base)
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, object{"channels": object{"matrix": object{
		"homeserver": base, "accessToken": matrixtest.Register(t, base, "claw"), "userId": "@claw:localhost", "encryption": true,
		"dm": object{"policy": "allowlist", "allowFrom": []any{"@alice:localhost"}},
	}}})
	g.Start()
	// Until the invitation is taken and the keys are there, words may be lost:
	// that is the beginning of a room, not a crash.
	tries := 0
	harness.Until(t, 4*within, "the first answer", func() bool {
		if tries++; tries%20 == 1 {
			a.say(fmt.Sprintf("hello %d", tries))
		}
		return a.shown("hello") > 0
	})
	a.say("first !hold one")
	harness.Until(t, within, "a model call", func() bool { return len(m.Calls("first")) == 1 })
	a.say("second pear !hold two")
	g.Kill()
	a.say("third while it is away")
	m.Release("one")
	m.Release("two")
	g.Start()
	for _, w := range []string{"second pear", "third while"} {
		harness.Until(t, 4*within, w+" is answered", func() bool { return a.shown(w) > 0 })
	}
	a.say("last plum")
	harness.Until(t, 2*within, "the last answer", func() bool { return a.shown("last plum") > 0 })
	for _, w := range []string{"echo: first", "second pear", "third while", "last plum"} {
		if n := a.shown(w); n != 1 {
			t.Errorf("%q is shown %d times", w, n)
		}
	}
}
