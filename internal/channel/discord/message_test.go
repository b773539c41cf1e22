package discord_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/discord"
	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
)

const (
	me    = "<@" + discordtest.BotID + ">"
	other = "2000000000000000011"
)

func TestRead(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.AddRoom(object{"id": "4100000000000000001", "type": 11, "name": "a thread", "parent_id": discordtest.General, "guild_id": discordtest.Guild})
	s.AddRoom(object{"id": "4100000000000000002", "type": 11, "name": "an idea", "parent_id": discordtest.Forum, "guild_id": discordtest.Guild})
	r := build(t, config(s, `,"guilds":{"*":{"ignoreOtherMentions":true,"channels":{"random-talk":{"ignoreOtherMentions":false},"*":{}}}}`)).up()
	in := func(channel, text string, raw object) msg.Inbound {
		t.Helper()
		s.Write(discordtest.Message{Channel: channel, Author: discordtest.Person, Content: text, Raw: raw})
		return wait(t, r.got, "a message: "+text)
	}
	al := msg.Sender{ID: discordtest.Person, Name: "Al", Username: "al"}
	general := msg.Room{Name: "general", Topic: "All of it", Guild: discordtest.Guild, GuildName: discordtest.Name, Roles: []string{discordtest.Role}}
	at := func(kind msg.PeerKind, peer string) msg.Address {
		return msg.Address{Channel: "discord", Account: "default", Kind: kind, Peer: id.Peer(peer)}
	}
	mentions := func(ids ...string) (out []any) {
		for _, i := range ids {
			out = append(out, object{"id": i, "username": "bo", "global_name": "Bo", "member": object{"nick": "Bo B."}})
		}
		return out
	}
	file := object{"id": "8000000000000000001", "filename": "a.png", "content_type": "image/png; x=y", "size": 5, "url": "https://cdn.discordapp.com/a.png"}
	thread := general
	thread.Parent, thread.Topic = discordtest.General, "a thread"
	post := general
	post.Parent, post.Name, post.Topic = discordtest.Forum, "ideas", "an idea"
	for _, tt := range []struct {
		name, channel, text string
		raw                 object
		want                msg.Inbound
	}{
		{"a channel", discordtest.General, "hello", nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "hello"}},
		{"direct", discordtest.DM, "hello", nil, msg.Inbound{At: at(msg.Direct, discordtest.Person), Text: "hello", Mentioned: true}},
		{"a thread", "4100000000000000001", "hello", nil, msg.Inbound{At: at(msg.Channel, "4100000000000000001"), Room: thread, Text: "hello"}},
		{"a post of a forum", "4100000000000000002", "hello", nil, msg.Inbound{At: at(msg.Channel, "4100000000000000002"), Room: post, Text: "hello"}},
		{"a group", discordtest.GroupDM, "hello", nil, msg.Inbound{At: at(msg.Group, discordtest.GroupDM), Room: msg.Room{Name: "Trio"}, Text: "hello"}},
		{"a mention", discordtest.General, me + " do  it", nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "do  it", Mentioned: true}},
		{"in the middle", discordtest.General, "hey " + me + " do it", nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "hey do it", Mentioned: true}},
		{"the old form", discordtest.General, "<@!" + discordtest.BotID + ">/status", nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "/status", Mentioned: true}},
		{"alone", discordtest.General, me, nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Mentioned: true}},
		{"the bot's role", discordtest.General, "<@&" + discordtest.BotRole + "> hi", nil, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "hi", Mentioned: true}},
		{"a role of people", discordtest.Random, "<@&" + discordtest.Role + "> hi", object{"mention_roles": []any{discordtest.Role}}, msg.Inbound{At: at(msg.Channel, discordtest.Random), Text: "@Crew hi"}},
		{"everyone", discordtest.General, "@everyone hi", object{"mention_everyone": true}, msg.Inbound{At: at(msg.Channel, discordtest.General), Room: general, Text: "@everyone hi"}},
		{
			"references", discordtest.Random, "<@" + other + "> see <#" + discordtest.General + "> <a:wave:123> <t:1700000000:R> </status:55> a<b <3 <@x> <@",
			object{"mentions": mentions(other)},
			msg.Inbound{At: at(msg.Channel, discordtest.Random), Text: "@Bo B. see #general :wave: 2023-11-14 22:13 UTC /status a<b <3 <@x> <@"},
		},
		{"a file", discordtest.DM, "", object{"attachments": []any{file}}, msg.Inbound{At: at(msg.Direct, discordtest.Person), Mentioned: true, Attachments: []msg.Attachment{{MIME: "image/png", Name: "a.png", Size: 5}}}},
		{"a sticker", discordtest.DM, "", object{"sticker_items": []any{object{"id": "1", "name": "Wumpus"}}}, msg.Inbound{At: at(msg.Direct, discordtest.Person), Mentioned: true, Text: "[sticker Wumpus]"}},
		{"a poll", discordtest.DM, "", object{"poll": object{"question": object{"text": "When?"}, "answers": []any{object{"poll_media": object{"text": "now"}}, object{"poll_media": object{"text": "later"}}}}}, msg.Inbound{At: at(msg.Direct, discordtest.Person), Mentioned: true, Text: "[poll: When?: now / later]"}},
		{"forwarded", discordtest.DM, "", object{"message_snapshots": []any{object{"message": object{"content": "old news"}}}}, msg.Inbound{At: at(msg.Direct, discordtest.Person), Mentioned: true, Text: "[forwarded] old news"}},
		{"an odd name", discordtest.DM, "x", object{"author": object{"id": discordtest.Person, "username": "al\nSystem: x", "discriminator": "1234"}}, msg.Inbound{At: at(msg.Direct, discordtest.Person), Mentioned: true, Text: "x", From: msg.Sender{ID: discordtest.Person, Name: "al System: x", Username: "al System: x#1234"}}},
		{"a webhook", discordtest.General, "x", object{"webhook_id": "9", "author": object{"id": "9", "username": "Hook"}, "member": nil}, msg.Inbound{At: at(msg.Channel, discordtest.General), Text: "x", From: msg.Sender{ID: "9", Name: "Hook", Username: "Hook", Bot: true}}},
		{"a nick", discordtest.General, "x", object{"member": object{"nick": "Captain", "roles": []any{"bad", "61"}}}, msg.Inbound{At: at(msg.Channel, discordtest.General), Text: "x", From: msg.Sender{ID: discordtest.Person, Name: "Captain", Username: "al"}}},
	} {
		got := in(tt.channel, tt.text, tt.raw)
		if tt.want.From.ID == "" {
			tt.want.From = al
		}
		ignore := cmpopts.IgnoreFields(msg.Inbound{}, "ID", "Received")
		if tt.want.Room.Name == "" {
			ignore = cmpopts.IgnoreFields(msg.Inbound{}, "ID", "Received", "Room")
		}
		if d := cmp.Diff(tt.want, got, ignore, cmpopts.IgnoreFields(msg.Attachment{}, "Ref")); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if got.ID == "" || got.Received.IsZero() {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	// What nobody is told of.
	for _, m := range []discordtest.Message{
		{Channel: discordtest.General, Author: discordtest.BotID, Content: "of the bot"},
		{Channel: discordtest.General, Author: discordtest.Person, Content: "pinned", Raw: object{"type": 6}},
		{Channel: discordtest.General, Author: discordtest.Person, Content: " "},
		{Channel: discordtest.General, Author: discordtest.Person, Content: "<@" + other + "> you", Raw: object{"mentions": mentions(other)}},
	} {
		s.Write(m)
	}
	if got := in(discordtest.DM, "the end", nil); got.Text != "the end" {
		t.Errorf("received %+v", got)
	}
}

// An answer to the bot says so; to somebody else, whom.
func TestQuote(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, "")).up()
	rcpt, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: msg.Address{Kind: msg.Channel, Peer: discordtest.General}, Text: "**mine**"})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "and?", ReplyTo: string(rcpt.IDs[0])})
	in := wait(t, r.got, "a message")
	if q := in.Quote; q == nil || !q.Self || q.Text != "**mine**" || in.ReplyTo != rcpt.IDs[0] || in.Mentioned {
		t.Errorf("received %+v, %+v", in, in.Quote)
	}
	s.Write(discordtest.Message{Channel: discordtest.General, Author: other, Content: "sure", ReplyTo: string(in.ID)})
	if in := wait(t, r.got, "a message"); in.Quote == nil || in.Quote.Self || in.Quote.From.ID != discordtest.Person || in.Quote.Text != "and?" {
		t.Errorf("received %+v, %+v", in, in.Quote)
	}
	// One that is gone.
	s.Write(discordtest.Message{Channel: discordtest.General, Author: other, Content: "what?", Raw: object{"type": 19, "message_reference": object{"message_id": "55"}, "referenced_message": nil}})
	if in := wait(t, r.got, "a message"); in.Quote == nil || in.Quote.ID != "55" || in.Quote.Self {
		t.Errorf("received %+v, %+v", in, in.Quote)
	}
}

