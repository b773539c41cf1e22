package irc

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/ergochat/irc-go/ircmsg"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// handle acts on one message of the server. An error ends the connection.
func (s *session) handle(ctx context.Context, m ircmsg.Message) error {
	s.roster.note(m, s.nickname())
	switch m.Command {
	case "PRIVMSG":
		in, ok := s.inbound(m)
		if !ok {
			return nil
		}
		select {
		case s.b.inbox <- in:
		case <-ctx.Done():
		}
	case "PING":
		return s.send("PONG", last(m))
	case "PONG":
		s.pong(last(m))
	case "JOIN":
		if nuh, err := m.NUH(); err == nil && same(nuh.Name, s.nickname()) {
			s.learn(m.Source)
		}
	case "NICK":
		if nuh, err := m.NUH(); err == nil && same(nuh.Name, s.nickname()) && last(m) != "" {
			s.setNick(last(m))
			s.learn(last(m) + strings.TrimPrefix(m.Source, nuh.Name))
		}
	case "396": // our host changed
		if len(m.Params) > 1 {
			s.learn(s.nickname() + "!" + s.b.cfg.Username + "@" + m.Params[1])
		}
	case "005":
		for _, p := range m.Params {
			if v, ok := strings.CutPrefix(p, "CHANTYPES="); ok && v != "" {
				s.mu.Lock()
				s.chans = v
				s.mu.Unlock()
			}
		}
	case "KICK":
		if len(m.Params) > 1 && same(m.Params[1], s.nickname()) {
			s.b.log.WarnContext(ctx, "irc kicked", "room", m.Params[0])
			s.rejoin(ctx, m.Params[0])
		}
	case "403", "405", "471", "473", "474", "475", "476", "477":
		if len(m.Params) > 1 && s.isChannel(m.Params[1]) {
			s.roster.bar(m.Params[1], printable(last(m)))
			s.b.log.WarnContext(ctx, "irc can't join", "room", m.Params[1], "why", printable(last(m)))
		}
		s.refuse(fault.NotFound, m)
	case "401", "406":
		s.refuse(fault.NotFound, m)
	case "404", "408", "416", "482", "531", "716":
		s.refuse(fault.Forbidden, m)
	case "407", "411", "412", "413", "414", "417":
		s.refuse(fault.Invalid, m)
	case "433", "432", "437":
		// Our nick is still taken; tend tries again.
	case "ERROR":
		return fault.Wrap(fault.Unavailable, "irc.read", fmt.Errorf("the server said: %s", printable(last(m))))
	}
	return nil
}

// rejoin goes back to a channel after a while.
func (s *session) rejoin(ctx context.Context, room string) {
	for _, c := range s.b.cfg.Channels {
		name, _, _ := strings.Cut(strings.TrimSpace(c), " ")
		if !same(strings.TrimLeft(name, "#"), strings.TrimLeft(room, "#")) {
			continue
		}
		s.tasks.Go(func() {
			if backoff.Sleep(ctx, s.b.time.rejoin) == nil {
				s.join(c)
			}
		})
		return
	}
}

// refuse keeps what the server said against the message being sent.
func (s *session) refuse(kind fault.Kind, m ircmsg.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = fault.New(kind, "irc.Send", "the server refused it: "+printable(last(m)))
	}
}

func (s *session) pong(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.pongs[token]; ok {
		c <- s.refused
		delete(s.pongs, token)
	}
}

// learn keeps how the server shows us to others: it counts against the length
// of a line.
func (s *session) learn(text string) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return
	}
	mask := f[len(f)-1]
	if nuh, err := ircmsg.ParseNUH(mask); err != nil || nuh.User == "" || nuh.Host == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mask = mask
}

func (s *session) isChannel(target string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return target != "" && strings.ContainsAny(target[:1], s.chans)
}

// inbound turns a PRIVMSG into a message; ok is false for what isn't meant to
// be read by an agent.
func (s *session) inbound(m ircmsg.Message) (in msg.Inbound, ok bool) {
	nuh, err := m.NUH()
	if err != nil || len(m.Params) < 2 || nuh.Name == "" || same(nuh.Name, s.nickname()) {
		return in, false
	}
	if nuh.User == "" && nuh.Host == "" && strings.Contains(nuh.Name, ".") {
		return in, false // the server itself
	}
	text, ok := body(m.Params[1], nuh.Name)
	if !ok {
		return in, false
	}
	target := strings.TrimLeft(m.Params[0], "@+%~") // messages to ops or voices of a channel
	if !s.isChannel(target) {
		target = m.Params[0]
	}
	in = msg.Inbound{
		ID:       s.messageID(m),
		From:     msg.Sender{ID: id.Peer(fold(nuh.Canonical())), Name: nuh.Name, Username: nuh.Name},
		At:       msg.Address{Channel: ID, Account: s.b.env.Account, Kind: msg.Direct, Peer: id.Peer(nuh.Name)},
		Text:     text,
		Received: received(m),
	}
	if s.isChannel(target) {
		in.At.Kind, in.At.Peer = msg.Group, id.Peer(target)
		in.Mentioned = s.mentioned(text)
		return in, true
	}
	in.Mentioned = true
	return in, true
}

// messageID is the server's id, or one that no other line has.
func (s *session) messageID(m ircmsg.Message) id.Message {
	if ok, v := m.GetTag("msgid"); ok && v != "" && len(v) <= 256 {
		return id.Message(v)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.Source + strings.Join(m.Params, " ")))
	return id.Message(s.start + "-" + strconv.FormatUint(s.lines, 36) + "-" + strconv.FormatUint(uint64(h.Sum32()), 36))
}

func received(m ircmsg.Message) time.Time {
	if ok, v := m.GetTag("time"); ok {
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t
		}
	}
	return time.Now()
}

// mentioned tells whether text addresses us.
func (s *session) mentioned(text string) bool {
	if names(text, s.nickname()) || names(text, s.b.cfg.Nick) {
		return true
	}
	for _, re := range s.b.mentions {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
