package inbox

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// maxTries is how often a message is taken up before it is set aside.
const maxTries = 5

// Inbox accepts messages. Its fields are set before the first Accept.
type Inbox struct {
	Store Store
	Bus   *event.Bus
	// Handle takes the messages of one conversation that belong together, in
	// order. It returns nil once they are somebody else's to finish
	// (Store.Finish); an error has them handed over again.
	Handle func(ctx context.Context, items []Item) error
	// Poisoned is told about a message that was set aside.
	Poisoned func(ctx context.Context, it Item, reason string)
	// Debounce is how long to wait for more from the same sender; 0 is not at
	// all.
	Debounce func(in msg.Inbound) time.Duration
	// Urgent tells what doesn't wait for more besides media and commands: what
	// stops a run. Nil is nothing.
	Urgent func(in msg.Inbound) bool
	Log    *slog.Logger

	mu     sync.Mutex
	convs  map[string]*conv
	closed bool
	wg     sync.WaitGroup
	stop   chan struct{}
}

// conv is one conversation; its worker keeps the order of its messages.
type conv struct {
	items []pending
	wake  chan struct{} // something arrived; one is enough
}

type pending struct {
	Item
	recovered bool
	at        time.Time
}

// Accept stores in and passes it on. A nil error means that it is stored, and
// that it, or its first delivery, will be answered.
func (b *Inbox) Accept(ctx context.Context, in msg.Inbound) error {
	_, err := b.Put(ctx, in)
	return err
}

// Put is Accept for callers that want to know whether in was new.
func (b *Inbox) Put(ctx context.Context, in msg.Inbound) (fresh bool, err error) {
	b.Log.DebugContext(ctx, "inbox.Accept", "key", in.DedupeKey())
	fresh, err = b.Store.PutInbound(ctx, in)
	if err != nil || !fresh {
		return false, err
	}
	b.Bus.Publish(event.MessageReceived{In: in})
	b.pass(ctx, pending{Item: Item{Key: in.DedupeKey(), In: in}, at: time.Now()})
	return true, nil
}

// Pass hands on messages that [Store.Finish] stored as what comes of others.
func (b *Inbox) Pass(ctx context.Context, ins []msg.Inbound) {
	for _, in := range ins {
		b.pass(ctx, pending{Item: Item{Key: in.DedupeKey(), In: in}, at: time.Now()})
	}
}

// Recover passes on what an earlier process stored and didn't finish.
func (b *Inbox) Recover(ctx context.Context) (n int, err error) {
	items, err := b.Store.OpenInbound(ctx)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		b.pass(ctx, pending{Item: it, recovered: true})
	}
	return len(items), nil
}

// Close stops passing messages on; Accept goes on storing them. It returns when
// no Handle is running.
func (b *Inbox) Close() {
	b.mu.Lock()
	b.closed = true
	if b.stop != nil {
		close(b.stop)
		b.stop = nil
	}
	b.mu.Unlock()
	b.wg.Wait()
}

func (b *Inbox) pass(ctx context.Context, p pending) {
	key := conversation(p.In)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return // stored; the next process takes it up
	}
	if b.convs == nil {
		b.convs = map[string]*conv{}
		b.stop = make(chan struct{})
	}
	c := b.convs[key]
	if c == nil {
		c = &conv{wake: make(chan struct{}, 1)} // one wake-up covers any number of arrivals
		b.convs[key] = c
		ctx, stop := context.WithoutCancel(ctx), b.stop // the message is ours now, not its sender's
		b.wg.Go(func() { b.work(ctx, stop, key, c) })
	}
	c.items = append(c.items, p)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func conversation(in msg.Inbound) string {
	if in.Client != nil {
		return string(in.Client.Session)
	}
	a := in.At
	return strings.Join([]string{string(a.Channel), string(a.Account), string(a.Peer), string(a.Thread), string(in.From.ID), string(in.Agent)}, "\x00")
}

func (b *Inbox) work(ctx context.Context, stop chan struct{}, key string, c *conv) {
	for {
		batch := b.next(stop, key, c)
		if len(batch) == 0 {
			return
		}
		b.hand(ctx, stop, batch)
	}
}

