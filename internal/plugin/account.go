package plugin

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// account is one account of a plugin's channel.
type account struct {
	plugin  Manifest
	about   Channel
	env     channel.Env
	config  json.RawMessage
	opts    Options
	data    string
	log     *slog.Logger
	dialect *markdown.Dialect // nil is Markdown as it is

	mu    sync.Mutex
	cur   *process      // nil while none is ready
	came  chan struct{} // closed when one becomes ready; nil when nobody waits
	steps chan channel.LoginStep
}

var (
	_ channel.Channel  = (*account)(nil)
	_ channel.Splitter = (*account)(nil)
	_ channel.Prober   = (*account)(nil)
)

// Limits implements [channel.Channel].
func (a *account) Limits() channel.Limits {
	l := a.about.Limits
	u, _ := units(l.Unit)
	return channel.Limits{Text: l.Text, Unit: u, Idempotent: l.Idempotent, Media: l.Media, Polls: l.Polls, Voice: l.Voice}
}

// Split implements [channel.Splitter].
func (a *account) Split(s string) []string {
	l := a.Limits()
	if l.Text == 0 {
		return []string{s}
	}
	size := map[channel.Unit]func(string) int{channel.UTF16: text.UTF16, channel.Bytes: text.Bytes, channel.Runes: text.Runes}[l.Unit]
	if a.dialect == nil {
		return markdown.Split(s, l.Text, markdown.Rendered(markdown.Plain(), size))
	}
	return markdown.Split(s, l.Text, markdown.Rendered(*a.dialect, size))
}

// render brings a text into the network's form.
func (a *account) render(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if a.dialect == nil {
		return s
	}
	return markdown.Render(markdown.Parse(s), a.dialect)
}

// Run keeps the program running until ctx ends. One that ends is started
// again, with growing pauses.
func (a *account) Run(ctx context.Context, recv channel.Receiver) error {
	again := backoff.Backoff{Policy: a.opts.Timing.Retry}
	for {
		began := time.Now()
		err := a.live(ctx, recv)
		if ctx.Err() != nil {
			return nil
		}
		a.status(err)
		if k := fault.KindOf(err); k == fault.Unauthenticated {
			return err
		}
		if time.Since(began) > time.Minute {
			again.Reset()
		}
		wait := again.Next()
		a.log.WarnContext(ctx, "the plugin ended, starting it again", "plugin", a.plugin.ID, "err", err, "in", wait)
		if backoff.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// live is one life of the program.
func (a *account) live(ctx context.Context, recv channel.Receiver) error {
	ctx, cancel := context.WithCancel(ctx)
	in := newInbox(a, recv)
	var wg sync.WaitGroup
	defer wg.Wait()
	p, err := a.launch(ctx, in.handle)
	if err != nil {
		cancel()
		return err
	}
	wg.Go(func() { in.run(ctx) })
	defer p.stop(a.opts.Timing.Stop) //nolint:contextcheck // ending takes its own time
	defer cancel()                   // nothing is stored from here on, so nothing is confirmed
	if err := a.begin(ctx, p); err != nil {
		return err
	}
	a.set(p)
	defer a.set(nil)
	in.open()
	select {
	case <-ctx.Done():
		return nil
	case err := <-in.fatal:
		return err
	case <-p.conn.done:
		p.conn.mu.Lock()
		defer p.conn.mu.Unlock()
		return &fault.Error{Kind: fault.Unavailable, Op: "plugin.Run", Hint: "the plugin " + a.plugin.ID + " stopped; the log tells what it said", Err: p.conn.err}
	}
}

func (a *account) set(p *process) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cur = p
	if p != nil && a.came != nil {
		close(a.came)
		a.came = nil
	}
}

// await waits a moment for a program that is just starting: whoever wants to
// log in begins as soon as the gateway is up.
func (a *account) await(ctx context.Context) (*process, error) {
	a.mu.Lock()
	p := a.cur
	if p == nil && a.came == nil {
		a.came = make(chan struct{})
	}
	came := a.came
	a.mu.Unlock()
	if p != nil {
		return p, nil
	}
	limit := time.NewTimer(min(a.opts.Timing.Start, 15*time.Second))
	defer limit.Stop()
	select {
	case <-came:
	case <-limit.C:
	case <-ctx.Done():
	}
	return a.process()
}

func (a *account) process() (*process, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cur == nil {
		return nil, fault.New(fault.Unavailable, "plugin", "the plugin "+a.plugin.ID+" isn't running")
	}
	return a.cur, nil
}

func (a *account) status(err error) {
	if a.env.Status != nil {
		a.env.Status(err)
	}
}

// call asks the running program.
func (a *account) call(ctx context.Context, method string, params, result any) error {
	p, err := a.process()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, a.opts.Timing.Call)
	defer cancel()
	return p.conn.call(ctx, method, params, result)
}

