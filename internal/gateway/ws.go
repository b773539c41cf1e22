package gateway

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// maxWaiting is how many connections of one address may be without hello.
const maxWaiting = 32

// waiting counts the connections that haven't said who they are.
type waiting struct {
	mu sync.Mutex
	by map[netip.Addr]int
}

func newWaiting() *waiting { return &waiting{by: map[netip.Addr]int{}} }

func (w *waiting) enter(a netip.Addr) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by[a] >= maxWaiting {
		return false
	}
	w.by[a]++
	return true
}

func (w *waiting) leave(a netip.Addr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by[a]--; w.by[a] <= 0 {
		delete(w.by, a)
	}
}

func isUpgrade(r *http.Request) bool {
	for _, v := range r.Header["Upgrade"] {
		if strings.EqualFold(strings.TrimSpace(v), "websocket") {
			return true
		}
	}
	return false
}

// serveWS is the life of one connection, on any path.
func (s *Server) serveWS(w http.ResponseWriter, r *http.Request) {
	if !s.hub.enter(&s.wg) {
		WriteError(w, http.StatusServiceUnavailable, "unavailable", "the gateway is stopping; reconnect in a moment")
		return
	}
	defer s.wg.Done()
	peer := auth.PeerOf(r, s.o.Auth.Settings())
	if !s.waiting.enter(peer.Addr) {
		WriteError(w, http.StatusServiceUnavailable, "unavailable", "too many connections are waiting for their handshake")
		return
	}
	leave := sync.OnceFunc(func() { s.waiting.leave(peer.Addr) })
	defer leave()
	ws, err := accept(s.links, w, r)
	if err != nil {
		return // accept has answered
	}
	defer func() { _ = ws.CloseNow() }()
	ctx, cancel := context.WithCancel(s.links)
	defer cancel()
	c := s.handshake(ctx, ws, r, peer)
	leave()
	if c == nil {
		return
	}
	c.serve(ctx)
}

// enter admits a connection to wg unless the hub closes.
func (h *hub) enter(wg *sync.WaitGroup) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	wg.Add(1)
	return true
}

// link is a WebSocket and the connection under it.
type link struct {
	*websocket.Conn
	raw *cork
	cut context.Context
}

// hijacked keeps the connection that a handler takes over.
type hijacked struct {
	http.ResponseWriter
	raw *cork
}

func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.raw = &cork{Conn: c}
	return h.raw, bufio.NewReadWriter(rw.Reader, bufio.NewWriter(h.raw)), nil
}

func accept(cut context.Context, w http.ResponseWriter, r *http.Request) (*link, error) {
	h := &hijacked{ResponseWriter: w}
	w.Header().Set("Connection", "close") // replaced unless the upgrade is refused
	ws, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the handshake checks the origin and answers with a reason
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(-1) // readFrame limits, and closes without a text
	return &link{ws, h.raw, cut}, nil
}

// byeTime is how long a client may take to answer a close.
const byeTime = 2 * time.Second

// bye closes with a code. The library waits for the client without an end when
// a frame is cut off in the middle, so the connection under it is the deadline.
func (l *link) bye(code int, reason string) {
	drop := func() { _ = l.raw.Close() }
	late := time.AfterFunc(byeTime, drop)
	defer late.Stop()
	stop := context.AfterFunc(l.cut, drop)
	defer stop()
	_ = l.Close(websocket.StatusCode(code), wire.Reason(reason))
}

var errTooBig = errors.New("gateway: frame too big")

// readFrame returns the next message of at most limit bytes; binary messages
// count as text.
func readFrame(ctx context.Context, ws *link, limit int64) ([]byte, error) {
	_, rd, err := ws.Reader(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(rd, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, errTooBig
	}
	return raw, nil
}

// writeTimeout is how long a client may leave what was sent unread.
const writeTimeout = 30 * time.Second

// writeFrames writes frames, several with one system call. When that takes too
// long or ctx ends, it cuts the connection.
func writeFrames(ctx context.Context, ws *link, frames ...frame) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = ws.raw.Close() })
	defer stop()
	each := context.WithoutCancel(ctx) // else the library watches ctx anew for each frame
	ws.raw.hold()
	for _, f := range frames {
		if err := ws.Write(each, websocket.MessageText, f.data); err != nil {
			return errors.Join(err, ws.raw.release())
		}
	}
	return ws.raw.release()
}
