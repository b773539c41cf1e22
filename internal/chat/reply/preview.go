package reply

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Preview shows a message while it is being made: it sends what there is and
// changes it, at a bounded rate, until it is stopped. Its fields are set before
// the first Show.
type Preview struct {
	Channel  channel.Channel // with an [channel.Editor]
	Template msg.Outbound
	Split    func(text string) []string // the first part is shown
	// Note stores durably which message is the preview; "" forgets it.
	Note func(ctx context.Context, m id.Message) error
	// Free reports whether nothing older waits for the same chat.
	Free func(ctx context.Context) bool
	// Native has answers shown in the network's own way where it has one.
	Native bool
	Every  time.Duration // between changes; 0 is a second
	Log    *slog.Logger

	mu     sync.Mutex
	text   string        // what to show
	reply  id.Message    // what it answers
	poke   chan struct{} // not nil while the loop runs; one value covers all changes
	cancel context.CancelFunc
	done   chan struct{}
	shown  id.Message
	dead   bool // the network doesn't want it

	// The network's own way, where it has one: text is added, never changed.
	stream   channel.Stream
	told     string // what it shows
	noStream bool   // it doesn't want that here
}

// least is how many characters a first preview has, so that what people are
// notified with says something.
const least = 30

// Continue takes up the preview that an earlier process left.
func (p *Preview) Continue(m id.Message) { p.shown = m }

// Show has text shown, in answer to the message reply if that isn't "".
func (p *Preview) Show(ctx context.Context, text string, reply id.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.reply = text, reply
	if p.dead {
		return
	}
	if p.poke == nil {
		p.poke, p.done = make(chan struct{}, 1), make(chan struct{})
		var run context.Context
		run, p.cancel = context.WithCancel(ctx)
		go p.loop(run, p.poke, p.done, p.shown)
	}
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// Stop ends the changes and returns the message that is shown, "" when none is.
// A later Show begins another one.
func (p *Preview) Stop() id.Message {
	p.mu.Lock()
	done := p.done
	if done != nil {
		p.cancel()
	}
	p.mu.Unlock()
	if done != nil {
		<-done // sends are never cut, so that what is shown is known
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.shown
	p.shown, p.poke, p.done, p.dead = "", nil, nil, false
	return m
}

func (p *Preview) loop(ctx context.Context, poke <-chan struct{}, done chan<- struct{}, shown id.Message) {
	defer close(done)
	last := ""
	for {
		select {
		case <-poke:
		case <-ctx.Done():
			return
		}
		text, reply := p.latest()
		if text == "" || text == last || last == "" && shown == "" && (utf8.RuneCountInString(text) < least || !p.Free(ctx)) {
			continue
		}
		wait, err := p.show(ctx, text, reply, &shown)
		if err != nil && ctx.Err() == nil {
			p.Log.DebugContext(ctx, "preview not shown", "channel", p.Template.To.Channel, "err", err)
		}
		if wait < 0 {
			p.mu.Lock()
			p.dead = true
			p.mu.Unlock()
			return
		}
		if err == nil {
			last = text
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// latest is what to show now.
func (p *Preview) latest() (text string, reply id.Message) {
	p.mu.Lock()
	text, reply = p.text, p.reply
	p.mu.Unlock()
	if parts := p.Split(text); len(parts) > 0 {
		return parts[0], reply
	}
	return "", reply
}

// show sends or changes the message and returns how long to leave it then; less
// than zero is for good.
func (p *Preview) show(ctx context.Context, text string, reply id.Message, shown *id.Message) (wait time.Duration, err error) {
	const longest = 20 * time.Second
	every := p.Every
	if every == 0 {
		every = time.Second
	}
	if p.stream != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		return every, p.append(ctx, text)
	}
	if *shown == "" {
		out := p.Template
		out.ID, out.Text, out.ReplyTo = id.NewDelivery(), text, reply
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
		defer cancel()
		if p.begin(ctx, out) {
			return every, nil
		}
		r, err := p.Channel.Send(ctx, out)
		if err == nil && len(r.IDs) == 0 {
			return -1, nil // it can't be changed later
		}
		if err == nil {
			*shown = r.IDs[0]
			err = p.Note(ctx, *shown)
			p.mu.Lock()
			p.shown = *shown
			p.mu.Unlock()
			return every, err
		}
		if _, doubt := errors.AsType[channel.InDoubt](err); doubt {
			return -1, err
		}
		return p.after(err, every), err
	}
	e, ok := channel.As[channel.Editor](p.Channel)
	if !ok {
		return -1, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := e.Edit(ctx, p.Template.To, *shown, text); err != nil {
		return p.after(err, every), err
	}
	return every, nil
}

// begin shows out in the network's own way; false is that it has none here.
func (p *Preview) begin(ctx context.Context, out msg.Outbound) bool {
	c, ok := channel.As[channel.Streamer](p.Channel)
	if !ok || p.noStream || !p.Native {
		return false
	}
	s, err := c.Stream(ctx, out)
	if err != nil {
		p.noStream = true
		p.Log.DebugContext(ctx, "answer not streamed", "channel", out.To.Channel, "err", err)
		return false
	}
	p.stream, p.told = s, out.Text
	return true
}

// append adds what is new of text. A text that doesn't go on from what is shown
// waits for the end.
func (p *Preview) append(ctx context.Context, text string) error {
	more, ok := strings.CutPrefix(text, p.told)
	if !ok || more == "" {
		return nil
	}
	if err := p.stream.Append(ctx, more); err != nil {
		return err
	}
	p.told = text
	return nil
}

// Complete makes text the final one of a message that was shown in the
// network's own way, and reports whether it now shows it. When it can't, the
// message is taken back. It is called after Stop.
func (p *Preview) Complete(ctx context.Context, text string) bool {
	s := p.stream
	if s == nil {
		return false
	}
	const longest = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	defer cancel()
	var err error
	if strings.HasPrefix(text, p.told) {
		if err = p.append(ctx, text); err == nil {
			_, err = s.Close(ctx)
		}
	} else {
		err = errors.New("it isn't what was shown")
	}
	p.stream, p.told = nil, ""
	if err == nil {
		return true
	}
	p.Log.DebugContext(ctx, "streamed answer taken back", "channel", p.Template.To.Channel, "err", err)
	if err := s.Drop(ctx); err != nil {
		p.Log.WarnContext(ctx, "a streamed answer can't be taken back", "channel", p.Template.To.Channel, "err", err)
	}
	return false
}

// Abandon takes back what was shown in the network's own way; with keep it
// stays as it is. It is called after Stop.
func (p *Preview) Abandon(ctx context.Context, keep bool) {
	if !keep {
		p.Complete(ctx, "")
		return
	}
	p.Complete(ctx, p.told)
}

// after is how long to wait after err.
func (p *Preview) after(err error, every time.Duration) time.Duration {
	if ra, ok := errors.AsType[channel.RetryAfter](err); ok {
		return max(ra.After, every)
	}
	switch fault.KindOf(err) {
	case fault.Unavailable, fault.RateLimited, fault.Timeout, fault.Canceled:
		return 5 * every
	}
	return -1
}
