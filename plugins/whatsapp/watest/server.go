// Package watest is a WhatsApp network on loopback for tests. It speaks the
// real protocol: Noise over a WebSocket, binary XML, linking by QR code and by
// code, prekeys, device lists, routing with receipts, an offline queue, groups
// and media. Clients can't tell it from the real one but for its root key and
// its address; messages are encrypted from client to client, and it can't read
// them. It isn't part of any program.
//
// Start at [New]; [Server.Link] makes people with a client of their own.
package watest

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/util/keys"
)

// Server is the network.
type Server struct {
	Addr string // host:port
	http *httptest.Server
	root *keys.KeyPair
	own  *keys.KeyPair

	mu       sync.Mutex
	accounts []*Account
	waiting  map[string]*conn // by ref, to be linked
	codes    map[string]*coded
	conns    map[*conn]bool
	groups   map[string]*Group
	files    map[string][]byte
	next     int
	refuse   string // reason of a failure that each login gets
	down     bool
	log      []string
}

// Account is one phone number.
type Account struct {
	PN, LID types.JID
	phone   *keys.KeyPair
	signed  *keys.PreKey
	devices []*device
	linked  uint16 // devices so far
}

// Number is the account's number as people write it.
func (a *Account) Number() string { return "+" + a.PN.User }

// device is a linked one.
type device struct {
	a        *Account
	n        uint16
	noise    [32]byte
	identity []byte
	reg      []byte
	signed   waBinary.Node
	keys     []waBinary.Node
	conn     *conn
	pending  []waBinary.Node // until the device confirms them
	last     *waBinary.Node
	reads    []string // ids that it marked as read
	byPN     bool     // messages come from numbers, not linked ids
	bare     bool     // messages leave the other id out
}

func (d *device) lid() types.JID { j := d.a.LID; j.Device = d.n; return j }
func (d *device) pn() types.JID  { j := d.a.PN; j.Device = d.n; return j }

// Group is a group.
type Group struct {
	JID     types.JID
	Subject string
	Members []*Account
}

// New starts a network.
func New() *Server {
	s := &Server{
		root: keys.NewKeyPair(), own: keys.NewKeyPair(), waiting: map[string]*conn{}, codes: map[string]*coded{}, conns: map[*conn]bool{},
		groups: map[string]*Group{}, files: map[string][]byte{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ws/chat", s.serve)
	mux.HandleFunc("/", s.media)
	s.http = httptest.NewServer(mux)
	s.Addr = s.http.Listener.Addr().String()
	return s
}

// Root is the key that stands at the head of its certificates.
func (s *Server) Root() [32]byte { return *s.root.Pub }

// RootHex is Root for a command line.
func (s *Server) RootHex() string { return hex.EncodeToString(s.root.Pub[:]) }

// Close ends it.
func (s *Server) Close() {
	s.Cut()
	s.http.CloseClientConnections()
	s.http.Close()
}

// DialTLS connects to the network in place of the host that was asked for. The
// test network has no TLS: what a client of it says is encrypted by Noise.
func DialTLS(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr)
	}
}

// Account adds a phone number.
func (s *Server) Account(number string) *Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	digits := strings.TrimPrefix(number, "+")
	phone := keys.NewKeyPair()
	a := &Account{
		PN: types.NewJID(digits, types.DefaultUserServer), LID: types.NewJID("88"+digits, types.HiddenUserServer),
		phone: phone, signed: phone.CreateSignedPreKey(1),
	}
	s.accounts = append(s.accounts, a)
	return a
}

// Group adds a group.
func (s *Server) Group(subject string, members ...*Account) *Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	g := &Group{JID: types.NewJID(fmt.Sprintf("1203630000000%05d", s.next), types.GroupServer), Subject: subject, Members: members}
	s.groups[g.JID.User] = g
	return g
}

// find returns the account of either id.
func (s *Server) find(j types.JID) *Account {
	for _, a := range s.accounts {
		if a.PN.User == j.User && j.Server == types.DefaultUserServer || a.LID.User == j.User && j.Server == types.HiddenUserServer {
			return a
		}
	}
	return nil
}

func (a *Account) device(n uint16) *device {
	for _, d := range a.devices {
		if d.n == n {
			return d
		}
	}
	return nil
}

