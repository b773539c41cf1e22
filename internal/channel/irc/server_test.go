package irc_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
	"github.com/openclaw-go/openclaw/internal/channel/irc/irctest"
)

// kind is irc.Kind with short waits.
func kind() channel.Kind {
	k := irc.Kind()
	build := k.New
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		c, err := build(env, raw)
		if err != nil {
			return nil, err
		}
		return irc.Hurry(c), nil
	}
	return k
}

// ngircd starts a real server on a loopback port and returns its address.
func ngircd(t *testing.T, password string) string {
	t.Helper()
	path, err := exec.LookPath("ngircd")
	if err != nil {
		path = "/usr/sbin/ngircd"
		if _, err := os.Stat(path); err != nil || os.Getenv("OPENCLAW_TEST_SMALL_IRC") != "" {
			return small(t, password)
		}
	}
	dir := t.TempDir()
	for range 5 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := ln.Addr().String()
		_, port, _ := net.SplitHostPort(addr)
		_ = ln.Close()
		conf := filepath.Join(dir, "ngircd.conf")
		text := "[Global]\nName = irc.test\nInfo = test\nListen = 127.0.0.1\nPorts = " + port + "\nMotdPhrase = hi\n"
		if password != "" {
			text += "Password = " + password + "\n"
		}
		text += "[Limits]\nMaxConnectionsIP = 0\nMaxPenaltyTime = 0\nMaxNickLength = 20\nPingTimeout = 60\n[Options]\nDNS = no\nIdent = no\nPAM = no\nSyslogFacility = local1\n[SSL]\n"
		if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if os.Getuid() == 0 {
			// The server gives up root and then reads its file again.
			_ = os.Chmod(conf, 0o644)
			for d := dir; d != "/" && strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
				_ = os.Chmod(d, 0o755)
			}
		}
		cmd := exec.CommandContext(t.Context(), path, "-n", "-f", conf)
		out, _ := os.Create(filepath.Join(dir, "log"))
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		t.Cleanup(func() { _ = cmd.Process.Kill(); <-done; _ = out.Close() })
		if reachable(addr, done) {
			return addr
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("ngircd didn't start: %s", log)
	return ""
}

// small starts the server of package irctest, where no real one is installed.
func small(t *testing.T, password string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &irctest.Server{Password: password}
	s.Serve(ln)
	t.Cleanup(s.Close)
	return ln.Addr().String()
}

func reachable(addr string, gone <-chan struct{}) bool {
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			return true
		}
		select {
		case <-gone:
			return false
		case <-time.After(25 * time.Millisecond):
		}
	}
	return false
}

// person is a client on the server, as a human uses one.
type person struct {
	t    *testing.T
	conn net.Conn
	mu   sync.Mutex
	got  []string // lines of PRIVMSGs
	raw  []string
}

func join(t *testing.T, addr, nick string, rooms ...string) *person {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, conn: c}
	welcome := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		sc := bufio.NewScanner(c)
		for sc.Scan() {
			line := sc.Text()
			f := strings.SplitN(line, " ", 4)
			switch {
			case f[0] == "PING":
				fmt.Fprintf(c, "PONG %s\r\n", f[1])
			case len(f) > 1 && f[1] == "001":
				close(welcome)
			case len(f) > 1 && f[1] == "433": // whoever had the name before is still being let go
				time.Sleep(100 * time.Millisecond)
				fmt.Fprintf(c, "NICK %s\r\n", nick)
			}
			p.mu.Lock()
			p.raw = append(p.raw, line)
			if len(f) == 4 && f[1] == "PRIVMSG" {
				p.got = append(p.got, strings.TrimPrefix(f[3], ":"))
			}
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() { _ = c.Close(); <-done })
	fmt.Fprintf(c, "NICK %s\r\nUSER %s 0 * :%s\r\n", nick, nick, nick)
	select {
	case <-welcome:
	case <-time.After(30 * time.Second):
		p.mu.Lock()
		defer p.mu.Unlock()
		t.Fatalf("%s couldn't log in: %q", nick, p.raw)
	}
	for _, r := range rooms {
		fmt.Fprintf(c, "JOIN %s\r\n", r)
	}
	return p
}

