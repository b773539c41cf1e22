package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

const (
	maxInFlight = 256                    // requests of one client at a time
	revokeDelay = 100 * time.Millisecond // so that the answer to a revocation goes out
	maxForeign  = 10                     // calls in a row that belong to the other role
)

// conn is a connection that said hello.
type conn struct {
	s      *Server
	ws     *link
	id     id.Conn
	grant  *auth.Grant
	caller *rpc.Caller
	q      *queue

	reads, pairs, approves bool // which events it may see

	muted    atomic.Bool
	inFlight atomic.Int32
	work     sync.WaitGroup // requests that are served
	foreign  int            // of the read loop
	ahead    ahead          // of the read loop

	closeOnce sync.Once
	code      int // set before q is closed
	reason    string
}

func newConn(s *Server, ws *link, g *auth.Grant, caps []string) *conn {
	c := &conn{s: s, ws: ws, id: id.Conn(uuid.NewString()), grant: g, caller: g.Caller(), q: newQueue(), code: wire.CloseNormal}
	c.caller.Conn, c.caller.Link = c.id, c
	c.caller.Caps = make(map[string]bool, len(caps))
	for _, name := range caps {
		c.caller.Caps[name] = true
	}
	c.reads = g.Role == rpc.Node || auth.Has(c.caller.Scopes, rpc.Read)
	c.pairs = auth.Has(c.caller.Scopes, rpc.Pairing)
	c.approves = auth.Has(c.caller.Scopes, rpc.Approvals)
	return c
}

// maySee reports whether an event goes to c. What shows content needs the
// right to read.
func (c *conn) maySee(event string) bool {
	if c.muted.Load() {
		return false
	}
	switch event {
	case "node.pair.requested", "node.pair.resolved", "device.pair.requested", "device.pair.resolved":
		return c.pairs
	case "exec.approval.requested", "exec.approval.resolved":
		return c.approves
	case "tick", "health", "presence", "shutdown":
		return true
	}
	return c.reads
}

// push queues f. A client that reads too slowly is closed.
func (c *conn) push(f frame) {
	if c.q.push(f) {
		return
	}
	c.closeOnce.Do(func() {
		c.s.log.Warn("slow consumer", "conn", string(c.id), "client", c.grant.Client.ID)
		c.s.wg.Go(func() { c.ws.bye(wire.ClosePolicy, "slow consumer") })
	})
}

// Push sends an event to this client alone.
func (c *conn) Push(event string, payload any) error {
	raw, err := c.s.hub.enc.marshal(payload)
	if err != nil {
		return fault.Wrap(fault.Internal, "gateway.Push", err)
	}
	if c.muted.Load() {
		return fault.New(fault.Unavailable, "gateway.Push", "the client is gone")
	}
	c.push(direct(event, raw))
	return nil
}

func (c *conn) mute() { c.muted.Store(true) }

// closeLater closes c after delay and after what waits was sent.
func (c *conn) closeLater(delay time.Duration, code int, reason string) {
	c.closeOnce.Do(func() {
		c.code, c.reason = code, reason
		if delay == 0 {
			c.q.close()
			return
		}
		time.AfterFunc(delay, c.q.close)
	})
}

// serve runs the connection until it ends.
func (c *conn) serve(ctx context.Context) {
	if !c.s.hub.add(c) {
		c.ws.bye(wire.CloseRestart, "service restart")
		return
	}
	c.s.log.DebugContext(ctx, "client connected", "conn", string(c.id), "client", c.grant.Client.ID, "role", c.grant.Role, "local", c.grant.Peer.Local)
	ctx, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { c.write(ctx) })
	c.s.health.refresh()
	c.read(ctx)
	c.s.hub.remove(c)
	cancel()
	c.q.close()
	c.work.Wait()
	writer.Wait()
	c.s.log.DebugContext(ctx, "client disconnected", "conn", string(c.id))
	if c.inPresence() {
		c.s.presence.put(c, "disconnect")
		c.s.hub.bumpPresence()
		c.s.tellPresence()
	}
}

// write sends what is queued, then closes.
func (c *conn) write(ctx context.Context) {
	var batch []frame
	for open := true; open; {
		select {
		case <-c.q.wake:
		case <-ctx.Done():
			return
		}
		runtime.Gosched() // who writes several frames in a row gets them out at once
		batch, open = c.q.take(batch)
		if err := writeFrames(ctx, c.ws, batch...); err != nil {
			_ = c.ws.CloseNow()
			return
		}
		for _, f := range batch {
			c.q.sent(len(f.data))
		}
		clear(batch)
	}
	c.ws.bye(c.code, c.reason)
}

// read handles frames until the connection breaks.
func (c *conn) read(ctx context.Context) {
	for {
		raw, err := readFrame(ctx, c.ws, wire.MaxPayload)
		if errors.Is(err, errTooBig) {
			c.ws.bye(wire.CloseTooBig, "")
			return
		}
		if err != nil {
			return
		}
		c.handle(ctx, raw)
	}
}

// request is a request frame whose id is kept as it came.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// handle answers one frame; malformed JSON is ignored.
func (c *conn) handle(ctx context.Context, raw []byte) {
	err := c.s.frames.Validate(raw)
	if err != nil && isSyntax(err) {
		return
	}
	var req request
	if jerr := json.Unmarshal(raw, &req); jerr != nil || err != nil {
		c.fail(looseID(raw), &wire.Error{Code: wire.CodeInvalid, Message: "invalid request frame: " + reason(err, jerr)})
		return
	}
	m, refusal := c.s.authorize(c, req.Method)
	if refusal != nil {
		c.fail(req.ID, refusal)
		if c.foreign > maxForeign {
			c.closeLater(0, wire.ClosePolicy, "repeated unauthorized calls")
		}
		return
	}
	if c.inFlight.Add(1) > maxInFlight {
		c.inFlight.Add(-1)
		c.fail(req.ID, &wire.Error{Code: wire.CodeUnavailable, Message: "too many requests in flight", Retryable: true, RetryAfterMs: 1000})
		return
	}
	c.start(ctx, m, req)
}

func reason(errs ...error) string {
	for _, err := range errs {
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// looseID finds an id to answer a bad frame with.
func looseID(raw []byte) []byte {
	var only struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(raw, &only); err != nil || len(only.ID) == 0 || len(only.ID) > 256 || only.ID[0] == '{' || only.ID[0] == '[' {
		return []byte(`"invalid"`)
	}
	return only.ID
}

// run calls the method and answers. settled is called when the first answer is
// queued.
func (c *conn) run(ctx context.Context, m rpc.Method, req request, settled func()) {
	defer settled()
	result, err := c.s.call(ctx, c.caller, m, req.Params)
	later, twice := result.(rpc.Later)
	if err == nil && twice {
		result = later.First
	}
	c.answer(req, result, err)
	if err != nil || !twice || later.Then == nil {
		return
	}
	settled()
	result, err = c.s.guard(m.Name, func() (any, error) { return later.Then(ctx) })
	c.answer(req, result, err)
}

func (c *conn) answer(req request, result any, err error) {
	if err != nil {
		c.fail(req.ID, c.s.wireError(req.Method, err))
		return
	}
	payload, err := c.s.hub.enc.marshal(result)
	if err != nil {
		c.fail(req.ID, c.s.wireError(req.Method, err))
		return
	}
	c.push(frame{data: okFrame(req.ID, payload)})
}

func (c *conn) fail(reqID []byte, e *wire.Error) {
	if data, err := c.s.errorFrame(reqID, e); err == nil {
		c.push(frame{data: data})
	}
}
