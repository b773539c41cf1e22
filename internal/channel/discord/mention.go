package discord

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// readable writes Discord's references as people see them: the bot's own name is
// left out, as it only says whom the message is for. It notes whether the bot is
// mentioned: by its id, or by the role that Discord made for it alone.
// @everyone, another role of the bot's and an answer to it mention nobody.
func (s *sayer) readable(content string) string {
	if strings.IndexByte(content, '<') < 0 {
		return strings.TrimSpace(content)
	}
	var b strings.Builder
	for content != "" {
		i := strings.IndexByte(content, '<')
		if i < 0 {
			break
		}
		b.WriteString(content[:i])
		content = content[i:]
		const longest = 120
		end := strings.IndexByte(content[:min(len(content), longest)], '>')
		if end < 0 {
			b.WriteByte('<')
			content = content[1:]
			continue
		}
		token := content[1:end]
		shown, ok := s.reference(token)
		if !ok {
			b.WriteByte('<')
			content = content[1:]
			continue
		}
		content = content[end+1:]
		if shown == "" { // our name: with one of the spaces around it
			if before := b.String(); before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\n") {
				content = strings.TrimPrefix(content, " ")
			}
			continue
		}
		b.WriteString(shown)
	}
	b.WriteString(content)
	return strings.TrimSpace(b.String())
}

// reference is what stands for the inside of <...>; "" is the bot itself.
func (s *sayer) reference(token string) (shown string, ok bool) {
	switch {
	case strings.HasPrefix(token, "@&"):
		id := token[2:]
		if !snowflake(id) {
			return "", false
		}
		r, known := s.world.role(s.m.GuildID, id)
		if known && s.me.ID != "" && r.Tags.BotID == s.me.ID {
			s.mentioned = true
			return "", true
		}
		return "@" + cmp.Or(clean(r.Name), "role "+id), true
	case strings.HasPrefix(token, "@"):
		id := strings.TrimPrefix(token[1:], "!")
		if !snowflake(id) {
			return "", false
		}
		if id == s.me.ID {
			s.mentioned = true
			return "", true
		}
		return "@" + s.person(id), true
	case strings.HasPrefix(token, "#"):
		id := token[1:]
		if !snowflake(id) {
			return "", false
		}
		s.world.mu.Lock()
		r := s.world.rooms[id]
		s.world.mu.Unlock()
		return "#" + cmp.Or(clean(r.Name), id), true
	case strings.HasPrefix(token, ":"), strings.HasPrefix(token, "a:"):
		parts := strings.Split(token, ":")
		if len(parts) != 3 || !snowflake(parts[2]) || parts[1] == "" {
			return "", false
		}
		return ":" + parts[1] + ":", true
	case strings.HasPrefix(token, "t:"):
		at, _, _ := strings.Cut(token[2:], ":")
		n, err := strconv.ParseInt(at, 10, 64)
		if err != nil || n > 1<<40 || n < -1<<40 {
			return "", false
		}
		return time.Unix(n, 0).UTC().Format("2006-01-02 15:04 UTC"), true
	case strings.HasPrefix(token, "/"):
		name, id, found := strings.Cut(token[1:], ":")
		return "/" + name, found && snowflake(id)
	case strings.HasPrefix(token, "id:"):
		return "#" + token[3:], true
	}
	return "", false
}

// person is what somebody who is mentioned is called.
func (s *sayer) person(id string) string {
	for _, m := range s.m.Mentions {
		if m.ID != id {
			continue
		}
		if m.Member != nil && m.Member.Nick != "" {
			return clean(m.Member.Nick)
		}
		if n := clean(m.shown()); n != "" {
			return n
		}
	}
	return id
}
