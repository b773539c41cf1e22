package slack_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/slack/slacktest"
)

type object = map[string]any

// A message and the mention of it are one.
func TestMentionIsOneMessage(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, ""))
	m := slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "hi <@" + slacktest.BotUser + ">"}
	ts := s.Write(m, "channel")
	s.Event(object{"type": "app_mention", "channel": m.Channel, "user": m.User, "text": m.Text, "ts": ts, "event_ts": ts})
	s.Say("after")
	in := r.next()
	want := msg.Inbound{
		ID: id.Message(ts), From: msg.Sender{ID: slacktest.Person, Name: "Al", Username: "al"}, Text: "hi @claw (U0CLAW)", Mentioned: true,
		At:   msg.Address{Channel: "slack", Account: "default", Kind: msg.Channel, Peer: slacktest.General},
		Room: msg.Room{Name: "general", Topic: "all things", Team: slacktest.Team}, Received: in.Received,
	}
	if d := cmp.Diff(want, in); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if in := r.next(); in.Text != "after" {
		t.Errorf("then came %q, want the next message", in.Text)
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, `,"reactionNotifications":"all"`))
	root := s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.BotUser, BotID: slacktest.BotID, Text: "root"})
	at := func(kind msg.PeerKind, peer, thread string) msg.Address {
		return msg.Address{Channel: "slack", Account: "default", Kind: kind, Peer: id.Peer(peer), Thread: id.Thread(thread)}
	}
	tests := []struct {
		name  string
		write func()
		text  string
		check func(msg.Inbound) bool
	}{
		{"mention alone is stripped", func() {
			s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "<@U0CLAW> /status now"}, "channel")
		}, "/status now", func(in msg.Inbound) bool { return in.Mentioned && in.At == at(msg.Channel, slacktest.General, "") }},
		{"only a mention", func() {
			s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "<@U0CLAW>"}, "channel")
		}, "@claw", func(in msg.Inbound) bool { return in.Mentioned }},
		{"not mentioned", func() {
			s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "hi <@U0OTHER1>"}, "channel")
		}, "hi @Person U0OTHER1 (U0OTHER1)", func(in msg.Inbound) bool { return !in.Mentioned }},
		{"group", func() {
			s.Write(slacktest.Message{Channel: slacktest.Mpim, User: slacktest.Person, Text: "hi"}, "mpim")
		}, "hi", func(in msg.Inbound) bool { return in.At == at(msg.Group, slacktest.Mpim, "") }},
		{"answer to us", func() {
			s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "and?"}, "channel")
		}, "and?", func(in msg.Inbound) bool {
			return in.At == at(msg.Channel, slacktest.General, root) && in.Quote != nil && in.Quote.Self && in.Mentioned
		}},
		{"entities and links", func() {
			s.Say("a &lt;b&gt; &amp;amp; <https://x.test/y|y> <https://z.test> <mailto:a@b.test|a@b.test> <#C0GENERAL|general> <!here> <!subteam^S1|@ops>")
		}, "a <b> &amp; y (https://x.test/y) https://z.test a@b.test #general @here @ops", nil},
		{"file", func() {
			s.Write(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Files: []*slacktest.File{{ID: "F0PIC", Name: "pic.png", MIME: "image/png", Data: []byte("png")}}}, "im")
		}, "", func(in msg.Inbound) bool {
			return len(in.Attachments) == 1 && cmp.Equal(in.Attachments[0], msg.Attachment{MIME: "image/png", Name: "pic.png", Size: 3, Ref: "slack:F0PIC"})
		}},
		{"a bot", func() {
			s.Event(object{"type": "message", "subtype": "bot_message", "bot_id": "B0OTHER", "username": "ci", "channel": slacktest.General, "channel_type": "channel", "ts": s.Stamp(), "text": "", "attachments": []object{{"text": "build 7 failed"}}})
		}, "build 7 failed", func(in msg.Inbound) bool { return in.From.Bot && in.From.ID == "B0OTHER" && in.From.Name == "ci" }},
		{"forwarded", func() {
			s.Event(object{"type": "message", "user": slacktest.Person, "channel": slacktest.DM, "channel_type": "im", "ts": s.Stamp(), "text": "see", "attachments": []object{{"is_share": true, "author_name": "Eve\nX", "text": "&lt;secret&gt;"}}})
		}, "see\n[forwarded from Eve X] <secret>", nil},
		{"edit", func() {
			ts := s.Stamp()
			s.Event(object{
				"type": "message", "subtype": "message_changed", "channel": slacktest.General, "channel_type": "channel", "event_ts": s.Stamp(), "hidden": true,
				"message": object{"user": slacktest.Person, "text": "new", "ts": "1700000000.000100", "edited": object{"ts": ts}}, "previous_message": object{"text": "old"},
			})
		}, "Al changed the message 1700000000.000100 to: new", func(in msg.Inbound) bool { return in.Notice && strings.HasPrefix(string(in.ID), "edit:") }},
		{"delete", func() {
			s.Event(object{"type": "message", "subtype": "message_deleted", "channel": slacktest.DM, "channel_type": "im", "event_ts": s.Stamp(), "deleted_ts": "1700000000.000100", "previous_message": object{"user": slacktest.Person, "text": "old"}})
		}, "Al's message 1700000000.000100 was deleted", func(in msg.Inbound) bool { return in.Notice && in.At == at(msg.Direct, slacktest.Person, "") }},
		{"reaction", func() {
			s.Event(object{"type": "reaction_added", "user": slacktest.Person, "reaction": "eyes", "item_user": slacktest.BotUser, "event_ts": s.Stamp(), "item": object{"type": "message", "channel": slacktest.General, "ts": root}})
		}, "Al reacted with :eyes: to your message " + root, func(in msg.Inbound) bool { return in.Notice && !in.Mentioned }},
		{"joined", func() {
			s.Event(object{"type": "member_joined_channel", "user": "U0NEW001", "channel": slacktest.General, "channel_type": "C", "event_ts": s.Stamp()})
		}, "Person U0NEW001 joined the channel", func(in msg.Inbound) bool { return in.Notice }},
		{"pin", func() {
			s.Event(object{"type": "pin_added", "user": slacktest.Person, "channel_id": slacktest.General, "event_ts": s.Stamp(), "item": object{"type": "message", "message": object{"ts": root, "text": "root"}}})
		}, "Al pinned the message " + root + ": root", func(in msg.Inbound) bool { return in.Notice }},
		{"press", func() {
			s.Push("interactive", object{
				"type": "block_actions", "user": object{"id": slacktest.Person}, "channel": object{"id": slacktest.General}, "message": object{"ts": root, "thread_ts": root},
				"actions": []object{{"action_id": "oc_0", "type": "button", "value": "/approve 1", "action_ts": s.Stamp()}},
			})
		}, "/approve 1", func(in msg.Inbound) bool { return in.Native && in.ReplyTo == id.Message(root) && !in.Notice }},
		{"choice of a foreign control", func() {
			s.Push("interactive", object{
				"type": "block_actions", "user": object{"id": slacktest.Person}, "channel": object{"id": slacktest.DM}, "message": object{"ts": root},
				"actions": []object{{"action_id": "pick", "type": "static_select", "selected_option": object{"value": "red"}, "action_ts": s.Stamp()}},
			})
		}, "Slack interaction: Al set pick of the message " + root + " to: red", func(in msg.Inbound) bool { return in.Notice && !in.Native }},
	}
	for _, tt := range tests {
		tt.write()
		in := r.next()
		if in.Text != tt.text || tt.check != nil && !tt.check(in) {
			t.Errorf("%s: got %+v (quote %+v), want text %q", tt.name, in, in.Quote, tt.text)
		}
	}
	until(t, "all are confirmed", func() bool { return s.Open() == 0 })
}

