package discordtest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// callbackLocked takes an interaction: once, and only one that is open.
func (s *Server) callbackLocked(q request) answer {
	if len(q.parts) != 4 || s.tokens[q.parts[2]] != q.parts[1] {
		return refuse(http.StatusNotFound, 10062, "Unknown interaction")
	}
	if s.opens[q.parts[1]] {
		return refuse(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
	}
	s.opens[q.parts[1]] = true
	if kind, _ := q.body["type"].(float64); kind == 5 {
		m := &Message{ID: s.idLocked(), Channel: "thinking", Raw: q.body}
		s.originals[q.parts[2]] = m
	}
	return none()
}

// followUpLocked shows the answer to an interaction.
func (s *Server) followUpLocked(q request) answer {
	id, ok := s.tokens[q.parts[2]]
	if !ok || !s.opens[id] {
		return refuse(http.StatusNotFound, 10015, "Unknown Webhook")
	}
	if a, bad := check(q); bad {
		return a
	}
	content, _ := q.body["content"].(string)
	if q.method == "PATCH" {
		m := s.originals[q.parts[2]]
		if m == nil {
			return refuse(http.StatusNotFound, 10008, "Unknown Message")
		}
		m.Author, m.Content, m.Shown, m.Edits, m.Files = BotID, content, Strip(content), m.Edits+1, q.files
		if m.Edits == 1 {
			s.messages = append(s.messages, m)
		}
		return fine(s.objectLocked(m))
	}
	m := &Message{ID: s.idLocked(), Channel: "thinking", Author: BotID, Content: content, Shown: Strip(content), Raw: q.body, Files: q.files}
	s.messages = append(s.messages, m)
	return fine(s.objectLocked(m))
}

// check refuses what Discord refuses in a message.
func check(q request) (answer, bool) {
	content, _ := q.body["content"].(string)
	form := func(field, text string) (answer, bool) {
		return answer{http.StatusBadRequest, object{"code": 50035, "message": "Invalid Form Body", "errors": object{field: object{"_errors": []any{object{"code": "BAD", "message": text}}}}}}, true
	}
	rows, _ := q.body["components"].([]any)
	embeds, _ := q.body["embeds"].([]any)
	if utf8.RuneCountInString(content) > 2000 {
		return form("content", "Must be 2000 or fewer in length.")
	}
	if strings.TrimSpace(content) == "" && len(q.files) == 0 && len(embeds) == 0 && q.body["poll"] == nil && q.body["sticker_ids"] == nil {
		return refuse(http.StatusBadRequest, 50006, "Cannot send an empty message"), true
	}
	if len(rows) > 5 {
		return form("components", "Must be between 1 and 5 in length.")
	}
	for _, r := range rows {
		row, _ := r.(object)
		cs, _ := row["components"].([]any)
		if len(cs) == 0 || len(cs) > 5 {
			return form("components", "Must be between 1 and 5 in length.")
		}
		for _, c := range cs {
			o, _ := c.(object)
			if id, _ := o["custom_id"].(string); len(id) > 100 || id == "" && o["url"] == nil {
				return form("components", "Must be between 1 and 100 in length.")
			}
		}
	}
	if n, _ := q.body["nonce"].(string); utf8.RuneCountInString(n) > 25 {
		return form("nonce", "Must be 25 or fewer in length.")
	}
	if list, ok := q.body["attachments"].([]any); ok && len(list) != len(q.files) || len(q.files) > 10 {
		return form("attachments", "Must match the files.")
	}
	return answer{}, false
}

func (s *Server) objectLocked(m *Message) object {
	o := object{"id": m.ID, "type": 0, "channel_id": m.Channel, "author": user(m.Author), "content": m.Content, "attachments": []any{}, "mentions": []any{}}
	if m.Author != BotID {
		for k, v := range m.Raw {
			o[k] = v
		}
		delete(o, "member") // as REST tells
		delete(o, "guild_id")
	} else if m.Raw["reactions"] != nil {
		o["reactions"] = m.Raw["reactions"]
	}
	return o
}

func (s *Server) find(channel, id string) *Message {
	i := slices.IndexFunc(s.messages, func(m *Message) bool { return m.Channel == channel && m.ID == id && !m.Deleted })
	if i < 0 {
		return nil
	}
	return s.messages[i]
}