func (p *person) say(to, text string) { fmt.Fprintf(p.conn, "PRIVMSG %s :%s\r\n", to, text) }

func (p *person) shown() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, l := range p.got {
		out = append(out, strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, l))
	}
	return out
}

// until waits for p to see want: messages joined by a bar, or by a space.
func (p *person) until(want string) {
	p.t.Helper()
	for range 400 {
		if got := p.shown(); strings.Join(got, "|") == want || strings.Join(got, " ") == want {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	p.t.Errorf("shown %q, want %q", p.shown(), want)
}

func (p *person) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.raw...)
}

// proxy stands between the channel and the server, to break what is between.
type proxy struct {
	ln    net.Listener
	mu    sync.Mutex
	conns []net.Conn
	muted bool
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", to)
			if err != nil {
				_ = c.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, c, up)
			p.mu.Unlock()
			pipe := func(dst, src net.Conn) {
				buf := make([]byte, 4096)
				for {
					n, err := src.Read(buf)
					if err != nil {
						break
					}
					p.mu.Lock()
					muted := p.muted
					p.mu.Unlock()
					if !muted {
						_, _ = dst.Write(buf[:n])
					}
				}
				_ = dst.Close()
				_ = src.Close()
			}
			wg.Go(func() { pipe(up, c) })
			wg.Go(func() { pipe(c, up) })
		}
	})
	t.Cleanup(func() { _ = ln.Close(); p.cut(); wg.Wait() })
	return p
}

func (p *proxy) addr() string { return p.ln.Addr().String() }

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// mute swallows everything, as a half-open connection does.
func (p *proxy) mute(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.muted = on
}

// inject writes bytes to the channel as if the server had.
func (p *proxy) inject(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.conns) > 1 {
		_, _ = io.WriteString(p.conns[len(p.conns)-2], s)
	}
}

func config(addr string, more string) json.RawMessage {
	host, port, _ := net.SplitHostPort(addr)
	return json.RawMessage(`{"host":"` + host + `","port":` + port + `,"tls":false,"nick":"clawbot"` + more + `}`)
}

// network is the suite's view of a real server.
type network struct {
	*person
	proxy *proxy
}

func start(t *testing.T) (*network, json.RawMessage, msg.Address) {
	t.Helper()
	addr := ngircd(t, "")
	n := &network{person: join(t, addr, "alice"), proxy: newProxy(t, addr)}
	return n, config(n.proxy.addr(), ""), msg.Address{Channel: "irc", Account: "acc", Kind: msg.Direct, Peer: "alice"}
}

// Say waits until the bot is there: IRC keeps nothing for the absent.
func (n *network) Say(text string) {
	for range 400 {
		before := len(n.lines())
		fmt.Fprint(n.conn, "ISON clawbot\r\n")
		for range 100 {
			if ls := n.lines(); len(ls) > before {
				if strings.Contains(strings.Join(ls[before:], "\n"), ":clawbot") {
					n.say("clawbot", text)
					return
				}
				break
			}
			<-time.After(5 * time.Millisecond)
		}
		<-time.After(10 * time.Millisecond)
	}
	n.t.Error("the bot never came online")
}

func (n *network) Shown() []string    { return n.shown() }
func (n *network) Acked() (int, bool) { return 0, false }
func (n *network) Cut()               { n.proxy.cut() }
func (n *network) Garble() {
	n.proxy.inject("\r\n\r\n:\r\n \r\n@ \r\n:x PRIVMSG\r\n:x!y@z PRIVMSG clawbot\r\nPRIVMSG a :b\r\n:a!b@c PRIVMSG clawbot :\x01\x01\r\n" +
		":\xff\xfe!y@z PRIVMSG clawbot :\x03\r\n999\r\nPONG\r\nKICK\r\n:a NICK\r\n005\r\n396 x\r\nCAP * LS\r\n401\r\n" + strings.Repeat("y", 600) + "\r\n")
}
