package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// respond answers a slash command: where Slack said, while it takes answers
// there, and otherwise in the conversation. Who asked sees it, and others where
// slashCommand.ephemeral is false.
func (b *bot) respond(ctx context.Context, to destination, out msg.Outbound, parts []string) (msg.Receipt, error) {
	r := msg.Receipt{At: time.Now()}
	way, open := b.slashes.Younger(string(out.ReplyTo), responderFor)
	if !open {
		_, rest, _ := strings.Cut(string(out.ReplyTo), ":")
		way.user, _, _ = strings.Cut(rest, ":")
		way.private = on(b.cfg.Slash.Ephemeral)
	}
	for _, p := range parts {
		shown := b.render(markdown.Parse(p))
		if open {
			err := b.api.respond(ctx, way, shown)
			if err == nil {
				continue
			}
			if fault.KindOf(err) != fault.NotFound {
				return r, err
			}
			open = false // used up
		}
		post := b.post(to, shown)
		method := "chat.postMessage"
		if way.private && idLike(way.user) && !strings.HasPrefix(to.conversation, "D") {
			method, post["user"] = "chat.postEphemeral", way.user
		}
		if err := b.api.call(ctx, method, post, nil); err != nil {
			return r, err
		}
	}
	return r, nil
}

// respond posts to the address that came with a slash command.
func (a *api) respond(ctx context.Context, to responder, mrkdwn string) error {
	const op, most = "slack.respond", 64 << 10
	kind := "in_channel"
	if to.private {
		kind = "ephemeral"
	}
	body, err := json.Marshal(map[string]any{"response_type": kind, "text": mrkdwn, "replace_original": false})
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url, bytes.NewReader(body))
	if err != nil {
		return fault.Wrap(fault.Invalid, op, bare(err))
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return fault.Wrap(fault.Unavailable, op, channel.InDoubt{Err: bare(err)})
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, most))
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests:
		return limited(op, resp.Header.Get("Retry-After"), &refusal{})
	case s >= http.StatusInternalServerError:
		return fault.New(fault.Unavailable, op, "Slack has a problem: HTTP "+strconv.Itoa(s))
	case s != http.StatusOK:
		return fault.New(fault.NotFound, op, "Slack takes no more answers to that command")
	}
	return nil
}
