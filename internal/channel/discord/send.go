package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// post is one message to make.
type post struct {
	body  map[string]any
	files []upload
}

const (
	flagNoEmbeds = 1 << 2 // previews fetch what a model wrote
	flagQuiet    = 1 << 12
	flagVoice    = 1 << 13
)

// Send delivers one message. Text that doesn't fit goes as several. Each has a
// nonce made of the delivery's id: for some minutes Discord answers a repeat
// with the message that is there. Later, a delivery in doubt is looked for among
// the last messages before it is sent again.
func (b *bot) Send(ctx context.Context, out msg.Outbound) (msg.Receipt, error) {
	b.log.DebugContext(ctx, "discord.Send", "to", out.To.Peer)
	var r msg.Receipt
	posts, err := b.posts(ctx, out)
	if err != nil {
		return r, err
	}
	if strings.HasPrefix(string(out.ReplyTo), nativePrefix) {
		if _, open := b.open.get(string(out.ReplyTo)); open {
			return b.respond(ctx, out, posts)
		}
	}
	to, err := b.destination(ctx, out.To)
	if err != nil {
		return r, err
	}
	var before []message
	if out.Doubt {
		if before, err = b.trail(ctx, to); err != nil {
			return r, err
		}
	}
	for i := range posts {
		p := &posts[i]
		m, there := same(before, *p)
		if !there {
			if err := b.postTo(ctx, to, *p, &m); err != nil {
				return r, err
			}
		}
		if !snowflake(m.ID) {
			return r, fault.New(fault.Unavailable, "discord.Send", "Discord answered without the message's id")
		}
		b.sent.Put(m.ID, true)
		r.IDs = append(r.IDs, id.Message(m.ID))
		r.At = when(m.ID)
	}
	return r, nil
}

