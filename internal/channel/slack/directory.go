package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

const (
	directoryPage  = 200
	directoryPages = 10
	usualEntries   = 50
)

// reader is the token that may read more: that of a person, if there is one.
func (b *bot) reader() string {
	if b.cfg.UserToken != "" {
		return b.cfg.UserToken
	}
	return b.cfg.BotToken
}

// Self implements [channel.Directory].
func (b *bot) Self(ctx context.Context) (channel.Entry, error) {
	me, err := b.self(ctx)
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(me.User), Name: me.Name, Handle: me.Name, Bot: true}, err
}

// Peers implements [channel.Directory].
func (b *bot) Peers(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	limit = bound(limit)
	var out []channel.Entry
	err := b.pages(ctx, "users.list", params{}, func(raw json.RawMessage) (bool, error) {
		var ans struct {
			Members []user `json:"members"`
		}
		if err := json.Unmarshal(raw, &ans); err != nil {
			return false, err
		}
		for _, u := range ans.Members {
			if u.Deleted || u.ID == "USLACKBOT" || !matches(query, u.ID, u.Name, u.shown(), u.RealName) {
				continue
			}
			out = append(out, entry(u))
		}
		return len(out) < limit, nil
	})
	return out[:min(len(out), limit)], err
}

func entry(u user) channel.Entry {
	return channel.Entry{Kind: msg.Direct, ID: id.Peer(u.ID), Name: clean(u.shown()), Handle: clean(u.Name), Bot: u.IsBot}
}

// Groups implements [channel.Directory].
func (b *bot) Groups(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	limit = bound(limit)
	var out []channel.Entry
	err := b.rooms(ctx, func(r room) bool {
		if !r.Archived && matches(query, r.ID, r.Name) {
			kind := msg.Channel
			if r.IsMPIM {
				kind = msg.Group
			}
			out = append(out, channel.Entry{Kind: kind, ID: id.Peer(r.ID), Name: clean(r.Name)})
		}
		return len(out) < limit
	})
	return out[:min(len(out), limit)], err
}

// rooms goes through the conversations that Slack lets us see, until more says
// no.
func (b *bot) rooms(ctx context.Context, more func(room) bool) error {
	return b.pages(ctx, "conversations.list", params{"types": "public_channel,private_channel,mpim", "exclude_archived": "true"}, func(raw json.RawMessage) (bool, error) {
		var ans struct {
			Channels []room `json:"channels"`
		}
		if err := json.Unmarshal(raw, &ans); err != nil {
			return false, err
		}
		for _, r := range ans.Channels {
			if !more(r) {
				return false, nil
			}
		}
		return true, nil
	})
}

// Members implements [channel.Directory].
func (b *bot) Members(ctx context.Context, group id.Peer, limit int) ([]channel.Entry, error) {
	limit = bound(limit)
	d, err := b.destination(ctx, msg.Address{Peer: group})
	if err != nil {
		return nil, err
	}
	var ids []string
	err = b.pages(ctx, "conversations.members", params{"channel": d.conversation}, func(raw json.RawMessage) (bool, error) {
		var ans struct {
			Members []string `json:"members"`
		}
		if err := json.Unmarshal(raw, &ans); err != nil {
			return false, err
		}
		ids = append(ids, ans.Members...)
		return len(ids) < limit, nil
	})
	out := make([]channel.Entry, 0, len(ids))
	for _, m := range ids[:min(len(ids), limit)] {
		out = append(out, entry(b.people.user(ctx, m)))
	}
	return out, err
}

// pages calls a method for one page after the other.
func (b *bot) pages(ctx context.Context, method string, p params, page func(json.RawMessage) (more bool, err error)) error {
	p["limit"] = strconv.Itoa(directoryPage)
	for range directoryPages {
		var raw json.RawMessage
		if _, err := b.api.as(ctx, b.reader(), method, p, &raw); err != nil {
			return err
		}
		more, err := page(raw)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "slack."+method, err)
		}
		var next struct {
			Meta struct {
				Cursor string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		_ = json.Unmarshal(raw, &next) // without one this was the last page
		if !more || next.Meta.Cursor == "" {
			return nil
		}
		p["cursor"] = next.Meta.Cursor
	}
	return nil
}

