package discord

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// spot is the path of a message.
func (b *bot) spot(ctx context.Context, op string, at msg.Address, m id.Message) (string, error) {
	if !snowflake(string(m)) {
		return "", fault.New(fault.Invalid, op, "not the id of a message: "+strconv.Quote(clean(string(m))))
	}
	to, err := b.destination(ctx, at)
	return "/channels/" + to + "/messages/" + string(m), err
}

// Typing implements [channel.Typer].
func (b *bot) Typing(ctx context.Context, at msg.Address) error {
	to, err := b.destination(ctx, at)
	if err != nil {
		return err
	}
	return b.api.post(ctx, "/channels/"+to+"/typing", struct{}{}, nil)
}

// Edit implements [channel.Editor].
func (b *bot) Edit(ctx context.Context, at msg.Address, m id.Message, said string) error {
	const op = "discord.Edit"
	path, err := b.spot(ctx, op, at, m)
	if err != nil {
		return err
	}
	shown := b.shown(said)
	switch {
	case strings.TrimSpace(shown) == "":
		return fault.New(fault.Invalid, op, "the text is empty")
	case text.UTF16(shown) > maxText:
		return fault.New(fault.Invalid, op, "the text is too long: Discord shows 2000 characters in one message")
	}
	return b.api.do(ctx, call{method: "PATCH", path: path, body: map[string]any{
		"content": shown, "flags": flagNoEmbeds, "allowed_mentions": map[string]any{"parse": []string{"users"}},
	}})
}

// Delete implements [channel.Deleter].
func (b *bot) Delete(ctx context.Context, at msg.Address, m id.Message) error {
	path, err := b.spot(ctx, "discord.Delete", at, m)
	if err != nil {
		return err
	}
	err = b.api.do(ctx, call{method: "DELETE", path: path})
	if refusedWith(err, codeUnknownMessage) {
		return nil // gone already
	}
	return err
}

// Pin implements [channel.Pinner].
func (b *bot) Pin(ctx context.Context, at msg.Address, m id.Message, on bool) error {
	if !snowflake(string(m)) {
		return fault.New(fault.Invalid, "discord.Pin", "not the id of a message")
	}
	to, err := b.destination(ctx, at)
	if err != nil {
		return err
	}
	method := "PUT"
	if !on {
		method = "DELETE"
	}
	return b.api.do(ctx, call{method: method, path: "/channels/" + to + "/messages/pins/" + string(m)})
}

// Pins implements [channel.Pinner].
func (b *bot) Pins(ctx context.Context, at msg.Address) ([]msg.Inbound, error) {
	to, err := b.destination(ctx, at)
	if err != nil {
		return nil, err
	}
	var ans struct {
		Items []struct {
			Message message `json:"message"`
		} `json:"items"`
	}
	if err := b.api.get(ctx, "/channels/"+to+"/messages/pins", url.Values{"limit": {"50"}}, &ans); err != nil {
		return nil, err
	}
	ms := make([]message, 0, len(ans.Items))
	for _, it := range ans.Items {
		ms = append(ms, it.Message)
	}
	return b.asInbound(ctx, to, ms), nil
}

// Read implements [channel.Reader].
func (b *bot) Read(ctx context.Context, at msg.Address, page channel.Page) ([]msg.Inbound, error) {
	to, err := b.destination(ctx, at)
	if err != nil {
		return nil, err
	}
	q := url.Values{"limit": {strconv.Itoa(min(cmp.Or(page.Limit, 20), backlogPage))}}
	for k, m := range map[string]id.Message{"before": page.Before, "after": page.After, "around": page.Around} {
		if snowflake(string(m)) && len(q) == 1 { // Discord takes one of them
			q.Set(k, string(m))
		}
	}
	var ms []message
	if err := b.api.get(ctx, "/channels/"+to+"/messages", q, &ms); err != nil {
		return nil, err
	}
	slices.SortFunc(ms, func(x, y message) int {
		if newer(x.ID, y.ID) {
			return -1
		}
		return 1
	})
	return b.asInbound(ctx, to, ms), nil
}

// asInbound shows messages as they were read, our own among them.
func (b *bot) asInbound(ctx context.Context, conversation string, ms []message) (out []msg.Inbound) {
	r, _ := b.room(ctx, conversation)
	for _, m := range ms {
		from, ok := sender(m)
		if !ok || !snowflake(m.ID) {
			continue
		}
		m.ChannelID = cmp.Or(m.ChannelID, conversation)
		m.GuildID = cmp.Or(m.GuildID, r.GuildID)
		at := msg.Address{Channel: ID, Account: b.env.Account, Kind: msg.Channel, Peer: id.Peer(m.ChannelID)}
		out = append(out, msg.Inbound{ID: id.Message(m.ID), From: from, At: at, Text: b.sayer(m).text(m), Attachments: b.attachments(m), Received: when(m.ID)})
	}
	return out
}

// Search implements [channel.Searcher]: among the messages of one channel.
func (b *bot) Search(ctx context.Context, at msg.Address, query string, limit int) ([]msg.Inbound, error) {
	const op, most = "discord.Search", 25
	to, err := b.destination(ctx, at)
	if err != nil {
		return nil, err
	}
	r, ok := b.room(ctx, to)
	if !ok || r.GuildID == "" {
		return nil, fault.New(fault.Invalid, op, "Discord searches channels of servers only, and ones that the bot sees")
	}
	var ans struct {
		Messages [][]message `json:"messages"`
		Code     int         `json:"code"`
	}
	q := url.Values{"content": {text.Cut(query, 1024)}, "channel_id": {to}, "limit": {strconv.Itoa(min(max(limit, 1), most))}}
	if err := b.api.get(ctx, "/guilds/"+r.GuildID+"/messages/search", q, &ans); err != nil {
		return nil, err
	}
	if ans.Code != 0 {
		return nil, fault.New(fault.Unavailable, op, "Discord is still preparing the search of that server: try again in a minute")
	}
	var ms []message
	for _, group := range ans.Messages {
		ms = append(ms, group...)
	}
	return b.asInbound(ctx, to, ms), nil
}
