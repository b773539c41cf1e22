package telegram

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// cutAlbums divides us before the first part of an album.
func cutAlbums(us []update) (head, tail []update) {
	for i, u := range us {
		if u.Message != nil && u.Message.Group != "" {
			return us[:i], us[i:]
		}
	}
	return us, nil
}

// messages turns updates into messages. An album is one; an edit changes a
// message that isn't handed on yet, and is ignored behind it: what was read
// is answered already. upTo[i] is the update to go on from once messages 0 to
// i are stored.
func (b *bot) messages(us []update) (ins []msg.Inbound, upTo []int64) {
	edits := map[string]*message{}
	for _, u := range us {
		if m := u.Edited; m != nil {
			edits[place(m)] = m
		}
	}
	albums := map[string]int{}
	firstOpen := map[int]int64{} // by message: the update where its album began
	for _, u := range us {
		m := u.Message
		if m == nil {
			continue
		}
		if e := edits[place(m)]; e != nil {
			e.ReplyTo = m.ReplyTo
			m = e
		}
		in, ok := b.inbound(m)
		if !ok {
			continue
		}
		if m.Group != "" {
			key := strconv.FormatInt(m.Chat.ID, 10) + "/" + m.Group
			if i, known := albums[key]; known {
				ins[i] = joined(ins[i], in)
				continue
			}
			albums[key] = len(ins)
		}
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
	if len(albums) > 0 { // their later parts may lie behind other messages
		clear(upTo)
	}
	return ins, upTo
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
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEntities
	}
	in = msg.Inbound{
		ID:          id.Message(strconv.FormatInt(m.ID, 10)),
		From:        from,
		At:          msg.Address{Channel: ID, Account: b.env.Account, Peer: id.Peer(strconv.FormatInt(m.Chat.ID, 10)), Thread: thread(m)},
		Text:        described(m, strings.ToValidUTF8(text, "\uFFFD")),
		Attachments: attachments(m),
		Received:    time.Unix(m.Date, 0),
	}
	if m.Date <= 0 {
		in.Received = time.Now()
	}
	if in.Text == "" && len(in.Attachments) == 0 {
		return in, false // somebody joined, a pinned message, and the like
	}
	if m.ReplyTo != nil && m.ReplyTo.ID != m.Thread {
		in.ReplyTo = id.Message(strconv.FormatInt(m.ReplyTo.ID, 10))
	}
	switch m.Chat.Type {
	case "group", "supergroup":
		in.At.Kind = msg.Group
	case "channel":
		in.At.Kind = msg.Channel
	default:
		in.At.Kind, in.Mentioned = msg.Direct, true
	}
	addressed, command := mentions(text, entities, me)
	in.Mentioned = in.Mentioned || addressed || m.ReplyTo != nil && m.ReplyTo.From != nil && m.ReplyTo.From.ID == me.ID && me.ID != 0
	if command != "" {
		in.Text = command
	}
	return in, true
}

// sender is who wrote m: a person, or the chat that an administrator or a
// channel writes as.
func sender(m *message) (msg.Sender, bool) {
	switch {
	case m.SenderChat != nil:
		return msg.Sender{ID: id.Peer(strconv.FormatInt(m.SenderChat.ID, 10)), Name: m.SenderChat.Title, Username: m.SenderChat.Username}, true
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
	case m.Topic && m.Thread != 0:
		return id.Thread(strconv.FormatInt(m.Thread, 10))
	case m.Chat.Forum:
		return id.Thread(strconv.Itoa(general))
	}
	return ""
}

// mentions tells whether the entities of text address us, and the text without
// our name when that stands behind its command ("/status@our_bot now").
func mentions(text string, entities []entity, me user) (addressed bool, command string) {
	if len(entities) == 0 || me.ID == 0 {
		return false, ""
	}
	units := utf16.Encode([]rune(text))
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
				command = name + string(utf16.Decode(units[min(e.Length, len(units)):]))
			}
		}
	}
	return addressed, command
}

// described is text with what has no bytes to fetch put into words.
func described(m *message, text string) string {
	add := func(s string) { text = strings.TrimSpace(text + "\n" + s) }
	if m.Sticker != nil {
		add(strings.TrimSpace("[sticker "+m.Sticker.Emoji) + "]")
	}
	if l := m.Location; l != nil {
		add(fmt.Sprintf("[location %.5f, %.5f]", l.Latitude, l.Longitude))
	}
	if c := m.Contact; c != nil {
		add("[contact " + strings.TrimSpace(c.FirstName+" "+c.Phone) + "]")
	}
	return text
}

// scheme begins the Ref of an attachment that is still at Telegram.
const scheme = "telegram:"

func attachments(m *message) []msg.Attachment {
	var out []msg.Attachment
	add := func(f *file, mime, name string) {
		if f == nil || f.ID == "" {
			return
		}
		out = append(out, msg.Attachment{MIME: cmp.Or(f.MIME, mime), Name: cmp.Or(f.Name, name), Size: f.Size, Ref: scheme + f.ID})
	}
	if n := len(m.Photo); n > 0 {
		add(&m.Photo[n-1], "image/jpeg", "photo.jpg") // the largest is the last
	}
	if m.Animation == nil {
		add(m.Document, "application/octet-stream", "file")
	}
	add(m.Audio, "audio/mpeg", "audio.mp3")
	add(m.Voice, "audio/ogg", "voice.ogg")
	add(m.Video, "video/mp4", "video.mp4")
	add(m.VideoNote, "video/mp4", "note.mp4")
	add(m.Animation, "video/mp4", "animation.mp4")
	return out
}

// delay is what the network asked for.
func delay(err error) time.Duration {
	if r, ok := errors.AsType[channel.RetryAfter](err); ok {
		return r.After
	}
	return 0
}
