package irc

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// lineLen is the length of a line on the wire, with its end.
const lineLen = 512

// Send writes the lines of out and waits until the server has taken them. A
// connection that breaks before may show some of them twice.
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	to, err := target(string(out.To.Peer))
	if err != nil {
		return msg.Receipt{}, err
	}
	b.sending.Lock()
	defer b.sending.Unlock()
	s := b.session()
	if s == nil {
		return msg.Receipt{}, fault.New(fault.Unavailable, "irc.Send", "not connected to "+b.cfg.address())
	}
	text := out.Text
	for _, a := range out.Attachments {
		if name := cmp.Or(a.Name, a.Ref); name != "" {
			text += "\n[" + name + "]"
		}
	}
	lines := wrap(markdown.Render(markdown.Parse(text), &b.dialect), s.room(to))
	if len(lines) == 0 {
		return msg.Receipt{}, fault.New(fault.Invalid, "irc.Send", "nothing to send: the text is empty")
	}
	s.clearRefused()
	for _, l := range lines {
		if err := b.flood.Wait(ctx); err != nil {
			return msg.Receipt{}, fault.Wrap(fault.Unavailable, "irc.Send", err)
		}
		if err := s.send("PRIVMSG", to, l); err != nil {
			return msg.Receipt{}, err
		}
	}
	if err := s.confirm(ctx); err != nil {
		return msg.Receipt{}, err
	}
	return msg.Receipt{IDs: []id.Message{id.Message(out.ID)}, At: time.Now()}, nil
}

// target is the nick or channel that peer means.
func target(peer string) (string, error) {
	t := strings.TrimSpace(peer)
	t = trimFold(t, "irc:")
	if rest := trimFold(t, "channel:"); rest != t {
		if t = rest; t != "" && !strings.ContainsAny(t[:1], "#&+!") {
			t = "#" + t
		}
	}
	t = trimFold(t, "user:")
	if nick, _, ok := strings.Cut(t, "!"); ok && nick != "" {
		t = nick
	}
	if t == "" || strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r == ',' || r == ':' || r == 0x7f }) || len(t) > 200 {
		return "", fault.New(fault.Invalid, "irc.Send", "not a nick or channel: "+strconv.Quote(peer))
	}
	return t, nil
}

// address reads where to send to, as people write it: #room, channel:room or a
// nick.
func address(s string) (msg.Address, error) {
	t, err := target(s)
	if err != nil {
		return msg.Address{}, err
	}
	kind := msg.Direct
	if strings.ContainsAny(t[:1], "#&+!") {
		kind = msg.Group
	}
	return msg.Address{Kind: kind, Peer: id.Peer(t)}, nil
}

func trimFold(s, prefix string) string {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return strings.TrimSpace(s[len(prefix):])
	}
	return s
}

// room is how many bytes of text fit in a line to target, as others get it:
// with our mask before it.
func (s *session) room(target string) int {
	s.mu.Lock()
	mask := len(s.mask)
	if mask == 0 {
		const user, host = 12, 64 // what servers allow at most
		mask = len(s.nick) + 1 + user + 1 + host
	}
	s.mu.Unlock()
	return max(lineLen-len(": PRIVMSG  :\r\n")-mask-len(target), 64)
}

func (s *session) clearRefused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = nil
}

// confirm waits until the server has worked through all we sent before. It
// returns what the server said against it.
func (s *session) confirm(ctx context.Context) error {
	c := make(chan error, 1) // whoever answers doesn't wait for us
	s.mu.Lock()
	if s.closed != nil {
		defer s.mu.Unlock()
		return s.closed
	}
	s.asked++
	token := "oc" + strconv.FormatUint(s.asked, 36)
	s.pongs[token] = c
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pongs, token)
	}()
	if err := s.send("PING", token); err != nil {
		return err
	}
	t := time.NewTimer(s.b.time.confirm)
	defer t.Stop()
	select {
	case err := <-c:
		return err
	case <-t.C:
		return fault.New(fault.Unavailable, "irc.Send", "no answer from "+s.b.cfg.Host)
	case <-ctx.Done():
		return fault.Wrap(fault.Unavailable, "irc.Send", ctx.Err())
	}
}

// wrap cuts s into lines of at most room bytes. Formatting that a cut goes
// through is closed and opened again.
func wrap(s string, room int) []string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		l = strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " \r")
		open := ""
		for strings.Trim(l, formats+" ") != "" {
			l = open + l
			if len(l) <= room {
				out = append(out, l)
				break
			}
			head := text.Fit(l, room-len(formats), text.Bytes)
			if i := strings.LastIndexByte(head, ' '); i > len(head)/2 && i > len(open) {
				head = head[:i]
			}
			l = strings.TrimLeft(l[len(head):], " ")
			open = unclosed(head)
			out = append(out, head+open)
		}
	}
	return out
}

// formats are the codes that switch a format on and off.
const formats = "\x02\x1d\x1e"

// unclosed are the formats that s leaves on.
func unclosed(s string) string {
	open := ""
	for i := range len(formats) {
		if strings.Count(s, formats[i:i+1])%2 == 1 {
			open += formats[i : i+1]
		}
	}
	return open
}
