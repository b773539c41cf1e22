//go:build unix

package signal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
)

// The daemon is started with what the configuration says, and ended with the
// channel.
func TestStart(t *testing.T) {
	t.Parallel()
	s := signaltest.New()
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "signal-cli")
	text := "#!/bin/sh\ntrap 'echo ended >" + dir + "/ended; exit 0' TERM\necho \"$@\" >" + dir + "/args\nwhile :; do sleep 0.05; done\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := signal.Quick().New(channel.Env{Account: "default"}, json.RawMessage(fmt.Sprintf(
		`{"account":%q,"cliPath":%q,"httpHost":%q,"httpPort":%s}`, signaltest.Bot, script, u.Hostname(), u.Port())))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan msg.Inbound, 1) // the one that is said
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1) // what Run returns
	go func() {
		done <- c.Run(ctx, func(_ context.Context, in msg.Inbound) error { got <- in; return nil })
	}()
	for range 1000 { // the script has begun, and so can be ended
		if raw, err := os.ReadFile(filepath.Join(dir, "args")); err == nil && len(raw) > 0 {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	s.Say("hello")
	next(t, got)
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("Run doesn't end")
	}
	args, _ := os.ReadFile(filepath.Join(dir, "args"))
	if want := "-a " + signaltest.Bot + " daemon --http " + u.Host + " --no-receive-stdout --receive-mode on-connection"; strings.TrimSpace(string(args)) != want {
		t.Errorf("started with %q, want %q", args, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Error("the daemon wasn't ended")
	}
}
