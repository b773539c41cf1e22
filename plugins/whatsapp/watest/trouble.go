package watest

import (
	"slices"

	waBinary "go.mau.fi/whatsmeow/binary"
)

// Cut breaks connections off: those of accounts, or every one.
func (s *Server) Cut(accounts ...*Account) {
	s.mu.Lock()
	var all []*conn
	for c := range s.conns {
		if len(accounts) == 0 || c.dev != nil && slices.Contains(accounts, c.dev.a) {
			all = append(all, c)
		}
	}
	s.mu.Unlock()
	for _, c := range all {
		_ = c.ws.CloseNow()
	}
}

// Down has the server answer 503 to who connects, and breaks off who is.
func (s *Server) Down(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.Cut()
	}
}

// Refuse has each login fail for a reason: 405 is an old client. "" is none.
func (s *Server) Refuse(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = reason
}

// StreamError ends the connections of an account's devices with a code.
func (s *Server) StreamError(a *Account, code string) {
	for _, c := range s.online(a) {
		s.streamError(c, waBinary.Attrs{"code": code})
	}
}

// Replace ends them as when the same device came from elsewhere.
func (s *Server) Replace(a *Account) {
	for _, c := range s.online(a) {
		s.streamError(c, waBinary.Attrs{}, waBinary.Node{Tag: "conflict", Attrs: waBinary.Attrs{"type": "replaced"}})
	}
}

// Unlink removes an account's devices, as its phone can.
func (s *Server) Unlink(a *Account) {
	all := s.online(a)
	s.mu.Lock()
	a.devices = nil
	s.mu.Unlock()
	for _, c := range all {
		s.streamError(c, waBinary.Attrs{"code": "401"}, waBinary.Node{Tag: "conflict", Attrs: waBinary.Attrs{"type": "device_removed"}})
	}
}

// Again delivers the last message of each of an account's devices once more.
func (s *Server) Again(a *Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range a.devices {
		if d.last != nil && d.conn != nil {
			go d.conn.send(*d.last)
		}
	}
}

// ByNumber has messages to an account come from numbers instead of linked ids;
// bare leaves out which number or linked id that is.
func (s *Server) ByNumber(a *Account, byPN, bare bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range a.devices {
		d.byPN, d.bare = byPN, bare
	}
}

// Ready reports whether all devices of an account have given their keys:
// before that nobody can write to them.
func (s *Server) Ready(a *Account) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range a.devices {
		if d.reg == nil {
			return false
		}
	}
	return len(a.devices) > 0
}

// Online tells how many of an account's devices are connected.
func (s *Server) Online(a *Account) int { return len(s.online(a)) }

func (s *Server) online(a *Account) (out []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range a.devices {
		if d.conn != nil {
			out = append(out, d.conn)
		}
	}
	return out
}

// Linked tells how many devices an account has.
func (s *Server) Linked(a *Account) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(a.devices)
}

// Pending counts messages that an account's devices haven't confirmed.
func (s *Server) Pending(a *Account) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, d := range a.devices {
		n += len(d.pending)
	}
	return n
}

// Read tells whether a device of an account marked a message as read.
func (s *Server) Read(a *Account, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(a.devices, func(d *device) bool { return slices.Contains(d.reads, id) })
}