// What nobody is to hear of is confirmed all the same.
func TestIgnored(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, `,"dm":{"enabled":false}`))
	s.Say("direct messages are off")
	for _, e := range []object{
		{"type": "message", "user": slacktest.BotUser, "text": "our own", "channel": slacktest.General, "ts": s.Stamp()},
		{"type": "message", "bot_id": slacktest.BotID, "text": "our own", "channel": slacktest.General, "ts": s.Stamp()},
		{"type": "message", "subtype": "channel_topic", "user": slacktest.Person, "text": "x", "channel": slacktest.General, "ts": s.Stamp()},
		{"type": "message", "subtype": "message_changed", "channel": slacktest.General, "event_ts": s.Stamp(), "message": object{"user": slacktest.Person, "text": "same", "ts": s.Stamp()}, "previous_message": object{"text": "same"}},
		{"type": "reaction_added", "user": slacktest.Person, "reaction": "eyes", "item_user": "U0OTHER1", "event_ts": s.Stamp(), "item": object{"type": "message", "channel": slacktest.General, "ts": s.Stamp()}},
		{"type": "reaction_added", "user": slacktest.BotUser, "reaction": "eyes", "item_user": slacktest.BotUser, "event_ts": s.Stamp(), "item": object{"type": "message", "channel": slacktest.General, "ts": s.Stamp()}},
		{"type": "member_joined_channel", "user": slacktest.BotUser, "channel": slacktest.General, "event_ts": s.Stamp()},
		{"type": "star_added", "item": "text"},
	} {
		s.Event(e)
	}
	s.Push("slash_commands", object{"command": "/openclaw", "text": "x", "user_id": slacktest.Person, "channel_id": slacktest.General, "trigger_id": "1"})
	s.Push("interactive", object{"type": "view_submission", "user": object{"id": slacktest.Person}})
	s.Push("options", object{})
	s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "wanted"}, "channel")
	if in := r.next(); in.Text != "wanted" {
		t.Errorf("received %q", in.Text)
	}
	until(t, "all are confirmed", func() bool { return s.Open() == 0 })
	if a := s.Answers(); len(a) != 1 || !strings.Contains(a[0], "isn't set up") {
		t.Errorf("the slash command that is off was answered with %q", a)
	}
}