// posts are the messages that out is made of.
func (b *bot) posts(ctx context.Context, out msg.Outbound) ([]post, error) {
	const op = "discord.Send"
	native, said, err := b.nativeParts(ctx, out.Native, panelName(string(out.ID)))
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, p := range b.Split(strings.TrimSpace(out.Text + "\n\n" + said)) {
		if s := b.shown(p); strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	files, named, err := b.uploads(ctx, out)
	if err != nil {
		return nil, err
	}
	parts = append(parts, named...)
	var poll map[string]any
	if out.Poll != nil {
		if poll, err = pollOf(out.Poll); err != nil {
			return nil, err
		}
	}
	rows, err := b.rows(ctx, out.Buttons)
	if err != nil {
		return nil, err
	}
	if len(parts)+len(files) == 0 && poll == nil && native == nil {
		return nil, fault.New(fault.Invalid, op, "nothing to send: the text is empty")
	}
	var posts []post
	for _, p := range parts {
		posts = append(posts, post{body: map[string]any{"content": p}})
	}
	voice := out.Voice && len(files) == 1 && voiceNote(files[0], &posts)
	if !voice {
		for i, group := range grouped(files, b.maxMedia()) {
			if i == 0 && len(posts) > 0 {
				posts[len(posts)-1].files = group
				continue
			}
			posts = append(posts, post{body: map[string]any{}, files: group})
		}
	}
	if len(posts) == 0 {
		posts = append(posts, post{body: map[string]any{}})
	}
	last := &posts[len(posts)-1]
	if rows != nil {
		last.body["components"] = rows
	}
	for k, v := range native {
		last.body[k] = v
	}
	if poll != nil {
		last.body["poll"] = poll
	}
	for i := range posts {
		b.dress(&posts[i], out, i)
	}
	return posts, nil
}

// dress adds what every message has.
func (b *bot) dress(p *post, out msg.Outbound, i int) {
	n := flags(p.body) | flagNoEmbeds
	if out.Quiet {
		n |= flagQuiet
	}
	if _, embeds := p.body["embeds"]; embeds || n&flagVoice != 0 {
		n &^= flagNoEmbeds
	}
	p.body["flags"] = n
	// A model can name people, and wakes neither everyone nor a role.
	p.body["allowed_mentions"] = map[string]any{"parse": []string{"users"}, "replied_user": true}
	if out.ID != "" {
		p.body["nonce"], p.body["enforce_nonce"] = nonce(out.ID, i), true
	}
	if m := string(out.ReplyTo); snowflake(m) && i == 0 {
		p.body["message_reference"] = map[string]any{"message_id": m, "fail_if_not_exists": false}
	}
	if len(p.files) > 0 {
		list, ok := p.body["attachments"].([]map[string]any)
		if !ok {
			for j, f := range p.files {
				list = append(list, map[string]any{"id": j, "filename": f.name})
			}
		}
		p.body["attachments"] = list
	}
}

// nonce is the same for each try of a part. Discord takes 25 characters.
func nonce(d id.Delivery, part int) string {
	sum := sha256.Sum256([]byte(string(d) + "/" + strconv.Itoa(part)))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// destination is the id of a conversation; one with a person is opened.
func (b *bot) destination(ctx context.Context, at msg.Address) (string, error) {
	const op = "discord.Send"
	peer := strings.TrimSpace(string(at.Peer))
	if !snowflake(peer) {
		to, err := target(peer)
		if err != nil {
			return "", fault.New(fault.Invalid, op, fault.Hint(err))
		}
		at.Kind, peer = to.Kind, string(to.Peer)
	}
	if t := string(at.Thread); t != "" && at.Kind != msg.Direct {
		if !snowflake(t) {
			return "", fault.New(fault.Invalid, op, "not a thread of Discord, which is named by its id: "+strconv.Quote(clean(t)))
		}
		return t, nil
	}
	if at.Kind != msg.Direct {
		return peer, nil
	}
	if c, ok := b.dms.Get(peer); ok {
		return c, nil
	}
	var r room
	if err := b.api.post(ctx, "/users/@me/channels", map[string]any{"recipient_id": peer}, &r); err != nil {
		return "", err
	}
	if !snowflake(r.ID) {
		return "", fault.New(fault.Unavailable, op, "Discord named no conversation")
	}
	b.world.room(r)
	b.dms.Put(peer, r.ID)
	return r.ID, nil
}

// trail is what we wrote last in a conversation, newest first, up to what
// somebody else said: an answer stands behind what it answers.
func (b *bot) trail(ctx context.Context, to string) (out []message, err error) {
	me, err := b.self(ctx)
	if err != nil {
		return nil, err
	}
	const page, since = "50", 26 * time.Hour // older deliveries are given up by the outbox
	var ms []message
	err = b.patient(ctx, func() error {
		ms = nil
		return b.api.get(ctx, "/channels/"+to+"/messages", url.Values{"limit": {page}}, &ms)
	})
	if err != nil {
		if refusedWith(err, codeNoPermission, codeNoAccess) {
			return nil, nil // it doesn't let us look
		}
		return nil, err
	}
	slices.SortFunc(ms, func(x, y message) int {
		if newer(x.ID, y.ID) {
			return -1
		}
		return 1
	})
	for _, m := range ms {
		if m.Author == nil || m.Author.ID != me.ID || time.Since(when(m.ID)) > since {
			break
		}
		out = append(out, m)
	}
	return out, nil
}

// same finds p among messages that are there.
func same(before []message, p post) (message, bool) {
	content, _ := p.body["content"].(string)
	if len(p.files) > 0 || strings.TrimSpace(content) == "" {
		return message{}, false
	}
	// Of the last minutes the nonce knows better.
	const nonceFor = time.Minute
	for _, m := range before {
		if strings.TrimSpace(m.Content) == strings.TrimSpace(content) && time.Since(when(m.ID)) > nonceFor {
			return m, true
		}
	}
	return message{}, false
}
