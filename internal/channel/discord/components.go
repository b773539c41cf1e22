package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Limits of components.
const (
	maxRows  = 5
	maxRow   = 5
	maxLabel = 80

	kindRow    = 1
	kindButton = 2
	styleLink  = 5
)

// rows are the buttons under a message; nil without any.
func (b *bot) rows(ctx context.Context, rows [][]msg.Button) ([]any, error) {
	var out []any
	for _, row := range rows {
		var made []any
		for _, x := range row {
			if strings.TrimSpace(x.Text) == "" {
				continue
			}
			c, err := b.button(ctx, x)
			if err != nil {
				return nil, err
			}
			if len(made) == maxRow {
				out, made = append(out, rowOf(made)), nil
			}
			made = append(made, c)
		}
		if len(made) > 0 {
			out = append(out, rowOf(made))
		}
	}
	if len(out) > maxRows {
		return nil, fault.New(fault.Invalid, "discord.Send", fmt.Sprintf("Discord shows at most %d rows of %d buttons", maxRows, maxRow))
	}
	return out, nil
}

func rowOf(cs []any) map[string]any { return map[string]any{"type": kindRow, "components": cs} }

func (b *bot) button(ctx context.Context, x msg.Button) (map[string]any, error) {
	c := map[string]any{"type": kindButton, "label": text.Fit(x.Text, maxLabel, text.UTF16), "style": style(x.Style)}
	if x.URL != "" && x.Data == "" {
		if !strings.HasPrefix(x.URL, "https://") && !strings.HasPrefix(x.URL, "http://") {
			return nil, fault.New(fault.Invalid, "discord.Send", "a button opens http and https addresses only")
		}
		c["style"], c["url"] = styleLink, x.URL
		return c, nil
	}
	data := x.Data
	if data == "" {
		data = x.Text
	}
	key, err := b.customID(ctx, data)
	if err != nil {
		return nil, err
	}
	c["custom_id"] = key
	return c, nil
}

func style(s string) int {
	switch s {
	case "primary":
		return 1
	case "success":
		return 3
	case "danger":
		return 4
	}
	return 2
}

// nativeParts reads content in Discord's own form: a list of components, an
// object with components, embeds or both, or one with blocks (blocks.go). said is
// Markdown that it brings along.
func (b *bot) nativeParts(ctx context.Context, raw json.RawMessage, name string) (parts map[string]any, said string, err error) {
	if isBlocks(raw) {
		return b.readBlocks(ctx, raw, name)
	}
	parts, err = ownParts(raw)
	return parts, "", err
}

func ownParts(raw json.RawMessage) (map[string]any, error) {
	bad := func(hint string) (map[string]any, error) { return nil, fault.New(fault.Invalid, "discord.Send", hint) }
	if isNull(raw) {
		return nil, nil
	}
	var list []any
	var o struct {
		Components []any `json:"components"`
		Embeds     []any `json:"embeds"`
	}
	if json.Unmarshal(raw, &list) == nil {
		o.Components = list
	} else if err := json.Unmarshal(raw, &o); err != nil {
		return bad("components must be a list of Discord components, or an object with components or embeds")
	}
	const mostEmbeds, mostComponents = 10, 40
	if len(o.Embeds) > mostEmbeds || len(o.Components) > mostComponents {
		return bad(fmt.Sprintf("Discord takes at most %d embeds and %d components", mostEmbeds, mostComponents))
	}
	parts := map[string]any{}
	for _, c := range o.Components {
		m, ok := c.(map[string]any)
		kind, numbered := m["type"].(float64)
		if !ok || !numbered {
			return bad("each component must be an object with Discord's number as its type: 1 is a row, 2 a button, 3 a menu")
		}
		if kind != kindRow {
			return bad("only rows (type 1) of buttons and menus can stand under a text")
		}
	}
	if len(o.Components) > maxRows {
		return bad(fmt.Sprintf("Discord takes at most %d rows", maxRows))
	}
	if len(o.Components) > 0 {
		parts["components"] = o.Components
	}
	if len(o.Embeds) > 0 {
		parts["embeds"] = o.Embeds
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return parts, nil
}
