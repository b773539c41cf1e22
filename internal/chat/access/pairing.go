package access

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// The rules of pairing, as recorded in reference/cli.
const (
	CodeLife   = time.Hour
	MaxPending = 3 // of one channel
	codeLength = 8
	alphabet   = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789" // 32 signs that can't be taken for one another
)

func (g *Gate) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

// pair notes the request and tells the sender the code, once an hour: whoever
// writes again is heard of, not answered.
func (g *Gate) pair(ctx context.Context, in msg.Inbound) (Decision, error) {
	code, err := newCode()
	if err != nil {
		return Decision{}, err
	}
	now := g.now()
	r := Request{
		Channel: in.At.Channel, Account: in.At.Account, Peer: in.From.ID, Code: code, Created: now, Seen: now,
		Meta: meta(in),
	}
	standing, ok, err := g.Store.RequestPairing(ctx, r, Limits{Life: CodeLife, Pending: MaxPending})
	if err != nil {
		return Decision{Reason: "the pairing request can't be stored"}, err
	}
	if !ok {
		return Decision{Reason: "too many people wait for pairing"}, nil
	}
	d := Decision{Verdict: Pair, Code: standing.Code, Reason: "waits for pairing"}
	if g.tell(in, standing, standing.Code == code) {
		d.Text = g.invitation(in, standing.Code)
	}
	return d, nil
}

// tell reports whether in is answered: the message that made the request is,
// also when it is handled again, after an error or a crash.
func (g *Gate) tell(in msg.Inbound, r Request, fresh bool) bool {
	const most = 1000 // more than can wait at a time
	key := string(r.Channel) + "/" + string(r.Account) + "/" + string(r.Peer) + "/" + r.Code
	g.mu.Lock()
	defer g.mu.Unlock()
	if m, ok := g.told[key]; ok {
		return m == in.ID
	}
	if !fresh && in.Received.After(r.Created) {
		return false
	}
	if g.told == nil || len(g.told) >= most {
		g.told = map[string]id.Message{}
	}
	g.told[key] = in.ID
	return true
}

func (g *Gate) invitation(in msg.Inbound, code string) string {
	label := string(in.At.Channel)
	if k, ok := g.Kind(in.At.Channel); ok && k.Label != "" {
		label = k.Label
	}
	return fmt.Sprintf("I don't know you yet, so I can't answer.\n\nYour %s id: `%s`\nPairing code: `%s`\n\nThe owner lets you in with:\n\n```\nopenclaw pairing approve %s %s\n```",
		label, in.From.ID, code, in.At.Channel, code)
}

// meta is what the owner sees about who asks, bounded: strangers write it.
func meta(in msg.Inbound) map[string]string {
	const most = 100
	m := map[string]string{}
	put := func(k, v string) {
		if v = text.Cut(v, most); v != "" {
			m[k] = v
		}
	}
	put("username", in.From.Username)
	put("firstName", in.From.Name)
	return m
}

func newCode() (string, error) {
	var b [codeLength]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fault.Wrap(fault.Internal, "access.newCode", err)
	}
	for i := range b {
		b[i] = alphabet[b[i]%byte(len(alphabet))] // 256 is a multiple: no sign is likelier
	}
	return string(b[:]), nil
}

// Pending lists who waits on a channel, or on all when c is "", oldest first.
func (g *Gate) Pending(ctx context.Context, c id.Channel) ([]Request, error) {
	return g.Store.Pairings(ctx, c, g.now().Add(-CodeLife))
}

// Approve lets in who was given code on channel c. The code of another
// channel, or an old one, is NotFound.
func (g *Gate) Approve(ctx context.Context, c id.Channel, code string) (Request, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	if code == "" || c == "" {
		return Request{}, fault.New(fault.Invalid, "pairing.approve", "a channel and a code are needed: openclaw pairing approve <channel> <code>")
	}
	r, ok, err := g.Store.ApprovePairing(ctx, c, code, g.now().Add(-CodeLife))
	switch {
	case err != nil:
		return Request{}, err
	case !ok:
		return Request{}, fault.New(fault.NotFound, "pairing.approve",
			fmt.Sprintf("no pending pairing request on %s has the code %s; see openclaw pairing list %s", c, code, c))
	}
	return r, nil
}
