package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// The bounds of one answer.
const (
	MaxBody  = 64 << 20 // bytes of a body, streamed or not
	MaxText  = 24 << 20 // bytes of text or thinking
	MaxArgs  = 4 << 20  // bytes of arguments of one call
	MaxCalls = 128      // calls of one answer
	maxError = 64 << 10 // bytes read of an error's body
)

// The limits that zero fields of [Limits] take.
const (
	defaultConnect    = 60 * time.Second
	defaultFirstToken = 120 * time.Second
	defaultIdle       = 90 * time.Second
	afterFinish       = 3 * time.Second       // a finished stream may still send its usage
	drainFor          = 20 * time.Millisecond // for the end of a body, to keep its connection
)

// NewClient returns the HTTP client for providers: its own pool of kept
// connections, no redirects (a key must not follow one), no compression (it
// holds a stream back). HTTP_PROXY and its like apply, except on loopback. The
// time limits of an answer are [Limits], not the client's.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          1024,
			MaxIdleConnsPerHost:   512,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   15 * time.Second,
			ExpectContinueTimeout: time.Second,
			DisableCompression:    true,
			WriteBufferSize:       32 << 10,
			ReadBufferSize:        8 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// limitError says which limit passed.
type limitError struct {
	what string
	d    time.Duration
}

func (e *limitError) Error() string { return fmt.Sprintf("%s within %s", e.what, e.d) }

// Call is one exchange with a service, under the limits of its Config. Build
// it with Open; Close it always.
type Call struct {
	Response *http.Response
	Body     io.Reader // bounded by MaxBody

	op, provider string
	secrets      []string
	ctx          context.Context
	cancel       context.CancelCauseFunc
	timer        *time.Timer
	stage        *limitError // what the running timer waits for
	idle         *limitError
}

// Open posts body to url and waits for an answer with status 2xx; any other
// outcome is a classified error.
func Open(ctx context.Context, c *http.Client, op string, cfg Config, address string, header http.Header, body []byte) (*Call, error) {
	x := &Call{op: op, provider: cfg.ID, secrets: []string{cfg.APIKey}}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	l := cfg.Limits.orDefault()
	first := &limitError{"no content arrived", l.FirstToken}
	x.idle = &limitError{"the answer stalled: no further content arrived", l.Idle}
	x.arm(&limitError{"the service didn't answer", l.Connect})

	method := http.MethodPost
	var r io.Reader = bytes.NewReader(body)
	if body == nil {
		method, r = http.MethodGet, nil
	}
	req, err := http.NewRequestWithContext(x.ctx, method, address, r)
	if err != nil {
		x.Close()
		return nil, &fault.Error{Kind: fault.Invalid, Op: op, Hint: cfg.ID + ": the baseUrl isn't a valid address"}
	}
	req.Header = header
	res, err := c.Do(req) //nolint:bodyclose // Call.Close does
	if err != nil {
		err = Unreachable(x.ctx, op, cfg.ID, err)
		x.Close()
		return nil, err
	}
	x.Response, x.Body = res, &bounded{r: res.Body, left: MaxBody}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxError)) // what arrived is enough
		err = Refused(op, cfg.ID, res.StatusCode, res.Header, text, x.secrets...)
		x.Close()
		return nil, err
	}
	x.arm(first)
	return x, nil
}

func (l Limits) orDefault() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&l.Connect, defaultConnect)
	def(&l.FirstToken, defaultFirstToken)
	def(&l.Idle, defaultIdle)
	return l
}

// arm starts the wait for the next stage.
func (x *Call) arm(stage *limitError) {
	if x.stage == stage {
		x.timer.Reset(stage.d)
		return
	}
	if x.timer != nil {
		x.timer.Stop()
	}
	x.stage = stage
	x.timer = time.AfterFunc(stage.d, func() { x.cancel(stage) })
}

// Progress tells that real content came: the wait for more starts anew.
func (x *Call) Progress() { x.arm(x.idle) }

// Pause stops the clock while the consumer works; Progress starts it again.
func (x *Call) Pause() { x.timer.Stop() }

// Finished tells that the answer is complete and only its usage may follow.
func (x *Call) Finished() {
	x.arm(&limitError{"the stream stayed open: nothing followed its end", afterFinish})
}

// Err classifies an error of reading Body.
func (x *Call) Err(err error) error {
	if errors.Is(err, errTooMuch) {
		return Garbled(x.op, x.provider, "the answer is larger than the limit of 64 MiB")
	}
	return Unreachable(x.ctx, x.op, x.provider, err)
}

// Refused classifies an error object that came with status 200.
func (x *Call) Refused(object []byte) error {
	return Refused(x.op, x.provider, 0, x.Response.Header, object, x.secrets...)
}

// Garbled is the error of an answer that can't be read.
func (x *Call) Garbled(what string) error { return Garbled(x.op, x.provider, what) }

// Drain reads on to the body's end, for a moment only, so that the connection
// can be used again.
func (x *Call) Drain() {
	x.arm(&limitError{"drain", drainFor})
	_, _ = io.CopyN(io.Discard, x.Body, 64<<10) // either way the call is over
}

// Close ends the call.
func (x *Call) Close() {
	x.timer.Stop()
	x.cancel(nil)
	if x.Response != nil {
		_ = x.Response.Body.Close() // nothing more is wanted of it
	}
}

var errTooMuch = errors.New("body too large")

// bounded fails past its limit, where io.LimitReader would feign an end.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Join appends path to the base URL of a service.
func Join(base, path string) string {
	base, query, _ := strings.Cut(base, "?")
	out := strings.TrimRight(base, "/") + path
	if query != "" {
		out += "?" + query
	}
	return out
}

// Host is the host of a base URL, lower case, or "".
func Host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