func TestSlashCommands(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, `,"slashCommand":{"enabled":true,"name":"/claw"},"commands":{"native":true}`))
	type push = map[string]string
	command := func(name, text string) {
		s.Push("slash_commands", push{"command": name, "text": text, "user_id": slacktest.Person, "channel_id": slacktest.General, "channel_name": "general", "team_id": slacktest.Team, "trigger_id": "9." + name + text, "response_url": s.ResponseURL()})
	}
	for _, tt := range [][3]string{{"/claw", "what is &lt;up&gt;?", "what is <up>?"}, {"/claw", "", "/help"}, {"/agentstatus", "", "/status"}, {"/new", "opus", "/new opus"}} {
		command(tt[0], tt[1])
		in := r.next()
		if in.Text != tt[2] || !in.Native || !in.Mentioned || in.At.Peer != slacktest.General {
			t.Errorf("%s %s gave %+v, want %q", tt[0], tt[1], in, tt[2])
		}
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "a", To: in.At, ReplyTo: in.ID, Text: "**done** " + tt[2]}); err != nil {
			t.Error(err)
		}
	}
	got := s.Calls("respond")
	if len(got) != 4 || got[2].Params["text"] != "*done* /status" || got[2].Params["response_type"] != "ephemeral" {
		t.Errorf("answers went to %+v", got)
	}
	// Used up: only who asked sees it all the same.
	command("/claw", "again")
	in := r.next()
	s.Fail("respond", slacktest.Fault{Status: 404})
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "b", To: in.At, ReplyTo: in.ID, Text: "late"}); err != nil {
		t.Error(err)
	}
	if c := s.Calls("chat.postEphemeral"); len(c) != 1 || c[0].Params["user"] != slacktest.Person || len(s.Messages("")) != 0 {
		t.Errorf("a late answer went to %+v", c)
	}
}

