package discord

import (
	"context"
	"fmt"
	"strings"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// What Discord wants to be asked for.
const (
	intentGuilds          = 1 << 0
	intentMembers         = 1 << 1
	intentPresences       = 1 << 8
	intentMessages        = 1 << 9
	intentReactions       = 1 << 10
	intentDirect          = 1 << 12
	intentDirectReactions = 1 << 13
	intentContent         = 1 << 15
)

func (b *bot) intents() int {
	n := intentGuilds | intentMessages | intentReactions | intentDirect | intentDirectReactions | intentContent
	if b.cfg.Intents.GuildMembers {
		n |= intentMembers
	}
	if b.cfg.Intents.Presence {
		n |= intentPresences
	}
	return n
}

// privileged names the intents that must be turned on in the Developer Portal.
// known are the flags of the application, 0 when they aren't known: then all
// that are asked for are named.
func (b *bot) privileged(known int) (missing []string) {
	for _, p := range []struct {
		wanted bool
		flags  int // either will do
		name   string
	}{
		{true, 1<<18 | 1<<19, "Message Content Intent"},
		{b.cfg.Intents.GuildMembers, 1<<14 | 1<<15, "Server Members Intent"},
		{b.cfg.Intents.Presence, 1<<12 | 1<<13, "Presence Intent"},
	} {
		if p.wanted && known&p.flags == 0 {
			missing = append(missing, p.name)
		}
	}
	return missing
}

const portal = "https://discord.com/developers/applications, your application, Bot, Privileged Gateway Intents"

// closed says what the end of a connection means. Codes after which trying again
// can't help are final for this account, and for nothing else.
func (b *bot) closed(ctx context.Context, err error) error {
	const op = "discord.gateway"
	final := func(hint string) error {
		return &fault.Error{Kind: fault.Unauthenticated, Op: op, Hint: hint, Err: bare(err)}
	}
	code := websocket.CloseStatus(err)
	switch code {
	case 4004:
		return final("Discord doesn't accept the bot token: make a new one under Bot in the Developer Portal, and set channels.discord.token")
	case 4010, 4011:
		return final("the bot is in more servers than one connection may serve (2500): use one bot for fewer servers")
	case 4012:
		return final("Discord no longer speaks this version of its gateway: update openclaw")
	case 4013:
		return final("Discord doesn't know what the bot asks to be told: remove channels.discord.intents, or update openclaw")
	case 4014:
		return final(b.disallowed(ctx))
	case 4003, 4007, 4009: // the session can't go on
		b.session.set(resumable{})
	}
	if code > 0 {
		return fault.Wrap(fault.Unavailable, op, fmt.Errorf("closed with %d", code))
	}
	return fault.Wrap(fault.Unavailable, op, bare(err))
}

// disallowed names the intent to turn on, and where.
func (b *bot) disallowed(ctx context.Context) string {
	var a application
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.time.lookup) // the connection's own context is ending
	defer cancel()
	flags := 0
	if b.api.get(look, "/applications/@me", nil, &a) == nil {
		flags = a.Flags
	}
	missing := b.privileged(flags)
	if len(missing) == 0 {
		missing = b.privileged(0)
	}
	return "Discord refuses what the bot asks to be told: turn on " + strings.Join(missing, " and ") + " at " + portal + ", then restart the channel"
}

// identify asks for a new session.
func (b *bot) identify() map[string]any {
	d := map[string]any{
		"token": b.cfg.Token, "intents": b.intents(), "large_threshold": 50,
		"properties": map[string]string{"os": "linux", "browser": "openclaw", "device": "openclaw"},
	}
	if p := b.presence(); p != nil {
		d["presence"] = p
	}
	return d
}

// presence is what people see the bot doing; nil is the usual.
func (b *bot) presence() map[string]any {
	return presence(b.cfg.Status, b.cfg.Activity, b.cfg.ActivityType, b.cfg.ActivityURL)
}

func presence(status, activity string, activityType *int, address string) map[string]any {
	if status == "" && activity == "" {
		return nil
	}
	p := map[string]any{"since": nil, "activities": []any{}, "status": "online", "afk": false}
	if status != "" {
		p["status"] = status
	}
	if activity == "" {
		return p
	}
	const custom, streaming = 4, 1
	kind := custom
	if activityType != nil {
		kind = *activityType
	}
	shown := map[string]any{"type": kind, "name": activity}
	switch kind {
	case custom:
		shown["name"], shown["state"] = "Custom Status", activity
	case streaming:
		shown["url"] = address
	}
	p["activities"] = []any{shown}
	return p
}
