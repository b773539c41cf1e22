package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// blocks is what agents write for buttons and menus: texts and rows of controls,
// without Discord's numbers.
type blocks struct {
	Text     string          `json:"text"`
	Reusable bool            `json:"reusable"` // its controls can be used more than once
	Blocks   []block         `json:"blocks"`
	Modal    json.RawMessage `json:"modal"`
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
	Type        string       `json:"type"`
	Placeholder string       `json:"placeholder"`
	Min         *int         `json:"minValues"`
	Max         *int         `json:"maxValues"`
	Options     []menuOption `json:"options"`
	Allowed     []any        `json:"allowedUsers"`
}

// isBlocks tells content with blocks from Discord's own.
func isBlocks(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return false
	}
	_, b := o["blocks"]
	_, t := o["text"]
	_, m := o["modal"]
	return b || t || m
}

// uiPrefix begins the custom ids of controls in blocks: what is pressed is told
// to the agent as a sentence, never taken as a command.
const uiPrefix = "ui:"

// readBlocks makes a text of the texts, and rows of the controls, which are kept
// under name.
func (b *bot) readBlocks(ctx context.Context, raw json.RawMessage, name string) (parts map[string]any, said string, err error) {
	bad := func(hint string) (map[string]any, string, error) {
		return nil, "", fault.New(fault.Invalid, "discord.Send", hint)
	}
	var c blocks
	if err := json.Unmarshal(raw, &c); err != nil {
		return bad("components can't be read: give text and blocks")
	}
	dialog, err := readForm(c.Modal)
	if err != nil {
		return nil, "", err
	}
	made := maker{name: name, panel: panel{At: time.Now().Unix(), Reusable: c.Reusable, Controls: map[string]control{}}}
	const mostBlocks = 40
	if len(c.Blocks) > mostBlocks {
		return bad(fmt.Sprintf("at most %d blocks", mostBlocks))
	}
	texts := []string{c.Text}
	var rows []any
	for i, x := range c.Blocks {
		switch x.Type {
		case "text", "section":
			texts = append(append(texts, x.Text), x.Texts...)
		case "separator":
			texts = append(texts, "---")
		case "actions":
			row, err := made.row(i, x)
			if err != nil {
				return nil, "", err
			}
			rows = append(rows, row)
		default:
			return bad(fmt.Sprintf("a block of type %q isn't available: use text, section, separator and actions; send files as attachments", clean(x.Type)))
		}
	}
	if dialog != nil {
		rows = append(rows, made.trigger(len(c.Blocks), dialog))
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
	if len(made.panel.Controls) > 0 {
		if !yes(b.cfg.AgentComponents.Enabled, true) {
			return bad("channels.discord.agentComponents.enabled is off: ask in words")
		}
		if raw, err := json.Marshal(made.panel); err != nil || len(raw) > maxPanel {
			return bad("these controls are too many or too long: make them shorter")
		}
		if err := b.panels.put(ctx, b, name, made.panel); err != nil {
			return nil, "", fault.Wrap(fault.Unavailable, "discord.Send", err)
		}
	}
	return parts, strings.TrimSpace(said), nil
}

// maker makes the controls of one message.
type maker struct {
	name  string
	panel panel
}

// keep notes a control and returns its custom id.
func (m *maker) keep(i, j int, c control) string {
	place := fmt.Sprintf("%d.%d", i, j)
	m.panel.Controls[place] = c
	return uiPrefix + m.name + ":" + place
}

// trigger is a row with the button that opens a form.
func (m *maker) trigger(i int, f *form) map[string]any {
	label := text.Fit(clean(cmp.Or(strings.TrimSpace(f.Label), "Open form")), maxLabel, text.UTF16)
	return rowOf([]any{map[string]any{
		"type": kindButton, "label": label, "style": style(cmp.Or(f.Style, "primary")), "custom_id": m.keep(i, 0, control{Label: label, Form: f}),
	}})
}

// people are the entries of a list of those who may use a control.
func people(list []any) (out []string) {
	for _, v := range list {
		if s := strings.TrimSpace(fmt.Sprint(v)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// row is buttons, or one menu. i tells rows of one message apart.
func (m *maker) row(i int, b block) (map[string]any, error) {
	const op = "discord.Send"
	if s := b.Select; s != nil {
		menu, err := s.menu()
		if err != nil {
			return nil, err
		}
		label := text.Fit(clean(s.Placeholder), maxLabel, text.UTF16)
		menu["custom_id"] = m.keep(i, 0, control{Label: label, Allowed: people(s.Allowed)})
		return rowOf([]any{menu}), nil
	}
	if len(b.Buttons) == 0 || len(b.Buttons) > maxRow {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("a row has 1 to %d buttons, or a select", maxRow))
	}
	var row []any
	for j, x := range b.Buttons {
		label := strings.TrimSpace(x.Label)
		if label == "" {
			return nil, fault.New(fault.Invalid, op, "a button needs a label")
		}
		label = text.Fit(clean(label), maxLabel, text.UTF16)
		c := map[string]any{"type": kindButton, "label": label, "style": style(x.Style), "disabled": x.Disabled}
		if x.URL != "" {
			if !strings.HasPrefix(x.URL, "https://") && !strings.HasPrefix(x.URL, "http://") {
				return nil, fault.New(fault.Invalid, op, "a button opens http and https addresses only")
			}
			c["style"], c["url"] = styleLink, x.URL
		} else {
			c["custom_id"] = m.keep(i, j, control{Label: label, Allowed: people(x.Allowed)})
		}
		row = append(row, c)
	}
	return rowOf(row), nil
}

func (s *blockSelect) menu() (map[string]any, error) {
	const op = "discord.Send"
	kinds := map[string]int{"": 3, "string": 3, "user": 5, "role": 6, "mentionable": 7, "channel": 8}
	kind, ok := kinds[s.Type]
	if !ok {
		return nil, fault.New(fault.Invalid, op, "a select is of type string, user, role, mentionable or channel")
	}
	c := map[string]any{"type": kind}
	menuBounds(c, s.Placeholder, s.Min, s.Max)
	if kind != kinds["string"] {
		return c, nil
	}
	options, err := menuOptions(s.Options)
	c["options"] = options
	return c, err
}

const mostOptions = 25

// menuBounds adds what menus have in common.
func menuBounds(c map[string]any, placeholder string, least, most *int) {
	const maxPlaceholder = 150
	if placeholder != "" {
		c["placeholder"] = text.Fit(placeholder, maxPlaceholder, text.UTF16)
	}
	if least != nil {
		c["min_values"] = min(max(*least, 0), mostOptions)
	}
	if most != nil {
		c["max_values"] = min(max(*most, 1), mostOptions)
	}
}

func menuOptions(list []menuOption) (options []any, err error) {
	const op, maxText = "discord.Send", 100
	if len(list) == 0 || len(list) > mostOptions {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("a select has 1 to %d options", mostOptions))
	}
	for _, o := range list {
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
	return options, nil
}
