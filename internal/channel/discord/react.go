package discord

import (
	"context"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// React implements [channel.Reactor].
func (b *bot) React(ctx context.Context, at msg.Address, m id.Message, sign string, on bool) error {
	const op = "discord.React"
	path, err := b.spot(ctx, op, at, m)
	if err != nil {
		return err
	}
	if sign == "" && !on {
		return b.unreact(ctx, path)
	}
	e := emojiPath(sign)
	if e == "" {
		return fault.New(fault.Invalid, op, "not an emoji: write the character itself, or name:id of one of the server's own")
	}
	method := "PUT"
	if !on {
		method = "DELETE"
	}
	err = b.api.do(ctx, call{method: method, path: path + "/reactions/" + e + "/@me"})
	if !on && refusedWith(err, codeUnknownEmoji, codeUnknownMessage) {
		return nil
	}
	return err
}

// unreact takes all of our reactions back.
func (b *bot) unreact(ctx context.Context, path string) error {
	var m message
	if err := b.api.get(ctx, path, nil, &m); err != nil {
		return err
	}
	for _, r := range m.Reactions {
		if !r.Me {
			continue
		}
		e := r.Emoji.Name
		if r.Emoji.ID != "" {
			e += ":" + r.Emoji.ID
		}
		if err := b.api.do(ctx, call{method: "DELETE", path: path + "/reactions/" + emojiPath(e) + "/@me"}); err != nil {
			return err
		}
	}
	return nil
}

// emojiPath is an emoji as it stands in a path: the character itself, or name:id
// of one of a guild's own, which is also written <:name:id>.
func emojiPath(s string) string {
	const most = 100
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "<"); ok {
		s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(inner, ">"), "a"), ":")
	}
	if name, id, ok := strings.Cut(s, ":"); ok {
		if name == "" || !snowflake(id) {
			return ""
		}
	}
	// Discord knows emoji without the sign that asks for a colourful one.
	s = strings.Map(func(r rune) rune {
		if r == 0xFE0F || r == 0xFE0E {
			return -1
		}
		return r
	}, s)
	if s == "" || len(s) > most || strings.ContainsAny(s, "/ \r\n") || s == "." || s == ".." {
		return ""
	}
	return url.PathEscape(s)
}
