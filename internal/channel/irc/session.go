package irc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ergochat/irc-go/ircmsg"
	"github.com/ergochat/irc-go/ircreader"
	"github.com/ergochat/irc-go/ircutils"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// session is one connection to the server.
type session struct {
	b      *bot
	conn   net.Conn
	read   ircreader.Reader
	start  string // part of the ids of messages without one
	lines  uint64 // read so far
	roster roster // who is where

	writing sync.Mutex
	tasks   sync.WaitGroup // things to do later

	mu      sync.Mutex
	nick    string
	mask    string                  // nick!user@host as the server shows us, once known
	chans   string                  // CHANTYPES
	refused error                   // what the server said about the message being sent
	pongs   map[string]chan<- error // by token
	asked   uint64                  // PINGs with a token so far
	closed  error
}

// dial connects; ctx ends the connection too.
func (b *bot) dial(ctx context.Context, nick string) (*session, error) {
	dctx, cancel := context.WithTimeout(ctx, b.time.dial)
	defer cancel()
	d := net.Dialer{KeepAlive: 30 * time.Second}
	conn, err := d.DialContext(dctx, "tcp", b.cfg.address())
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "irc.dial", err)
	}
	if b.cfg.secure() {
		tc := tls.Client(conn, &tls.Config{ServerName: b.cfg.Host, MinVersion: tls.VersionTLS12})
		if err := tc.HandshakeContext(dctx); err != nil {
			_ = conn.Close()
			return nil, fault.Wrap(fault.Unavailable, "irc.dial", fmt.Errorf("TLS with %s: %w", b.cfg.address(), err))
		}
		conn = tc
	}
	s := &session{
		b: b, conn: conn, nick: nick, chans: "#&",
		start: strconv.FormatInt(time.Now().UnixMilli(), 36), pongs: map[string]chan<- error{},
	}
	const most = 8191 + 1024
	s.read.Initialize(conn, 1024, most)
	return s, nil
}

func (s *session) close() {
	s.fail(errClosed)
	_ = s.conn.Close()
}

// fail ends the waiting for answers.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = fault.Wrap(fault.Unavailable, "irc", err)
	}
	for token, c := range s.pongs {
		c <- s.closed
		delete(s.pongs, token)
	}
}

func (s *session) nickname() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nick
}

func (s *session) setNick(n string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nick = n
}

// send writes one line.
func (s *session) send(command string, params ...string) error {
	m := ircmsg.MakeMessage(nil, "", command, params...)
	line, err := m.LineBytesStrict(true, lineLen)
	if err != nil && !errors.Is(err, ircmsg.ErrorBodyTooLong) {
		return fault.Wrap(fault.Invalid, "irc.send", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(s.b.time.dead))
	if _, err := s.conn.Write(line); err != nil {
		return fault.Wrap(fault.Unavailable, "irc.send", err)
	}
	return nil
}

// next reads one message; unreadable lines are skipped.
func (s *session) next() (ircmsg.Message, error) {
	for {
		line, err := s.read.ReadLine()
		if err != nil {
			return ircmsg.Message{}, err
		}
		s.lines++
		if m, err := ircmsg.ParseLine(decodeText(line)); err == nil {
			return m, nil
		}
	}
}

// login registers; it returns when the server has welcomed us.
func (s *session) login(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.conn.Close() })
	defer stop()
	_ = s.conn.SetReadDeadline(time.Now().Add(s.b.time.dial))
	cfg := s.b.cfg
	pass, err := secret(cfg.Password, cfg.PassFile)
	if err != nil {
		return err
	}
	sasl, err := s.b.nickservPassword()
	if err != nil {
		return err
	}
	_ = s.send("CAP", "LS", "302")
	if pass != "" {
		_ = s.send("PASS", pass)
	}
	_ = s.send("NICK", s.nickname())
	if err := s.send("USER", cfg.Username, "0", "*", cfg.Realname); err != nil {
		return err
	}
	var offered []string
	for tries := 0; ; {
		m, err := s.next()
		if err != nil {
			return fault.Wrap(fault.Unavailable, "irc.login", err)
		}
		switch m.Command {
		case "001":
			if len(m.Params) > 0 {
				s.setNick(m.Params[0])
			}
			s.learn(last(m))
			return nil
		case "CAP":
			if len(m.Params) < 3 {
				continue
			}
			switch strings.ToUpper(m.Params[1]) {
			case "LS":
				offered = append(offered, strings.Fields(last(m))...)
				if m.Params[2] == "*" && len(m.Params) > 3 && len(offered) < 200 {
					continue // more to come
				}
				if want := wanted(offered, sasl != ""); want != "" {
					_ = s.send("CAP", "REQ", want)
				} else {
					_ = s.send("CAP", "END")
				}
			case "ACK":
				if sasl != "" && strings.Contains(last(m), "sasl") {
					_ = s.send("AUTHENTICATE", "PLAIN")
				} else {
					_ = s.send("CAP", "END")
				}
			case "NAK":
				_ = s.send("CAP", "END")
			}
		case "AUTHENTICATE":
			for _, chunk := range ircutils.EncodeSASLResponse([]byte("\x00" + cfg.Nick + "\x00" + sasl)) {
				_ = s.send("AUTHENTICATE", chunk)
			}
		case "903", "907": // logged in
			_ = s.send("CAP", "END")
		case "902", "904", "905", "906", "908":
			return fault.New(fault.Unauthenticated, "irc.login", "the server refused the SASL login of "+cfg.Nick+": check channels.irc.nickserv.password")
		case "432", "433", "436", "437": // nick taken, or not to be had now
			if tries++; tries > 5 {
				return fault.New(fault.Unavailable, "irc.login", "the nick "+cfg.Nick+" and its variants are taken")
			}
			s.setNick(variant(cfg.Nick, tries))
			_ = s.send("NICK", s.nickname())
		case "464":
			return fault.New(fault.Unauthenticated, "irc.login", "the server refused the password: check channels.irc.password")
		case "465", "ERROR":
			if text := strings.ToLower(last(m)); strings.Contains(text, "password") {
				return fault.New(fault.Unauthenticated, "irc.login", "the server refused the password: check channels.irc.password")
			}
			return fault.New(fault.Unavailable, "irc.login", "the server closed the connection: "+printable(last(m)))
		case "PING":
			_ = s.send("PONG", last(m))
		}
	}
}

