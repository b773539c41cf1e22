package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
)

// system is openclaw system: events, heartbeats and presence.
func (sh *shell) system() *cobra.Command {
	heartbeat := sh.command(spec{name: "heartbeat", short: "The agents' heartbeats", subs: []*cobra.Command{
		sh.systemCall("last", "Show the last one", "last-heartbeat", nil),
		sh.systemCall("enable", "Turn them on", "set-heartbeats", map[string]any{"enabled": true}),
		sh.systemCall("disable", "Turn them off", "set-heartbeats", map[string]any{"enabled": false}),
	}})
	return sh.command(spec{name: "system", short: "Events, heartbeats and presence", subs: []*cobra.Command{
		sh.systemEvent(), heartbeat, sh.systemCall("presence", "Who is connected", "system-presence", nil),
	}})
}

func (sh *shell) systemCall(name, short, method string, params any) *cobra.Command {
	var t target
	cmd := sh.command(spec{name: name, short: short, run: func(ctx context.Context, _ []string) error {
		return sh.systemDo(ctx, t, method, params)
	}})
	t.systemFlags(cmd)
	sh.jsonFlag(cmd)
	return cmd
}

func (t *target) systemFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.url, "url", "", "another gateway's `url`; needs its token")
	cmd.Flags().StringVar(&t.token, "token", "", "the gateway's `token`")
	t.limit(cmd, 30000)
	t.finalFlag(cmd)
}

func (sh *shell) systemDo(ctx context.Context, t target, method string, params any) error {
	var raw json.RawMessage
	if err := sh.call(ctx, t, method, params, &raw); err != nil {
		return err
	}
	sh.printJSON(raw)
	return nil
}

func (sh *shell) systemEvent() *cobra.Command {
	var (
		t          target
		text, mode string
	)
	cmd := sh.command(spec{
		name: "event", short: "Tell the agent something at its next turn",
		example: `openclaw system event --text "the backup is done" --mode now`,
		run: func(ctx context.Context, _ []string) error {
			if mode != "now" && mode != "next-heartbeat" {
				return say("--mode is now or next-heartbeat, not %q", mode)
			}
			var raw json.RawMessage
			if err := sh.call(ctx, t, "wake", map[string]any{"mode": mode, "text": text}, &raw); err != nil {
				return err
			}
			if sh.json {
				sh.printJSON(raw)
				return nil
			}
			sh.line("ok")
			return nil
		},
	})
	cmd.Flags().StringVar(&text, "text", "", "what happened (`text`)")
	cmd.Flags().StringVar(&mode, "mode", "next-heartbeat", "now or next-heartbeat (`mode`)")
	require(cmd, "text")
	t.systemFlags(cmd)
	sh.jsonFlag(cmd)
	return cmd
}
