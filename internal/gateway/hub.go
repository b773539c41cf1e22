package gateway

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// hub knows the connections that said hello and numbers what all of them get.
type hub struct {
	enc encoders

	mu       sync.Mutex
	conns    map[id.Conn]*conn
	seq      int64
	versions wire.StateVersion
	down     bool // shutdown was told
	closing  bool // takes no more connections
}

func newHub() *hub {
	return &hub{conns: map[id.Conn]*conn{}, versions: wire.StateVersion{Presence: 1, Health: 1}}
}

// add admits c; false when the server is closing.
func (h *hub) add(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.conns[c.id] = c
	return true
}

func (h *hub) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c.id)
}

func (h *hub) all() []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*conn, 0, len(h.conns))
	for _, c := range h.conns {
		out = append(out, c)
	}
	return out
}

func (h *hub) get(c id.Conn) *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.conns[c]
}

// idle reports whether nobody listens, so that nothing need be encoded.
func (h *hub) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns) == 0
}

// broadcast is an event for everyone who may see it.
type broadcast struct {
	event    string
	payload  []byte // JSON
	versions bool   // carries the state versions
	volatile bool
}

// send numbers b, encodes it once and hands it to all who may see it.
func (h *hub) send(b broadcast) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	if len(h.conns) == 0 {
		return
	}
	data := make([]byte, 0, len(b.payload)+len(b.event)+96)
	data = appendEventHead(data, b.event, b.payload)
	data = append(data, `,"seq":`...)
	data = strconv.AppendInt(data, h.seq, 10)
	if b.versions {
		data = append(data, `,"stateVersion":{"presence":`...)
		data = strconv.AppendInt(data, h.versions.Presence, 10)
		data = append(data, `,"health":`...)
		data = strconv.AppendInt(data, h.versions.Health, 10)
		data = append(data, '}')
	}
	data = append(data, '}')
	f := frame{data: data, volatile: b.volatile}
	for _, c := range h.conns {
		if c.maySee(b.event) {
			c.push(f)
		}
	}
}

func appendEventHead(data []byte, name string, payload []byte) []byte {
	data = append(data, `{"type":"event","event":"`...)
	data = append(data, name...)
	data = append(data, `","payload":`...)
	return append(data, payload...)
}

// direct encodes an event for chosen connections: it has no number.
func direct(name string, payload []byte) frame {
	data := appendEventHead(make([]byte, 0, len(payload)+len(name)+48), name, payload)
	return frame{data: append(data, '}')}
}

func (h *hub) bumpPresence() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions.Presence++
}

func (h *hub) bumpHealth() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.versions.Health++
}

func (h *hub) stateVersion() wire.StateVersion {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.versions
}

type shutdownPayload struct {
	Reason            string `json:"reason"`
	RestartExpectedMs *int64 `json:"restartExpectedMs"`
}

// tellShutdown tells the clients once that the gateway is about to go.
func (s *Server) tellShutdown(reason string, restart time.Duration) {
	s.hub.mu.Lock()
	told := s.hub.down
	s.hub.down = true
	s.hub.mu.Unlock()
	if told {
		return
	}
	p := shutdownPayload{Reason: reason}
	if restart > 0 {
		ms := restart.Milliseconds()
		p.RestartExpectedMs = &ms
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return // can't be: plain values
	}
	s.hub.send(broadcast{event: "shutdown", payload: raw})
}

// closeAll closes every connection and admits no more.
func (h *hub) closeAll(code int, reason string) {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	for _, c := range h.all() {
		c.closeLater(0, code, reason)
	}
}

// revoke closes the connections of a device, "" being all its roles. They hear
// nothing more; a response that tells of the revocation still goes out.
func (h *hub) revoke(device id.Device, role string) {
	for _, c := range h.all() {
		if c.grant.Device == device && (role == "" || c.grant.Role == role) {
			c.mute()
			c.closeLater(revokeDelay, wire.ClosePolicy, "device access revoked")
		}
	}
}

// skip counts an event that nobody was there to hear.
func (h *hub) skip() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
}
