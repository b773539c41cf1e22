package discord

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Types of messages that people write; the others tell that somebody joined and
// the like.
const (
	typeSaid    = 0
	typeReply   = 19
	typeCommand = 20 // a bot's answer to a slash command
	typeMenu    = 23 // and to one of a context menu
)

// inbound reads a message; ok is false for what nobody wrote to be read.
func (b *bot) inbound(ctx context.Context, me self, m message) (in msg.Inbound, ok bool) {
	switch m.Type {
	case typeSaid, typeReply, typeCommand, typeMenu:
	default:
		return in, false
	}
	from, ok := sender(m)
	if !ok || from.ID == id.Peer(me.ID) {
		return in, false
	}
	if m.GuildID == "" && m.ChannelType == typeDM {
		b.world.room(room{ID: m.ChannelID, Type: typeDM}) // nobody need be asked
	}
	at, where, ok := b.where(ctx, m.ChannelID, m.GuildID, from.ID)
	if !ok {
		return in, false
	}
	if m.Member != nil {
		where.Roles = roleIDs(m.Member.Roles)
	}
	s := b.sayer(m)
	in = msg.Inbound{
		ID: id.Message(m.ID), From: from, At: at, Room: where, Received: when(m.ID),
		Text: s.text(m), Attachments: b.attachments(m),
	}
	if in.Text == "" && len(in.Attachments) == 0 && !s.mentioned {
		return in, false
	}
	if at.Kind != msg.Direct && b.ignores(in, m, s.mentioned) {
		return in, false
	}
	in.Mentioned = s.mentioned || at.Kind == msg.Direct
	if r := m.Reference; r != nil && r.Type == 0 && snowflake(r.MessageID) {
		in.ReplyTo = id.Message(r.MessageID)
		in.Quote = b.quote(me, m)
	}
	if m.Type == typeSaid && in.Mentioned {
		b.ownThread(ctx, &in, m)
	}
	if where.Parent != "" && in.Quote == nil {
		in.Quote = b.starter(ctx, in, m)
	}
	return in, true
}

// sender is who wrote m. What a webhook writes is written by a program.
func sender(m message) (msg.Sender, bool) {
	u := m.Author
	if u == nil || !snowflake(u.ID) {
		return msg.Sender{}, false
	}
	s := msg.Sender{ID: id.Peer(u.ID), Name: clean(u.shown()), Username: clean(u.handle()), Bot: u.Bot || m.WebhookID != ""}
	if m.Member != nil && m.Member.Nick != "" {
		s.Name = clean(m.Member.Nick)
	}
	return s, true
}

func roleIDs(ids []string) (out []string) {
	for _, r := range ids[:min(len(ids), mostRoles)] {
		if snowflake(r) {
			out = append(out, r)
		}
	}
	return out
}

// where is the address of a conversation, and what is known of it. ok is false
// when the account doesn't take what is written there.
func (b *bot) where(ctx context.Context, conversation, guildID string, person id.Peer) (at msg.Address, where msg.Room, ok bool) {
	at = msg.Address{Channel: ID, Account: b.env.Account, Kind: msg.Channel, Peer: id.Peer(conversation)}
	r, known := b.room(ctx, conversation)
	if guildID == "" {
		guildID = r.GuildID
	}
	if guildID == "" {
		if known && r.Type == typeGroup {
			at.Kind, where.Name = msg.Group, clean(r.Name)
			return at, where, true
		}
		at.Kind, at.Peer = msg.Direct, person
		if snowflake(string(person)) {
			b.dms.Put(string(person), conversation)
		}
		return at, where, yes(b.cfg.DM.Enabled, true)
	}
	where.Guild = guildID
	if g, ok := b.guild(ctx, guildID); ok {
		where.GuildName = clean(g.name)
	}
	if !known {
		return at, where, true
	}
	where.Name, where.Topic = clean(r.Name), text.Cut(strings.TrimSpace(text.Valid(r.Topic)), 1024)
	if r.thread() && snowflake(r.ParentID) {
		where.Parent, where.Topic = id.Peer(r.ParentID), where.Name
		if p, ok := b.room(ctx, r.ParentID); ok {
			where.Name = clean(p.Name)
		}
	}
	return at, where, true
}

