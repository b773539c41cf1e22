package watest

import (
	"fmt"
	"slices"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

func (s *Server) result(c *conn, iq *waBinary.Node, children ...waBinary.Node) {
	n := waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "result", "id": iq.Attrs["id"]}}
	if to, ok := iq.Attrs["to"].(types.JID); ok && to.Server == types.GroupServer {
		n.Attrs["from"] = to
	}
	if len(children) > 0 {
		n.Content = children
	}
	c.send(n)
}

func (s *Server) refused(c *conn, iq *waBinary.Node, code int, text string) {
	c.send(waBinary.Node{Tag: "iq", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "error", "id": iq.Attrs["id"]}, Content: []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": code, "text": text}}}})
}

// iq answers a question.
func (s *Server) iq(c *conn, n *waBinary.Node) {
	kind := fmt.Sprint(n.Attrs["type"])
	ns, _ := n.Attrs["xmlns"].(string)
	if kind == "result" || kind == "error" {
		s.mu.Lock()
		pairing := c.lastPairing != "" && n.Attrs["id"] == c.lastPairing
		s.mu.Unlock()
		if pairing {
			s.paired(c, n)
		}
		return
	}
	if ns == "md" && len(n.GetChildrenByTag("link_code_companion_reg")) > 0 {
		s.byCode(c, n)
		return
	}
	if c.dev == nil {
		s.refused(c, n, 401, "not-authorized")
		return
	}
	s.note("iq " + ns)
	switch ns {
	case "encrypt":
		s.keys(c, n, kind)
	case "usync":
		s.usync(c, n)
	case "w:g2":
		s.group(c, n)
	case "w:m":
		s.result(c, n, waBinary.Node{Tag: "media_conn", Attrs: waBinary.Attrs{"auth": "let-me-in", "ttl": 300, "auth_ttl": 21600, "max_buckets": 12}, Content: []waBinary.Node{
			{Tag: "host", Attrs: waBinary.Attrs{"hostname": "mmg.whatsapp.net"}},
		}})
	case "privacy":
		s.result(c, n, waBinary.Node{Tag: "privacy", Content: []waBinary.Node{{Tag: "category", Attrs: waBinary.Attrs{"name": "readreceipts", "value": "all"}}}})
	case "md":
		s.result(c, n)
		if len(n.GetChildrenByTag("remove-companion-device")) > 0 {
			s.mu.Lock()
			d := c.dev
			d.a.devices = slices.DeleteFunc(d.a.devices, func(x *device) bool { return x == d })
			s.mu.Unlock()
		}
	default: // keep-alives, passive, what nobody here needs an answer to
		s.result(c, n)
	}
}

// keys keeps and gives out prekeys.
func (s *Server) keys(c *conn, n *waBinary.Node, kind string) {
	s.mu.Lock()
	d := c.dev
	if kind == "set" {
		d.reg, _ = n.GetChildByTag("registration").Content.([]byte)
		d.identity, _ = n.GetChildByTag("identity").Content.([]byte)
		list := n.GetChildByTag("list")
		d.keys = append(d.keys, list.GetChildren()...)
		d.signed = n.GetChildByTag("skey")
		s.mu.Unlock()
		s.result(c, n)
		return
	}
	if len(n.GetChildrenByTag("count")) > 0 {
		have := len(d.keys)
		s.mu.Unlock()
		s.result(c, n, waBinary.Node{Tag: "count", Attrs: waBinary.Attrs{"value": have}})
		return
	}
	var users []waBinary.Node
	key := n.GetChildByTag("key")
	for _, u := range key.GetChildren() {
		users = append(users, s.bundle(u.AttrGetter().JID("jid")))
	}
	s.mu.Unlock()
	s.result(c, n, waBinary.Node{Tag: "list", Content: users})
}

// bundle is the keys of one device; each one-time key is given out once.
func (s *Server) bundle(j types.JID) waBinary.Node {
	out := waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": j}}
	a := s.find(j)
	if a != nil && j.Device == 0 { // the phone
		out.Content = []waBinary.Node{
			{Tag: "registration", Content: []byte{0, 0, 0, 9}}, {Tag: "type", Content: []byte{5}}, {Tag: "identity", Content: a.phone.Pub[:]},
			{Tag: "skey", Content: []waBinary.Node{{Tag: "id", Content: []byte{0, 0, 1}}, {Tag: "value", Content: a.signed.Pub[:]}, {Tag: "signature", Content: a.signed.Signature[:]}}},
		}
		return out
	}
	var d *device
	if a != nil {
		d = a.device(j.Device)
	}
	if d == nil || d.reg == nil {
		out.Content = []waBinary.Node{{Tag: "error", Attrs: waBinary.Attrs{"code": 404, "text": "item-not-found"}}}
		return out
	}
	content := []waBinary.Node{{Tag: "registration", Content: d.reg}, {Tag: "type", Content: []byte{5}}, {Tag: "identity", Content: d.identity}, d.signed}
	if len(d.keys) > 0 {
		content = append(content, d.keys[0])
		d.keys = d.keys[1:]
	}
	out.Content = content
	return out
}

// usync tells about people: their linked ids and devices.
func (s *Server) usync(c *conn, n *waBinary.Node) {
	q := n.GetChildByTag("usync")
	list := q.GetChildByTag("list")
	s.mu.Lock()
	var users []waBinary.Node
	for _, u := range list.GetChildren() {
		j, ok := u.Attrs["jid"].(types.JID)
		if !ok {
			continue
		}
		a := s.find(j)
		if a == nil {
			continue
		}
		devices := []waBinary.Node{{Tag: "device", Attrs: waBinary.Attrs{"id": "0"}}}
		for _, d := range a.devices {
			devices = append(devices, waBinary.Node{Tag: "device", Attrs: waBinary.Attrs{"id": fmt.Sprint(d.n), "key-index": fmt.Sprint(d.n)}})
		}
		users = append(users, waBinary.Node{Tag: "user", Attrs: waBinary.Attrs{"jid": j}, Content: []waBinary.Node{
			{Tag: "devices", Content: []waBinary.Node{{Tag: "device-list", Content: devices}}},
			{Tag: "lid", Attrs: waBinary.Attrs{"val": a.LID}},
		}})
	}
	s.mu.Unlock()
	s.result(c, n, waBinary.Node{Tag: "usync", Attrs: waBinary.Attrs{"sid": q.Attrs["sid"]}, Content: []waBinary.Node{{Tag: "list", Content: users}}})
}

func (g *Group) node() waBinary.Node {
	var members []waBinary.Node
	for _, m := range g.Members {
		members = append(members, waBinary.Node{Tag: "participant", Attrs: waBinary.Attrs{"jid": m.LID, "phone_number": m.PN}})
	}
	return waBinary.Node{Tag: "group", Attrs: waBinary.Attrs{
		"id": g.JID.User, "subject": g.Subject, "creation": time.Now().Unix(), "s_t": time.Now().Unix(), "addressing_mode": "lid", "size": len(members),
	}, Content: members}
}

// group tells about groups, to their members.
func (s *Server) group(c *conn, n *waBinary.Node) {
	to, _ := n.Attrs["to"].(types.JID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if to.User == "" {
		var all []waBinary.Node
		for _, g := range s.groups {
			if slices.Contains(g.Members, c.dev.a) {
				all = append(all, g.node())
			}
		}
		s.result(c, n, waBinary.Node{Tag: "groups", Content: all})
		return
	}
	g := s.groups[to.User]
	switch {
	case g == nil:
		s.refused(c, n, 404, "item-not-found")
	case !slices.Contains(g.Members, c.dev.a):
		s.refused(c, n, 403, "forbidden")
	default:
		s.result(c, n, g.node())
	}
}
