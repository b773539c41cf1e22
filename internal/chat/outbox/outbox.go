package outbox

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	units "github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// maxAge is how long a message may wait for its channel before it is given up.
const maxAge = 24 * time.Hour

// usualDelays are the waits before the second to fifth try.
func usualDelays() []time.Duration {
	return []time.Duration{5 * time.Second, 25 * time.Second, 2 * time.Minute, 10 * time.Minute}
}

// repeated marks a message that may have been shown before: the process ended
// between handing it to the network and noting that it arrived.
const repeated = "(may be a repeat) "

// doubtful begins the reason of a retry of a message that may have been shown.
const doubtful = "in doubt: "

// Outbox delivers messages. Its fields are set before the first Attach.
type Outbox struct {
	Store Store
	Bus   *event.Bus
	Log   *slog.Logger
	Delay []time.Duration // nil is what is usual
	// Failed is told about a message that was given up, so that its session
	// learns it; may be nil.
	Failed func(ctx context.Context, out msg.Outbound, reason string)

	mu    sync.Mutex
	lines map[key]*line
}

type key struct {
	channel id.Channel
	account id.Account
}

// line is the way to one account.
type line struct {
	ch    channel.Channel
	wake  chan struct{}
	ready bool // connected
	back  bool // since a moment ago
	wait  map[id.Delivery][]chan error
}

// Attach makes c the way to its account and delivers to it until detach is
// called. Nothing is sent before [Outbox.Ready] says that it is connected.
func (o *Outbox) Attach(ctx context.Context, k id.Channel, a id.Account, c channel.Channel) (detach func()) {
	l := &line{ch: c, wake: make(chan struct{}, 1)} // one wake-up covers any number of messages
	kk := key{k, a}
	o.mu.Lock()
	if o.lines == nil {
		o.lines = map[key]*line{}
	}
	o.lines[kk] = l
	o.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { o.deliver(ctx, kk, l) })
	return func() {
		cancel()
		wg.Wait()
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.lines[kk] == l {
			delete(o.lines, kk)
		}
	}
}

// Ready tells whether an account is connected.
func (o *Outbox) Ready(k id.Channel, a id.Account, ready bool) {
	o.mu.Lock()
	l := o.lines[key{k, a}]
	if l != nil {
		l.back = ready && (l.back || !l.ready)
		l.ready = ready
	}
	o.mu.Unlock()
	if ready && l != nil {
		l.poke()
	}
}

func (l *line) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Channel returns the attached channel of an account.
func (o *Outbox) Channel(k id.Channel, a id.Account) (channel.Channel, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.lines[key{k, a}]
	if l == nil {
		return nil, false
	}
	return l.ch, true
}

// Channels lists the kinds that are attached, sorted.
func (o *Outbox) Channels() []id.Channel {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []id.Channel
	for k := range o.lines {
		if !slices.Contains(out, k.channel) {
			out = append(out, k.channel)
		}
	}
	slices.Sort(out)
	return out
}

// Send stores outs for delivery and returns.
func (o *Outbox) Send(ctx context.Context, outs ...msg.Outbound) error {
	for i := range outs {
		if outs[i].ID == "" {
			outs[i].ID = id.NewDelivery()
		}
	}
	o.Log.DebugContext(ctx, "outbox.Send", "n", len(outs))
	if err := o.Store.PutOutbound(ctx, outs...); err != nil {
		return err
	}
	o.Kick(outs)
	return nil
}

// Queued is the error of a message that is stored and goes out later.
type Queued struct{ Err error }

func (e Queued) Error() string { return "queued: " + e.Err.Error() }

// Unwrap returns why it didn't go out at once.
func (e Queued) Unwrap() error { return e.Err }

