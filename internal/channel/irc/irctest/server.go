// Package irctest is a small IRC server for tests on machines without a real
// one. It speaks as much of RFC 2812 as a bot and a person need: registration,
// nicknames, rooms, private messages, ISON and pings.
package irctest

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
)

// maxLine is the longest line that is taken, in bytes (RFC 2812, section 2.3,
// leaves 512; some bots send tags before it).
const maxLine = 8 << 10

// Server is a running server. Close ends it.
type Server struct {
	Password string // that PASS must name; "" is none

	ln net.Listener

	mu      sync.Mutex
	clients map[*client]bool
	frozen  chan struct{} // closed when it goes on; nil when it runs
	wg      sync.WaitGroup
}

type client struct {
	conn       net.Conn
	out        sync.Mutex
	nick, user string
	pass       string
	welcomed   bool
	rooms      map[string]bool
}

// Serve answers on ln until Close.
func (s *Server) Serve(ln net.Listener) {
	s.ln, s.clients = ln, map[*client]bool{}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.serve(c) })
		}
	})
}

// Close ends the server and all connections.
func (s *Server) Close() {
	_ = s.ln.Close()
	s.Thaw()
	s.mu.Lock()
	for c := range s.clients {
		_ = c.conn.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// Freeze stops the server from reading; Thaw lets it go on.
func (s *Server) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen == nil {
		s.frozen = make(chan struct{})
	}
}

// Thaw undoes Freeze.
func (s *Server) Thaw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen != nil {
		close(s.frozen)
		s.frozen = nil
	}
}

func (s *Server) wait() {
	s.mu.Lock()
	f := s.frozen
	s.mu.Unlock()
	if f != nil {
		<-f
	}
}

func (s *Server) serve(conn net.Conn) {
	c := &client{conn: conn, rooms: map[string]bool{}}
	s.mu.Lock()
	s.clients[c] = true
	s.mu.Unlock()
	defer func() {
		_ = conn.Close()
		s.mu.Lock()
		delete(s.clients, c)
		s.mu.Unlock()
	}()
	sc := bufio.NewScanner(conn)
	sc.Buffer(make([]byte, 1024), maxLine)
	for sc.Scan() {
		s.wait()
		if !s.line(c, strings.TrimRight(sc.Text(), "\r")) {
			return
		}
	}
}

func (c *client) send(format string, args ...any) {
	c.out.Lock()
	defer c.out.Unlock()
	_, _ = fmt.Fprintf(c.conn, format+"\r\n", args...)
}

func (c *client) reply(code, rest string) {
	nick := c.nick
	if nick == "" {
		nick = "*"
	}
	c.send(":irc.test %s %s %s", code, nick, rest)
}

func (c *client) mask() string { return c.nick + "!~" + c.user + "@127.0.0.1" }

// line handles one line; false ends the connection.
func (s *Server) line(c *client, l string) bool {
	if strings.HasPrefix(l, "@") {
		_, l, _ = strings.Cut(l, " ")
	}
	head, text, trailing := strings.Cut(l, " :")
	f := strings.Fields(head)
	if len(f) == 0 {
		return true
	}
	args := f[1:]
	if trailing {
		args = append(args, text)
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch strings.ToUpper(f[0]) {
	case "CAP":
		if arg(0) == "LS" {
			c.reply("CAP", "LS :")
		}
	case "PASS":
		c.pass = arg(0)
	case "NICK":
		s.rename(c, arg(0))
	case "USER":
		c.user = arg(0)
	case "PING":
		c.send(":irc.test PONG irc.test :%s", arg(0))
	case "QUIT":
		c.send("ERROR :closing")
		return false
	case "PRIVMSG", "NOTICE":
		s.deliver(c, strings.ToUpper(f[0]), arg(0), arg(1))
	case "JOIN":
		for _, r := range strings.Split(arg(0), ",") {
			s.join(c, r)
		}
	case "PART":
		s.tell(c, arg(0), fmt.Sprintf(":%s PART %s", c.mask(), arg(0)), true)
		s.mu.Lock()
		delete(c.rooms, strings.ToLower(arg(0)))
		s.mu.Unlock()
	case "ISON":
		s.ison(c, args)
	}
	return s.register(c)
}

// register greets a client that told its name; false refuses it.
func (s *Server) register(c *client) bool {
	if c.welcomed || c.nick == "" || c.user == "" {
		return true
	}
	if s.Password != "" && c.pass != s.Password {
		c.reply("464", ":Invalid password")
		c.send("ERROR :Bad password")
		return false
	}
	c.welcomed = true
	c.reply("001", ":Welcome "+c.mask())
	c.reply("005", "NICKLEN=20 CHANTYPES=# CASEMAPPING=ascii :are supported on this server")
	c.reply("376", ":End of MOTD command")
	return true
}

func (s *Server) rename(c *client, nick string) {
	s.mu.Lock()
	for o := range s.clients {
		if o != c && strings.EqualFold(o.nick, nick) {
			s.mu.Unlock()
			c.reply("433", nick+" :Nickname already in use")
			return
		}
	}
	old := c.mask()
	c.nick = nick
	s.mu.Unlock()
	if c.welcomed {
		c.send(":%s NICK :%s", old, nick)
	}
}

func (s *Server) find(nick string) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	for o := range s.clients {
		if o.welcomed && strings.EqualFold(o.nick, nick) {
			return o
		}
	}
	return nil
}

func (s *Server) deliver(c *client, verb, to, text string) {
	line := fmt.Sprintf(":%s %s %s :%s", c.mask(), verb, to, text)
	if strings.HasPrefix(to, "#") {
		if !s.member(c, to) {
			c.reply("404", to+" :Cannot send to channel")
			return
		}
		s.tell(c, to, line, false)
		return
	}
	if o := s.find(to); o != nil {
		o.send("%s", line)
		return
	}
	if verb == "PRIVMSG" {
		c.reply("401", to+" :No such nick or channel name")
	}
}

func (s *Server) member(c *client, room string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.rooms[strings.ToLower(room)]
}

func (s *Server) join(c *client, room string) {
	if strings.HasPrefix(strings.ToLower(room), "#closed") {
		c.reply("473", room+" :Cannot join channel (+i) -- Invited users only")
		return
	}
	s.mu.Lock()
	c.rooms[strings.ToLower(room)] = true
	var there []string
	for o := range s.clients {
		if o.rooms[strings.ToLower(room)] {
			there = append(there, o.nick)
		}
	}
	s.mu.Unlock()
	s.tell(c, room, fmt.Sprintf(":%s JOIN :%s", c.mask(), room), true)
	c.reply("353", "= "+room+" :@"+strings.Join(there, " +"))
	c.reply("366", room+" :End of NAMES list")
}

// tell sends a line to everybody in a room.
func (s *Server) tell(from *client, room, line string, self bool) {
	s.mu.Lock()
	var to []*client
	for o := range s.clients {
		if o.rooms[strings.ToLower(room)] && (self || o != from) {
			to = append(to, o)
		}
	}
	s.mu.Unlock()
	for _, o := range to {
		o.send("%s", line)
	}
}

func (s *Server) ison(c *client, nicks []string) {
	var on []string
	for _, list := range nicks {
		for _, n := range strings.Fields(list) {
			if s.find(n) != nil {
				on = append(on, n)
			}
		}
	}
	c.reply("303", ":"+strings.Join(on, " "))
}
