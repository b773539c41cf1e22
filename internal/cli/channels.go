package cli

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// channels is openclaw channels.
func (sh *shell) channels() *cobra.Command {
	return sh.command(spec{name: "channels", short: "Chat networks: add, remove and inspect accounts", subs: []*cobra.Command{
		sh.channelsList(), sh.channelsStatus(), sh.channelsAdd(), sh.channelsRemove(), sh.channelsLogin(), sh.channelsLogout(),
	}})
}

// known are the channels in this build.
func (sh *shell) known() []id.Channel {
	if len(sh.Channels) > 0 {
		return sh.Channels
	}
	return []id.Channel{"irc", "telegram"}
}

// accountsOf lists the accounts of a channel section.
func accountsOf(raw json.RawMessage) []string {
	var s struct {
		Accounts map[string]json.RawMessage `json:"accounts"`
	}
	if json.Unmarshal(raw, &s) != nil || len(s.Accounts) == 0 {
		return []string{string(id.DefaultAccount)}
	}
	return sortedKeys(s.Accounts)
}

func enabled(raw json.RawMessage) bool {
	var s struct {
		Enabled *bool `json:"enabled"`
	}
	return json.Unmarshal(raw, &s) == nil && (s.Enabled == nil || *s.Enabled)
}

// configured are the channel sections of the file that are channels.
func configured(c *config.Config) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for ch, raw := range c.Channels {
		if ch != "defaults" && ch != "modelByChannel" {
			out[string(ch)] = raw
		}
	}
	return out
}

func (sh *shell) channelsList() *cobra.Command {
	cmd := sh.command(spec{name: "list", short: "List the configured accounts and provider keys", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ps, err := readProfiles(profilesPath(c, c.DefaultAgent()))
		if err != nil {
			return err
		}
		type auth struct {
			ID       string `json:"id"`
			Provider string `json:"provider"`
			Type     string `json:"type"`
		}
		chat, auths := map[string][]string{}, []auth{}
		for ch, raw := range configured(c) {
			chat[ch] = accountsOf(raw)
		}
		for _, n := range sortedKeys(ps.Profiles) {
			auths = append(auths, auth{n, ps.Profiles[n].Provider, ps.Profiles[n].Type})
		}
		if sh.json {
			sh.printJSON(map[string]any{
				"chat": chat, "auth": auths,
				"usage": map[string]any{"updatedAt": time.Now().UnixMilli(), "providers": []any{}},
			})
			return nil
		}
		sh.line("%s", sh.out.Bold("Chat channels:"))
		for _, ch := range sortedKeys(chat) {
			state := sh.out.Good("enabled")
			if !enabled(c.Channels[id.Channel(ch)]) {
				state = sh.out.Warn("disabled")
			}
			sh.line("- %s: %s (%s)", sh.out.Accent(ch), strings.Join(chat[ch], ", "), state)
		}
		if len(chat) == 0 {
			sh.line("- none. Add one: openclaw channels add --channel <%s>", joinChannels(sh.known(), "|"))
		}
		sh.line("\n%s", sh.out.Bold("Auth providers (OAuth + API keys):"))
		for _, a := range auths {
			sh.line("- %s (%s)", a.ID, a.Type)
		}
		if len(auths) == 0 {
			sh.line("- none")
		}
		return nil
	}})
	cmd.Flags().Bool("no-usage", false, "leave out what providers say about usage")
	sh.jsonFlag(cmd)
	return cmd
}

// channelsReply is the part of channels.status that we show.
type channelsReply struct {
	Order    []string          `json:"channelOrder"`
	Labels   map[string]string `json:"channelLabels"`
	Accounts map[string][]struct {
		ID         string  `json:"accountId"`
		Enabled    bool    `json:"enabled"`
		Configured bool    `json:"configured"`
		Running    bool    `json:"running"`
		Connected  *bool   `json:"connected"`
		LastError  *string `json:"lastError"`
		Probe      *struct {
			OK    bool   `json:"ok"`
			Error string `json:"error"`
		} `json:"probe"`
		Audit *struct {
			Issues []struct {
				Message, Fix string
			} `json:"issues"`
		} `json:"audit"`
	} `json:"channelAccounts"`
}