// next waits out the debounce and takes the messages that belong together. It
// returns none when the conversation is over or the inbox closes.
func (b *Inbox) next(stop chan struct{}, key string, c *conv) []pending {
	for {
		b.mu.Lock()
		if len(c.items) == 0 || b.closed {
			delete(b.convs, key)
			b.mu.Unlock()
			return nil
		}
		n, wait := b.ripe(c.items)
		if wait <= 0 {
			batch := c.items[:n:n]
			c.items = c.items[n:]
			b.mu.Unlock()
			return batch
		}
		b.mu.Unlock()
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-c.wake:
		case <-stop:
		}
		t.Stop()
	}
}

// ripe returns how many messages at the head go together, and how long to wait
// before they do. Media and commands don't wait, and end the wait of others.
func (b *Inbox) ripe(items []pending) (n int, wait time.Duration) {
	first := items[0]
	d := b.Debounce(first.In)
	if d <= 0 || b.immediate(first) {
		return 1, 0
	}
	last := first
	for n = 1; n < len(items); n++ {
		if b.immediate(items[n]) {
			return n, 0
		}
		last = items[n]
	}
	now := time.Now()
	quiet := last.at.Add(d)
	if latest := first.at.Add(5 * d); quiet.After(latest) {
		quiet = latest
	}
	return n, quiet.Sub(now)
}

func (b *Inbox) immediate(p pending) bool {
	return p.recovered || p.In.Client != nil || p.In.Notice || p.In.Native || p.In.Agent != "" || len(p.In.Attachments) > 0 || strings.HasPrefix(strings.TrimSpace(p.In.Text), "/") ||
		p.In.Native || b.Urgent != nil && b.Urgent(p.In)
}

// hand hands a batch over, again and again while that fails, at most maxTries
// times over all processes.
func (b *Inbox) hand(ctx context.Context, stop chan struct{}, batch []pending) {
	items := make([]Item, len(batch))
	keys := make([]string, len(batch))
	count := false
	for i, p := range batch {
		items[i], keys[i] = p.Item, p.Key
		count = count || p.recovered
	}
	for delay := time.Second; ; delay *= 2 {
		if count {
			tries, err := b.Store.TryInbound(ctx, keys...)
			if err == nil && tries > maxTries {
				b.poison(ctx, items, "given up after 5 tries")
				return
			}
			for i := range items {
				items[i].Tries = max(tries, 1)
			}
		}
		err := b.Handle(ctx, items)
		if err == nil {
			return
		}
		count = true
		b.Log.ErrorContext(ctx, "message not handled, trying again", "key", keys[0], "in", delay, "err", err)
		t := time.NewTimer(delay)
		select {
		case <-t.C:
		case <-stop:
			t.Stop()
			return // open in the store: the next process takes it up
		}
	}
}

// Begin counts an attempt at recovered messages whose work begins.
func (b *Inbox) Begin(ctx context.Context, keys []string) {
	if _, err := b.Store.TryInbound(ctx, keys...); err != nil {
		b.Log.ErrorContext(ctx, "attempt not counted", "key", keys[0], "err", err)
	}
}

// Spare takes the last attempt at recovered messages back: they only wait, or
// the gateway ended in order. Neither is a reason to set them aside.
func (b *Inbox) Spare(ctx context.Context, keys []string) {
	if err := b.Store.UntryInbound(ctx, keys...); err != nil {
		b.Log.ErrorContext(ctx, "attempt not taken back", "key", keys[0], "err", err)
	}
}

func (b *Inbox) poison(ctx context.Context, items []Item, reason string) {
	for _, it := range items {
		if err := b.Store.PoisonInbound(ctx, it.Key, reason); err != nil {
			b.Log.ErrorContext(ctx, "message can't be set aside", "key", it.Key, "err", err)
			continue
		}
		b.Log.ErrorContext(ctx, "message set aside", "key", it.Key, "reason", reason)
		if b.Poisoned != nil {
			b.Poisoned(ctx, it, reason)
		}
	}
}
