package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"go.mau.fi/whatsmeow"
)

// frame is one line, in either direction.
type frame struct {
	V      string          `json:"jsonrpc"`
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params any             `json:"params,omitempty"`
	Result any             `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// failure is an error that says what can be done about it.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Kind string `json:"kind,omitempty"`
	} `json:"data"`
}

func (f *failure) Error() string { return f.Message }

func fail(kind, message string) *failure {
	f := &failure{Code: -32000, Message: message}
	f.Data.Kind = kind
	return f
}

// host is the gateway at the other end.
type host struct {
	in   *bufio.Reader
	out  io.Writer
	tune func(*whatsmeow.Client) // before it connects

	writing sync.Mutex
	mu      sync.Mutex
	next    int64
	calls   map[int64]chan *failure
}

func newHost(in io.Reader, out io.Writer, tune func(*whatsmeow.Client)) *host {
	return &host{tune: tune, in: bufio.NewReaderSize(in, 64<<10), out: out, calls: map[int64]chan *failure{}}
}

func (h *host) write(f frame) error {
	f.V = "2.0"
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	_, err = h.out.Write(append(b, '\n'))
	return err
}

// tell sends a notification. When the gateway is gone, so are we soon.
func (h *host) tell(method string, params any) { _ = h.write(frame{Method: method, Params: params}) }

// call asks the gateway and waits until it has answered.
func (h *host) call(ctx context.Context, method string, params any) error {
	ch := make(chan *failure, 1)
	h.mu.Lock()
	h.next++
	n := h.next
	h.calls[n] = ch
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(h.calls, n)
		h.mu.Unlock()
	}()
	id, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := h.write(frame{ID: id, Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case f := <-ch:
		if f != nil {
			return f
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request is one line of the gateway.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  *failure        `json:"error"`
}

// serve answers the gateway until it says shutdown or is gone.
func (h *host) serve() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d := &device{host: h}
	defer d.close()
	turn := make(chan struct{}, 1) // one thing at a time, in order of sending
	turn <- struct{}{}
	for {
		line, err := h.in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var r request
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		switch r.Method {
		case "":
			var n int64
			if json.Unmarshal(r.ID, &n) != nil {
				continue
			}
			h.mu.Lock()
			ch := h.calls[n]
			delete(h.calls, n)
			h.mu.Unlock()
			if ch != nil {
				ch <- r.Error
			}
		case "shutdown":
			return h.write(frame{ID: r.ID, Result: struct{}{}})
		case "initialize":
			if err := h.write(frame{ID: r.ID, Result: map[string]any{"protocol": 1, "id": "whatsapp"}}); err != nil {
				return err
			}
		default:
			prior, mine := turn, make(chan struct{}, 1)
			turn = mine
			go func() {
				<-prior
				defer func() { mine <- struct{}{} }()
				result, err := d.do(ctx, r.Method, r.Params)
				out := frame{ID: r.ID, Result: result}
				if err != nil {
					var f *failure
					if !errors.As(err, &f) {
						f = fail("unavailable", err.Error())
					}
					out.Error, out.Result = f, nil
				} else if result == nil {
					out.Result = struct{}{}
				}
				_ = h.write(out)
			}()
		}
	}
}
