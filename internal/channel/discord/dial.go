package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// gateway asks where to connect.
func (b *bot) gateway(ctx context.Context) (string, error) {
	const op = "discord.gateway"
	var ans struct {
		URL   string `json:"url"`
		Limit struct {
			Remaining  *int    `json:"remaining"`
			ResetAfter float64 `json:"reset_after"` // ms
		} `json:"session_start_limit"`
	}
	if err := b.api.get(ctx, "/gateway/bot", nil, &ans); err != nil {
		return "", err
	}
	if !b.gatewayURL(ans.URL) {
		return "", fault.New(fault.Unavailable, op, "Discord named a gateway that isn't Discord's")
	}
	if n := ans.Limit.Remaining; n != nil && *n <= 0 {
		wait, _ := seconds(fmt.Sprint(ans.Limit.ResetAfter / 1000))
		return "", &fault.Error{
			Kind: fault.RateLimited, Op: op, Hint: "the bot connected too often today: Discord takes it again later",
			Err: channel.RetryAfter{After: max(wait, time.Minute)},
		}
	}
	return ans.URL, nil
}

// fallback is where to try to resume when the session's own gateway can't be
// reached.
func (b *bot) fallback(ctx context.Context, was string) string {
	if u, err := b.gateway(ctx); err == nil {
		return u
	}
	return was
}

// gatewayURL tells gateways of Discord, or of the server that apiRoot names: the
// token goes there.
func (b *bot) gatewayURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	if b.cfg.APIRoot != officialRoot && strings.EqualFold(u.Host, b.api.root.Host) {
		return u.Scheme == map[string]string{"https": "wss", "http": "ws"}[b.api.root.Scheme]
	}
	host := strings.ToLower(u.Hostname())
	return u.Scheme == "wss" && (host == "discord.gg" || strings.HasSuffix(host, ".discord.gg"))
}

// dial opens the socket and reads the greeting, which names the time between
// heartbeats.
func (l *link) dial(ctx context.Context, address string) (every time.Duration, err error) {
	const op = "discord.connect"
	u, err := url.Parse(address)
	if err != nil {
		return 0, fault.New(fault.Unavailable, op, "not an address")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"v": {version}, "encoding": {"json"}}.Encode()
	ctx, cancel := context.WithTimeout(ctx, l.time.hello)
	defer cancel()
	c, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: l.api.http})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return 0, fault.Wrap(fault.Unavailable, op, bare(err))
	}
	c.SetReadLimit(maxFrame)
	l.conn = c
	f, err := l.next(ctx)
	if err == nil && f.Op != opHello {
		err = fault.New(fault.Unavailable, op, "the gateway didn't greet")
	}
	var hello struct {
		Every float64 `json:"heartbeat_interval"` // ms
	}
	if err == nil && (json.Unmarshal(f.Data, &hello) != nil || hello.Every < 1) {
		err = fault.New(fault.Unavailable, op, "the gateway's greeting can't be read")
	}
	if err != nil {
		_ = c.CloseNow()
		return 0, err
	}
	return time.Duration(min(hello.Every, 10*60*1000) * float64(time.Millisecond)), nil
}