func (sh *shell) channelsStatus() *cobra.Command {
	var (
		t     target
		probe bool
	)
	cmd := sh.command(spec{name: "status", short: "Ask the gateway how the channels are", run: func(ctx context.Context, _ []string) error {
		var raw json.RawMessage
		params := map[string]any{"probe": probe, "timeoutMs": t.timeout}
		err := sh.call(ctx, target{timeout: t.timeout + 5000}, "channels.status", params, &raw)
		if err != nil {
			return sh.channelsOffline(ctx, err)
		}
		if sh.json {
			sh.printJSON(raw)
			return nil
		}
		var r channelsReply
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		sh.line("Gateway reachable.")
		rows := [][]string{}
		for _, ch := range r.Order {
			for _, a := range r.Accounts[ch] {
				state, note := sh.out.Warn("stopped"), deref(a.LastError)
				switch {
				case !a.Enabled:
					state = sh.out.Dim("disabled")
				case a.Running:
					state = sh.out.Good("running")
				}
				if a.Probe != nil && !a.Probe.OK {
					state, note = sh.out.Bad("probe failed"), a.Probe.Error
				}
				rows = append(rows, []string{"- " + first(r.Labels[ch], ch) + " " + a.ID, state, note})
			}
		}
		sh.table(term.Table{Rows: rows, Max: map[int]int{2: 80}})
		for _, ch := range r.Order {
			for _, a := range r.Accounts[ch] {
				if a.Audit == nil {
					continue
				}
				for _, i := range a.Audit.Issues {
					sh.line("%s %s %s: %s", sh.out.Warn("!"), first(r.Labels[ch], ch), a.ID, i.Message)
					if i.Fix != "" {
						sh.line("    %s", sh.out.Accent(i.Fix))
					}
				}
			}
		}
		if len(rows) == 0 {
			sh.line("No channels. Add one: openclaw channels add --channel <%s>", joinChannels(sh.known(), "|"))
		}
		return nil
	}})
	cmd.Flags().BoolVar(&probe, "probe", false, "try each account")
	t.limit(cmd, 10000)
	sh.jsonFlag(cmd)
	return cmd
}

// channelsOffline is what the file says, when the gateway says nothing.
func (sh *shell) channelsOffline(ctx context.Context, why error) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	chans := configured(c)
	if sh.json {
		accounts, defaults := map[string][]map[string]any{}, map[string]string{}
		for ch, raw := range chans {
			accounts[ch] = []map[string]any{}
			for _, a := range accountsOf(raw) {
				accounts[ch] = append(accounts[ch], map[string]any{"accountId": a, "enabled": enabled(raw), "configured": true, "running": false})
			}
			defaults[ch] = accountsOf(raw)[0]
		}
		sh.printJSON(map[string]any{
			"ts": time.Now().UnixMilli(), "channelOrder": append([]string{}, sortedKeys(chans)...), "channelLabels": map[string]string{},
			"channelDetailLabels": map[string]string{}, "channelSystemImages": map[string]string{}, "channelMeta": []any{},
			"channels": map[string]any{}, "channelAccounts": accounts, "channelDefaultAccountId": defaults,
			"gatewayReachable": false, "error": text(why),
		})
		return nil
	}
	sh.note("Gateway not reachable; showing config-only status.\n%s", text(why))
	for _, ch := range sortedKeys(chans) {
		for _, a := range accountsOf(chans[ch]) {
			state := "enabled"
			if !enabled(chans[ch]) {
				state = "disabled"
			}
			sh.line("- %s %s: %s, configured", ch, a, state)
		}
	}
	return nil
}

func (sh *shell) channelsLogout() *cobra.Command {
	var channel, account string
	cmd := sh.command(spec{name: "logout", short: "Log an account out", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ch, err := sh.pickChannel(c.Channels, channel)
		if err != nil {
			return err
		}
		params := map[string]any{"channel": ch}
		if account != "" {
			params["accountId"] = account
		}
		var done struct {
			Cleared bool `json:"cleared"`
		}
		if err := sh.call(ctx, target{timeout: 30000}, "channels.logout", params, &done); err != nil {
			return err
		}
		if !done.Cleared {
			sh.line("%s %s wasn't logged in.", ch, first(account, string(id.DefaultAccount)))
			return nil
		}
		sh.line("Logged out of %s %s", ch, first(account, string(id.DefaultAccount)))
		return nil
	}})
	cmd.Flags().StringVar(&channel, "channel", "", "which `channel`")
	cmd.Flags().StringVar(&account, "account", "", "which account (`id`)")
	return cmd
}
