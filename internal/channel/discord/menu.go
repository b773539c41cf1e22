package discord

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// SetMenu implements [channel.Menu]: the commands become those of the
// application, everywhere. Discord counts how often they change, so they are
// sent only when they did.
func (b *bot) SetMenu(ctx context.Context, items []channel.MenuItem) error {
	const most = 100
	commands := []any{}
	known := map[string]bool{}
	for _, it := range items {
		name := strings.ToLower(strings.TrimSpace(it.Name))
		if !commandName(name) || known[name] || len(commands) == most {
			continue
		}
		known[name] = true
		c := map[string]any{"name": name, "type": 1, "description": described(it.Help, name)}
		if o := options(it.Args); len(o) > 0 {
			c["options"] = o
		}
		commands = append(commands, c)
	}
	raw, err := json.Marshal(commands)
	if err != nil {
		return err
	}
	app, err := b.app(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(app+" "), raw...))
	key := hex.EncodeToString(sum[:])
	if b.env.State != nil {
		if was, err := b.env.State(ctx, menuKey); err == nil && was == key {
			return nil
		}
	}
	if err := b.api.do(ctx, call{method: "PUT", path: "/applications/" + app + "/commands", body: commands}); err != nil {
		return err
	}
	if b.env.SetState != nil {
		return b.env.SetState(ctx, menuKey, key)
	}
	return nil
}

func options(args []channel.MenuArg) (out []any) {
	const most, text3, mostChoices, maxChoice = 25, 3, 25, 100
	args = slices.Clone(args)
	// Discord wants those that are required first.
	slices.SortStableFunc(args, func(x, y channel.MenuArg) int {
		switch {
		case x.Required && !y.Required:
			return -1
		case y.Required && !x.Required:
			return 1
		}
		return 0
	})
	known := map[string]bool{}
	for _, a := range args {
		name := strings.ToLower(strings.TrimSpace(a.Name))
		if !commandName(name) || known[name] || len(out) == most {
			continue
		}
		known[name] = true
		o := map[string]any{"type": text3, "name": name, "description": described(a.Help, name), "required": a.Required}
		if n := len(a.Choices); n > 0 && n <= mostChoices {
			var cs []any
			for _, c := range a.Choices {
				if c = strings.TrimSpace(c); c != "" && text.UTF16(c) <= maxChoice {
					cs = append(cs, map[string]string{"name": c, "value": c})
				}
			}
			if len(cs) > 0 {
				o["choices"] = cs
			}
		}
		out = append(out, o)
	}
	return out
}

func described(help, name string) string {
	const most = 100
	return text.Fit(cmp.Or(clean(help), name), most, text.UTF16)
}

// commandName tells what Discord takes as the name of a command.
func commandName(s string) bool {
	const most = 32
	return s != "" && text.Runes(s) <= most && strings.IndexFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}) < 0
}
