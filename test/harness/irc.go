package harness

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/irc/irctest"
)

func readAll(r *http.Request) ([]byte, error) { return io.ReadAll(io.LimitReader(r.Body, 64<<20)) }

// IRCServer is an IRC server on loopback: a real ngircd where one is installed,
// else the small one of package irctest.
type IRCServer struct {
	Port  int
	cmd   *exec.Cmd
	small *irctest.Server
}

// NewIRC starts an IRC server.
func NewIRC(t testing.TB) *IRCServer {
	t.Helper()
	bin, err := exec.LookPath("ngircd")
	if err != nil {
		if _, serr := os.Stat("/usr/sbin/ngircd"); serr != nil || os.Getenv("OPENCLAW_TEST_SMALL_IRC") != "" {
			return smallIRC(t)
		}
		bin = "/usr/sbin/ngircd"
	}
	s := &IRCServer{Port: Port(t)}
	conf := filepath.Join(t.TempDir(), "ngircd.conf")
	text := fmt.Sprintf(`[Global]
Name = irc.test
Info = test
Listen = 127.0.0.1
Ports = %d
MotdPhrase = hello
[Limits]
MaxConnectionsIP = 0
MaxPenaltyTime = 0
PingTimeout = 60
PongTimeout = 20
[Options]
DNS = no
Ident = no
PAM = no
RequireAuthPing = no
`, s.Port)
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(bin, "-n", "-f", conf)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Thaw()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	Until(t, 10*time.Second, "ngircd listens", func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
		if err != nil {
			return false
		}
		c.Close()
		return true
	})
	return s
}

func smallIRC(t testing.TB) *IRCServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &IRCServer{Port: ln.Addr().(*net.TCPAddr).Port, small: &irctest.Server{}}
	s.small.Serve(ln)
	t.Cleanup(s.small.Close)
	return s
}

// Freeze stops the server in its tracks; Thaw lets it go on.
func (s *IRCServer) Freeze() {
	if s.small != nil {
		s.small.Freeze()
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGSTOP)
}

// Thaw undoes Freeze.
func (s *IRCServer) Thaw() {
	if s.small != nil {
		s.small.Thaw()
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// Config is channels.irc for a bot named nick that talks to everybody.
func (s *IRCServer) Config(nick string) map[string]any {
	return map[string]any{"irc": map[string]any{
		"enabled": true, "host": "127.0.0.1", "port": s.Port, "tls": false, "nick": nick, "username": nick, "realname": "test bot",
		"dmPolicy": "open", "allowFrom": []any{"*", "alice!~alice", "alice@127.0.0.1", "alice@localhost"}, // alice is the owner
	}}
}

// Person is somebody on IRC.
type Person struct {
	Nick string
	t    testing.TB
	conn net.Conn

	mu  sync.Mutex
	got []string // texts of private messages
}

// Join connects a person.
func (s *IRCServer) Join(t testing.TB, nick string) *Person {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
	if err != nil {
		t.Fatal(err)
	}
	p := &Person{Nick: nick, t: t, conn: c}
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "NICK %s\r\nUSER %s 0 * :%s\r\n", nick, nick, nick)
	welcome := make(chan struct{})
	go func() {
		sc := bufio.NewScanner(c)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			l := sc.Text()
			if rest, ok := strings.CutPrefix(l, "PING "); ok {
				fmt.Fprintf(c, "PONG %s\r\n", rest)
			}
			if strings.Contains(l, " 001 ") {
				close(welcome)
			}
			if strings.Contains(l, " 433 ") { // whoever had the name before is still being let go
				time.Sleep(100 * time.Millisecond)
				fmt.Fprintf(c, "NICK %s\r\n", nick)
			}
			if _, rest, ok := strings.Cut(l, " PRIVMSG "+nick+" :"); ok {
				p.mu.Lock()
				p.got = append(p.got, rest)
				p.mu.Unlock()
			}
		}
	}()
	select {
	case <-welcome:
	case <-time.After(30 * time.Second):
		t.Fatal("no welcome from the IRC server")
	}
	return p
}

// Say writes a private message.
func (p *Person) Say(to, text string) { fmt.Fprintf(p.conn, "PRIVMSG %s :%s\r\n", to, text) }

// Got returns the messages received so far that have word in them.
func (p *Person) Got(word string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, g := range p.got {
		if strings.Contains(g, word) {
			out = append(out, g)
		}
	}
	return out
}

// See waits until a message with word in it arrived, and returns it.
func (p *Person) See(word string, limit time.Duration) string {
	p.t.Helper()
	var out []string
	Until(p.t, limit, "a message with "+word, func() bool { out = p.Got(word); return len(out) > 0 })
	return out[0]
}

// Online waits until nick is on the server.
func (s *IRCServer) Online(t testing.TB, nick string) {
	t.Helper()
	Until(t, 20*time.Second, nick+" is online", func() bool {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port))
		if err != nil {
			return false
		}
		defer c.Close()
		me := fmt.Sprintf("p%d", time.Now().UnixNano()%1e7)
		fmt.Fprintf(c, "NICK %s\r\nUSER %s 0 * :probe\r\nISON %s\r\n", me, me, nick)
		_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
		sc := bufio.NewScanner(c)
		for sc.Scan() {
			if strings.Contains(sc.Text(), " 303 ") {
				return strings.Contains(sc.Text(), nick)
			}
		}
		return false
	})
}
