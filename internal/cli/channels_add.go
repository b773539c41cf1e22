package cli

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// channelFlag is a flag of channels add and the key that it sets. One whose
// key differs between channels lists those; a channel not listed doesn't have it.
type channelFlag struct {
	name, value, help string
	keys              map[id.Channel]string
}

// channelFlags are the recorded flags that a channel in this build knows.
func channelFlags() []channelFlag {
	return []channelFlag{
		{"token", "token", "Discord, Telegram: the bot's token", map[id.Channel]string{"discord": "token", "telegram": "botToken"}},
		{"bot-token", "token", "Slack: the Bot User OAuth Token, xoxb-...; Telegram: the same as --token", map[id.Channel]string{"slack": "botToken", "telegram": "botToken"}},
		{"app-token", "token", "Slack: the App-Level Token, xapp-...", map[id.Channel]string{"slack": "appToken"}},
		{"token-file", "path", "Telegram: read the token from this file", map[id.Channel]string{"telegram": "tokenFile"}},
		{"http-host", "host", "IRC: the server", map[id.Channel]string{"irc": "host"}},
		{"http-port", "port", "IRC: the server's port", map[id.Channel]string{"irc": "port"}},
		{"user-id", "id", "IRC: the nick", map[id.Channel]string{"irc": "nick"}},
		{"password", "password", "IRC: the server's password", map[id.Channel]string{"irc": "password"}},
		{"group-channels", "list", "IRC: rooms to join, with commas", map[id.Channel]string{"irc": "channels"}},
		{"dm-allowlist", "list", "who may write directly, with commas", map[id.Channel]string{"discord": "allowFrom", "irc": "allowFrom", "slack": "allowFrom", "telegram": "allowFrom", "whatsapp": "allowFrom"}},
		{"webhook-url", "url", "Telegram: be called here instead of asking", map[id.Channel]string{"telegram": "webhookUrl"}},
		{"name", "name", "what to call the account", map[id.Channel]string{"discord": "name", "irc": "name", "slack": "name", "telegram": "name", "whatsapp": "name"}},
	}
}

type channelAdd struct {
	channel, account string
	env              bool
	set              []string
	values           map[string]*string
}

// channelsAdd is openclaw channels add.
func (sh *shell) channelsAdd() *cobra.Command {
	f := channelAdd{values: map[string]*string{}}
	cmd := sh.command(spec{
		name: "add", short: "Add an account of a channel, or change it",
		example: `openclaw channels add --channel telegram --token 123456:ABC
openclaw channels add --channel irc --http-host irc.libera.chat --user-id mybot --group-channels "#room"`,
		run: func(ctx context.Context, _ []string) error { return sh.addChannel(ctx, f) },
	})
	fs := cmd.Flags()
	fs.StringVar(&f.channel, "channel", "", "which one (`name`)")
	fs.StringVar(&f.account, "account", "", "the account's `id` (default: default)")
	for _, cf := range channelFlags() {
		f.values[cf.name] = fs.String(cf.name, "", cf.help+" (`"+cf.value+"`)")
	}
	fs.StringArrayVar(&f.set, "set", nil, "any other key of the channel's section (`key=value`); may be repeated")
	fs.BoolVar(&f.env, "use-env", false, "take the token from the environment of the gateway")
	return cmd
}

func (sh *shell) addChannel(ctx context.Context, f channelAdd) error {
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	if f.channel == "" {
		if f.channel, err = sh.askChannel(&f); err != nil {
			return err
		}
	}
	ch, err := sh.pickChannel(nil, f.channel)
	if err != nil {
		return err
	}
	section, err := f.section(c, ch)
	if err != nil {
		return err
	}
	base := config.KeyPath{"channels", string(ch)}
	account := id.Account(first(f.account, string(id.DefaultAccount)))
	changes := []change{{append(base, "enabled").String(), true, false}}
	at := base
	if account != id.DefaultAccount {
		at = append(base[:2:2], "accounts", string(account))
	}
	for _, k := range sortedKeys(section) {
		changes = append(changes, change{append(at[:len(at):len(at)], k).String(), section[k], false})
	}
	// OpenClaw itself runs a channel only when its plugin is on.
	changes = append(changes, change{"plugins.entries." + string(ch) + ".enabled", true, false})
	if _, err := sh.edit(ctx, changes...); err != nil {
		return err
	}
	sh.line("Added %s account %q.", ch, account)
	sh.line("A running gateway takes it up by itself. How it is: openclaw channels status --probe")
	return nil
}

