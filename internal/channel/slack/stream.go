package slack

import (
	"cmp"
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// maxStream is what one call takes of Markdown.
const maxStream = 12000

// Stream implements [channel.Streamer]: Slack streams answers in threads. The
// error says that previews by edits are to be shown instead.
func (b *bot) Stream(ctx context.Context, out msg.Outbound) (channel.Stream, error) {
	const op = "slack.Stream"
	no := func(hint string) (channel.Stream, error) { return nil, fault.New(fault.Invalid, op, hint) }
	if !on(b.cfg.NativeStreaming) {
		return no("channels.slack.nativeStreaming is false")
	}
	if b.noStream.Load() {
		return no("Slack doesn't let this app stream: turn on Agents & AI Apps, add assistant:write and install it again")
	}
	to, err := b.destination(ctx, out.To)
	if err != nil {
		return nil, err
	}
	if to.thread == "" && stamp(string(out.ReplyTo)) && b.opensThread(out) {
		to.thread = string(out.ReplyTo)
	}
	if to.thread == "" {
		return no("Slack streams in threads only")
	}
	me, err := b.self(ctx)
	if err != nil {
		return nil, err
	}
	p := params{"channel": to.conversation, "thread_ts": to.thread, "markdown_text": text.Cut(out.Text, maxStream)}
	person, _ := b.asked.Get(placeKey(out.To))
	if out.To.Kind == msg.Direct {
		person = cmp.Or(person, strings.ToUpper(string(out.To.Peer)))
	}
	if person = userID(person); person != "" {
		p["recipient_user_id"], p["recipient_team_id"] = person, me.Team
	}
	var ans struct {
		TS string `json:"ts"`
	}
	if err := b.api.call(ctx, "chat.startStream", p, &ans); err != nil {
		if refused(err, "missing_scope", "unknown_method", "not_allowed_token_type", "method_deprecated", "feature_not_enabled") {
			b.noStream.Store(true)
		}
		return nil, err
	}
	b.threads.Put(to.conversation+"/"+to.thread, true)
	return &stream{bot: b, to: to, at: out.To, out: out, ts: ans.TS, text: out.Text, native: true}, nil
}

// stream is a message that Slack shows while it is written. Once Slack refuses
// a piece, the message is changed as a whole instead.
type stream struct {
	bot    *bot
	to     destination
	at     msg.Address
	out    msg.Outbound
	ts     string
	text   string
	native bool
}

// Append implements [channel.Stream].
func (s *stream) Append(ctx context.Context, more string) error {
	if more == "" {
		return nil
	}
	s.text += more
	for s.native && more != "" {
		piece := text.Cut(more, maxStream)
		err := s.bot.api.call(ctx, "chat.appendStream", params{"channel": s.to.conversation, "ts": s.ts, "markdown_text": piece}, nil)
		if err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Forbidden {
			return err
		}
		if err != nil {
			s.native = false
			break
		}
		more = more[len(piece):]
	}
	if s.native {
		return nil
	}
	return s.rewrite(ctx)
}

// rewrite shows the text so far by an edit.
func (s *stream) rewrite(ctx context.Context) error {
	shown := s.bot.render(markdown.Parse(s.text))
	if strings.TrimSpace(shown) == "" {
		return nil
	}
	if text.UTF16(shown) > maxEdit {
		return fault.New(fault.Invalid, "slack.Stream", "the message outgrew what Slack takes in one that is changed")
	}
	return s.bot.api.call(ctx, "chat.update", params{"channel": s.to.conversation, "ts": s.ts, "text": shown, "parse": "none"}, nil)
}

// Close implements [channel.Stream].
func (s *stream) Close(ctx context.Context) (msg.Receipt, error) {
	r := msg.Receipt{IDs: []id.Message{id.Message(s.ts)}, At: when(s.ts)}
	err := s.bot.api.call(ctx, "chat.stopStream", params{
		"channel": s.to.conversation, "ts": s.ts,
		"metadata": map[string]any{"event_type": deliveryType, "event_payload": map[string]any{"id": string(s.out.ID), "part": 0}},
	}, nil)
	if refused(err, "message_not_in_streaming_state", "message_not_owned_by_app") {
		err = nil // it ended already
	}
	if err == nil && !s.native {
		err = s.rewrite(ctx)
	}
	s.bot.undress(ctx, s.to, s.at)
	return r, err
}

// Drop implements [channel.Stream].
func (s *stream) Drop(ctx context.Context) error {
	_ = s.bot.api.call(ctx, "chat.stopStream", params{"channel": s.to.conversation, "ts": s.ts}, nil) // it need not be streaming any more
	return s.bot.Delete(ctx, s.at, id.Message(s.ts))
}
