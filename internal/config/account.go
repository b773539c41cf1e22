package config

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// Channel is the part of channels.<ch> that the path of a message reads. A
// channel without a section is disabled.
func (c *Config) Channel(ch id.Channel) ChannelSection {
	raw, ok := c.Channels[ch]
	if !ok {
		off := false
		return ChannelSection{Enabled: &off, DMPolicy: "pairing", GroupPolicy: "allowlist"}
	}
	return section(raw)
}

// section decodes the common part. One that can't be decoded lets nobody in.
func section(raw json.RawMessage) ChannelSection {
	var s ChannelSection
	if err := json.Unmarshal(raw, &s); err != nil {
		off := false
		return ChannelSection{Enabled: &off, DMPolicy: "disabled", GroupPolicy: "disabled"}
	}
	return s
}

// ChannelIDs lists the channels that have a section, sorted.
func (c *Config) ChannelIDs() []id.Channel {
	var out []id.Channel
	for ch := range c.Channels {
		if !notChannels(string(ch)) {
			out = append(out, ch)
		}
	}
	slices.Sort(out)
	return out
}

// Accounts lists the accounts of ch, disabled ones included: those of
// channels.<ch>.accounts with the values of the section under their own, or
// the section itself as the account "default".
func (c *Config) Accounts(ch id.Channel) []Account {
	raw, ok := c.Channels[ch]
	if !ok {
		return nil
	}
	root, err := jsonc.FromJSON(raw)
	if err != nil || root.Kind != jsonc.Object {
		return nil
	}
	accounts := root.Get("accounts").Unique()
	base := root.Without("accounts").Without("defaultAccount")
	on := !isFalse(base.Get("enabled"))
	if len(accounts) == 0 {
		return []Account{account(id.DefaultAccount, base, on)}
	}
	out := make([]Account, 0, len(accounts))
	for _, m := range accounts {
		merged := base
		for _, own := range m.Value.Unique() {
			merged = merged.With([]string{own.Key}, own.Value)
		}
		out = append(out, account(id.Account(m.Key), merged, on && !isFalse(m.Value.Get("enabled"))))
	}
	slices.SortFunc(out, func(a, b Account) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return out
}

func account(name id.Account, n *jsonc.Node, on bool) Account {
	raw := json.RawMessage(n.JSON())
	c := section(raw)
	if only := n.Get("allowlistOnly"); only != nil && string(only.JSON()) == "true" { // Matrix has that key
		if c.DMPolicy != "disabled" {
			c.DMPolicy = "allowlist"
		}
		if c.GroupPolicy == "open" {
			c.GroupPolicy = "allowlist"
		}
	}
	return Account{ID: name, Enabled: on, Common: c, Raw: raw}
}

// Getenv looks a variable up: in the process, then in .env of the working
// directory and of the state directory, then in the env block of the file.
func (c *Config) Getenv(name string) string {
	if c.lookup == nil {
		return ""
	}
	return c.lookup(name)
}

// Environ is what .env and the env block add to the process environment.
func (c *Config) Environ() map[string]string { return c.added }

// Secret returns the secret that raw, the value of a key, is or refers to.
// What was found is remembered as long as this version of the configuration.
func (c *Config) Secret(ctx context.Context, raw json.RawMessage) (secret.String, error) {
	return c.secrets().Value(ctx, raw)
}

// Reveal returns a section with the references in it replaced by their
// secrets, for the extension that owns it. What can't be resolved is null and
// told in the error.
func (c *Config) Reveal(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	return c.secrets().Section(ctx, raw)
}

func (c *Config) secrets() *secret.Resolver {
	if c.resolver != nil {
		return c.resolver
	}
	return secret.NewResolver(c.Secrets, c.Getenv, c.Paths.Expand) // a Config made by hand
}