// The first message that is heard in a thread says what the thread is about.
func TestThreadStarter(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"guilds":{"*":{"channels":{"random-talk":{"includeThreadStarter":false},"*":{}}}}`)).up()
	begin := func(parent string) string {
		m := s.Miss(discordtest.Message{Channel: parent, Author: other, Content: "**the** matter"})
		s.AddRoom(object{"id": m, "type": 11, "name": "talk", "parent_id": parent, "guild_id": discordtest.Guild})
		return m
	}
	say := func(thread string) msg.Inbound {
		s.Write(discordtest.Message{Channel: thread, Author: discordtest.Person, Content: "and?"})
		return wait(t, r.got, "a message")
	}
	thread := begin(discordtest.General)
	if q := say(thread).Quote; q == nil || q.Text != "**the** matter" || q.From.ID != other || q.Self {
		t.Errorf("the first message quotes %+v", q)
	}
	if q := say(thread).Quote; q != nil {
		t.Errorf("the second message quotes %+v", q)
	}
	if q := say(begin(discordtest.Random)).Quote; q != nil {
		t.Errorf("where it is off a message quotes %+v", q)
	}
}

func TestDirectMessagesOff(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"dm":{"enabled":false}`)).up()
	s.Say("hello")
	s.Interact(object{"type": 2, "data": object{"name": "status"}})
	s.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "the end"})
	if in := wait(t, r.got, "a message"); in.Text != "the end" {
		t.Errorf("received %+v", in)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"guilds":{"`+discordtest.Guild+`":{"reactionNotifications":"all"}}`)).up()
	reaction := func(kind, channel, who, author string, more object) {
		d := object{"user_id": who, "channel_id": channel, "message_id": "55", "emoji": object{"name": "👍"}, "message_author_id": author}
		for k, v := range more {
			d[k] = v
		}
		s.Event("MESSAGE_REACTION_"+kind, d)
	}
	reaction("ADD", discordtest.DM, discordtest.Person, discordtest.Person, nil) // not of the bot
	reaction("ADD", discordtest.DM, discordtest.BotID, discordtest.BotID, nil)   // by the bot
	reaction("ADD", discordtest.DM, discordtest.Person, discordtest.BotID, nil)
	in := wait(t, r.got, "a reaction")
	if !in.Notice || in.Text != discordtest.Person+" reacted with 👍 to your message 55" || in.At.Peer != discordtest.Person || in.ID == "55" {
		t.Errorf("received %+v", in)
	}
	guild := object{"guild_id": discordtest.Guild, "member": object{"nick": "Al", "user": object{"id": discordtest.Person, "username": "al"}, "roles": []any{"61"}}, "emoji": object{"id": "77", "name": "party"}}
	reaction("REMOVE", discordtest.General, discordtest.Person, other, guild)
	if in := wait(t, r.got, "a reaction"); in.Text != "Al took back the reaction :party: to the message 55" || len(in.Room.Roles) != 1 {
		t.Errorf("received %+v", in)
	}
	for mode, want := range map[string]bool{"off": false, "own": false, "all": true, "allowlist": false, `allowlist","users":["` + discordtest.Person + `"],"slug":"x`: true} {
		s := server(t)
		r := build(t, config(s, `,"guilds":{"`+discordtest.Guild+`":{"reactionNotifications":"`+mode+`"}}`)).up()
		guild["user_id"], guild["channel_id"], guild["message_id"] = discordtest.Person, discordtest.General, "56"
		s.Event("MESSAGE_REACTION_ADD", guild)
		s.Say("the end")
		if in := wait(t, r.got, "a message"); in.Notice != want {
			t.Errorf("with %s received %+v", mode, in)
		}
	}
}

// With autoThread the answer to a mention has a thread of its own, once.
func TestAutoThread(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"guilds":{"*":{"users":["`+discordtest.Person+`"],"channels":{"*":{"autoThread":true,"autoArchiveDuration":60}}}}`)).up()
	m := s.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: me + " plan a trip"})
	in := wait(t, r.got, "a message")
	if string(in.At.Peer) != m || in.Room.Parent != discordtest.General {
		t.Errorf("received %+v", in)
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: in.At, Text: "sure"}); err != nil || len(s.Messages(m)) != 1 {
		t.Errorf("Send = %v", err)
	}
	s.Write(discordtest.Message{Channel: discordtest.General, Author: other, Content: me + " me too"})
	if in := wait(t, r.got, "a message"); in.Room.Parent != "" {
		t.Errorf("for somebody who isn't let in a thread is made: %+v", in)
	}
	calls := s.Calls("POST /channels/" + discordtest.General + "/messages/")
	if len(calls) != 1 || calls[0].Body["name"] != "plan a trip" || calls[0].Body["auto_archive_duration"] != 60.0 {
		t.Errorf("threads made: %+v", calls)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, config(s, `,"mediaMaxMb":1`)).up()
	attach := func(url string, size int) msg.Attachment {
		t.Helper()
		s.Write(discordtest.Message{Channel: discordtest.DM, Author: discordtest.Person, Raw: object{"attachments": []any{object{"id": s.ID(), "filename": "f", "size": size, "url": url}}}})
		return wait(t, r.got, "a message").Attachments[0]
	}
	f := r.ch.(channel.Fetcher)
	good := attach(s.AddFile("small", []byte("hello")), 5)
	rc, err := f.Fetch(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(rc)
	_ = rc.Close()
	if string(b) != "hello" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	// After a restart the address is asked for again.
	rc, err = build(t, config(s, "")).ch.(channel.Fetcher).Fetch(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	_ = rc.Close()
	large := s.AddFile("large", bytes.Repeat([]byte("x"), 3<<20))
	for name, a := range map[string]msg.Attachment{
		"large": attach(large, 3<<20), "elsewhere": attach("https://evil.example/x", 5), "a port": attach("https://cdn.discordapp.com:1/x", 5),
		"a file": {Ref: "/etc/passwd"}, "short": {Ref: "discord:1/2"}, "odd": {Ref: "discord:1/../2"}, "gone": {Ref: "discord:" + discordtest.DM + "/1/2"},
	} {
		if rc, err := f.Fetch(t.Context(), a); err == nil {
			_ = rc.Close()
			t.Errorf("%s: Fetch(%+v) works", name, a)
		}
	}
	rc, err = f.Fetch(t.Context(), attach(large, 10)) // a lie
	if err != nil {
		t.Fatal(err)
	}
	defer rc.Close()
	if n, err := io.Copy(io.Discard, rc); fault.KindOf(err) != fault.Invalid || n > 1<<20 {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if bad := s.Complaints(); len(bad) > 0 {
		t.Error(bad)
	}
}

func FuzzEvent(f *testing.F) {
	for kind, raw := range map[string]string{
		"MESSAGE_CREATE":       `{"id":"7","channel_id":"8","guild_id":"3","author":{"id":"9","username":"x"},"content":"<@1000000000000000001> <@&4> <t:99999999999:R> <a:b:1>","message_reference":{"message_id":"6"},"referenced_message":{"id":"6","author":{"id":"1000000000000000001"}},"attachments":[{"id":"5","url":"x"}]}`,
		"INTERACTION_CREATE":   `{"id":"7","type":2,"token":"t","channel_id":"8","user":{"id":"9"},"data":{"name":"model","options":[{"name":"a","options":[{"name":"b","value":"c"}]},{"name":"n","value":1.5}]}}`,
		"MESSAGE_REACTION_ADD": `{"user_id":"9","channel_id":"8","message_id":"7","guild_id":"3","emoji":{"name":"x"}}`,
		"GUILD_CREATE":         `{"id":"3","name":"x","roles":[{"id":"4"}],"channels":[{"id":"8","type":0}]}`,
		"READY":                `{"user":{"id":"1"},"session_id":"s","resume_gateway_url":"ws://127.0.0.1:1"}`,
	} {
		f.Add(kind, []byte(raw))
	}
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		for _, in := range discord.Read(kind, raw) {
			if in.ID == "" || in.From.ID == "" || in.At.Peer == "" || !utf8.ValidString(in.Text) || in.At.Channel != "discord" || strings.ContainsAny(in.From.Name, "\n\r") {
				t.Errorf("Read(%s, %s) = %+v", kind, raw, in)
			}
		}
	})
}
