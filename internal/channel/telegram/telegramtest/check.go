package telegramtest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// What the Bot API takes.
const (
	maxText    = 4096 // UTF-16 units that are shown
	maxCaption = 1024
	maxPhoto   = 10 << 20
	maxFile    = 50 << 20
)

// shown is what people see of the text under key, or why it is refused.
func shown(p map[string]any, key string, most int) (text, bad string) {
	text, _ = p[key].(string)
	if p["parse_mode"] == "HTML" {
		plain, err := parseHTML(text)
		if err != nil {
			return "", "can't parse entities: " + err.Error()
		}
		text = plain
	}
	if units(text) > most {
		if key == "caption" {
			return "", "message caption is too long"
		}
		return "", "message is too long"
	}
	return text, ""
}

// file checks the file of a method like sendPhoto.
func file(method string, p map[string]any) string {
	field := strings.ToLower(strings.TrimPrefix(method, "send"))
	name, _ := p[field].(string)
	if name == "" {
		return "there is no " + field + " in the request"
	}
	size, uploaded := p["size:"+field].(float64)
	delete(p, "size:"+field)
	switch {
	case uploaded && size == 0:
		return "file must be non-empty"
	case size > maxFile, method == "sendPhoto" && size > maxPhoto:
		return "file is too big"
	}
	return ""
}

// badKeyboard says what is wrong with buttons.
func badKeyboard(markup any) string {
	if s, ok := markup.(string); ok { // of a form
		var v any
		if json.Unmarshal([]byte(s), &v) != nil {
			return "can't parse reply keyboard markup JSON object"
		}
		markup = v
	}
	if markup == nil {
		return ""
	}
	m, _ := markup.(map[string]any)
	rows, ok := m["inline_keyboard"].([]any)
	if !ok {
		return "object expected as reply markup"
	}
	for _, row := range rows {
		buttons, _ := row.([]any)
		for _, x := range buttons {
			b, _ := x.(map[string]any)
			label, _ := b["text"].(string)
			data, hasData := b["callback_data"].(string)
			link, hasURL := b["url"].(string)
			u, err := url.Parse(link)
			switch {
			case label == "":
				return "text buttons are unallowed in the inline keyboard"
			case hasData == hasURL:
				return "exactly one of the optional fields must be used"
			case hasData && (data == "" || len(data) > 64):
				return "BUTTON_DATA_INVALID"
			case hasURL && (err != nil || u.Host == "" && u.Scheme != "tg"):
				return "BUTTON_URL_INVALID"
			}
		}
	}
	return ""
}

// badPoll says what is wrong with a poll.
func badPoll(p map[string]any) string {
	q, _ := p["question"].(string)
	options, _ := p["options"].([]any)
	if n := units(q); n == 0 || n > 300 {
		return "poll question must be 1-300 characters long"
	}
	if len(options) < 2 || len(options) > 12 {
		return fmt.Sprintf("poll must have 2-12 options, not %d", len(options))
	}
	for _, o := range options {
		x, _ := o.(map[string]any)
		s, _ := x["text"].(string)
		if n := units(s); n == 0 || n > 100 {
			return "poll options length must not exceed 100"
		}
	}
	if open, ok := p["open_period"]; ok && (num(open) < 5 || num(open) > 600) {
		return "poll open period must be 5-600 seconds"
	}
	return ""
}

// badCommands says what is wrong with a menu.
func badCommands(v any) string {
	list, ok := v.([]any)
	if !ok || len(list) > 100 {
		return "BOT_COMMANDS_TOO_MUCH"
	}
	for _, x := range list {
		c, _ := x.(map[string]any)
		name, _ := c["command"].(string)
		help, _ := c["description"].(string)
		if name == "" || len(name) > 32 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return "BOT_COMMAND_INVALID"
		}
		if n := units(help); n == 0 || n > 256 {
			return "BOT_COMMAND_DESCRIPTION_INVALID"
		}
	}
	return ""
}
