package irc

import (
	"context"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

func (b *bot) connected(op string) (*session, error) {
	if s := b.session(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.Unavailable, op, "not connected to "+b.cfg.address()+" now")
}

// Self implements [channel.Directory].
func (b *bot) Self(context.Context) (channel.Entry, error) {
	nick := b.cfg.Nick
	if s := b.session(); s != nil {
		nick = s.nickname()
	}
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(nick), Name: nick, Handle: nick, Bot: true}, nil
}

// Peers implements [channel.Directory]: those who are in a room with us.
func (b *bot) Peers(_ context.Context, query string, limit int) ([]channel.Entry, error) {
	s, err := b.connected("irc.Peers")
	if err != nil {
		return nil, err
	}
	nicks, _ := s.roster.people("")
	return b.entries(s, nicks, msg.Direct, query, limit), nil
}

// Groups implements [channel.Directory]: the rooms in which we are.
func (b *bot) Groups(_ context.Context, query string, limit int) ([]channel.Entry, error) {
	s, err := b.connected("irc.Groups")
	if err != nil {
		return nil, err
	}
	return b.entries(s, s.roster.names(), msg.Group, query, limit), nil
}

// Members implements [channel.Directory].
func (b *bot) Members(_ context.Context, group id.Peer, limit int) ([]channel.Entry, error) {
	s, err := b.connected("irc.Members")
	if err != nil {
		return nil, err
	}
	nicks, ok := s.roster.people(string(group))
	if !ok {
		return nil, fault.New(fault.NotFound, "irc.Members", "not in "+printable(string(group))+": add it to channels.irc.channels")
	}
	return b.entries(s, nicks, msg.Direct, "", limit), nil
}

// entries are names, without our own, as the directory shows them.
func (b *bot) entries(s *session, names []string, kind msg.PeerKind, query string, limit int) (out []channel.Entry) {
	query = fold(strings.TrimSpace(query))
	for _, n := range names {
		if same(n, s.nickname()) || query != "" && !strings.Contains(fold(n), query) || limit > 0 && len(out) >= limit {
			continue
		}
		e := channel.Entry{Kind: kind, ID: id.Peer(n), Name: n}
		if kind == msg.Direct {
			e.Handle = n
		}
		out = append(out, e)
	}
	return out
}

// Audit implements [channel.Auditor].
func (b *bot) Audit(context.Context) ([]channel.Issue, error) {
	var out []channel.Issue
	add := func(kind, text, mend string) { out = append(out, channel.Issue{Kind: kind, Text: text, Mend: mend}) }
	if !b.cfg.secure() {
		add("config", "TLS is off, so what is said and the passwords can be read on the way", "set channels.irc.tls to true and port to the server's TLS port, mostly 6697")
	}
	if pass, err := b.nickservPassword(); b.cfg.NickServ.Register {
		if err != nil || pass == "" {
			add("config", "nickserv.register is on without a password", "set channels.irc.nickserv.password")
		} else {
			add("config", "nickserv.register is on, so each connection asks to register the nick again", "set channels.irc.nickserv.register to false once the nick is registered")
		}
	}
	s := b.session()
	if s == nil {
		return out, nil
	}
	if nick := s.nickname(); !same(nick, b.cfg.Nick) {
		add("runtime", "the nick "+b.cfg.Nick+" is taken; the account goes by "+printable(nick), "wait until it is free, or have NickServ release it")
	}
	for _, room := range b.rooms() {
		there, why := s.roster.in(room)
		switch {
		case there:
		case why != "":
			add("permissions", "can't join "+room+": "+why, "have an operator of the room let "+b.cfg.Nick+" in, or give its key as \""+room+" key\"")
		case slices.ContainsFunc(b.cfg.Channels, func(c string) bool { return same(roomName(c), room) }):
			add("runtime", "not in "+room+" now", "")
		default:
			add("config", "groups lists "+room+", which the account doesn't join", "add it to channels.irc.channels")
		}
	}
	return out, nil
}

// rooms are those that the section names, each once, sorted.
func (b *bot) rooms() []string {
	var out []string
	for _, c := range b.cfg.Channels {
		out = append(out, roomName(c))
	}
	for name := range b.cfg.Groups {
		if name != "*" {
			out = append(out, roomName(name))
		}
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.SortFunc(out, func(x, y string) int { return strings.Compare(fold(x), fold(y)) })
	return slices.CompactFunc(out, same)
}

// roomName is the name in an entry of channels: without its key, with a # if it
// has no sign of a room.
func roomName(entry string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(entry), " ")
	if name == "" || strings.ContainsAny(name, ",\a") {
		return ""
	}
	if !strings.ContainsAny(name[:1], "#&+!") {
		name = "#" + name
	}
	return name
}
