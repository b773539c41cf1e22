package discordtest

import (
	"slices"
	"strings"
)

// Answered tells whether an interaction was taken.
func (s *Server) Answered(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opens[id]
}

// Acked is how many of the messages of Say the bot confirmed.
func (s *Server) Acked() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return 0
	}
	for _, seq := range s.said {
		if seq <= s.current.acked {
			n++
		}
	}
	return n
}

// Calls returns the calls whose method and path begin with route.
func (s *Server) Calls(route string) (out []Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if strings.HasPrefix(c.Method+" "+c.Path, route) {
			out = append(out, c)
		}
	}
	return out
}

// Messages are those of the bot in a channel, or everywhere when it is "".
func (s *Server) Messages(channel string) (out []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.Author == BotID && (channel == "" || m.Channel == channel) && !m.Deleted {
			out = append(out, *m)
		}
	}
	return out
}

// Shown returns the texts that Person sees of the bot, in order.
func (s *Server) Shown() (out []string) {
	for _, m := range s.Messages(DM) {
		out = append(out, m.Shown)
	}
	return out
}

// Commands are the application's commands.
func (s *Server) Commands() []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// Identified are the requests for a new session.
func (s *Server) Identified() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.identifies)
}

// Presences are what the bot set itself to be shown as.
func (s *Server) Presences() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.presences)
}

// Resumed is how often a session was resumed.
func (s *Server) Resumed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resumes
}

// Complaints are what the bot did that it mustn't.
func (s *Server) Complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bad)
}