func (sh *shell) askChannel(f *channelAdd) (string, error) {
	p, err := sh.prompt("openclaw channels add --channel telegram --token <token>")
	if err != nil {
		return "", err
	}
	names := make([]string, 0, len(sh.known()))
	for _, c := range sh.known() {
		names = append(names, string(c))
	}
	n, err := p.Choose("Which channel?", names)
	if err != nil {
		return "", err
	}
	for _, cf := range channelFlags() {
		if cf.keys[id.Channel(names[n])] == "" || *f.values[cf.name] != "" || cf.name == "bot-token" && names[n] == "telegram" || cf.name == "token-file" || cf.name == "webhook-url" {
			continue
		}
		ask := p.Ask
		if secretName(cf.name) {
			ask = func(q, _ string) (string, error) { return p.Secret(q) }
		}
		v, err := ask(cf.help, "")
		if err != nil {
			return "", err
		}
		*f.values[cf.name] = v
	}
	return names[n], nil
}

// section is the part of the file that the flags make.
func (f channelAdd) section(c *config.Config, ch id.Channel) (map[string]any, error) {
	out := map[string]any{}
	for _, cf := range channelFlags() {
		v := *f.values[cf.name]
		if v == "" {
			continue
		}
		key := cf.keys[ch]
		if key == "" {
			return nil, say("--%s isn't for %s", cf.name, ch)
		}
		val, err := channelValue(cf.name, v)
		if err != nil {
			return nil, err
		}
		out[key] = val
	}
	for _, s := range f.set {
		k, v, ok := strings.Cut(s, "=")
		if !ok || k == "" {
			return nil, say("--set is key=value, not %q", s)
		}
		var val any
		if json.Unmarshal([]byte(v), &val) != nil {
			val = v
		}
		out[k] = val
	}
	if len(c.Channels[ch]) > 0 || len(out) > 0 || f.env {
		return out, nil
	}
	return nil, say("nothing to set up %s with: openclaw channels add --help", ch)
}

func channelValue(flag, v string) (any, error) {
	switch flag {
	case "http-port":
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 65535 {
			return nil, say("--http-port is a number from 1 to 65535")
		}
		return n, nil
	case "group-channels", "dm-allowlist":
		list := []string{}
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
		return list, nil
	}
	return v, nil
}

// channelsRemove is openclaw channels remove: it turns an account off, or with
// --delete takes it out of the file.
func (sh *shell) channelsRemove() *cobra.Command {
	var (
		channel, account string
		del              bool
	)
	cmd := sh.command(spec{name: "remove", short: "Turn an account off, or take it out", run: func(ctx context.Context, _ []string) error {
		c, err := sh.config(ctx)
		if err != nil {
			return err
		}
		ch, err := sh.pickChannel(c.Channels, channel)
		if err != nil {
			return err
		}
		if len(c.Channels[ch]) == 0 {
			return say("%s isn't configured. What is: openclaw channels list", ch)
		}
		path := config.KeyPath{"channels", string(ch)}
		if account != "" && account != string(id.DefaultAccount) {
			path = append(path, "accounts", account)
		}
		if del {
			_, err = sh.saved(sh.file().Unset(ctx, path.String()))
		} else {
			_, err = sh.edit(ctx, change{append(path, "enabled").String(), false, false})
		}
		if err != nil {
			return err
		}
		word := "Disabled"
		if del {
			word = "Deleted"
		}
		sh.line("%s %s account %q.", word, ch, first(account, string(id.DefaultAccount)))
		return nil
	}})
	cmd.Flags().StringVar(&channel, "channel", "", "which one (`name`)")
	cmd.Flags().StringVar(&account, "account", "", "the account's `id` (default: default)")
	cmd.Flags().BoolVar(&del, "delete", false, "take it out of the file")
	return cmd
}