// Slack renews connections; nothing is lost over it, and nobody is told.
func TestRefresh(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, ""))
	for _, reason := range []string{"warning", "refresh_requested"} {
		n := s.Sockets()
		s.Disconnect(reason)
		s.Say(reason)
		if in := r.next(); in.Text != reason {
			t.Errorf("received %q", in.Text)
		}
		if s.Sockets() <= n {
			t.Error("no new connection")
		}
	}
	if log := r.logged(); strings.Contains(log, "interrupted") {
		t.Errorf("the log tells of trouble: %s", log)
	}
	s.Disconnect("link_disabled")
	until(t, "the trouble to be named", func() bool { return strings.Contains(r.logged(), "Socket Mode is turned off") })
}

func TestOversizeFrame(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := running(t, config(s, ""))
	s.Frame(`{"type":"` + strings.Repeat("x", 5<<20) + `"}`)
	r.connected()
	s.Say("still here")
	if in := r.next(); in.Text != "still here" {
		t.Errorf("received %q", in.Text)
	}
}

// A socket that says nothing is given up.
func TestMuteSocket(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Mute(2)
	r := running(t, config(s, ""))
	if n := s.Sockets(); n != 3 {
		t.Errorf("%d sockets, want 3", n)
	}
	s.Say("hi")
	r.next()
}

// Tokens that Slack refuses end Run; other trouble doesn't.
func TestCredentials(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, code, mend string
		fatal              bool
	}{
		{"auth.test", "invalid_auth", "copy it again", true},
		{"auth.test", "account_inactive", "install it again", true},
		{"apps.connections.open", "not_allowed_token_type", "connections:write", true},
		{"auth.test", "internal_error", "Slack has a problem", false},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.code, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			s.Fail(tt.method, slacktest.Fault{Error: tt.code})
			r := build(t, config(s, ""))
			stop := r.run()
			if !tt.fatal {
				r.connected()
				return
			}
			until(t, "the status", func() bool {
				r.mu.Lock()
				defer r.mu.Unlock()
				return r.last != nil
			})
			stop()
			err := <-r.done
			if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), tt.mend) {
				t.Errorf("Run = %v, want kind Unauthenticated and %q", err, tt.mend)
			}
		})
	}
}

func TestNoSecretInLogs(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Fail("apps.connections.open", slacktest.Fault{Status: 500}, slacktest.Fault{Cut: true}, slacktest.Fault{Body: "<html>"},
		slacktest.Fault{Body: `{"ok":true,"url":"ws://evil.test/link?ticket=secret-ticket"}`}, slacktest.Fault{Body: `{"ok":true,"url":"ws://127.0.0.1:1/link?ticket=secret-ticket"}`})
	r := running(t, config(s, ""))
	s.Fail("chat.postMessage", slacktest.Fault{Cut: true}, slacktest.Fault{Error: "invalid_auth"})
	for range 2 {
		if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: to(slacktest.Person, ""), Text: "x"}); err == nil || strings.Contains(err.Error(), "xoxb-") {
			t.Errorf("Send = %v", err)
		}
	}
	for _, secret := range []string{s.BotToken, s.AppToken, "secret-ticket"} {
		if strings.Contains(r.logged(), secret) {
			t.Errorf("the log holds %s", secret)
		}
	}
}

