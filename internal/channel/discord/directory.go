package discord

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	usualEntries = 50
	mostEntries  = 1000
	mostSearched = 25 // guilds that are asked
)

func bounds(limit int) int { return min(cmp.Or(max(limit, 0), usualEntries), mostEntries) }

// Self implements [channel.Directory].
func (b *bot) Self(ctx context.Context) (channel.Entry, error) {
	me, err := b.self(ctx)
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(me.ID), Name: me.Name, Handle: me.Name, Bot: true}, err
}

// guildIDs are the guilds that the bot is in.
func (b *bot) guildIDs(ctx context.Context) ([]string, error) {
	var gs []guild
	if err := b.api.get(ctx, "/users/@me/guilds", url.Values{"limit": {"200"}}, &gs); err != nil {
		return nil, err
	}
	var ids []string
	for _, g := range gs {
		if snowflake(g.ID) && len(ids) < mostSearched {
			ids = append(ids, g.ID)
		}
	}
	return ids, nil
}

// Peers implements [channel.Directory]: the members of the bot's guilds. All of
// them are told only to bots with the Server Members Intent; a search works
// without.
func (b *bot) Peers(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	limit = bounds(limit)
	ids, err := b.guildIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Entry
	known := map[string]bool{}
	for _, g := range ids {
		ms, err := b.members(ctx, g, query, limit)
		if err != nil {
			return out, err
		}
		for _, m := range ms {
			if m.User != nil && !known[m.User.ID] && len(out) < limit {
				known[m.User.ID] = true
				out = append(out, entry(m))
			}
		}
	}
	return out, nil
}

func (b *bot) members(ctx context.Context, guild, query string, limit int) (ms []member, err error) {
	query = strings.TrimPrefix(strings.TrimSpace(query), "@")
	if snowflake(query) {
		if m := b.member(ctx, guild, query); m != nil {
			ms = append(ms, *m)
		}
		return ms, nil
	}
	path, q := "/guilds/"+guild+"/members", url.Values{"limit": {strconv.Itoa(limit)}}
	if query != "" {
		path += "/search"
		q.Set("query", query)
	}
	err = b.api.get(ctx, path, q, &ms)
	if fault.KindOf(err) == fault.Forbidden && query == "" {
		return nil, fault.New(fault.Forbidden, "discord.Peers", "Discord lists members only to bots with the Server Members Intent ("+portal+"): search for a name instead")
	}
	return ms, err
}

func entry(m member) channel.Entry {
	u := m.User
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(u.ID), Name: clean(cmp.Or(m.Nick, u.shown())), Handle: clean(u.handle()), Bot: u.Bot}
}

// Groups implements [channel.Directory]: the channels that people write in, and
// the threads that are open.
func (b *bot) Groups(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	limit = bounds(limit)
	query = slug(query)
	ids, err := b.guildIDs(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Entry
	for _, g := range ids {
		var rs []room
		if err := b.api.get(ctx, "/guilds/"+g+"/channels", nil, &rs); err != nil {
			return out, err
		}
		var active struct {
			Threads []room `json:"threads"`
		}
		if err := b.api.get(ctx, "/guilds/"+g+"/threads/active", nil, &active); err != nil && fault.KindOf(err) == fault.Unauthenticated {
			return out, err
		}
		for _, r := range append(rs, active.Threads...) {
			r.GuildID = cmp.Or(r.GuildID, g)
			b.world.room(r)
			if r.Type == typeCategory || !snowflake(r.ID) || !strings.Contains(slug(r.Name), query) && r.ID != query || len(out) >= limit {
				continue
			}
			out = append(out, channel.Entry{Kind: msg.Channel, ID: id.Peer(r.ID), Name: clean(r.Name)})
		}
	}
	return out, nil
}

// Members implements [channel.Directory]: of the guild that a channel is in.
func (b *bot) Members(ctx context.Context, group id.Peer, limit int) ([]channel.Entry, error) {
	to, err := b.destination(ctx, msg.Address{Kind: msg.Channel, Peer: group})
	if err != nil {
		return nil, err
	}
	r, ok := b.room(ctx, to)
	if !ok || r.GuildID == "" {
		return nil, fault.New(fault.NotFound, "discord.Members", "not a channel of a server that the bot sees")
	}
	limit = bounds(limit)
	ms, err := b.members(ctx, r.GuildID, "", limit)
	var out []channel.Entry
	for _, m := range ms {
		if m.User != nil && len(out) < limit {
			out = append(out, entry(m))
		}
	}
	return out, err
}