// SendWait stores one message, and waits for its first delivery attempt. A
// [Queued] error says that the message stays stored and is tried again; any
// other is final. A message with the same ID is delivered once, however often and
// over whichever restarts it is sent.
func (o *Outbox) SendWait(ctx context.Context, out msg.Outbound) error {
	if out.ID == "" {
		out.ID = id.NewDelivery()
	}
	o.mu.Lock()
	l := o.lines[key{out.To.Channel, out.To.Account}]
	if l == nil {
		o.mu.Unlock()
		return fault.New(fault.Unavailable, "outbox.SendWait", "channel "+string(out.To.Channel)+" is not running; see openclaw channels status")
	}
	if l.wait == nil {
		l.wait = map[id.Delivery][]chan error{}
	}
	done := make(chan error, 1)
	l.wait[out.ID] = append(l.wait[out.ID], done)
	ready := l.ready
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		l.wait[out.ID] = slices.DeleteFunc(l.wait[out.ID], func(c chan error) bool { return c == done })
		if len(l.wait[out.ID]) == 0 {
			delete(l.wait, out.ID)
		}
	}()
	storing := context.WithoutCancel(ctx) // the caller's patience ends the waiting, not the storing
	if err := o.Send(storing, out); err != nil {
		return err
	}
	switch it, ok, err := o.Store.Outbound(storing, out.ID); {
	case err != nil:
		return err
	case ok && it.State == Sent: // a repeated call, or a fast network
		return nil
	case ok && it.State == Failed:
		return fault.New(fault.Unavailable, "outbox.SendWait", it.Reason)
	}
	if !ready {
		return Queued{fault.New(fault.Unavailable, "outbox.SendWait", "channel "+string(out.To.Channel)+" is not connected; the message goes out when it is")}
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return Queued{fault.New(fault.Timeout, "outbox.SendWait", "channel "+string(out.To.Channel)+" takes its time; the message goes out when it can")}
	}
}

// Waits reports whether something waits to be delivered to the peer at to.
func (o *Outbox) Waits(ctx context.Context, to msg.Address) bool {
	waits, err := o.Store.WaitsOutbound(ctx, to.Channel, to.Account, to.Peer)
	return waits || err != nil
}

// Kick has messages that were stored elsewhere delivered now.
func (o *Outbox) Kick(outs []msg.Outbound) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, out := range outs {
		if l := o.lines[key{out.To.Channel, out.To.Account}]; l != nil {
			l.poke()
		}
	}
}

