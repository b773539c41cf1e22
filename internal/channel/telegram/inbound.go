package telegram

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// cutAlbums divides us before the first part of an album, or of a text that may
// go on in another message.
func cutAlbums(us []update) (head, tail []update) {
	for i, u := range us {
		if m := u.written(); m != nil && (m.Group != "" || long(m)) {
			return us[:i], us[i:]
		}
	}
	return us, nil
}

// messages turns updates into messages. An album is one, and so is a text in
// parts; an edit changes a message that isn't handed on yet, and is a notice
// behind it. upTo[i] is the update to go on from once messages 0 to i are stored.
func (b *bot) messages(ctx context.Context, us []update) (ins []msg.Inbound, upTo []int64) {
	edits, here := map[string]*message{}, map[string]bool{}
	for _, u := range us {
		if m := u.edited(); m != nil {
			edits[place(m)] = m
		}
		if m := u.written(); m != nil {
			here[place(m)] = true
		}
	}
	albums, texts, spread := map[string]int{}, pasted{}, false
	firstOpen := map[int]int64{} // by message: the update where its album began
	for _, u := range us {
		if in, ok := b.beside(ctx, u); ok {
			firstOpen[len(ins)] = u.ID
			ins = append(ins, in)
		}
		if m := u.edited(); m != nil && edits[place(m)] == m && !here[place(m)] {
			if in, ok := b.revised(u.ID, m); ok {
				firstOpen[len(ins)] = u.ID
				ins = append(ins, in)
			}
		}
		m := u.written()
		if m == nil {
			continue
		}
		b.note(m)
		if m.MigrateTo != 0 {
			b.moves(m.Chat.ID, m.MigrateTo)
		}
		if e := edits[place(m)]; e != nil {
			e.ReplyTo = m.ReplyTo
			m = e
		}
		b.lately.Put(place(m), sum(text.Valid(cmp.Or(m.Text, m.Caption))))
		in, ok := b.inbound(m)
		if !ok {
			continue
		}
		if m.Group != "" {
			key := strconv.FormatInt(m.Chat.ID, 10) + "/" + m.Group
			spread = true
			if i, known := albums[key]; known {
				ins[i] = joined(ins[i], in)
				continue
			}
			albums[key] = len(ins)
		}
		if texts.join(ins, m, in) {
			spread = true
			continue
		}
		texts.begin(len(ins), m)
		firstOpen[len(ins)] = u.ID
		ins = append(ins, in)
	}
	upTo = make([]int64, len(ins))
	for i := range ins {
		// Everything before the next message's first update is done with.
		if next, ok := firstOpen[i+1]; ok {
			upTo[i] = next
		}
	}
	if spread { // later parts may lie behind other messages
		clear(upTo)
	}
	return ins, upTo
}

// beside reads what isn't written: a pressed button, a reaction.
func (b *bot) beside(ctx context.Context, u update) (msg.Inbound, bool) {
	switch {
	case u.Callback != nil:
		return b.pressed(u.Callback)
	case u.Reaction != nil:
		return b.reacted(ctx, u.ID, u.Reaction)
	}
	return msg.Inbound{}, false
}

func place(m *message) string {
	return strconv.FormatInt(m.Chat.ID, 10) + "/" + strconv.FormatInt(m.ID, 10)
}

// joined adds a part to an album.
func joined(in, part msg.Inbound) msg.Inbound {
	const most = 10 // what Telegram allows
	if len(in.Attachments) < most {
		in.Attachments = append(in.Attachments, part.Attachments...)
	}
	switch {
	case in.Text == "":
		in.Text = part.Text
	case part.Text != "" && part.Text != in.Text:
		in.Text += "\n" + part.Text
	}
	in.Mentioned = in.Mentioned || part.Mentioned
	return in
}

