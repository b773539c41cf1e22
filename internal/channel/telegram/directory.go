package telegram

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	usualEntries = 50
	mostEntries  = 1000
)

func bounds(limit int) int { return min(cmp.Or(max(limit, 0), usualEntries), mostEntries) }

// Self implements [channel.Directory].
func (b *bot) Self(ctx context.Context) (channel.Entry, error) {
	me := b.self()
	if me.ID == 0 {
		if err := b.Probe(ctx); err != nil {
			return channel.Entry{}, err
		}
		me = b.self()
	}
	return person(me), nil
}

func person(u user) channel.Entry {
	return channel.Entry{
		Kind: msg.Direct, ID: id.Peer(strconv.FormatInt(u.ID, 10)), Name: printable(strings.TrimSpace(u.FirstName + " " + u.LastName)),
		Handle: printable(u.Username), Bot: u.Bot,
	}
}

// Peers implements [channel.Directory]: the people that were heard. Telegram
// has no list to ask for.
func (b *bot) Peers(_ context.Context, query string, limit int) ([]channel.Entry, error) {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	var out []channel.Entry
	for _, n := range slices.Sorted(maps.Keys(b.world.people)) {
		out = append(out, person(b.world.people[n]))
	}
	return matching(out, query, limit), nil
}

// Groups implements [channel.Directory]: the groups and channels that were
// heard.
func (b *bot) Groups(_ context.Context, query string, limit int) ([]channel.Entry, error) {
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	var out []channel.Entry
	for _, n := range slices.Sorted(maps.Keys(b.world.chats)) {
		c := b.world.chats[n]
		out = append(out, channel.Entry{Kind: kindOf(c), ID: id.Peer(strconv.FormatInt(n, 10)), Name: printable(c.Title), Handle: printable(c.Username)})
	}
	return matching(out, query, limit), nil
}

func matching(all []channel.Entry, query string, limit int) (out []channel.Entry) {
	query = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(query), "@"))
	limit = bounds(limit)
	for _, e := range all {
		if len(out) < limit && (strings.Contains(strings.ToLower(e.Name), query) || strings.Contains(strings.ToLower(e.Handle), query) || string(e.ID) == query) {
			out = append(out, e)
		}
	}
	return out
}

// Members implements [channel.Directory]: Telegram tells bots the
// administrators only.
func (b *bot) Members(ctx context.Context, group id.Peer, limit int) ([]channel.Entry, error) {
	var admins []struct {
		User user `json:"user"`
	}
	if err := b.ask(ctx, "getChatAdministrators", msg.Address{Peer: group}, nil, &admins); err != nil {
		return nil, err
	}
	var out []channel.Entry
	for _, a := range admins[:min(len(admins), bounds(limit))] {
		out = append(out, person(a.User))
	}
	return out, nil
}