// wanted are the capabilities that we ask for.
func wanted(offered []string, sasl bool) string {
	var want []string
	for _, o := range offered {
		name, value, _ := strings.Cut(o, "=")
		switch name {
		case "message-tags", "server-time":
			want = append(want, name)
		case "sasl":
			if sasl && (value == "" || strings.Contains(","+value+",", ",PLAIN,")) {
				want = append(want, name)
			}
		}
	}
	return strings.Join(want, " ")
}

// variant is another nick to try.
func variant(nick string, try int) string {
	if try <= 2 {
		return nick + strings.Repeat("_", try)
	}
	return nick + strconv.Itoa(try)
}

func (b *bot) nickservPassword() (string, error) {
	ns := b.cfg.NickServ
	if ns.Enabled != nil && !*ns.Enabled {
		return "", nil
	}
	return secret(ns.Password, ns.PassFile)
}

// serve joins the channels and reads until the connection or ctx ends.
func (s *session) serve(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	defer s.tasks.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		_ = s.send("QUIT", "bye")
		_ = s.conn.Close()
	})
	defer stop()
	s.identify()
	s.join(s.b.cfg.Channels...)
	wg.Go(func() { s.tend(ctx) })
	for {
		_ = s.conn.SetReadDeadline(time.Now().Add(s.b.time.idle + s.b.time.dead))
		m, err := s.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errClosed
			}
			s.fail(err)
			return fault.Wrap(fault.Unavailable, "irc.read", err)
		}
		if err := s.handle(ctx, m); err != nil {
			s.fail(err)
			return err
		}
	}
}

// identify tells NickServ who we are; a server with SASL knows already, and
// hearing it twice does no harm.
func (s *session) identify() {
	ns := s.b.cfg.NickServ
	pass, err := s.b.nickservPassword()
	if err != nil || pass == "" {
		return
	}
	if ns.Register {
		_ = s.send("PRIVMSG", ns.Service, "REGISTER "+pass+" "+ns.Email)
	}
	_ = s.send("PRIVMSG", ns.Service, "IDENTIFY "+pass)
}

func (s *session) join(channels ...string) {
	for _, c := range channels {
		name := roomName(c)
		if name == "" {
			continue
		}
		_, key, _ := strings.Cut(strings.TrimSpace(c), " ")
		if key = strings.TrimSpace(key); key != "" {
			_ = s.send("JOIN", name, key)
			continue
		}
		_ = s.send("JOIN", name)
	}
}

// tend asks for a sign of life in silence, and for our nick while another has
// it.
func (s *session) tend(ctx context.Context) {
	t := time.NewTicker(s.b.time.idle)
	defer t.Stop()
	regain := time.NewTicker(s.b.time.rejoin)
	defer regain.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			_ = s.send("PING", "alive")
		case <-regain.C:
			if !same(s.nickname(), s.b.cfg.Nick) {
				_ = s.send("NICK", s.b.cfg.Nick)
			}
		}
	}
}
