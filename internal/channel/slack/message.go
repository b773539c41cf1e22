package slack

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// message is a message of Slack, in an event or in a history.
type message struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Username    string `json:"username"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	Thread      string `json:"thread_ts"`
	Parent      string `json:"parent_user_id"`
	Channel     string `json:"channel"`
	ChannelType string `json:"channel_type"`
	Team        string `json:"-"`
	Replies     int    `json:"reply_count"`
	LatestReply string `json:"latest_reply"`
	Hidden      bool   `json:"hidden"`
	BotProfile  struct {
		Name string `json:"name"`
	} `json:"bot_profile"`
	Files       []file   `json:"files"`
	Attachments []attach `json:"attachments"`
	Edited      struct {
		TS string `json:"ts"`
	} `json:"edited"`
	Metadata struct {
		Type    string `json:"event_type"`
		Payload struct {
			ID   string `json:"id"`
			Part int    `json:"part"`
		} `json:"event_payload"`
	} `json:"metadata"`
	Reactions []struct {
		Name  string   `json:"name"`
		Users []string `json:"users"`
		Count int      `json:"count"`
	} `json:"reactions"`
}

// attach is what hangs on a message: a shared message, or what an app shows.
type attach struct {
	Share    bool   `json:"is_share"`
	Unfurl   bool   `json:"is_msg_unfurl"`
	Author   string `json:"author_name"`
	Text     string `json:"text"`
	Fallback string `json:"fallback"`
	Title    string `json:"title"`
}

type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	MIME     string `json:"mimetype"`
	Size     int64  `json:"size"`
	Mode     string `json:"mode"`
	URL      string `json:"url_private"`
	Download string `json:"url_private_download"`
}

// place is where a message was written.
func (b *bot) place(ctx context.Context, said, conversation, thread, person string) (at msg.Address, where msg.Room) {
	at = msg.Address{Channel: ID, Account: b.env.Account, Peer: id.Peer(conversation), Thread: id.Thread(thread)}
	switch b.roomKind(ctx, said, conversation) {
	case "im":
		at.Kind = msg.Direct
		if person == "" {
			if r, ok := b.people.room(ctx, conversation); ok {
				person = r.User
			}
		}
		if person != "" {
			b.dms.Put(person, conversation)
			at.Peer = id.Peer(person)
		}
		return at, where
	case "mpim":
		at.Kind = msg.Group
	default:
		at.Kind = msg.Channel
	}
	if r, ok := b.people.room(ctx, conversation); ok {
		where.Name, where.Topic = r.Name, cmp.Or(r.Topic.Value, r.Purpose.Value)
	}
	where.Alias = b.aliasOf(conversation)
	return at, where
}

// inbound reads a message; ok is false for our own, and for what says nothing.
func (b *bot) inbound(ctx context.Context, me self, m message) (in msg.Inbound, ok bool) {
	if !stamp(m.TS) || !idLike(m.Channel) || m.Hidden || b.own(me, m) {
		return in, false
	}
	from := b.sender(ctx, m)
	if from.ID == "" {
		return in, false
	}
	thread := m.Thread
	if thread == m.TS || !stamp(thread) {
		thread = ""
	}
	at, where := b.place(ctx, m.ChannelType, m.Channel, thread, m.User)
	if at.Kind == msg.Direct && !on(b.cfg.DM.Enabled) {
		return in, false
	}
	where.Team = m.Team
	in = msg.Inbound{
		ID: id.Message(m.TS), From: from, At: at, Room: where, Received: when(m.TS),
		Text: b.said(ctx, me, m), Attachments: files(m.Files),
		Mentioned: at.Kind == msg.Direct || m.Type == "app_mention" || mentions(m.Text, me),
	}
	if in.Text == "" && len(in.Attachments) == 0 {
		if !mentions(m.Text, me) {
			return in, false
		}
		in.Text = "@" + cmp.Or(me.Name, "bot") // only our name: somebody wants us
	}
	if thread != "" {
		in.ReplyTo = id.Message(thread)
		_, spoke := b.threads.Get(m.Channel + "/" + thread)
		in.Quote = &msg.Quote{ID: id.Message(thread), From: msg.Sender{ID: id.Peer(m.Parent)}, Self: spoke || m.Parent != "" && m.Parent == me.User}
		in.Mentioned = in.Mentioned || in.Quote.Self // whoever writes in a thread of ours means us
	}
	in.Before = b.before(ctx, me, in, m)
	b.asked.Put(placeKey(at), m.User)
	b.last.Put(placeKey(at), m.TS)
	return in, true
}

// own tells what we wrote ourselves.
func (b *bot) own(me self, m message) bool {
	return m.User != "" && m.User == me.User || m.BotID != "" && m.BotID == me.Bot
}

// sender is who wrote m: a person, a bot with a user, or an integration.
func (b *bot) sender(ctx context.Context, m message) msg.Sender {
	bot := m.BotID != "" || m.Subtype == "bot_message"
	if m.User == "" {
		if m.BotID == "" {
			return msg.Sender{}
		}
		return msg.Sender{ID: id.Peer(m.BotID), Name: clean(cmp.Or(m.Username, m.BotProfile.Name)), Bot: true}
	}
	if !idLike(m.User) {
		return msg.Sender{}
	}
	u := b.people.user(ctx, m.User)
	return msg.Sender{ID: id.Peer(m.User), Name: clean(cmp.Or(u.shown(), m.Username)), Username: clean(u.Name), Bot: bot || u.IsBot}
}

// clean is a name as somebody chose it, on one short line.
func clean(s string) string {
	const most = 80
	return text.Ellipsis(strings.TrimSpace(printable(s)), most)
}

// said is the text of m as people read it, without our name in front, and with
// what was shared.
func (b *bot) said(ctx context.Context, me self, m message) string {
	const most = 64 << 10
	s := text.Cut(m.Text, most)
	for _, name := range []string{"<@" + me.User + ">", "<@" + me.User + "|" + me.Name + ">"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(s, " "), name); ok {
			s = strings.TrimLeft(rest, " ,:")
		}
	}
	s = b.plain(ctx, me, s)
	const mostShared = 10
	for i, a := range m.Attachments {
		if i == mostShared {
			break
		}
		body := strings.TrimSpace(b.plain(ctx, me, text.Cut(cmp.Or(a.Text, a.Fallback, a.Title), most)))
		switch {
		case body == "":
		case a.Share || a.Unfurl:
			s += "\n[forwarded from " + cmp.Or(clean(a.Author), "somebody") + "] " + body
		case m.BotID != "" && m.Text == "":
			s += "\n" + body
		}
	}
	return strings.TrimSpace(s)
}

// mentions tells whether text names us.
func mentions(text string, me self) bool {
	return me.User != "" && (strings.Contains(text, "<@"+me.User+">") || strings.Contains(text, "<@"+me.User+"|"))
}

// when is the time in a message's id.
func when(ts string) time.Time {
	sec, frac, _ := strings.Cut(ts, ".")
	n, err := strconv.ParseInt(sec, 10, 64)
	if err != nil || n <= 0 {
		return time.Now()
	}
	micro, err := strconv.ParseInt((frac + "000000")[:6], 10, 64)
	if err != nil {
		micro = 0
	}
	return time.Unix(n, micro*1000)
}

// placeKey names a conversation, and the thread in it.
func placeKey(at msg.Address) string {
	return strings.ToUpper(string(at.Peer)) + "/" + string(at.Thread)
}

// scheme begins the Ref of an attachment that is still at Slack.
const scheme = "slack:"

func files(fs []file) []msg.Attachment {
	const most = 20
	var out []msg.Attachment
	for _, f := range fs {
		if len(out) == most {
			break
		}
		if !idLike(f.ID) || f.Mode == "tombstone" || f.Mode == "hidden_by_limit" {
			continue
		}
		out = append(out, msg.Attachment{
			MIME: cmp.Or(f.MIME, "application/octet-stream"), Name: clean(cmp.Or(f.Name, f.Title, "file")), Size: max(f.Size, 0), Ref: scheme + f.ID,
		})
	}
	return out
}
