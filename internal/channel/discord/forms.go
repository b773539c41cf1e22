package discord

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// form is what a button opens for whoever presses it.
type form struct {
	Title  string  `json:"title"`
	Label  string  `json:"triggerLabel"`
	Style  string  `json:"triggerStyle"`
	Fields []field `json:"fields"`
}

// field is one question of a form.
type field struct {
	Type        string       `json:"type"` // text, select, checkbox, radio, user-select, role-select
	Label       string       `json:"label"`
	Description string       `json:"description"`
	Placeholder string       `json:"placeholder"`
	Style       string       `json:"style"` // of a text: short or paragraph
	Required    *bool        `json:"required"`
	MinLength   int          `json:"minLength"`
	MaxLength   int          `json:"maxLength"`
	Min         *int         `json:"minValues"`
	Max         *int         `json:"maxValues"`
	Options     []menuOption `json:"options"`
}

type menuOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description"`
}

// Discord's numbers for what is in a form.
const (
	kindMenu     = 3
	kindInput    = 4
	kindUserMenu = 5
	kindRoleMenu = 6
	kindLabel    = 18

	maxFields = 5
	maxTitle  = 45
	maxInput  = 4000
)

// formPrefix begins the custom id of a form that is open.
const formPrefix = "uf:"

// check says what is wrong with a form.
func (f *form) check() error {
	bad := func(hint string) error { return fault.New(fault.Invalid, "discord.Send", hint) }
	if strings.TrimSpace(f.Title) == "" {
		return bad("a form (modal) needs a title")
	}
	if len(f.Fields) == 0 || len(f.Fields) > maxFields {
		return bad(fmt.Sprintf("a form has 1 to %d fields", maxFields))
	}
	for i, x := range f.Fields {
		if strings.TrimSpace(x.Label) == "" {
			return bad("each field of a form needs a label")
		}
		if _, err := x.component(i); err != nil {
			return err
		}
	}
	return nil
}

// component is a field as Discord takes it.
func (x field) component(i int) (map[string]any, error) {
	const maxHint = 100
	c := map[string]any{"custom_id": fmt.Sprint("f", i), "required": yes(x.Required, true)}
	many := false
	switch x.Type {
	case "", "text":
		c["type"], c["style"] = kindInput, 1
		if x.Style == "paragraph" {
			c["style"] = 2
		}
		c["max_length"] = maxInput
		if x.MaxLength > 0 {
			c["max_length"] = min(x.MaxLength, maxInput)
		}
		if x.MinLength > 0 {
			c["min_length"] = min(x.MinLength, maxInput)
		}
		if x.Placeholder != "" {
			c["placeholder"] = text.Fit(x.Placeholder, maxHint, text.UTF16)
		}
		return c, nil
	case "checkbox":
		many = true
		fallthrough
	case "select", "radio":
		options, err := menuOptions(x.Options)
		if err != nil {
			return nil, err
		}
		c["type"], c["options"] = kindMenu, options
		if many {
			c["min_values"], c["max_values"] = 0, len(options)
		}
	case "user-select":
		c["type"] = kindUserMenu
	case "role-select":
		c["type"] = kindRoleMenu
	default:
		return nil, fault.New(fault.Invalid, "discord.Send", "a field is of type text, select, checkbox, radio, user-select or role-select")
	}
	menuBounds(c, x.Placeholder, x.Min, x.Max)
	return c, nil
}

// open is the answer to a press that shows the form.
func (f *form) open(custom string) map[string]any {
	const maxLabelText, maxAbout, answerForm = 45, 100, 9
	var rows []any
	for i, x := range f.Fields {
		c, err := x.component(i)
		if err != nil {
			continue // it was checked before it was sent
		}
		row := map[string]any{"type": kindLabel, "label": text.Fit(clean(x.Label), maxLabelText, text.UTF16), "component": c}
		if x.Description != "" {
			row["description"] = text.Fit(clean(x.Description), maxAbout, text.UTF16)
		}
		rows = append(rows, row)
	}
	return map[string]any{"type": answerForm, "data": map[string]any{
		"custom_id": formPrefix + custom, "title": text.Fit(clean(f.Title), maxTitle, text.UTF16), "components": rows,
	}}
}

// submitted is one part of a form that was sent.
type submitted struct {
	Custom     string      `json:"custom_id"`
	Value      string      `json:"value"`
	Values     []string    `json:"values"`
	Component  *submitted  `json:"component"`
	Components []submitted `json:"components"`
}

// flat lists the inputs in parts, however they are nested.
func flat(parts []submitted, depth int) (out []submitted) {
	const deep = 3
	for _, p := range parts {
		if p.Custom != "" {
			out = append(out, p)
		}
		if depth < deep {
			if p.Component != nil {
				out = append(out, flat([]submitted{*p.Component}, depth+1)...)
			}
			out = append(out, flat(p.Components, depth+1)...)
		}
	}
	return out
}

// filled is what somebody wrote in a form, for the agent.
func (f *form) filled(parts []submitted) string {
	answers := map[string]string{}
	for _, p := range flat(parts, 0) {
		const mostValues = 25
		v := p.Value
		if v == "" {
			v = strings.Join(p.Values[:min(len(p.Values), mostValues)], ", ")
		}
		answers[p.Custom] = text.Cut(text.Valid(strings.TrimSpace(v)), maxInput)
	}
	lines := []string{"[filled in " + clean(f.Title) + "]"}
	for i, x := range f.Fields {
		lines = append(lines, clean(x.Label)+": "+answers[fmt.Sprint("f", i)])
	}
	return strings.Join(lines, "\n")
}

// readForm reads a form as agents write it.
func readForm(raw json.RawMessage) (*form, error) {
	if isNull(raw) {
		return nil, nil
	}
	var f form
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fault.New(fault.Invalid, "discord.Send", "the form (modal) can't be read: give title and fields")
	}
	return &f, f.check()
}
