package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// gatewayCall is openclaw gateway call <method>.
func (sh *shell) gatewayCall() *cobra.Command {
	var (
		t      target
		params string
	)
	cmd := sh.command(spec{
		name: "call", short: "Call a method of the gateway", args: []string{"method"},
		example: `openclaw gateway call health
openclaw gateway call sessions.list --params '{"limit": 5}'`,
		run: func(ctx context.Context, args []string) error {
			var p json.RawMessage
			if err := json.Unmarshal([]byte(params), &p); err != nil {
				return &labeled{"Gateway call", say("--params isn't JSON: %v", err)}
			}
			var result json.RawMessage
			if err := sh.call(ctx, t, args[0], p, &result); err != nil {
				return &labeled{"Gateway call", err}
			}
			if !sh.json {
				sh.line("%s %s", sh.out.Bold("Gateway call:"), args[0])
			}
			sh.printJSON(result)
			return nil
		},
	})
	cmd.Flags().StringVar(&params, "params", "{}", "the method's parameters as `json`")
	t.flags(cmd, 10000)
	t.finalFlag(cmd)
	sh.jsonFlag(cmd)
	return cmd
}

// healthReply is the part of health that we show.
type healthReply struct {
	OK         bool           `json:"ok"`
	DurationMs int            `json:"durationMs"`
	Channels   map[string]any `json:"channels"`
	Agents     []struct {
		ID        string `json:"agentId"`
		Default   bool   `json:"isDefault"`
		Heartbeat struct {
			Enabled bool   `json:"enabled"`
			Every   string `json:"every"`
		} `json:"heartbeat"`
		Sessions struct {
			Path   string `json:"path"`
			Count  int    `json:"count"`
			Recent []struct {
				Key       string `json:"key"`
				UpdatedAt int64  `json:"updatedAt"`
			} `json:"recent"`
		} `json:"sessions"`
	} `json:"agents"`
}

// health is openclaw health, and gateway health with its flags.
func (sh *shell) health(where string) *cobra.Command {
	var t target
	cmd := sh.command(spec{
		name: "health", short: "Ask the running gateway how it is", loose: where == "health",
		run: func(ctx context.Context, _ []string) error {
			var raw json.RawMessage
			if err := sh.call(ctx, t, "health", nil, &raw); err != nil {
				return err
			}
			if sh.json {
				sh.printJSON(raw)
				return nil
			}
			var h healthReply
			if err := json.Unmarshal(raw, &h); err != nil {
				return err
			}
			sh.showHealth(h)
			return nil
		},
	})
	sh.jsonFlag(cmd)
	if where == "gateway" {
		t.flags(cmd, 10000)
		t.finalFlag(cmd)
		return cmd
	}
	t.limit(cmd, 10000)
	cmd.Flags().Bool("verbose", false, "more of it")
	cmd.Flags().Bool("debug", false, "the same as --verbose")
	return cmd
}

func (sh *shell) showHealth(h healthReply) {
	state := sh.out.Good("OK")
	if !h.OK {
		state = sh.out.Bad("not well")
	}
	card := term.Card{Title: "Gateway Health"}
	card.Add("State", state+" ("+strconv.Itoa(h.DurationMs)+"ms)")
	var names, beats []string
	for _, a := range h.Agents {
		n := a.ID
		if a.Default {
			n += " (default)"
		}
		names = append(names, n)
		if a.Heartbeat.Enabled {
			beats = append(beats, a.Heartbeat.Every+" ("+a.ID+")")
		}
	}
	card.Add("Agents", strings.Join(names, ", "))
	card.Add("Heartbeat", strings.Join(beats, ", "))
	card.Add("Channels", strings.Join(sortedKeys(h.Channels), ", "))
	card.Write(sh.Stdout, sh.out)
	for _, a := range h.Agents {
		if a.Sessions.Count == 0 {
			continue
		}
		sh.line("\n%s (%s)", sh.out.Bold("Sessions of "+a.ID), plural(a.Sessions.Count, "entry", "entries"))
		var rows [][]string
		for _, s := range a.Sessions.Recent {
			rows = append(rows, []string{"  " + s.Key, sh.out.Dim(ago(time.Since(time.UnixMilli(s.UpdatedAt))))})
		}
		sh.table(term.Table{Rows: rows})
	}
}
