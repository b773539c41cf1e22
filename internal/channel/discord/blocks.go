package discord

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// blocks is what agents write for buttons and menus: texts and rows of controls,
// without Discord's numbers.
type blocks struct {
	Text     string  `json:"text"`
	Reusable bool    `json:"reusable"` // a control can be used as often as it is there anyhow
	Blocks   []block `json:"blocks"`
	Modal    any     `json:"modal"`
}

type block struct {
	Type    string       `json:"type"`
	Text    string       `json:"text"`
	Texts   []string     `json:"texts"`
	Buttons []blockPress `json:"buttons"`
	Select  *blockSelect `json:"select"`
}

type blockPress struct {
	Label    string `json:"label"`
	Style    string `json:"style"`
	URL      string `json:"url"`
	Disabled bool   `json:"disabled"`
	Allowed  []any  `json:"allowedUsers"`
}

type blockSelect struct {
	Type        string `json:"type"`
	Placeholder string `json:"placeholder"`
	Min         *int   `json:"minValues"`
	Max         *int   `json:"maxValues"`
	Options     []struct {
		Label       string `json:"label"`
		Value       string `json:"value"`
		Description string `json:"description"`
	} `json:"options"`
}

// isBlocks tells content with blocks from Discord's own.
func isBlocks(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	_, b := o["blocks"]
	_, t := o["text"]
	return b || t
}

// uiPrefix begins the custom ids of controls in blocks: what is pressed is told
// to the agent as a sentence, never taken as a command.
const uiPrefix = "ui:"

// readBlocks makes a text of the texts, and rows of the controls.
func readBlocks(raw json.RawMessage) (parts map[string]any, said string, err error) {
	bad := func(hint string) (map[string]any, string, error) {
		return nil, "", fault.New(fault.Invalid, "discord.Send", hint)
	}
	var c blocks
	if err := json.Unmarshal(raw, &c); err != nil {
		return bad("components can't be read: give text and blocks")
	}
	if c.Modal != nil {
		return bad("forms (modal) aren't available: ask with buttons, a menu or in words")
	}
	const mostBlocks = 40
	if len(c.Blocks) > mostBlocks {
		return bad(fmt.Sprintf("at most %d blocks", mostBlocks))
	}
	texts := []string{c.Text}
	var rows []any
	for i, b := range c.Blocks {
		switch b.Type {
		case "text", "section":
			texts = append(append(texts, b.Text), b.Texts...)
		case "separator":
			texts = append(texts, "---")
		case "actions":
			row, err := actionRow(i, b)
			if err != nil {
				return nil, "", err
			}
			rows = append(rows, row)
		default:
			return bad(fmt.Sprintf("a block of type %q isn't available: use text, section, separator and actions; send files as attachments", clean(b.Type)))
		}
	}
	if len(rows) > maxRows {
		return bad(fmt.Sprintf("Discord shows at most %d rows of controls", maxRows))
	}
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			said += t + "\n\n"
		}
	}
	if rows != nil {
		parts = map[string]any{"components": rows}
	}
	return parts, strings.TrimSpace(said), nil
}

// actionRow is one row: buttons, or one menu. i tells rows of one message apart.
func actionRow(i int, b block) (map[string]any, error) {
	const op = "discord.Send"
	if s := b.Select; s != nil {
		menu, err := s.menu(i)
		if err != nil {
			return nil, err
		}
		return rowOf([]any{menu}), nil
	}
	if len(b.Buttons) == 0 || len(b.Buttons) > maxRow {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("a row has 1 to %d buttons, or a select", maxRow))
	}
	var row []any
	for j, x := range b.Buttons {
		label := strings.TrimSpace(x.Label)
		switch {
		case label == "":
			return nil, fault.New(fault.Invalid, op, "a button needs a label")
		case len(x.Allowed) > 0:
			return nil, fault.New(fault.Invalid, op, "allowedUsers isn't available: anybody there can press a button")
		}
		label = text.Fit(clean(label), maxLabel, text.UTF16)
		c := map[string]any{"type": kindButton, "label": label, "style": style(x.Style), "disabled": x.Disabled}
		if x.URL != "" {
			if !strings.HasPrefix(x.URL, "https://") && !strings.HasPrefix(x.URL, "http://") {
				return nil, fault.New(fault.Invalid, op, "a button opens http and https addresses only")
			}
			c["style"], c["url"] = styleLink, x.URL
		} else {
			c["custom_id"] = fmt.Sprintf("%s%d.%d:%s", uiPrefix, i, j, text.Cut(label, maxLabel))
		}
		row = append(row, c)
	}
	return rowOf(row), nil
}

func (s *blockSelect) menu(i int) (map[string]any, error) {
	const op, mostOptions, maxText, maxPlaceholder = "discord.Send", 25, 100, 150
	kinds := map[string]int{"": 3, "string": 3, "user": 5, "role": 6, "mentionable": 7, "channel": 8}
	kind, ok := kinds[s.Type]
	if !ok {
		return nil, fault.New(fault.Invalid, op, "a select is of type string, user, role, mentionable or channel")
	}
	c := map[string]any{"type": kind, "custom_id": fmt.Sprintf("%s%d.0:%s", uiPrefix, i, text.Cut(clean(s.Placeholder), maxLabel))}
	if s.Placeholder != "" {
		c["placeholder"] = text.Fit(s.Placeholder, maxPlaceholder, text.UTF16)
	}
	if s.Min != nil {
		c["min_values"] = min(max(*s.Min, 0), mostOptions)
	}
	if s.Max != nil {
		c["max_values"] = min(max(*s.Max, 1), mostOptions)
	}
	if kind != kinds["string"] {
		return c, nil
	}
	if len(s.Options) == 0 || len(s.Options) > mostOptions {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("a select has 1 to %d options", mostOptions))
	}
	var options []any
	for _, o := range s.Options {
		if strings.TrimSpace(o.Label) == "" {
			return nil, fault.New(fault.Invalid, op, "an option needs a label")
		}
		value := o.Value
		if value == "" {
			value = o.Label
		}
		x := map[string]any{"label": text.Fit(o.Label, maxText, text.UTF16), "value": text.Fit(value, maxText, text.UTF16)}
		if o.Description != "" {
			x["description"] = text.Fit(o.Description, maxText, text.UTF16)
		}
		options = append(options, x)
	}
	c["options"] = options
	return c, nil
}