// Flush waits until nothing is being handed to a network, at most limit.
func (o *Outbox) Flush(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for o.busy(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// busy reports whether a message of a connected account is due.
func (o *Outbox) busy(ctx context.Context) bool {
	open, err := o.Store.OpenOutbound(ctx)
	if err != nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, it := range open {
		l := o.lines[key{it.Out.To.Channel, it.Out.To.Account}]
		if l != nil && l.ready && !it.Next.After(time.Now()) {
			return true
		}
	}
	return false
}

// Split cuts a text for the channel at to.
func (o *Outbox) Split(to msg.Address, text string) []string {
	c, ok := o.Channel(to.Channel, to.Account)
	if !ok {
		return []string{text}
	}
	if s, ok := channel.As[channel.Splitter](c); ok {
		return s.Split(text)
	}
	l := c.Limits()
	size := map[channel.Unit]func(string) int{channel.UTF16: units.UTF16, channel.Bytes: units.Bytes, channel.Runes: units.Runes}[l.Unit]
	return markdown.Split(text, l.Text, func(n *markdown.Node) int { return size(markdown.Source(n)) })
}

// deliver sends what is due, one message at a time and in order, until ctx
// ends.
func (o *Outbox) deliver(ctx context.Context, k key, l *line) {
	for {
		o.mu.Lock()
		ready, back := l.ready, l.back
		l.back = false
		o.mu.Unlock()
		next := time.Minute
		if ready {
			if back {
				o.sweep(ctx, k, l)
			}
			items, err := o.Store.DueOutbound(ctx, k.channel, k.account, time.Now(), 16)
			if err != nil && ctx.Err() == nil {
				o.Log.ErrorContext(ctx, "outbox can't be read", "err", err)
			}
			for _, it := range items {
				o.one(ctx, l, it)
			}
			if len(items) > 0 && ctx.Err() == nil {
				continue
			}
			next = o.pause(ctx, k)
		}
		t := time.NewTimer(next)
		select {
		case <-t.C:
		case <-l.wake:
		case <-ctx.Done():
			t.Stop()
			return
		}
		t.Stop()
	}
}

// pause is how long nothing of k is due; an idle outbox sleeps for an hour.
func (o *Outbox) pause(ctx context.Context, k key) time.Duration {
	open, err := o.Store.OpenOutbound(ctx)
	if err != nil {
		return time.Minute
	}
	next := time.Hour
	for _, it := range open {
		if it.Out.To.Channel == k.channel && it.Out.To.Account == k.account {
			next = min(next, max(time.Until(it.Next), 10*time.Millisecond))
		}
	}
	return next
}

// one delivers one message. What happened is noted whether or not ctx ended.
func (o *Outbox) one(ctx context.Context, l *line, it Item) {
	note := context.WithoutCancel(ctx)
	if time.Since(it.Stored) > maxAge {
		o.fail(note, l, it, fault.New(fault.Timeout, "outbox", "the channel was not reachable for a day"))
		return
	}
	out := it.Out
	doubt := it.State == Sending || strings.HasPrefix(it.Reason, doubtful)
	if err := o.Store.SendingOutbound(note, out.ID); err != nil {
		o.Log.ErrorContext(ctx, "delivery can't be marked, not sent", "delivery", out.ID, "err", err)
		return
	}
	r, err := hand(ctx, l.ch, out, doubt)
	if err == nil {
		if err := o.Store.SentOutbound(note, out.ID, r); err != nil {
			o.Log.ErrorContext(ctx, "delivery can't be noted", "delivery", out.ID, "err", err)
		}
		o.Bus.Publish(event.MessageSent{Out: out, Receipt: r})
		o.tell(l, out.ID, nil)
		return
	}
	if ctx.Err() != nil {
		// The stop cut the attempt: in doubt, as after a crash.
		return
	}
	delays := o.Delay
	if delays == nil {
		delays = usualDelays()
	}
	if passing(err) {
		if it.Tries >= len(delays) {
			o.fail(note, l, it, err)
			return
		}
		wait := delays[it.Tries]
		if ra, ok := errors.AsType[channel.RetryAfter](err); ok && ra.After > wait {
			wait = ra.After
		}
		reason := err.Error()
		if _, now := errors.AsType[channel.InDoubt](err); doubt || now {
			reason = doubtful + reason
		}
		o.Log.WarnContext(ctx, "delivery failed, trying again", "delivery", out.ID, "channel", out.To.Channel, "in", wait, "err", err)
		if err := o.Store.RetryOutbound(note, out.ID, time.Now().Add(wait), reason); err != nil {
			o.Log.ErrorContext(ctx, "retry can't be noted", "delivery", out.ID, "err", err)
		}
		o.tell(l, out.ID, Queued{err})
		return
	}
	o.fail(note, l, it, err)
}

// fail gives a message up, visibly.
func (o *Outbox) fail(ctx context.Context, l *line, it Item, err error) {
	o.Log.ErrorContext(ctx, "delivery given up", "delivery", it.Out.ID, "channel", it.Out.To.Channel, "err", err)
	if err := o.Store.FailOutbound(ctx, it.Out.ID, err.Error()); err != nil {
		o.Log.ErrorContext(ctx, "failure can't be noted", "delivery", it.Out.ID, "err", err)
	}
	if o.Failed != nil {
		o.Failed(ctx, it.Out, fault.Hint(err))
	}
	o.Bus.Publish(event.MessageFailed{Out: it.Out, Err: err})
	o.tell(l, it.Out.ID, err)
}

func (o *Outbox) tell(l *line, d id.Delivery, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, done := range l.wait[d] {
		done <- err
	}
	delete(l.wait, d)
}
