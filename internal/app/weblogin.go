package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"sync"
	"time"

	"rsc.io/qr"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// webLogin links accounts by a QR code that a client shows.
type webLogin struct {
	channels *channels
	life     func() context.Context // ends with the gateway

	mu   sync.Mutex
	runs map[accountKey]*linking
}

// linking is one login that goes on.
type linking struct {
	cancel context.CancelFunc
	done   chan struct{} // closed at the end, before which err is set
	err    error

	mu      sync.Mutex
	last    channel.LoginStep
	changed chan struct{} // closed at the next step
}

const loginLimit = 3 * time.Minute

type loginParams struct {
	Force   bool       `json:"force,omitempty"`
	Timeout int        `json:"timeoutMs,omitempty" schema:"minimum=0"`
	Verbose bool       `json:"verbose,omitempty"`
	Account id.Account `json:"accountId,omitempty"`
}

type waitParams struct {
	Timeout int        `json:"timeoutMs,omitempty" schema:"minimum=0"`
	Account id.Account `json:"accountId,omitempty"`
}

type loginReply struct {
	Message   string `json:"message"`
	QR        string `json:"qrDataUrl,omitempty"`
	Text      string `json:"qrText,omitempty"` // the same for a terminal
	Connected bool   `json:"connected"`
}

func (w *webLogin) methods() []rpc.Method {
	return []rpc.Method{rpc.Handle("web.login.start", rpc.Admin, w.start), rpc.Handle("web.login.wait", rpc.Admin, w.wait)}
}

// find returns the account that can be linked.
func (w *webLogin) find(a id.Account) (accountKey, channel.Login, error) {
	if a == "" {
		a = id.DefaultAccount
	}
	for _, s := range w.channels.list() {
		if s.Account != a || s.Channeler == nil {
			continue
		}
		if l, ok := channel.As[channel.Login](s.Channeler); ok {
			return accountKey{s.Channel, s.Account}, l, nil
		}
	}
	return accountKey{}, nil, rpc.Invalid("web login provider is not available")
}

func (w *webLogin) start(ctx context.Context, _ *rpc.Caller, p loginParams) (loginReply, error) { //nolint:contextcheck // the login outlives the request that began it
	k, l, err := w.find(p.Account)
	if err != nil {
		return loginReply{}, err
	}
	w.mu.Lock()
	if w.runs == nil {
		w.runs = map[accountKey]*linking{}
	}
	r := w.runs[k]
	if r != nil && !p.Force && !r.ended() {
		w.mu.Unlock()
		return r.reply(ctx, wait(p.Timeout))
	}
	if r != nil {
		r.cancel()
	}
	run, cancel := context.WithTimeout(w.life(), loginLimit)
	r = &linking{cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	w.runs[k] = r
	w.mu.Unlock()
	go func() {
		defer close(r.done)
		defer cancel()
		r.err = l.Login(run, r.step)
	}()
	return r.reply(ctx, wait(p.Timeout))
}

func wait(ms int) time.Duration {
	if ms <= 0 {
		return 30 * time.Second
	}
	return min(time.Duration(ms)*time.Millisecond, loginLimit)
}

func (w *webLogin) wait(ctx context.Context, _ *rpc.Caller, p waitParams) (loginReply, error) {
	k, _, err := w.find(p.Account)
	if err != nil {
		return loginReply{}, err
	}
	w.mu.Lock()
	r := w.runs[k]
	w.mu.Unlock()
	if r == nil {
		return loginReply{Message: "No login goes on. Start one first."}, nil
	}
	select {
	case <-r.done:
		return r.now()
	case <-time.After(wait(p.Timeout)):
		return r.now()
	case <-ctx.Done():
		return loginReply{}, ctx.Err()
	}
}

func (r *linking) step(s channel.LoginStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = s
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *linking) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// reply waits for the first step.
func (r *linking) reply(ctx context.Context, limit time.Duration) (loginReply, error) {
	r.mu.Lock()
	have, changed := r.last != (channel.LoginStep{}), r.changed
	r.mu.Unlock()
	if !have {
		select {
		case <-changed:
		case <-r.done:
		case <-time.After(limit):
		case <-ctx.Done():
			return loginReply{}, ctx.Err()
		}
	}
	return r.now()
}

func (r *linking) now() (loginReply, error) {
	if r.ended() && r.err != nil {
		return loginReply{}, fault.New(fault.Unavailable, "web.login", fault.Hint(r.err))
	}
	r.mu.Lock()
	s := r.last
	r.mu.Unlock()
	out := loginReply{Message: s.Text, Text: s.QR, Connected: s.Done}
	if s.QR != "" {
		url, err := dataURL(s.QR)
		if err != nil {
			return out, err
		}
		out.QR, out.Message = url, "Scan this code with the phone: Settings, Linked devices, Link a device."
	} else if out.Message == "" {
		out.Message = "Still waiting."
	}
	return out, nil
}

// dataURL is the picture of a QR code.
func dataURL(s string) (string, error) {
	c, err := qr.Encode(s, qr.L)
	if err != nil {
		return "", fault.Wrap(fault.Internal, "web.login", err)
	}
	const scale, edge = 6, 4
	n := (c.Size + 2*edge) * scale
	img := image.NewPaletted(image.Rect(0, 0, n, n), color.Palette{color.White, color.Black})
	for y := range n {
		for x := range n {
			if c.Black(x/scale-edge, y/scale-edge) {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", fault.Wrap(fault.Internal, "web.login", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
