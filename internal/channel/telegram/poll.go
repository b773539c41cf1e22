package telegram

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Keys of what a bot remembers.
const (
	offsetKey = "offset" // "<next update id> <Unix time of the last update>"
	asideKey  = "aside"  // the last update that couldn't be read
)

// idReset is how long after its last update Telegram may number anew; an old
// offset would then confirm unread updates.
const idReset = 6 * 24 * time.Hour

// Run polls, or is called, until ctx ends. It returns an error only when trying again can't
// help: Telegram doesn't accept the token.
func (b *bot) Run(ctx context.Context, recv channel.Receiver) error {
	a, err := b.api()
	if err != nil {
		b.status(err)
		return fault.Wrap(fault.Unauthenticated, "telegram.Run", err)
	}
	release, err := b.pollers.take(ctx, a.token, b.env.Account)
	if ctx.Err() != nil {
		if err == nil {
			release()
		}
		return nil
	}
	if err != nil {
		b.status(err)
		return err
	}
	defer release()
	b.recall(ctx)
	p := &poller{bot: b, api: a, recv: recv}
	retry, conflict := backoff.Backoff{Policy: b.time.retry}, backoff.Backoff{Policy: b.time.conflict}
	for {
		well := func() { retry.Reset(); conflict.Reset() }
		var err error
		if b.cfg.WebhookURL != "" {
			err = b.listen(ctx, a, recv, well)
		} else {
			err = p.run(ctx, well)
		}
		if ctx.Err() != nil {
			return nil
		}
		b.status(err)
		p.complain(ctx, err)
		var wait time.Duration
		switch fault.KindOf(err) {
		case fault.Unauthenticated:
			return err
		case fault.Conflict:
			wait = conflict.Next()
		default:
			wait = max(retry.Next(), delay(err))
		}
		if backoff.Sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// poller reads one bot's updates.
type poller struct {
	*bot
	api    *api
	recv   channel.Receiver
	offset int64
	last   time.Time // an update came
	up     bool

	said   string // the last trouble logged
	saidAt time.Time
}

// run polls until something goes wrong. well is called after each good poll.
func (p *poller) run(ctx context.Context, well func()) error {
	p.up = false
	if err := p.learn(ctx, p.api); err != nil {
		return err
	}
	// A webhook that was left set makes every poll fail.
	if err := p.api.call(ctx, "deleteWebhook", map[string]any{"drop_pending_updates": false}, nil, 0); err != nil {
		return err
	}
	if err := p.load(ctx); err != nil {
		return err
	}
	for {
		wait := p.time.poll
		if !p.up {
			wait = 0 // the first answer tells that we are connected
		}
		batch, err := p.fetch(ctx, wait)
		if err != nil {
			return err
		}
		if !p.up {
			p.up = true
			p.said = ""
			p.status(nil)
			p.log.InfoContext(ctx, "telegram connected", "bot", p.self().Username)
		}
		p.alive()
		if len(batch) > 0 {
			if err := p.deliver(ctx, batch); err != nil {
				return err
			}
		}
		well()
	}
}

// fetch asks for updates from the offset on.
func (p *poller) fetch(ctx context.Context, wait time.Duration) ([]json.RawMessage, error) {
	if !p.last.IsZero() && time.Since(p.last) > idReset {
		p.offset = 0
	}
	var batch []json.RawMessage
	err := p.api.call(ctx, "getUpdates", map[string]any{
		"offset": p.offset, "timeout": int(wait / time.Second), "limit": 100,
		"allowed_updates": p.allowed(),
	}, &batch, wait)
	return batch, err
}

// deliver hands a batch on, in order. The offset moves past what is stored,
// also when something behind it is not.
func (p *poller) deliver(ctx context.Context, batch []json.RawMessage) error {
	us := p.parse(ctx, batch)
	head, tail := cutAlbums(us)
	if err := p.store(ctx, head); err != nil {
		return err
	}
	if len(tail) == 0 {
		return nil
	}
	// An album comes as several updates. They stay unconfirmed until no more of
	// them come, so they survive a stop; the wait is bounded.
	const looks = 5
	for range looks {
		if err := backoff.Sleep(ctx, p.time.album); err != nil {
			return err
		}
		more, err := p.fetch(ctx, 0)
		if err != nil {
			return err
		}
		known := len(tail)
		if tail = p.parse(ctx, more); len(tail) <= known {
			break
		}
	}
	return p.store(ctx, tail)
}

// store stores what us say and moves the offset past them.
func (p *poller) store(ctx context.Context, us []update) error {
	if len(us) == 0 {
		return nil
	}
	ins, upTo := p.messages(ctx, us)
	next := int64(0)
	var failed error
	for i, in := range ins {
		p.log.DebugContext(ctx, "telegram.Run", "message", in.ID)
		if failed = p.hand(ctx, p.recv, in); failed != nil {
			break
		}
		next = max(next, upTo[i])
	}
	if failed == nil {
		for _, u := range us {
			next = max(next, u.ID+1)
		}
	}
	if next == 0 {
		return failed
	}
	for _, u := range us {
		if u.Callback != nil && u.ID < next {
			p.answer(ctx, p.api, u.Callback.ID)
		}
	}
	p.keepWorld(ctx)
	p.offset, p.last = next, time.Now()
	if err := p.save(ctx); err != nil && failed == nil {
		return err
	}
	return failed
}

// parse reads updates; one that can't be read is set aside and passed over.
func (p *poller) parse(ctx context.Context, batch []json.RawMessage) []update {
	us := make([]update, 0, len(batch))
	for _, raw := range batch {
		u, n, err := parseUpdate(raw)
		if err != nil {
			p.setAside(ctx, raw, strconv.FormatInt(n, 10), err)
			if n == 0 {
				continue
			}
		}
		us = append(us, u)
	}
	return us
}

// setAside keeps the last update that couldn't be read.
func (b *bot) setAside(ctx context.Context, raw json.RawMessage, n string, err error) {
	const most = 4096
	b.log.ErrorContext(ctx, "telegram update set aside: it can't be read", "update", n, "err", err)
	if b.env.SetState != nil {
		_ = b.env.SetState(ctx, asideKey, text.Cut(string(raw), most))
	}
}

func (p *poller) load(ctx context.Context) error {
	if p.offset != 0 || p.env.State == nil {
		return nil
	}
	s, err := p.env.State(ctx, offsetKey)
	if err != nil {
		return err
	}
	next, at, _ := strings.Cut(s, " ")
	n, err := strconv.ParseInt(next, 10, 64)
	if err != nil || n <= 0 {
		return nil //nolint:nilerr // nothing usable: Telegram offers what isn't confirmed
	}
	if sec, err := strconv.ParseInt(at, 10, 64); err == nil {
		p.last = time.Unix(sec, 0)
	}
	p.offset = n
	return nil
}

func (p *poller) save(ctx context.Context) error {
	if p.env.SetState == nil {
		return nil
	}
	return p.env.SetState(context.WithoutCancel(ctx), offsetKey, // what is stored is stored, also while stopping
		strconv.FormatInt(p.offset, 10)+" "+strconv.FormatInt(p.last.Unix(), 10))
}

// complain logs trouble, the same once a minute.
func (p *poller) complain(ctx context.Context, err error) {
	if s := err.Error(); s != p.said || time.Since(p.saidAt) > p.time.quiet {
		p.said, p.saidAt = s, time.Now()
		p.log.WarnContext(ctx, "telegram polling interrupted", "err", err)
	}
}

// allowed names the kinds of updates that Telegram is asked for.
func (b *bot) allowed() []string {
	out := []string{"message", "edited_message", "channel_post", "edited_channel_post", "callback_query"}
	if b.cfg.ReactionNotifications != "off" {
		out = append(out, "message_reaction") // only where the bot is an administrator, in groups
	}
	return out
}
