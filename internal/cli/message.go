package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

type sendFlags struct {
	message, target, media         string
	replyTo, thread, channel, acct string
	buttons, components            string
	dryRun, silent                 bool
}

// messages is openclaw message.
func (sh *shell) messages() *cobra.Command {
	return sh.command(spec{name: "message", short: "Send messages on a channel", subs: append([]*cobra.Command{sh.messageSend(), sh.messageQueue()}, sh.messageActions()...)})
}

// sendReply is what message send prints with --json.
type sendReply struct {
	Action  string          `json:"action"`
	Channel string          `json:"channel"`
	DryRun  bool            `json:"dryRun"`
	Handled string          `json:"handledBy"`
	Payload json.RawMessage `json:"payload"`
}

func (sh *shell) messageSend() *cobra.Command {
	var f sendFlags
	cmd := sh.command(spec{
		name: "send", short: "Send a message",
		example: `openclaw message send --channel telegram --target 123456789 -m "hello"
openclaw message send --channel irc --target "#room" -m "hello"`,
		run: func(ctx context.Context, _ []string) error { return sh.send(ctx, f) },
	})
	fs := cmd.Flags()
	fs.StringVarP(&f.message, "message", "m", "", "what to send (`text`)")
	fs.StringVarP(&f.target, "target", "t", "", "who or where to (`dest`)")
	fs.StringVar(&f.channel, "channel", "", "on this `channel` (default: the only one configured)")
	fs.StringVar(&f.acct, "account", "", "as this account (`id`)")
	fs.StringVar(&f.media, "media", "", "a file or address to send along (`path-or-url`)")
	fs.StringVar(&f.replyTo, "reply-to", "", "in answer to this message (`id`)")
	fs.StringVar(&f.thread, "thread-id", "", "in this thread (`id`)")
	fs.StringVar(&f.buttons, "buttons", "", "rows of buttons (`json`)")
	fs.StringVar(&f.components, "components", "", "content in the network's own form (`json`)")
	fs.BoolVar(&f.silent, "silent", false, "without a sound, where the network can")
	fs.Bool("gif-playback", false, "show a video as a GIF, where the network can")
	fs.BoolVar(&f.dryRun, "dry-run", false, "only show what would be sent")
	fs.Bool("verbose", false, "more of it")
	require(cmd, "target")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) send(ctx context.Context, f sendFlags) error {
	if strings.TrimSpace(f.message) == "" && f.media == "" {
		return say("nothing to send: add -m <text> or --media <path-or-url>")
	}
	c, err := sh.running(ctx)
	if err != nil {
		return err
	}
	ch, err := sh.pickChannel(c.Channels, f.channel)
	if err != nil {
		return err
	}
	params := map[string]any{"to": f.target, "channel": ch, "idempotencyKey": uuid.NewString()}
	for k, v := range map[string]string{"message": f.message, "accountId": f.acct, "threadId": f.thread, "mediaUrl": f.media} {
		if v != "" {
			params[k] = v
		}
	}
	r := sendReply{Action: "send", Channel: string(ch), DryRun: f.dryRun, Handled: "core"}
	if f.dryRun {
		if r.Payload, err = json.Marshal(params); err != nil {
			return err
		}
	} else if err := sh.deliver(ctx, f, string(ch), params, &r.Payload); err != nil {
		return err
	}
	switch {
	case sh.json:
		sh.printJSON(r)
	case f.dryRun:
		sh.line("[dry-run] would send to %s on %s", f.target, ch)
	default:
		var got struct {
			MessageID, Reason string
			Queued            bool
		}
		_ = json.Unmarshal(r.Payload, &got) // the id is an extra
		if got.Queued {
			sh.line("%s Queued for %s: %s%s", sh.out.Warn("!"), ch, got.Reason, prefixed(". Message ID: ", got.MessageID))
			sh.line("What waits: %s", sh.out.Accent("openclaw message queue"))
			return nil
		}
		sh.line("%s Sent via %s%s", sh.out.Good("✓"), ch, prefixed(". Message ID: ", got.MessageID))
	}
	return nil
}

// deliver calls message.action, which asks the gates of the channel. An older
// gateway has only send, which has no place for some of it.
func (sh *shell) deliver(ctx context.Context, f sendFlags, ch string, params map[string]any, result any) error {
	more := map[string]any{}
	for k, v := range map[string]string{"buttons": f.buttons, "components": f.components} {
		if v == "" {
			continue
		}
		if !json.Valid([]byte(v)) {
			return say("--%s is no JSON", k)
		}
		more[k] = json.RawMessage(v)
	}
	if f.replyTo != "" {
		more["replyTo"] = f.replyTo
	}
	if f.silent {
		more["silent"] = true
	}
	plain := len(more) == 0
	for from, to := range map[string]string{"to": "target", "message": "message", "accountId": "accountId", "threadId": "threadId", "mediaUrl": "media"} {
		if v, ok := params[from]; ok {
			more[to] = v
		}
	}
	err := sh.call(ctx, target{timeout: 30000}, "message.action", map[string]any{
		"action": "send", "channel": ch, "params": more, "idempotencyKey": params["idempotencyKey"],
	}, result)
	if e, ok := errors.AsType[*rpc.Error](err); plain && ok && strings.HasPrefix(e.Message, "unknown method: ") {
		return sh.call(ctx, target{timeout: 30000}, "send", params, result)
	}
	return err
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// pickChannel checks the name of a channel, or finds the only one there is.
func (sh *shell) pickChannel(configured map[id.Channel]json.RawMessage, name string) (id.Channel, error) {
	if name == "" {
		var only []id.Channel
		for _, c := range sh.known() {
			if len(configured[c]) > 0 {
				only = append(only, c)
			}
		}
		switch len(only) {
		case 1:
			return only[0], nil
		case 0:
			return "", say("Channel is required (no configured channels detected). Set one up: openclaw channels add --channel <name>")
		}
		return "", say("Channel is required when several are configured: --channel %s", joinChannels(only, "|"))
	}
	ch := id.Channel(strings.ToLower(name))
	for _, c := range sh.known() {
		if c == ch {
			return ch, nil
		}
	}
	return "", say("Unknown channel: %s. This build has: %s", name, joinChannels(sh.known(), ", "))
}

func joinChannels(cs []id.Channel, sep string) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = string(c)
	}
	return strings.Join(out, sep)
}