// ignores tells messages to somebody else, where the configuration passes over
// them.
func (b *bot) ignores(in msg.Inbound, m message, mentioned bool) bool {
	if mentioned || len(m.Mentions)+len(m.MentionRoles) == 0 || in.Quote != nil && in.Quote.Self {
		return false
	}
	f := find(b.cfg.Guilds, in)
	p := first(f.room.IgnoreOthers, f.star.IgnoreOthers, f.guild.IgnoreOthers)
	return yes(p, false) && !(m.Referenced != nil && m.Referenced.Author != nil && m.Referenced.Author.ID == b.known().ID)
}

// quote is what m answers.
func (b *bot) quote(me self, m message) *msg.Quote {
	q := &msg.Quote{ID: id.Message(m.Reference.MessageID)}
	if _, ours := b.sent.Get(m.Reference.MessageID); ours {
		q.Self = true
	}
	r := m.Referenced
	if r == nil || r.ID != m.Reference.MessageID {
		return q
	}
	if from, ok := sender(*r); ok {
		q.From, q.Self = from, string(from.ID) == me.ID
	}
	r.GuildID = m.GuildID
	const most = 2000
	q.Text = text.Ellipsis(b.sayer(*r).text(*r), most)
	return q
}

// starter is the message that a thread began with, for the first one that is
// heard there.
func (b *bot) starter(ctx context.Context, in msg.Inbound, m message) *msg.Quote {
	thread, f := string(in.At.Peer), find(b.cfg.Guilds, in)
	if m.ID == thread || b.seen.has(thread) || !yes(first(f.room.ThreadStarter, f.star.ThreadStarter), true) || !b.world.ask("starter/"+thread) {
		return nil
	}
	home := string(in.Room.Parent)
	if p, ok := b.room(ctx, home); ok && p.forum() {
		home = thread
	}
	var s message
	if err := b.api.get(ctx, "/channels/"+home+"/messages/"+thread, nil, &s); err != nil || s.ID != thread {
		b.world.fail("starter/" + thread) // a thread without one
		return nil
	}
	from, ok := sender(s)
	if !ok {
		return nil
	}
	const most = 2000
	s.GuildID = m.GuildID
	return &msg.Quote{ID: id.Message(s.ID), From: from, Text: text.Ellipsis(b.sayer(s).text(s), most)}
}

// sayer reads what messages say, as somebody with the bot's name.
type sayer struct {
	*bot
	m         message
	me        self
	mentioned bool
}

func (b *bot) sayer(m message) *sayer { return &sayer{bot: b, m: m, me: b.known()} }

// text is what m says, with what has no bytes to fetch put into words.
func (s *sayer) text(m message) string {
	const most = 8000
	said := s.readable(text.Valid(text.Cut(m.Content, most)))
	add := func(t string) {
		if t = strings.TrimSpace(t); t != "" {
			said = strings.TrimSpace(said + "\n" + text.Cut(text.Valid(t), most))
		}
	}
	if len(m.Snapshots) > 0 {
		f := m.Snapshots[0].Message
		f.Snapshots = nil
		add("[forwarded] " + (&sayer{bot: s.bot, m: f}).text(f))
	}
	for i, k := range m.Stickers {
		if i < 3 {
			add("[sticker " + clean(k.Name) + "]")
		}
	}
	if p := m.Poll; p != nil {
		options := make([]string, 0, 10)
		for _, a := range p.Answers[:min(len(p.Answers), 10)] {
			options = append(options, clean(a.Media.Text))
		}
		add("[poll: " + clean(p.Question.Text) + ": " + strings.Join(options, " / ") + "]")
	}
	if said == "" { // of programs, as people's embeds only show what they link to
		for i, e := range m.Embeds {
			if i < 5 {
				add(strings.TrimSpace(e.Title + "\n" + e.Description))
			}
		}
	}
	return said
}

// scheme begins the Ref of an attachment that is still at Discord.
const scheme = "discord:"

func (b *bot) attachments(m message) (out []msg.Attachment) {
	const most = 10 // what Discord allows
	list := m.Attachments
	for _, s := range m.Snapshots {
		list = append(list, s.Message.Attachments...)
	}
	for _, a := range list[:min(len(list), most)] {
		if !snowflake(a.ID) {
			continue
		}
		mime, _, _ := strings.Cut(clean(a.ContentType), ";")
		ref := scheme + m.ChannelID + "/" + m.ID + "/" + a.ID
		out = append(out, msg.Attachment{MIME: cmp.Or(mime, "application/octet-stream"), Name: clean(a.Name), Size: a.Size, Ref: ref})
		b.files.Put(ref, a.URL)
	}
	return out
}

// received is the time of an event that has none.
func received(id string) time.Time {
	if snowflake(id) {
		return when(id)
	}
	return time.Now()
}
