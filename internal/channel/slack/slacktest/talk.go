package slacktest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// talkLocked carries out the methods that write, react and pin.
func (s *Server) talkLocked(c Call) (answer map[string]any, bad string) {
	p := c.Params
	find := func(ts string) *Message {
		for _, m := range s.messages {
			if m.Channel == p["channel"] && m.TS == ts {
				return m
			}
		}
		return nil
	}
	switch c.Method {
	case "chat.postMessage":
		if p["channel"] == Elsewhere {
			return nil, "not_in_channel"
		}
		m := &Message{Channel: p["channel"], Thread: p["thread_ts"], User: BotUser, BotID: BotID, Metadata: json.RawMessage(p["metadata"])}
		if bad := m.put(p); bad != "" {
			return nil, bad
		}
		m.TS = s.stampLocked()
		s.messages = append(s.messages, m)
		return map[string]any{"channel": m.Channel, "ts": m.TS, "message": tell(m, true)}, ""
	case "chat.postEphemeral":
		if p["user"] == "" {
			return nil, "invalid_arguments"
		}
		return map[string]any{"message_ts": s.stampLocked()}, ""
	case "chat.update":
		m := find(p["ts"])
		switch {
		case m == nil:
			return nil, "message_not_found"
		case m.BotID != BotID:
			return nil, "cant_update_message"
		case utf8.RuneCountInString(p["text"]) > 4000:
			return nil, "msg_too_long"
		}
		if bad := m.put(p); bad != "" {
			return nil, bad
		}
		return map[string]any{"ts": m.TS}, ""
	case "chat.delete":
		m := find(p["ts"])
		if m == nil {
			return nil, "message_not_found"
		}
		s.messages = slices.DeleteFunc(s.messages, func(x *Message) bool { return x == m })
		return map[string]any{"ts": p["ts"]}, ""
	case "chat.startStream":
		if p["thread_ts"] == "" {
			return nil, "missing_thread_ts"
		}
		if !strings.HasPrefix(p["channel"], "D") && (p["recipient_user_id"] == "" || p["recipient_team_id"] == "") {
			return nil, "missing_recipient_user_id"
		}
		m := &Message{Channel: p["channel"], Thread: p["thread_ts"], TS: s.stampLocked(), User: BotUser, BotID: BotID, Streaming: true, Text: p["markdown_text"], Shown: p["markdown_text"]}
		s.messages = append(s.messages, m)
		return map[string]any{"channel": m.Channel, "ts": m.TS}, ""
	case "chat.appendStream", "chat.stopStream":
		m := find(p["ts"])
		if m == nil {
			return nil, "message_not_found"
		}
		if !m.Streaming {
			return nil, "message_not_in_streaming_state"
		}
		m.Text += p["markdown_text"]
		m.Shown = m.Text
		m.Streaming = c.Method == "chat.appendStream"
		return map[string]any{"ts": m.TS}, ""
	case "reactions.add", "reactions.remove", "reactions.get":
		return reactLocked(c, find(p["timestamp"]))
	case "pins.add", "pins.remove":
		m := find(p["timestamp"])
		if m == nil {
			return nil, "message_not_found"
		}
		if m.Pinned == (c.Method == "pins.add") {
			return nil, map[bool]string{true: "already_pinned", false: "no_pin"}[m.Pinned]
		}
		m.Pinned = !m.Pinned
		return map[string]any{}, ""
	case "pins.list":
		items := []any{}
		for _, m := range s.messages {
			if m.Channel == p["channel"] && m.Pinned {
				items = append(items, map[string]any{"type": "message", "message": tell(m, false)})
			}
		}
		return map[string]any{"items": items}, ""
	}
	return nil, "unknown_method"
}

func reactLocked(c Call, m *Message) (map[string]any, string) {
	if m == nil {
		return nil, "message_not_found"
	}
	name := c.Params["name"]
	has := slices.Contains(m.Reactions[name], BotUser)
	switch {
	case c.Method == "reactions.get":
		return map[string]any{"type": "message", "message": tell(m, false)}, ""
	case name == "" || strings.ContainsAny(name, ": \U0001F440"):
		return nil, "invalid_name"
	case c.Method == "reactions.add" && has:
		return nil, "already_reacted"
	case c.Method == "reactions.remove" && !has:
		return nil, "no_reaction"
	}
	if m.Reactions == nil {
		m.Reactions = map[string][]string{}
	}
	if has {
		m.Reactions[name] = slices.DeleteFunc(m.Reactions[name], func(u string) bool { return u == BotUser })
	} else {
		m.Reactions[name] = append(m.Reactions[name], BotUser)
	}
	return map[string]any{}, ""
}

// put writes a text and blocks, as strict as Slack about their sizes, and
// stricter about what Slack would show in another way than meant.
func (m *Message) put(p map[string]string) (bad string) {
	const maxText, maxBlocks = 40000, 50
	text := p["text"]
	var blocks []struct {
		Type string `json:"type"`
		Text struct {
			Text string `json:"text"`
		} `json:"text"`
		Elements []json.RawMessage `json:"elements"`
	}
	if b := p["blocks"]; b != "" {
		if json.Unmarshal([]byte(b), &blocks) != nil || len(blocks) > maxBlocks {
			return "invalid_blocks_format"
		}
		for _, x := range blocks {
			if x.Type == "" || x.Type == "section" && (x.Text.Text == "" || utf8.RuneCountInString(x.Text.Text) > 3000) || x.Type == "actions" && (len(x.Elements) == 0 || len(x.Elements) > 25) {
				return "invalid_blocks"
			}
		}
	}
	if strings.TrimSpace(text) == "" && len(blocks) == 0 {
		return "no_text"
	}
	if utf8.RuneCountInString(text) > maxText {
		return "msg_too_long"
	}
	shown, err := Shown(text)
	if err != nil {
		return "invalid_mrkdwn: " + err.Error()
	}
	if b := p["metadata"]; b != "" {
		var meta struct {
			Type    string         `json:"event_type"`
			Payload map[string]any `json:"event_payload"`
		}
		if json.Unmarshal([]byte(b), &meta) != nil || meta.Type == "" || meta.Payload == nil {
			return "metadata_must_be_sent_from_app"
		}
	}
	m.Text, m.Shown, m.Blocks = text, shown, json.RawMessage(p["blocks"])
	return ""
}
