package discord

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// What is fetched after a downtime is bounded: Discord allows some tens of
// questions a second, and old messages are answered by life.
const (
	backlogAge   = 24 * time.Hour
	backlogRooms = 60
	backlogPages = 3
	backlogPage  = 100
	backlogTime  = 2 * time.Minute
)

// backlog hands on what was written while the account was away, in the
// conversations that it knows. Trouble with it is logged and ends it; only
// storing may fail.
func (b *bot) backlog(ctx context.Context, recv channel.Receiver) error {
	limit, cancel := context.WithTimeout(ctx, backlogTime)
	defer cancel()
	n := 0
	for _, p := range b.away() {
		ms, err := b.missed(limit, p)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if k := fault.KindOf(err); k == fault.NotFound || k == fault.Forbidden || k == fault.Invalid {
				continue // a conversation that is gone, or closed to us
			}
			b.log.WarnContext(ctx, "discord history can't be fetched", "channel", ID, "err", err)
			break
		}
		for _, m := range ms {
			stored, err := b.late(ctx, m, recv)
			if err != nil {
				return err
			}
			if stored {
				n++
			}
		}
	}
	if n > 0 {
		b.log.InfoContext(ctx, "discord messages of the downtime taken up", "channel", ID, "messages", n)
	}
	return nil
}

// gap is where something may have been missed.
type gap struct{ room, after string }

// away lists the conversations seen last, newest first.
func (b *bot) away() (out []gap) {
	edge := idAt(time.Now().Add(-backlogAge))
	for room, last := range b.seen.all() {
		if newer(edge, last) {
			last = edge
		}
		out = append(out, gap{room, last})
	}
	slices.SortFunc(out, func(x, y gap) int {
		switch {
		case newer(x.after, y.after):
			return -1
		case newer(y.after, x.after):
			return 1
		}
		return 0
	})
	return out[:min(len(out), backlogRooms)]
}

// missed fetches what was written after g, oldest first.
func (b *bot) missed(ctx context.Context, g gap) (out []message, err error) {
	after := g.after
	for range backlogPages {
		var page []message
		q := url.Values{"after": {after}, "limit": {strconv.Itoa(backlogPage)}}
		err := b.patient(ctx, func() error {
			page = nil
			return b.api.get(ctx, "/channels/"+g.room+"/messages", q, &page)
		})
		if err != nil {
			return out, err
		}
		slices.SortFunc(page, func(x, y message) int {
			if newer(y.ID, x.ID) {
				return -1
			}
			return 1
		})
		for _, m := range page {
			if snowflake(m.ID) && newer(m.ID, after) {
				m.ChannelID, after = g.room, m.ID
				out = append(out, m)
			}
		}
		if len(page) < backlogPage {
			break
		}
	}
	return out, nil
}

// patient asks again while Discord says that it has no time now.
func (b *bot) patient(ctx context.Context, ask func() error) error {
	retry := backoff.Backoff{Policy: b.time.retry}
	const tries = 4
	for try := 1; ; try++ {
		err := ask()
		k := fault.KindOf(err)
		if err == nil || try == tries || k != fault.RateLimited && k != fault.Unavailable {
			return err
		}
		if err := retry.Wait(ctx, delay(err)); err != nil {
			return err
		}
	}
}

// late hands on one message of the downtime. What REST tells of a guild's
// message lacks the guild and the roles of who wrote it.
func (b *bot) late(ctx context.Context, m message, recv channel.Receiver) (stored bool, err error) {
	me, err := b.self(ctx)
	if err != nil {
		return false, err
	}
	if m.Author != nil && m.Author.ID == me.ID {
		b.sent.Put(m.ID, true)
		return false, nil
	}
	look, cancel := context.WithTimeout(ctx, 2*b.time.lookup)
	defer cancel()
	if r, ok := b.room(look, m.ChannelID); ok && m.GuildID == "" {
		m.GuildID = r.GuildID
	}
	if m.GuildID != "" && m.Member == nil && m.Author != nil && m.WebhookID == "" && b.usesRoles() {
		m.Member = b.member(look, m.GuildID, m.Author.ID)
	}
	in, ok := b.inbound(look, me, m)
	if !ok {
		return false, nil
	}
	in.Backlog = true
	if _, known := b.stored.Get(in.DedupeKey()); known {
		return false, nil
	}
	retry := backoff.Backoff{Policy: b.time.retry}
	for {
		err := b.store(ctx, in, m.ChannelID, recv)
		if err == nil {
			return true, nil
		}
		if fault.KindOf(err) == fault.Invalid {
			return false, nil
		}
		if err := retry.Wait(ctx, delay(err)); err != nil {
			return false, err
		}
	}
}

// usesRoles tells whether it matters which roles somebody has. Routing may ask
// for them too, so guilds that are known are enough.
func (b *bot) usesRoles() bool { return len(b.cfg.Guilds) > 0 }

// member is somebody in a guild, or nil.
func (b *bot) member(ctx context.Context, guild, person string) *member {
	if !snowflake(guild) || !snowflake(person) || !b.world.ask(guild+"/"+person) {
		return nil
	}
	var m member
	if err := b.api.get(ctx, "/guilds/"+guild+"/members/"+person, nil, &m); err != nil {
		b.world.fail(guild + "/" + person)
		return nil
	}
	return &m
}
