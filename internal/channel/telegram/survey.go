package telegram

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// sendPoll sends a poll within what Telegram takes.
func (b *bot) sendPoll(ctx context.Context, a *api, to *destination, out msg.Outbound) (message, error) {
	const op, mostOptions, maxQuestion, maxOption, minOpen, maxOpen = "telegram.Send", 12, 300, 100, 5 * time.Second, 10 * time.Minute
	bad := func(hint string) (message, error) { return message{}, fault.New(fault.Invalid, op, hint) }
	p := out.Poll
	question := strings.TrimSpace(text.Valid(p.Question))
	var options []map[string]any
	for _, o := range p.Options {
		if o = strings.TrimSpace(text.Valid(o)); o != "" {
			options = append(options, map[string]any{"text": text.Fit(o, maxOption, text.UTF16)})
		}
	}
	switch {
	case !b.allows("poll"):
		return bad("polls are off: openclaw config set channels.telegram.actions.poll true")
	case question == "" || len(options) < 2:
		return bad("a poll needs a question and at least two options")
	case len(options) > mostOptions:
		return bad(fmt.Sprintf("Telegram takes at most %d options", mostOptions))
	case p.Open != 0 && (p.Open < minOpen || p.Open > maxOpen):
		return bad("Telegram keeps a poll open for 5 to 600 seconds, or without an end")
	}
	fields := map[string]any{
		"question": text.Fit(question, maxQuestion, text.UTF16), "options": options,
		"is_anonymous": !p.Public, "allows_multiple_answers": p.Multi,
	}
	if p.Open > 0 {
		fields["open_period"] = int(p.Open / time.Second)
	}
	if out.Quiet {
		fields["disable_notification"] = true
	}
	if q := b.quote(out); q != nil {
		fields["reply_parameters"] = q
	}
	return b.follow(ctx, to, func(d destination) (m message, err error) {
		for k, v := range d.params() {
			fields[k] = v
		}
		if d.thread == 0 {
			delete(fields, "message_thread_id")
		}
		err = a.call(ctx, "sendPoll", fields, &m, 0)
		return m, err
	})
}