func bound(limit int) int {
	const most = 1000
	if limit <= 0 {
		return usualEntries
	}
	return min(limit, most)
}

func matches(query string, fields ...string) bool {
	query = strings.ToLower(strings.TrimLeft(strings.TrimSpace(query), "@#"))
	return query == "" || slices.ContainsFunc(fields, func(f string) bool { return strings.Contains(strings.ToLower(f), query) })
}

// scopes are what the bot token needs, each with what is missing without it.
func scopes() [][2]string {
	return [][2]string{
		{"chat:write", "send messages"},
		{"im:history", "read direct messages"},
		{"im:write", "open direct messages"},
		{"channels:history", "read public channels"},
		{"groups:history", "read private channels"},
		{"channels:read", "know public channels by name"},
		{"groups:read", "know private channels by name"},
		{"app_mentions:read", "see mentions"},
		{"users:read", "know people by name"},
		{"reactions:read", "see reactions"},
		{"reactions:write", "react"},
		{"files:read", "fetch files"},
		{"files:write", "send files"},
	}
}

// Audit implements [channel.Auditor].
func (b *bot) Audit(ctx context.Context) ([]channel.Issue, error) {
	head, err := b.api.as(ctx, b.cfg.BotToken, "auth.test", params{}, nil)
	if err != nil {
		return nil, err
	}
	var out []channel.Issue
	var missing []string
	if had := head.Get("X-Oauth-Scopes"); had != "" {
		have := map[string]bool{}
		for s := range strings.SplitSeq(had, ",") {
			have[strings.TrimSpace(s)] = true
		}
		for _, s := range scopes() {
			if !have[s[0]] {
				missing = append(missing, s[0]+" ("+s[1]+")")
			}
		}
	}
	if len(missing) > 0 {
		out = append(out, channel.Issue{
			Kind: "permissions", Text: "the bot token lacks scopes: " + strings.Join(missing, ", "),
			Mend: "add them under OAuth & Permissions of the app and install it again",
		})
	}
	for _, key := range slices.Sorted(mapKeys(b.cfg.Channels)) {
		if issue, bad := b.auditRoom(ctx, key, b.cfg.Channels[key]); bad {
			out = append(out, issue)
		}
	}
	return out, nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// auditRoom looks after one entry of channels.
func (b *bot) auditRoom(ctx context.Context, key string, r Room) (channel.Issue, bool) {
	if key == "*" || !on(r.Enabled) || !on(r.Allow) {
		return channel.Issue{}, false
	}
	peer, named := strings.ToUpper(roomKey(key)), !channelID(key)
	if named {
		if peer = b.meant(key); peer == "" && b.cfg.NameMatching {
			return channel.Issue{}, false
		}
	}
	if peer == "" {
		return channel.Issue{
			Kind: "config", Text: fmt.Sprintf("channels.slack.channels.%s is the name of no channel that the bot can see, so it lets nothing in", strconv.Quote(key)),
			Mend: "write the channel's id (C0123ABCD, in its details) instead",
		}, true
	}
	got, ok := b.people.room(ctx, peer)
	switch {
	case ok && named && !strings.EqualFold(got.Name, roomKey(key)):
		return channel.Issue{
			Kind: "config", Text: fmt.Sprintf("channels.slack.channels.%s means the channel %s, which is called #%s now", strconv.Quote(key), peer, clean(got.Name)),
			Mend: "write " + peer + " instead, or the id of the channel that is meant",
		}, true
	case !ok:
		return channel.Issue{Kind: "config", Text: "the bot can't see the channel " + peer, Mend: "check its id, and invite the bot there: /invite"}, true
	case got.Archived:
		return channel.Issue{Kind: "config", Text: "the channel #" + clean(got.Name) + " is archived", Mend: "take it out of channels.slack.channels"}, true
	case !got.Member && !got.IsIM && !got.IsMPIM:
		return channel.Issue{Kind: "permissions", Text: "the bot isn't in the channel #" + clean(got.Name), Mend: "write /invite and its name there"}, true
	}
	return channel.Issue{}, false
}
