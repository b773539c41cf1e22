package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// scopeOf reads capabilities: where inline buttons are shown and obeyed. With
// "allowlist", as by default, they are everywhere for those who are let in;
// the path of every message asks that in any case.
func scopeOf(raw json.RawMessage) (string, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return "allowlist", true
	}
	var list []string // the older form
	if json.Unmarshal(raw, &list) == nil {
		if slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, "inlineButtons") }) {
			return "all", true
		}
		return "off", true
	}
	var c struct {
		Buttons string `json:"inlineButtons"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return "", false
	}
	switch c.Buttons {
	case "":
		return "allowlist", true
	case "off", "dm", "group", "all", "allowlist":
		return c.Buttons, true
	}
	return "", false
}

// buttonsIn tells whether there are buttons in a private chat, or in others.
func (b *bot) buttonsIn(private bool) bool {
	switch b.buttons {
	case "off":
		return false
	case "dm":
		return private
	case "group":
		return !private
	}
	return true
}

// isPrivate tells a person's chat by its id.
func isPrivate(chat string) bool {
	n, err := strconv.ParseInt(chat, 10, 64)
	return err == nil && n > 0
}

// keyboard is rows as Telegram wants them, or nil. Data that is too long for
// Telegram stands on no button.
func (b *bot) keyboard(ctx context.Context, rows [][]msg.Button) map[string]any {
	const mostRows, mostInRow, maxLabel, maxData = 50, 8, 64, 64
	var out [][]map[string]any
	for _, row := range rows[:min(len(rows), mostRows)] {
		var buttons []map[string]any
		for _, x := range row[:min(len(row), mostInRow)] {
			p := map[string]any{"text": text.Fit(strings.TrimSpace(text.Valid(x.Text)), maxLabel, text.UTF16)}
			switch data := text.Valid(x.Data); {
			case p["text"] == "":
				continue
			case x.URL != "" && opens(x.URL):
				p["url"] = x.URL
			case data != "" && len(data) <= maxData:
				p["callback_data"] = data
			default:
				b.log.WarnContext(ctx, "telegram button left out: it needs an http address, or data of 64 bytes at most")
				continue
			}
			switch x.Style {
			case "primary", "success", "danger":
				p["style"] = x.Style
			}
			buttons = append(buttons, p)
		}
		if len(buttons) > 0 {
			out = append(out, buttons)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return map[string]any{"inline_keyboard": out}
}

func opens(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" || err == nil && u.Scheme == "tg"
}

// spelled puts buttons into words, for where there are none.
func spelled(rows [][]msg.Button) string {
	var lines []string
	for _, row := range rows {
		for _, x := range row {
			if label := strings.TrimSpace(x.Text); x.URL != "" {
				lines = append(lines, fmt.Sprintf("- %s: %s", label, x.URL))
			} else if label != "" {
				lines = append(lines, "- "+label)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// pressed reads a pressed button; ok is false for one that isn't obeyed.
func (b *bot) pressed(c *callback) (in msg.Inbound, ok bool) {
	m := c.Message
	if m == nil || m.Chat.ID == 0 || c.From.ID == 0 || c.ID == "" || strings.TrimSpace(c.Data) == "" {
		return in, false
	}
	kind := kindOf(m.Chat)
	if !b.buttonsIn(kind == msg.Direct) {
		return in, false
	}
	from, _ := sender(&message{From: &c.From})
	return msg.Inbound{
		ID: id.Message("callback:" + text.Valid(c.ID)), From: from, Received: now(0), Text: text.Valid(c.Data),
		At:     b.address(m),
		Native: true, Mentioned: true, Room: b.room(m),
	}, true
}

// answer ends the waiting of the person who pressed; Telegram gives it a few
// seconds, and nothing depends on it.
func (b *bot) answer(ctx context.Context, a *api, callbackID string) {
	if callbackID == "" {
		return
	}
	if err := a.call(ctx, "answerCallbackQuery", map[string]any{"callback_query_id": callbackID}, nil, 0); err != nil {
		b.log.DebugContext(ctx, "telegram button not answered", "err", err)
	}
}
