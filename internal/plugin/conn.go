package plugin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	lineMax    = 4 << 20 // bytes of one line
	junkMax    = 100     // lines without sense before the program is given up
	callsMax   = 256     // requests waiting for an answer
	writeLimit = 10 * time.Second
)

// frame is one line, in either direction.
type frame struct {
	V      string          `json:"jsonrpc"`
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

// wireError is an error on the wire. Data tells what the caller can do about it.
type wireError struct {
	Code    int       `json:"code"`
	Message string    `json:"message"`
	Data    errorData `json:"data,omitzero"`
}

type errorData struct {
	Kind    string `json:"kind,omitempty"`
	RetryMs int64  `json:"retryAfterMs,omitempty"`
}

// conn is the lines between the host and one program.
type conn struct {
	w      io.WriteCloser
	log    *slog.Logger
	handle func(frame) // requests and notifications, in their order; must not block

	writing sync.Mutex

	mu    sync.Mutex
	next  int64
	calls map[int64]chan frame
	err   error
	done  chan struct{} // closed when nothing more is read
}

func newConn(w io.WriteCloser, log *slog.Logger, handle func(frame)) *conn {
	return &conn{w: w, log: log, handle: handle, calls: map[int64]chan frame{}, done: make(chan struct{})}
}

var errEnded = errors.New("the program ended")

// read reads lines until there are no more, or too many without sense.
func (c *conn) read(r io.Reader) {
	err := c.lines(r)
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

func (c *conn) lines(r io.Reader) error {
	br := bufio.NewReaderSize(r, 64<<10)
	junk := 0
	for {
		line, over, err := readLine(br)
		if err != nil {
			return errEnded
		}
		var f frame
		if over || json.Unmarshal(line, &f) != nil || !c.take(f) {
			if len(line) == 0 {
				continue
			}
			junk++
			c.log.Warn("a line of the plugin makes no sense", "line", text.Preview(string(line[:min(len(line), 200)]), 100), "tooLong", over)
			if junk > junkMax {
				return errors.New("the program writes lines that aren't the protocol's")
			}
		}
	}
}

// readLine returns the next line, without its end. Of one that is too long
// only the beginning is kept.
func readLine(br *bufio.Reader) (line []byte, over bool, err error) {
	for {
		piece, err := br.ReadSlice('\n')
		if len(line)+len(piece) <= lineMax {
			line = append(line, piece...)
		} else {
			over = true
		}
		switch {
		case err == nil:
			if !over {
				line = line[:len(line)-1]
			}
			return line, over, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// take handles one frame; false is one that makes no sense.
func (c *conn) take(f frame) bool {
	if f.V != "2.0" {
		return false
	}
	if f.Method != "" {
		c.handle(f)
		return true
	}
	var n int64
	if json.Unmarshal(f.ID, &n) != nil {
		return false
	}
	c.mu.Lock()
	ch := c.calls[n]
	delete(c.calls, n)
	c.mu.Unlock()
	if ch == nil {
		return true // an answer that nobody waits for any more
	}
	ch <- f
	return true
}

// call sends a request and waits for its answer.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fault.Wrap(fault.Invalid, method, err)
	}
	ch := make(chan frame, 1) // the one answer
	c.mu.Lock()
	if len(c.calls) >= callsMax {
		c.mu.Unlock()
		return fault.New(fault.Unavailable, method, "the plugin doesn't answer")
	}
	c.next++
	n := c.next
	c.calls[n] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, n)
		c.mu.Unlock()
	}()
	num, err := json.Marshal(n)
	if err != nil {
		return fault.Wrap(fault.Internal, method, err)
	}
	if err := c.write(frame{ID: num, Method: method, Params: raw}); err != nil {
		return doubt(method, err)
	}
	select {
	case f := <-ch:
		return answered(method, f, result)
	case <-c.done:
		select {
		case f := <-ch: // it came last
			return answered(method, f, result)
		default:
		}
		return doubt(method, errEnded)
	case <-ctx.Done():
		return doubt(method, ctx.Err())
	}
}

func doubt(method string, err error) error {
	return &fault.Error{Kind: fault.Unavailable, Op: method, Hint: "the plugin didn't answer", Err: channel.InDoubt{Err: err}}
}

func answered(method string, f frame, result any) error {
	if f.Error != nil {
		return f.Error.fault(method)
	}
	if result == nil || len(f.Result) == 0 {
		return nil
	}
	if err := json.Unmarshal(f.Result, result); err != nil {
		return &fault.Error{Kind: fault.Invalid, Op: method, Hint: "the plugin's answer can't be read", Err: err}
	}
	return nil
}

// write sends one frame. A program that doesn't read for long is broken.
func (c *conn) write(f frame) error {
	f.V = "2.0"
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if len(line) > lineMax {
		return fault.New(fault.Invalid, "plugin", "too much for one line")
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if d, ok := c.w.(interface{ SetWriteDeadline(t time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(writeLimit))
	}
	_, err = c.w.Write(append(line, '\n'))
	if err != nil {
		_ = c.w.Close()
	}
	return err
}

// answer answers a request of the program; a notification isn't answered.
func (c *conn) answer(f frame, result any, err error) {
	if len(f.ID) == 0 {
		return
	}
	out := frame{ID: f.ID}
	if err != nil {
		out.Error = &wireError{Code: -32000, Message: fault.Hint(err), Data: errorData{Kind: kindName(fault.KindOf(err))}}
	} else if out.Result, err = json.Marshal(result); err != nil {
		return
	}
	if err := c.write(out); err != nil {
		c.log.Debug("the plugin didn't take an answer", "err", err)
	}
}

func kinds() map[string]fault.Kind {
	return map[string]fault.Kind{
		"invalid": fault.Invalid, "unauthenticated": fault.Unauthenticated, "forbidden": fault.Forbidden, "notFound": fault.NotFound,
		"conflict": fault.Conflict, "rateLimited": fault.RateLimited, "unavailable": fault.Unavailable, "timeout": fault.Timeout,
	}
}

func kindName(k fault.Kind) string {
	for name, x := range kinds() {
		if x == k {
			return name
		}
	}
	return "unavailable"
}

// fault is the error as the rest of the program knows errors.
func (e *wireError) fault(method string) error {
	hint := text.Preview(e.Message, 300)
	var cause error
	retry := time.Duration(min(e.Data.RetryMs, int64(time.Hour/time.Millisecond))) * time.Millisecond
	if retry > 0 {
		cause = channel.RetryAfter{After: retry}
	}
	if e.Data.Kind == "inDoubt" {
		return &fault.Error{Kind: fault.Unavailable, Op: method, Hint: hint, Err: channel.InDoubt{Err: errors.New(hint)}}
	}
	kind, ok := kinds()[e.Data.Kind]
	if !ok {
		kind = fault.Unavailable
		if e.Code == -32601 || e.Code == -32602 || e.Code == -32600 {
			kind = fault.Invalid
		}
	}
	return &fault.Error{Kind: kind, Op: method, Hint: hint, Err: cause}
}
