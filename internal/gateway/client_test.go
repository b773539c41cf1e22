package gateway_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	ours "github.com/openclaw-go/openclaw/internal/client"
)

// Our own client against our own gateway: neither may lean on a mistake that
// only the other makes.
func TestOwnClient(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	d := newIdentity(t)
	c, err := ours.Dial(t.Context(), ours.Options{URL: "ws://" + r.addr, Token: "secret-token", Identity: ours.NewIdentity(d.key)})
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ OK bool }
	if err := c.Call(t.Context(), "health", nil, &out); err != nil || !out.OK {
		t.Errorf("health: %+v, %v", out, err)
	}
	if err := c.Call(t.Context(), "no.such", nil, nil); err == nil || !strings.Contains(err.Error(), "unknown method: no.such") {
		t.Errorf("unknown method: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// syncBuffer is a log that several goroutines write to.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	var buf syncBuffer
	r := newRig(t, rigOptions{log: slog.New(slog.NewTextHandler(&buf, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	c := r.open(operator())
	secrets := []string{"secret-token", c.hello.Auth.DeviceToken, "wrong-token-of-mine", "query-token"}
	for range 3 {
		bad := operator()
		bad.Auth.Token = "wrong-token-of-mine"
		r.dial(nil).connect(bad, nil)
	}
	r.dial(map[string][]string{"Origin": {"http://evil.example"}}).connect(operator(), nil)
	r.do("GET", "/nope?token=query-token", "", "Authorization: Bearer secret-token")
	c.call("device.token.rotate", `{"deviceId":"none","role":"operator"}`)
	r.bus.Publish(event.ConfigChanged{})
	r.settings(func(s *auth.Settings) { s.Token = "another" })
	r.stop()
	log := buf.String()
	for _, s := range secrets {
		if strings.Contains(log, s) {
			t.Errorf("the log holds %q:\n%s", s, log)
		}
	}
	if n := strings.Count(log, "authentication failed"); n != 1 {
		t.Errorf("%d log lines for one burst:\n%s", n, log)
	}
	if !strings.Contains(log, "origin refused") {
		t.Errorf("no line about the refused origin:\n%s", log)
	}
}

// A thousand connections leave nothing behind; goleak looks at goroutines, this
// at what the server counts.
func TestConnectionsAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{})
	for range 100 {
		c := r.dial(nil)
		c.connect(operator(), nil)
		_ = c.ws.CloseNow()
	}
	c := r.open(operator())
	if f := c.call("health", "{}"); !f.OK {
		t.Error(f.raw)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ours.Dial(ctx, ours.Options{URL: "ws://" + r.addr, Token: "x"}); err == nil {
		t.Error("dialled with an ended context")
	}
}
