package discordtest

import (
	"encoding/json"
	"strings"
	"time"
)

func user(id string) object {
	switch id {
	case BotID:
		return object{"id": id, "username": BotName, "discriminator": "0", "bot": true}
	case Person:
		return object{"id": id, "username": "al", "global_name": "Al", "discriminator": "0"}
	}
	return object{"id": id, "username": "user" + id[max(len(id)-2, 0):], "discriminator": "0"}
}

// Say lets Person write to the bot directly. It returns the message's id.
func (s *Server) Say(text string) string {
	return s.Write(Message{Channel: DM, Author: Person, Content: text})
}

// Write writes a message and tells the bot. Raw adds to it, or replaces.
func (s *Server) Write(m Message) string { return s.write(m, true) }

// Miss writes a message that the bot isn't told of.
func (s *Server) Miss(m Message) string { return s.write(m, false) }

func (s *Server) write(m Message, tell bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.ID = s.idLocked()
	raw := object{
		"id": m.ID, "type": 0, "channel_id": m.Channel, "author": user(m.Author), "content": m.Content, "timestamp": time.Now().Format(time.RFC3339),
		"mentions": []any{}, "attachments": []any{},
	}
	if r := s.rooms[m.Channel]; r != nil && r["guild_id"] != nil && m.Guild == "" {
		m.Guild, _ = r["guild_id"].(string)
	}
	if m.Guild != "" {
		raw["guild_id"], raw["member"] = m.Guild, object{"roles": []any{Role}}
	}
	if strings.Contains(m.Content, "<@"+BotID+">") {
		raw["mentions"] = []any{user(BotID)}
	}
	if m.ReplyTo != "" {
		raw["type"] = 19
		raw["message_reference"] = object{"message_id": m.ReplyTo, "channel_id": m.Channel}
		for _, o := range s.messages {
			if o.ID == m.ReplyTo {
				raw["referenced_message"] = s.objectLocked(o)
			}
		}
	}
	for k, v := range m.Raw {
		raw[k] = v
	}
	m.Raw = raw
	m.Shown = Strip(m.Content)
	s.messages = append(s.messages, &m)
	if tell {
		if seq := s.eventLocked("MESSAGE_CREATE", raw); m.Author == Person && m.Channel == DM && seq > 0 {
			s.said = append(s.said, seq)
		}
	}
	return m.ID
}

// Event tells the bot of something.
func (s *Server) Event(kind string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eventLocked(kind, data)
}

func (s *Server) eventLocked(kind string, data any) int64 {
	n := s.current
	if n == nil {
		return 0
	}
	n.seq++
	raw, err := json.Marshal(object{"op": 0, "t": kind, "s": n.seq, "d": data})
	if err != nil {
		panic(err)
	}
	n.log = append(n.log, entry{n.seq, raw})
	if n.conn != nil {
		n.conn.push(raw)
	}
	return n.seq
}

// Frame sends a frame as it stands.
func (s *Server) Frame(raw string) {
	if c := s.connection(); c != nil {
		s.mu.Lock()
		c.push([]byte(raw))
		s.mu.Unlock()
	}
}

func (s *Server) connection() *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.conn
}

// Press lets somebody use a control, or a command, and returns the interaction's
// id.
func (s *Server) Interact(x object) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.idLocked()
	full := object{"id": id, "application_id": AppID, "token": "tok-" + id, "version": 1, "channel_id": DM}
	for k, v := range x {
		full[k] = v
	}
	if full["guild_id"] != nil {
		if full["member"] == nil {
			full["member"] = object{"user": user(Person), "roles": []any{Role}}
		}
	} else if full["user"] == nil {
		full["user"] = user(Person)
	}
	s.opens[id], s.tokens["tok-"+id] = false, id
	s.eventLocked("INTERACTION_CREATE", full)
	return id
}
