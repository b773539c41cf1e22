package telegram

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// customCommand is one of customCommands: an entry of the menu beside the
// commands of the gateway. What it says goes to the agent.
type customCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

type menuEntry struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

const menuKey = "menu" // a sum of the menu that was shown last

// SetMenu implements [channel.Menu]. Telegram counts how often it changes, so
// it is sent only when it did.
func (b *bot) SetMenu(ctx context.Context, items []channel.MenuItem) error {
	a, err := b.api()
	if err != nil {
		return err
	}
	entries := b.entries(ctx, items)
	raw, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(a.root+a.token), raw...))
	key := hex.EncodeToString(sum[:])
	if b.env.State != nil {
		if was, err := b.env.State(ctx, menuKey); err == nil && was == key {
			return nil
		}
	}
	for {
		err := a.call(ctx, "setMyCommands", map[string]any{"commands": entries}, nil, 0)
		if r, ok := errors.AsType[*refusal](err); ok && r.says("bot_commands_too_much") && len(entries) > 1 {
			entries = entries[:len(entries)*4/5] // there is a limit to all of their text, too
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if b.env.SetState != nil {
		return b.env.SetState(ctx, menuKey, key)
	}
	return nil
}

// entries are the commands as Telegram takes them. A name with hyphens stands
// there with underscores, and is read back.
func (b *bot) entries(ctx context.Context, items []channel.MenuItem) []menuEntry {
	const most, maxHelp = 100, 256
	out := []menuEntry{}
	known := map[string]bool{}
	names := map[string]string{}
	for _, it := range items {
		name := strings.ReplaceAll(it.Name, "-", "_")
		if !commandName(name) || known[name] || len(out) == most {
			continue
		}
		known[name] = true
		if name != it.Name {
			names[name] = it.Name
		}
		out = append(out, menuEntry{name, text.Fit(cmp.Or(printable(it.Help), name), maxHelp, text.UTF16)})
	}
	for _, c := range b.cfg.CustomCommands {
		name := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(c.Command), "/"))
		if !commandName(name) || known[name] || len(out) == most {
			b.log.WarnContext(ctx, "telegram command left out of the menu: its name is odd or taken, or there are 100", "command", printable(name))
			continue
		}
		known[name] = true
		out = append(out, menuEntry{name, text.Fit(cmp.Or(printable(c.Description), name), maxHelp, text.UTF16)})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hyphens = names
	return out
}

// commandName tells what Telegram takes as the name of a command.
func commandName(s string) bool {
	const most = 32
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// unmenu gives a command its hyphens back.
func (b *bot) unmenu(said string) string {
	name, rest, _ := strings.Cut(said, " ")
	b.mu.Lock()
	defer b.mu.Unlock()
	if whole, ok := b.hyphens[strings.TrimPrefix(name, "/")]; ok && strings.HasPrefix(name, "/") {
		return strings.TrimSpace("/" + whole + " " + rest)
	}
	return said
}
