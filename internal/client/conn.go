package client

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
)

// Conn is an open connection. It is safe for concurrent use.
type Conn struct {
	hello  *wire.HelloOK
	ws     *websocket.Conn
	events chan wire.Event
	done   chan struct{} // closed when the reader has ended
	stop   context.CancelFunc

	mu      sync.Mutex
	last    int
	waiting map[string]chan frame
	err     error // why the reader ended
}

// start begins to read. The reader outlives the handshake's deadline, so its
// context is detached; Close ends it.
func start(ctx context.Context, ws *websocket.Conn, hello *wire.HelloOK) *Conn {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c := &Conn{
		hello: hello, ws: ws, stop: stop, done: make(chan struct{}),
		events: make(chan wire.Event, eventRoom), waiting: map[string]chan frame{},
	}
	go c.read(ctx, silence(hello))
	return c
}

// silence is how long a live gateway may say nothing: two ticks and a bit.
func silence(h *wire.HelloOK) time.Duration {
	if h.Policy.TickIntervalMs <= 0 {
		return 2 * time.Minute
	}
	return 2*time.Duration(h.Policy.TickIntervalMs)*time.Millisecond + 5*time.Second
}

// Hello is what the gateway said in the handshake.
func (c *Conn) Hello() *wire.HelloOK { return c.hello }

// Events delivers what the gateway pushes, in order, and is closed when the
// connection ends. One who falls behind misses events: a gap in Seq tells.
func (c *Conn) Events() <-chan wire.Event { return c.events }

// Err tells why the connection ended; nil while it is open or after Close.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close says goodbye and waits for the reader to end.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.err == nil {
		c.err = errClosed
	}
	c.mu.Unlock()
	_ = c.ws.Close(websocket.StatusNormalClosure, "") // it was broken already, or it is closed now
	c.stop()
	<-c.done
	return nil
}

// Call sends a request and decodes its answer into result, which may be nil.
// An answer that is an error is an [*rpc.Error].
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := c.exchange(ctx, method, params, func(json.RawMessage) bool { return true })
	if err != nil {
		return err
	}
	return decode(method, raw, result)
}

// CallFinal sends a request whose first answer may be only "accepted": it
// calls accepted with that, when not nil, and decodes the final answer.
func (c *Conn) CallFinal(ctx context.Context, method string, params, result any, accepted func(json.RawMessage)) error {
	raw, err := c.exchange(ctx, method, params, func(first json.RawMessage) bool {
		var s struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(first, &s) != nil || s.Status != "accepted" {
			return true
		}
		if accepted != nil {
			accepted(first)
		}
		return false
	})
	if err != nil {
		return err
	}
	return decode(method, raw, result)
}

func decode(method string, raw json.RawMessage, result any) error {
	if result == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return &fault.Error{
			Kind: fault.Unavailable, Op: "client.Call", Err: err,
			Hint: "the gateway's answer to " + method + " has an unexpected shape",
		}
	}
	return nil
}

// exchange sends a request and returns the first payload that final accepts.
func (c *Conn) exchange(ctx context.Context, method string, params any, final func(json.RawMessage) bool) (json.RawMessage, error) {
	if params == nil {
		params = struct{}{}
	}
	answers := make(chan frame, 2) // a request has at most two answers
	id, err := c.register(answers)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	raw, err := request(id, method, params)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "client.Call", err)
	}
	if err := c.ws.Write(ctx, websocket.MessageText, raw); err != nil {
		return nil, c.writeFault(ctx, err)
	}
	for {
		select {
		case f := <-answers:
			if !f.OK {
				return nil, f.Error.rpc()
			}
			if final(f.Payload) {
				return f.Payload, nil
			}
		case <-c.done:
			return nil, c.ended()
		case <-ctx.Done():
			return nil, timeoutFault(ctx, method)
		}
	}
}

func (c *Conn) register(answers chan frame) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return "", c.err
	}
	c.last++
	id := strconv.Itoa(c.last)
	c.waiting[id] = answers
	return id, nil
}

func (c *Conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

func (c *Conn) writeFault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return timeoutFault(ctx, "the request")
	}
	select {
	case <-c.done:
		return c.ended()
	default:
		return broken(err)
	}
}

func (c *Conn) ended() error {
	if err := c.Err(); err != nil {
		return err
	}
	return errClosed
}

// read hands frames out until the connection ends.
func (c *Conn) read(ctx context.Context, quiet time.Duration) {
	defer close(c.done)
	defer close(c.events)
	defer c.stop()
	for {
		f, err := readQuiet(ctx, c.ws, quiet)
		if err != nil {
			c.fail(err)
			_ = c.ws.CloseNow()
			return
		}
		switch f.Type {
		case wire.TypeRes:
			c.answer(f)
		case wire.TypeEvent:
			select {
			case c.events <- wire.Event{Type: f.Type, Event: f.Event, Payload: f.Payload, Seq: f.Seq}:
			default:
			}
		}
	}
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// answer hands f to the request it belongs to. One that answers a third time
// is not waited for.
func (c *Conn) answer(f frame) {
	var id string
	if json.Unmarshal(f.ID, &id) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.waiting[id] <- f:
	default:
	}
}
