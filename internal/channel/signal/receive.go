package signal

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// received is what the daemon tells about one envelope (signal-cli's
// JsonMessageEnvelope).
type received struct {
	Envelope envelope `json:"envelope"`
	Account  string   `json:"account"`
}

type envelope struct {
	Source       string `json:"source"`
	SourceNumber string `json:"sourceNumber"`
	SourceUUID   string `json:"sourceUuid"`
	SourceName   string `json:"sourceName"`
	Timestamp    int64  `json:"timestamp"`
	Data         *data  `json:"dataMessage"`
	Edit         *struct {
		Target int64 `json:"targetSentTimestamp"`
		Data   *data `json:"dataMessage"`
	} `json:"editMessage"`
	Story json.RawMessage `json:"storyMessage"`
}

type data struct {
	Timestamp int64  `json:"timestamp"`
	Message   string `json:"message"`
	Group     *struct {
		ID   string `json:"groupId"`
		Name string `json:"groupName"`
		Type string `json:"type"`
	} `json:"groupInfo"`
	Mentions []struct {
		Number string `json:"number"`
		UUID   string `json:"uuid"`
		Name   string `json:"name"`
		Start  int    `json:"start"`
		Length int    `json:"length"`
	} `json:"mentions"`
	Quote *struct {
		ID         int64  `json:"id"`
		Author     string `json:"author"`
		AuthorUUID string `json:"authorUuid"`
		Text       string `json:"text"`
	} `json:"quote"`
	Attachments []struct {
		ContentType string `json:"contentType"`
		Filename    string `json:"filename"`
		ID          string `json:"id"`
		Size        int64  `json:"size"`
	} `json:"attachments"`
	Reaction *struct {
		Emoji      string `json:"emoji"`
		Author     string `json:"targetAuthor"`
		AuthorUUID string `json:"targetAuthorUuid"`
		Target     int64  `json:"targetSentTimestamp"`
		Removed    bool   `json:"isRemove"`
	} `json:"reaction"`
	Sticker *struct {
		Emoji string `json:"emoji"`
	} `json:"sticker"`
	Delete *struct {
		Timestamp int64 `json:"timestamp"`
	} `json:"remoteDelete"`
}

// inbound makes a message of an envelope; ok is false for what is none.
func (b *bot) inbound(r received) (in msg.Inbound, ok bool) {
	e := r.Envelope
	d, edited := e.Data, false
	if d == nil && e.Edit != nil {
		d, edited = e.Edit.Data, true
	}
	from := sender(e)
	if d == nil || from.ID == "" || b.self(e.SourceNumber, e.SourceUUID) || e.Story != nil {
		return in, false
	}
	at := msg.Address{Channel: ID, Account: b.env.Account, Kind: msg.Direct, Peer: from.ID}
	in = msg.Inbound{
		ID: id.Message(strconv.FormatInt(e.Timestamp, 10)), From: from, Mentioned: true, Received: time.UnixMilli(e.Timestamp),
	}
	if d.Group != nil && d.Group.ID != "" {
		at.Kind, at.Peer, in.Mentioned = msg.Group, id.Peer(d.Group.ID), false
		in.Room.Name = d.Group.Name
	}
	in.At = at
	if d.Reaction != nil {
		return b.reaction(in, d)
	}
	if d.Delete != nil {
		return in, false
	}
	var mentioned bool
	in.Text, mentioned = b.words(d)
	in.Mentioned = in.Mentioned || mentioned
	for _, a := range d.Attachments {
		if b.cfg.IgnoreAttachments || a.ID == "" {
			continue
		}
		in.Attachments = append(in.Attachments, msg.Attachment{MIME: a.ContentType, Name: a.Filename, Size: a.Size, Ref: string(ID) + ":" + a.ID})
	}
	if q := d.Quote; q != nil && q.ID != 0 {
		in.ReplyTo = id.Message(strconv.FormatInt(q.ID, 10))
		in.Quote = &msg.Quote{ID: in.ReplyTo, Text: q.Text, From: msg.Sender{ID: peer(q.Author, q.AuthorUUID)}, Self: b.self(q.Author, q.AuthorUUID)}
	}
	if d.Sticker != nil && in.Text == "" {
		in.Text = strings.TrimSpace("[sticker " + d.Sticker.Emoji + "]")
	}
	if edited {
		in.Notice = true
		in.Text = from.Name + " changed an earlier message to: " + in.Text
	}
	return in, in.Text != "" || len(in.Attachments) > 0
}

