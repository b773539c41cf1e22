package discordtest

import (
	"net/http"
	"slices"
	"strconv"
)

func (s *Server) channelsLocked(q request) answer {
	id := q.parts[1]
	r := s.rooms[id]
	if id == Elsewhere {
		return refuse(http.StatusForbidden, 50001, "Missing Access")
	}
	if r == nil {
		return refuse(http.StatusNotFound, 10003, "Unknown Channel")
	}
	if len(q.parts) == 2 {
		switch q.method {
		case "PATCH":
			delete(r, "archived")
			if name, ok := q.body["name"]; ok {
				r["name"] = name
			}
		case "DELETE":
			delete(s.rooms, id)
		}
		return fine(r)
	}
	switch q.parts[2] {
	case "typing":
		return none()
	case "threads":
		return s.threadLocked(q, "", r)
	case "messages":
		switch {
		case len(q.parts) == 3 && q.method == "POST":
			return s.postLocked(q, id, r)
		case len(q.parts) == 3:
			return s.historyLocked(q, id)
		case q.parts[3] == "pins":
			return s.pinsLocked(q, id)
		}
		return s.messageLocked(q, id, r)
	}
	return refuse(http.StatusNotFound, 0, "404: Not Found")
}

func (s *Server) postLocked(q request, id string, r object) answer {
	if r["type"] == 15 {
		return refuse(http.StatusBadRequest, 50008, "Cannot send messages in a non-text channel")
	}
	if r["archived"] == true {
		return refuse(http.StatusBadRequest, 50083, "Thread is archived")
	}
	if a, bad := check(q); bad {
		return a
	}
	nonce, _ := q.body["nonce"].(string)
	if nonce != "" && q.body["enforce_nonce"] == true {
		for _, m := range s.messages {
			if m.Channel == id && m.Nonce == nonce {
				return fine(s.objectLocked(m))
			}
		}
	}
	content, _ := q.body["content"].(string)
	m := &Message{ID: s.idLocked(), Channel: id, Author: BotID, Content: content, Shown: Strip(content), Nonce: nonce, Raw: q.body, Files: q.files}
	if ref, ok := q.body["message_reference"].(object); ok {
		m.ReplyTo, _ = ref["message_id"].(string)
	}
	s.messages = append(s.messages, m)
	o := s.objectLocked(m)
	if r["guild_id"] != nil {
		o["guild_id"] = r["guild_id"]
	}
	s.eventLocked("MESSAGE_CREATE", o)
	return fine(o)
}

func (s *Server) historyLocked(q request, id string) answer {
	limit, err := strconv.Atoi(q.query("limit"))
	if err != nil {
		limit = 50
	}
	if limit < 1 || limit > 100 {
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	n := func(s string) int64 { v, _ := strconv.ParseInt(s, 10, 64); return v }
	before, after := n(q.query("before")), n(q.query("after"))
	var found []*Message
	for _, m := range s.messages {
		if m.Channel == id && !m.Deleted && (before == 0 || n(m.ID) < before) && n(m.ID) > after {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(x, y *Message) int { return int(n(y.ID)>>8 - n(x.ID)>>8 + (n(y.ID)&255 - n(x.ID)&255)) })
	if len(found) > limit {
		if after > 0 { // the oldest ones behind it
			found = found[len(found)-limit:]
		} else {
			found = found[:limit]
		}
	}
	out := []any{}
	for _, m := range found {
		out = append(out, s.objectLocked(m))
	}
	return fine(out)
}

func (s *Server) messageLocked(q request, channel string, r object) answer {
	m := s.find(channel, q.parts[3])
	if m == nil {
		return refuse(http.StatusNotFound, 10008, "Unknown Message")
	}
	if len(q.parts) > 4 {
		switch q.parts[4] {
		case "threads":
			return s.threadLocked(q, m.ID, r)
		case "reactions":
			if q.method == "GET" {
				return fine([]any{user(Person)})
			}
			return none()
		}
		return refuse(http.StatusNotFound, 0, "404: Not Found")
	}
	switch q.method {
	case "GET":
		return fine(s.objectLocked(m))
	case "PATCH":
		if m.Author != BotID {
			return refuse(http.StatusForbidden, 50005, "Cannot edit a message authored by another user")
		}
		if a, bad := check(q); bad {
			return a
		}
		m.Content, _ = q.body["content"].(string)
		m.Shown = Strip(m.Content)
		m.Edits++
		return fine(s.objectLocked(m))
	case "DELETE":
		m.Deleted = true
		return none()
	}
	return refuse(http.StatusMethodNotAllowed, 0, "405: Method Not Allowed")
}

func (s *Server) threadLocked(q request, message string, r object) answer {
	name, _ := q.body["name"].(string)
	if name == "" || len(name) > 100 {
		return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	id := message
	if id == "" {
		id = s.idLocked()
	}
	if s.rooms[id] != nil {
		return refuse(http.StatusBadRequest, 160004, "A thread has already been created for this message")
	}
	made := object{"id": id, "type": 11, "name": name, "parent_id": r["id"], "guild_id": r["guild_id"]}
	if r["type"] == 15 {
		first, ok := q.body["message"].(object)
		if !ok {
			return refuse(http.StatusBadRequest, 50035, "Invalid Form Body")
		}
		s.rooms[id] = made
		content, _ := first["content"].(string)
		m := &Message{ID: id, Channel: id, Author: BotID, Content: content, Shown: Strip(content), Raw: first, Files: q.files}
		s.messages = append(s.messages, m)
		withMessage := object{"message": s.objectLocked(m)}
		for k, v := range made {
			withMessage[k] = v
		}
		return fine(withMessage)
	}
	s.rooms[id] = made
	s.eventLocked("THREAD_CREATE", made)
	return fine(made)
}

func (s *Server) pinsLocked(q request, channel string) answer {
	if q.method == "GET" {
		items := []any{}
		for _, m := range s.messages {
			if m.Channel == channel && m.Raw["pinned"] == true {
				items = append(items, object{"pinned_at": "2026-01-01T00:00:00Z", "message": s.objectLocked(m)})
			}
		}
		return fine(object{"items": items, "has_more": false})
	}
	m := s.find(channel, q.parts[4])
	if m == nil {
		return refuse(http.StatusNotFound, 10008, "Unknown Message")
	}
	m.Raw["pinned"] = q.method == "PUT"
	return none()
}
