package discord

import (
	"cmp"
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
)

// postTo makes one message. A forum takes it as the beginning of a post of its
// own, an archived thread once it is opened.
func (b *bot) postTo(ctx context.Context, to string, p post, m *message) error {
	c := call{method: "POST", path: "/channels/" + to + "/messages", body: p.body, files: p.files, into: m}
	err := b.api.do(ctx, c)
	switch {
	case refusedWith(err, codeNotText):
		return b.begin(ctx, to, p, m)
	case refusedWith(err, codeThreadIsArchived):
		if err := b.api.do(ctx, call{method: "PATCH", path: "/channels/" + to, body: map[string]any{"archived": false}}); err != nil {
			return err
		}
		return b.api.do(ctx, c)
	}
	return err
}

// begin makes a post in a forum, with the first line as its title.
func (b *bot) begin(ctx context.Context, forum string, p post, m *message) error {
	body := map[string]any{}
	for k, v := range p.body {
		if k != "nonce" && k != "enforce_nonce" && k != "message_reference" {
			body[k] = v
		}
	}
	content, _ := body["content"].(string)
	var made struct {
		room
		Message message `json:"message"`
	}
	err := b.api.do(ctx, call{
		method: "POST", path: "/channels/" + forum + "/threads", files: p.files, into: &made,
		body: map[string]any{"name": title(content), "message": body},
	})
	if err != nil {
		return err
	}
	b.world.room(made.room)
	*m = made.Message
	m.ID = cmp.Or(m.ID, made.ID)
	return nil
}

// title is a name for a thread: the first line of what it begins with.
func title(s string) string {
	const most = 100
	for line := range strings.Lines(s) {
		if line = strings.Trim(strings.TrimSpace(line), "*_~`#> "); line != "" {
			return text.Fit(clean(strings.ReplaceAll(line, "\\", "")), most, text.UTF16)
		}
	}
	return "New post"
}