// Probe implements [channel.Prober].
func (a *account) Probe(ctx context.Context) error {
	return a.call(ctx, "channel.probe", struct{}{}, nil)
}

// login takes the steps that the program names until it says that it is done.
func (a *account) login(ctx context.Context, step func(channel.LoginStep)) error {
	steps := make(chan channel.LoginStep, 16) // codes that nobody has looked at; older ones are void
	a.mu.Lock()
	if a.steps != nil {
		a.mu.Unlock()
		return fault.New(fault.Conflict, "plugin.login", "somebody is logging in already")
	}
	a.steps = steps
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.steps = nil
		a.mu.Unlock()
	}()
	p, err := a.await(ctx)
	if err != nil {
		return err
	}
	var first wireStep
	if err := a.call(ctx, "channel.login.start", struct{}{}, &first); err != nil {
		return err
	}
	next := first.step()
	for {
		if next != (channel.LoginStep{}) {
			step(next)
		}
		if next.Done {
			return nil
		}
		select {
		case next = <-steps:
			if next.Text != "" && !next.Done && next.QR == "" && next.Code == "" {
				return fault.New(fault.Unavailable, "plugin.login", next.Text)
			}
		case <-p.conn.done:
			return fault.New(fault.Unavailable, "plugin.login", "the plugin stopped during the login; try again")
		case <-ctx.Done():
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.opts.Timing.Stop)
			defer cancel()
			_ = p.conn.call(stop, "channel.login.cancel", struct{}{}, nil)
			return ctx.Err()
		}
	}
}

// wireStep is [channel.LoginStep] on the wire.
type wireStep struct {
	QR   string `json:"qr,omitempty"`
	Code string `json:"code,omitempty"`
	Text string `json:"text,omitempty"`
	Done bool   `json:"done,omitempty"`
}

func (s wireStep) step() channel.LoginStep {
	return channel.LoginStep{QR: s.QR, Code: s.Code, Text: text.Preview(s.Text, 300), Done: s.Done}
}

// outbound is a message as the program gets it.
type outbound struct {
	ID          string      `json:"id"`
	To          msg.Address `json:"to"`
	Text        string      `json:"text,omitempty"` // in the manifest's format
	ReplyTo     string      `json:"replyTo,omitempty"`
	Attachments []file      `json:"attachments,omitempty"`
	Poll        *msg.Poll   `json:"poll,omitempty"`
	Voice       bool        `json:"voice,omitempty"`
	Quiet       bool        `json:"quiet,omitempty"`
	Doubt       bool        `json:"doubt,omitempty"` // an earlier try may have shown it
}

// Send implements [channel.Channel].
func (a *account) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	const op = "plugin.Send"
	o := outbound{ID: string(out.ID), To: out.To, ReplyTo: string(out.ReplyTo), Poll: out.Poll, Voice: out.Voice, Quiet: out.Quiet, Doubt: out.Doubt}
	if strings.TrimSpace(out.Text) != "" {
		o.Text = a.render(out.Text)
	}
	if strings.TrimSpace(o.Text) == "" && len(out.Attachments) == 0 && out.Poll == nil {
		return msg.Receipt{}, fault.New(fault.Invalid, op, "there is nothing to send")
	}
	if s := string(out.To.Peer); s == "" || len(s) > idMax || strings.ContainsAny(s, "\r\n\x00") {
		return msg.Receipt{}, fault.New(fault.Invalid, op, "that isn't an address")
	}
	p, err := a.process()
	if err != nil {
		return msg.Receipt{}, err
	}
	for _, at := range out.Attachments {
		f, err := a.handOver(ctx, p, at)
		if f.drop != nil {
			defer f.drop()
		}
		if err != nil {
			return msg.Receipt{}, err
		}
		o.Attachments = append(o.Attachments, f)
	}
	var r msg.Receipt
	if err := a.call(ctx, "channel.send", o, &r); err != nil {
		return msg.Receipt{}, err
	}
	if r.At.IsZero() {
		r.At = time.Now()
	}
	return r, nil
}
