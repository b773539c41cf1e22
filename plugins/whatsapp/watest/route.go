package watest

import (
	"fmt"
	"slices"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// message takes a message to its devices, whether they are there or not.
func (s *Server) message(c *conn, n *waBinary.Node) {
	to, _ := n.Attrs["to"].(types.JID)
	now := time.Now().Unix()
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.dev == nil {
		return
	}
	ack := waBinary.Attrs{"class": "message", "id": n.Attrs["id"], "from": to, "t": now}
	if to.Server == types.GroupServer {
		g := s.groups[to.User]
		if g == nil || !slices.Contains(g.Members, c.dev.a) {
			ack["error"] = 403
		}
	}
	if a := s.find(to); a != nil && stale(a, n) {
		ack["phash"] = "2:another" // the sender's list of devices is out of date
	}
	c.send(waBinary.Node{Tag: "ack", Attrs: ack})
	if ack["error"] != nil {
		return
	}
	var common []waBinary.Node // for all devices alike
	for _, x := range n.GetChildren() {
		switch x.Tag {
		case "enc", "device-identity", "meta":
			common = append(common, x)
		}
	}
	list := n.GetChildByTag("participants")
	seen := map[*device]bool{}
	for _, p := range list.GetChildren() {
		j, _ := p.Attrs["jid"].(types.JID)
		a := s.find(j)
		if a == nil {
			continue
		}
		d := a.device(j.Device)
		if d == nil || d == c.dev || seen[d] {
			continue // a phone, or nobody
		}
		seen[d] = true
		s.deliver(c.dev, d, to, n, now, append(append([]waBinary.Node{}, p.GetChildren()...), common...))
	}
	if len(list.GetChildren()) == 0 { // once more, to one device
		j := to
		if p, ok := n.Attrs["participant"].(types.JID); ok {
			j = p
		}
		if a := s.find(j); a != nil {
			if d := a.device(j.Device); d != nil {
				s.deliver(c.dev, d, to, n, now, common)
			}
		}
	}
}

// stale reports whether a message leaves out a device of a.
func stale(a *Account, n *waBinary.Node) bool {
	list := n.GetChildByTag("participants")
	for _, d := range a.devices {
		if !slices.ContainsFunc(list.GetChildren(), func(p waBinary.Node) bool {
			j, _ := p.Attrs["jid"].(types.JID)
			return j.Device == d.n && (j.User == a.PN.User || j.User == a.LID.User)
		}) {
			return true
		}
	}
	return false
}

// deliver hands a message to one device.
func (s *Server) deliver(from, d *device, to types.JID, n *waBinary.Node, now int64, content []waBinary.Node) {
	attrs := waBinary.Attrs{"id": n.Attrs["id"], "t": now, "type": n.Attrs["type"], "notify": "Person " + from.a.PN.User}
	if e, ok := n.Attrs["edit"]; ok {
		attrs["edit"] = e
	}
	sender, other, key := from.lid(), from.a.PN, "pn"
	attrs["addressing_mode"] = "lid"
	if d.byPN {
		sender, other, key = from.pn(), from.a.LID, "lid"
		attrs["addressing_mode"] = "pn"
	}
	switch {
	case to.Server == types.GroupServer:
		attrs["from"], attrs["participant"] = to, sender
		if !d.bare {
			attrs["participant_"+key] = other
		}
	case from.a == d.a:
		attrs["from"] = sender
		attrs["recipient"] = to.ToNonAD()
		if a := s.find(to); a != nil {
			attrs["recipient"], attrs["peer_recipient_pn"] = a.LID, a.PN
		}
	default:
		attrs["from"] = sender
		if !d.bare {
			attrs["sender_"+key] = other
		}
	}
	out := waBinary.Node{Tag: "message", Attrs: attrs, Content: content}
	d.pending = append(d.pending, out)
	d.last = &out
	if d.conn != nil {
		d.conn.send(out)
	}
}

// confirmed forgets a message that a device has.
func (s *Server) confirmed(d *device, n *waBinary.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d == nil {
		return
	}
	d.pending = slices.DeleteFunc(d.pending, func(p waBinary.Node) bool { return p.Attrs["id"] == n.Attrs["id"] })
}

// receipt takes one to whom it is about.
func (s *Server) receipt(c *conn, n *waBinary.Node) {
	if c.dev == nil {
		return
	}
	to, _ := n.Attrs["to"].(types.JID)
	kind, _ := n.Attrs["type"].(string)
	c.send(waBinary.Node{Tag: "ack", Attrs: waBinary.Attrs{"class": "receipt", "id": n.Attrs["id"], "from": to, "type": kind, "t": time.Now().Unix()}})
	s.note("receipt " + kind)
	if kind != "read" && kind != "read-self" {
		s.confirmed(c.dev, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == "read" || kind == "played" {
		c.dev.reads = append(c.dev.reads, fmt.Sprint(n.Attrs["id"]))
		list := n.GetChildByTag("list")
		for _, i := range list.GetChildren() {
			c.dev.reads = append(c.dev.reads, fmt.Sprint(i.Attrs["id"]))
		}
	}
	who := to
	if p, ok := n.Attrs["participant"].(types.JID); ok {
		who = p
	}
	a := s.find(who)
	if a == nil {
		return
	}
	attrs := waBinary.Attrs{"id": n.Attrs["id"], "t": time.Now().Unix(), "from": c.dev.lid()}
	if kind != "" {
		attrs["type"] = kind
	}
	if to.Server == types.GroupServer {
		attrs["from"], attrs["participant"] = to, c.dev.lid()
	}
	out := waBinary.Node{Tag: "receipt", Attrs: attrs, Content: n.Content}
	for _, d := range a.devices {
		if d.conn != nil && d != c.dev && (kind != "retry" || d.n == who.Device) {
			d.conn.send(out)
		}
	}
}