// inbound reads a message; ok is false for what nobody wrote to be read.
func (b *bot) inbound(m *message) (in msg.Inbound, ok bool) {
	me := b.self()
	from, ok := sender(m)
	if !ok || m.From != nil && m.From.ID == me.ID {
		return in, false
	}
	said, entities := m.Text, m.Entities
	if said == "" {
		said, entities = m.Caption, m.CaptionEntities
	}
	in = msg.Inbound{
		ID:          id.Message(strconv.FormatInt(m.ID, 10)),
		From:        from,
		At:          b.address(m),
		Text:        described(m, text.Valid(marked(said, entities))),
		Attachments: attachments(m),
		Received:    now(m.Date),
	}
	if in.Text == "" && len(in.Attachments) == 0 {
		return in, false // somebody joined, a pinned message, and the like
	}
	in.Mentioned = in.At.Kind == msg.Direct
	in.Room = b.room(m)
	// What stands in a topic formally answers the message that began it.
	if r := m.ReplyTo; r != nil && r.TopicCreated == nil && (r.ID != m.Thread || !m.Topic) {
		in.ReplyTo = id.Message(strconv.FormatInt(r.ID, 10))
		in.Quote = quoted(m, me)
	}
	addressed, named, command := mentions(said, entities, me)
	in.Mentioned = in.Mentioned || addressed || in.Quote != nil && in.Quote.Self
	if command != "" {
		in.Text = command + strings.TrimPrefix(text.Valid(marked(said, entities)), named)
	}
	in.Text = forwarded(m, b.unmenu(in.Text))
	return in, true
}

// address is where m stands.
func (b *bot) address(m *message) msg.Address {
	return msg.Address{
		Channel: ID, Account: b.env.Account, Kind: kindOf(m.Chat), Peer: id.Peer(strconv.FormatInt(m.Chat.ID, 10)), Thread: thread(m),
	}
}

func kindOf(c chat) msg.PeerKind {
	switch c.Type {
	case "group", "supergroup":
		return msg.Group
	case "channel":
		return msg.Channel
	}
	return msg.Direct
}

// quoted is what m answers: the part that its sender chose, or all of it.
func quoted(m *message, me user) *msg.Quote {
	const most = 4000
	r := m.ReplyTo
	q := &msg.Quote{ID: id.Message(strconv.FormatInt(r.ID, 10)), Self: me.ID != 0 && r.From != nil && r.From.ID == me.ID}
	q.From, _ = sender(r)
	switch {
	case m.Cited != nil && m.Cited.Text != "":
		q.Text = m.Cited.Text
	default:
		q.Text = described(r, cmp.Or(r.Text, r.Caption))
		if q.Text == "" {
			q.Text = named(attachments(r))
		}
	}
	q.Text = text.Ellipsis(text.Valid(q.Text), most)
	return q
}

// sender is who wrote m: a person, or the chat that an administrator or a
// channel writes as.
func sender(m *message) (msg.Sender, bool) {
	switch {
	case m.SenderChat != nil:
		c := m.SenderChat
		from := msg.Sender{ID: id.Peer(strconv.FormatInt(c.ID, 10)), Name: c.Title, Username: c.Username, Chat: true}
		if c.ID == m.Chat.ID && kindOf(m.Chat) == msg.Group { // nobody knows which of them
			from.ID = admins + from.ID
		}
		return from, c.ID != 0
	case m.From != nil && m.From.ID != 0:
		u := m.From
		return msg.Sender{
			ID: id.Peer(strconv.FormatInt(u.ID, 10)), Name: strings.TrimSpace(u.FirstName + " " + u.LastName), Username: u.Username, Bot: u.Bot,
		}, true
	}
	return msg.Sender{}, false
}

// general is the topic of a forum's messages without one.
const general = 1

func thread(m *message) id.Thread {
	switch {
	case m.Thread != 0 && (m.Topic || kindOf(m.Chat) == msg.Direct): // elsewhere it may be a chain of answers
		return id.Thread(strconv.FormatInt(m.Thread, 10))
	case m.Chat.Forum:
		return id.Thread(strconv.Itoa(general))
	}
	return ""
}

// mentions tells whether the entities of text address us, and the command with
// our name that it begins with ("/status@our_bot now") and without.
func mentions(said string, entities []entity, me user) (addressed bool, named, command string) {
	if len(entities) == 0 || me.ID == 0 {
		return false, "", ""
	}
	units := utf16.Encode([]rune(said))
	for _, e := range entities {
		switch e.Type {
		case "mention":
			addressed = addressed || strings.EqualFold(e.slice(units), "@"+me.Username)
		case "text_mention":
			addressed = addressed || e.User != nil && e.User.ID == me.ID
		case "bot_command":
			name, at, ok := strings.Cut(e.slice(units), "@")
			if !ok || !strings.EqualFold(at, me.Username) {
				continue
			}
			addressed = true
			if e.Offset == 0 {
				named, command = e.slice(units), name
			}
		}
	}
	return addressed, named, command
}

// delay is what the network asked for.
func delay(err error) time.Duration {
	if r, ok := errors.AsType[channel.RetryAfter](err); ok {
		return r.After
	}
	return 0
}