// reaction is a notice about a reaction, as reactionNotifications wants it.
func (b *bot) reaction(in msg.Inbound, d *data) (msg.Inbound, bool) {
	r := d.Reaction
	own := b.self(r.Author, r.AuthorUUID)
	switch b.cfg.ReactionNotifications {
	case "off":
		return in, false
	case "", "own":
		if !own {
			return in, false
		}
	case "allowlist":
		if !b.listed(in.From) {
			return in, false
		}
	}
	what := " reacted with " + r.Emoji
	if r.Removed {
		what = " took back the reaction " + r.Emoji
	}
	whose := "message "
	if own {
		whose = "your message "
	}
	in.Notice = true
	in.Text = in.From.Name + what + " to " + whose + strconv.FormatInt(r.Target, 10)
	return in, true
}

func (b *bot) listed(from msg.Sender) bool {
	ids, _ := forms(from)
	for _, e := range b.cfg.ReactionAllowlist {
		s, ok := e.(string)
		if n, isNumber := e.(json.Number); isNumber {
			s, ok = n.String(), true
		}
		if !ok {
			continue
		}
		for _, x := range ids {
			if normalize(s) == x {
				return true
			}
		}
	}
	return false
}

// mention is what stands for one in the text of a message.
const mention = "\uFFFC"

// words is the text with names where people are mentioned; the bot's own is
// left out at the beginning.
func (b *bot) words(d *data) (s string, mentioned bool) {
	units := utf16.Encode([]rune(d.Message))
	var out strings.Builder
	at := 0
	for _, m := range d.Mentions {
		if m.Start < at || m.Start > len(units) || m.Length < 0 || m.Start+m.Length > len(units) {
			continue // not in order, or not in the text
		}
		out.WriteString(string(utf16.Decode(units[at:m.Start])))
		at = m.Start + m.Length
		name := m.Name
		if b.self(m.Number, m.UUID) {
			mentioned = true
			if strings.TrimSpace(out.String()) == "" {
				continue
			}
		}
		if name == "" {
			name = string(peer(m.Number, m.UUID))
		}
		out.WriteString("@" + name)
	}
	out.WriteString(string(utf16.Decode(units[at:])))
	return strings.TrimSpace(strings.ReplaceAll(out.String(), mention, "")), mentioned
}

func sender(e envelope) msg.Sender {
	s := msg.Sender{ID: peer(e.SourceNumber, e.SourceUUID), Name: e.SourceName}
	if s.ID == "" {
		s.ID = peer(e.Source, "")
	}
	if u := uuid(e.SourceUUID); u != "" {
		s.Username = "uuid:" + u
	}
	if s.Name == "" {
		s.Name = string(s.ID)
	}
	return s
}

// peer is a person's id: the number, else the uuid.
func peer(num, u string) id.Peer {
	if n := number(num); n != "" {
		return id.Peer(n)
	}
	for _, x := range []string{u, num} {
		if x = uuid(x); x != "" {
			return id.Peer("uuid:" + x)
		}
	}
	return ""
}

// self reports whether a person is the bot.
func (b *bot) self(num, u string) bool {
	if n := number(num); n != "" && n == number(b.cfg.Account) {
		return true
	}
	u = uuid(u)
	return u != "" && u == uuid(b.cfg.AccountUUID)
}