// What was written while the account was away is taken up, once and in order.
func TestBacklog(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, ""))
	stop := r.run()
	r.connected()
	root := s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "one"}, "channel")
	s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "in a thread"}, "channel")
	r.next()
	r.next()
	until(t, "both are confirmed", func() bool { return s.Open() == 0 })
	stop()
	s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "two"})
	s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.BotUser, BotID: slacktest.BotID, Text: "our own"})
	s.Miss(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Thread: root, Text: "threaded"})
	s.Miss(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Text: "direct"})
	s.Write(slacktest.Message{Channel: slacktest.General, User: slacktest.Person, Text: "three <@U0CLAW>"}, "channel")
	r.make(config(s, ""))
	r.run()
	got := map[string]bool{}
	for range 4 {
		in := r.next()
		if got[in.Text] || !in.Backlog {
			t.Errorf("received %+v", in)
		}
		got[in.Text] = true
		if in.Text == "three @claw (U0CLAW)" && (!in.Mentioned || !got["two"]) {
			t.Errorf("out of order, or without its mention: %+v", in)
		}
	}
	until(t, "the delivery is confirmed", func() bool { return s.Open() == 0 })
	s.Say("live")
	if in := r.next(); in.Text != "live" || in.Backlog {
		t.Errorf("received %+v", in)
	}
	for _, w := range []string{"two", "threaded", "direct", "three @claw (U0CLAW)"} {
		if !got[w] {
			t.Errorf("%q is lost", w)
		}
	}
}

func TestNoBacklogAtFirst(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Miss(slacktest.Message{Channel: slacktest.DM, User: slacktest.Person, Text: "old"})
	r := running(t, config(s, ""))
	s.Say("new")
	if in := r.next(); in.Text != "new" {
		t.Errorf("received %q", in.Text)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Scopes = "chat:write, im:history"
	r := build(t, config(s, `,"channels":{"*":{},"nowhere":{},"c0general":{},"C0ELSE":{},"C0GONE1":{},"C0OFF01":{"enabled":false}}`))
	a, _ := channel.As[channel.Auditor](r.ch)
	issues, err := a.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(issues)
	for _, want := range []string{"users:read (know people by name)", `\"nowhere\" is the name of no channel`, "isn't in the channel #elsewhere", "can't see the channel C0GONE1"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("Audit = %s, want something about %s", raw, want)
		}
	}
	if len(issues) != 4 {
		t.Errorf("%d issues: %s", len(issues), raw)
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, ""))
	d, _ := channel.As[channel.Directory](r.ch)
	if me, err := d.Self(t.Context()); err != nil || me.ID != slacktest.BotUser || !me.Bot {
		t.Errorf("Self = %+v, %v", me, err)
	}
	if got, err := d.Peers(t.Context(), "@AL", 0); err != nil || len(got) != 1 || got[0].ID != slacktest.Person || got[0].Handle != "al" {
		t.Errorf("Peers = %+v, %v", got, err)
	}
	if got, err := d.Groups(t.Context(), "#gen", 5); err != nil || len(got) != 1 || got[0].ID != slacktest.General {
		t.Errorf("Groups = %+v, %v", got, err)
	}
	if got, err := d.Members(t.Context(), slacktest.General, 1); err != nil || len(got) != 1 {
		t.Errorf("Members = %+v, %v", got, err)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"actions":{"emojiList":false}`))
	a, _ := channel.As[channel.Actor](r.ch)
	for _, x := range a.Actions() {
		switch x.Name {
		case "emoji-list":
			t.Error("emoji-list is there though it is turned off")
		case "member-info":
			got, err := x.Run(t.Context(), json.RawMessage(`{"userId":"<@u0person>"}`))
			if raw, _ := json.Marshal(got); err != nil || !strings.Contains(string(raw), "Europe/Vienna") {
				t.Errorf("member-info = %s, %v", raw, err)
			}
			if _, err := x.Run(t.Context(), json.RawMessage(`{"userId":"al"}`)); fault.KindOf(err) != fault.Invalid {
				t.Errorf("member-info of a name = %v", err)
			}
		}
	}
}