func (s *Server) id() string {
	s.next++
	return fmt.Sprintf("srv-%d", s.next)
}

// serve is one client from its handshake to its end.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(1 << 24)
	c := &conn{ws: ws}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if err := c.shake(ctx, s.root, s.own); err != nil {
		s.note("handshake: " + err.Error())
		return
	}
	s.mu.Lock()
	s.conns[c] = true
	s.mu.Unlock()
	defer s.gone(c)
	if c.hello.GetDevicePairingData() != nil {
		s.offer(c)
	} else if !s.login(ctx, c) {
		return
	}
	for {
		n, err := c.next(ctx)
		if err != nil {
			return
		}
		s.handle(c, n)
	}
}

// login lets a linked device in.
func (s *Server) login(ctx context.Context, c *conn) bool {
	s.mu.Lock()
	j := types.NewJID(fmt.Sprint(c.hello.GetUsername()), types.DefaultUserServer)
	var d *device
	if a := s.find(j); a != nil {
		d = a.device(uint16(c.hello.GetDevice()))
	}
	reason := s.refuse
	if reason == "" && (d == nil || d.noise != c.static) {
		reason = "401"
	}
	if reason != "" {
		s.mu.Unlock()
		c.send(waBinary.Node{Tag: "failure", Attrs: waBinary.Attrs{"reason": reason, "location": "lo"}})
		_, _ = c.next(ctx) // until it goes
		return false
	}
	old := d.conn
	c.dev, d.conn = d, c
	pending := append([]waBinary.Node{}, d.pending...)
	s.mu.Unlock()
	if old != nil {
		s.streamError(old, waBinary.Attrs{}, waBinary.Node{Tag: "conflict", Attrs: waBinary.Attrs{"type": "replaced"}})
	}
	c.send(waBinary.Node{Tag: "success", Attrs: waBinary.Attrs{"t": time.Now().Unix(), "lid": d.lid(), "props": "1", "location": "lo", "creation": time.Now().Unix()}})
	c.send(waBinary.Node{Tag: "ib", Attrs: waBinary.Attrs{"from": types.ServerJID}, Content: []waBinary.Node{{Tag: "offline_preview", Attrs: waBinary.Attrs{"count": len(pending), "message": len(pending)}}}})
	for _, n := range pending {
		n.Attrs = with(n.Attrs, "offline", "0")
		c.send(n)
	}
	c.send(waBinary.Node{Tag: "ib", Attrs: waBinary.Attrs{"from": types.ServerJID}, Content: []waBinary.Node{{Tag: "offline", Attrs: waBinary.Attrs{"count": len(pending)}}}})
	return true
}

func with(a waBinary.Attrs, key string, v any) waBinary.Attrs {
	out := waBinary.Attrs{key: v}
	for k, x := range a {
		if k != key {
			out[k] = x
		}
	}
	return out
}

func (s *Server) gone(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	delete(s.waiting, c.ref)
	if c.dev != nil && c.dev.conn == c {
		c.dev.conn = nil
	}
}

func (s *Server) streamError(c *conn, attrs waBinary.Attrs, children ...waBinary.Node) {
	n := waBinary.Node{Tag: "stream:error", Attrs: attrs}
	if len(children) > 0 {
		n.Content = children
	}
	c.send(n)
	// The client closes first, as a rule; its library forgets what it read last
	// when the server is faster.
	time.AfterFunc(300*time.Millisecond, func() { _ = c.ws.CloseNow() })
}

// handle takes one node of a client.
func (s *Server) handle(c *conn, n *waBinary.Node) {
	switch n.Tag {
	case "iq":
		s.iq(c, n)
	case "message":
		s.message(c, n)
	case "receipt":
		s.receipt(c, n)
	case "ack":
		if n.Attrs["class"] == "message" {
			s.confirmed(c.dev, n)
		}
	case "presence", "chatstate":
		s.note(n.Tag + " " + fmt.Sprint(n.Attrs["type"]))
	}
}

func (s *Server) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, line)
}

// Noted counts what clients did that has word in it: "presence available",
// "iq privacy".
func (s *Server) Noted(word string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.log {
		if strings.Contains(l, word) {
			n++
		}
	}
	return n
}
