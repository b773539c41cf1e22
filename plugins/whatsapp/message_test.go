package main

import (
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
)

func jid(s string) types.JID {
	j, err := types.ParseJID(s)
	if err != nil {
		panic(err)
	}
	return j
}

func TestParse(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	p := people{
		self: []types.JID{jid("4900@s.whatsapp.net"), jid("99@lid")},
		phone: func(l types.JID) types.JID {
			if l.User == "11" {
				return jid("4911@s.whatsapp.net")
			}
			return types.EmptyJID
		},
	}
	text := func(s string) *waE2E.Message { return &waE2E.Message{Conversation: proto.String(s)} }
	mention := &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("@99 hi"), ContextInfo: &waE2E.ContextInfo{
		MentionedJID: []string{"99@lid"}, StanzaID: proto.String("Q"), Participant: proto.String("4900@s.whatsapp.net"), QuotedMessage: text("before"),
	}}}
	for _, tt := range []struct {
		name             string
		chat, from, alt  string
		mine, group, own bool // from us, in a group, selfChatMode
		m                *waE2E.Message
		age              time.Duration
		drop             bool
		sender, peer     string
		mentioned, late  bool
	}{
		{name: "by number", chat: "4911@s.whatsapp.net", from: "4911@s.whatsapp.net", m: text("x"), sender: "+4911", peer: "+4911", mentioned: true},
		{name: "by linked id", chat: "11@lid", from: "11:3@lid", m: text("x"), sender: "+4911", peer: "+4911", mentioned: true},
		{name: "linked id with number", chat: "12@lid", from: "12@lid", alt: "4912@s.whatsapp.net", m: text("x"), sender: "+4912", peer: "+4912", mentioned: true},
		{name: "unknown linked id", chat: "13@lid", from: "13@lid", m: text("x"), sender: "13@lid", peer: "13@lid", mentioned: true},
		{name: "after reconnecting", chat: "11@lid", from: "11@lid", m: text("x"), age: time.Hour, sender: "+4911", peer: "+4911", mentioned: true, late: true},
		{name: "own", chat: "4911@s.whatsapp.net", from: "4900@s.whatsapp.net", mine: true, m: text("x"), own: true, drop: true},
		{name: "to self, off", chat: "99@lid", from: "99@lid", mine: true, m: text("x"), drop: true},
		{name: "to self, on", chat: "99@lid", from: "99@lid", alt: "4900@s.whatsapp.net", mine: true, own: true, m: text("x"), sender: "+4900", peer: "+4900", mentioned: true},
		{name: "group", chat: "77@g.us", from: "11@lid", group: true, m: text("x"), sender: "+4911", peer: "77@g.us"},
		{name: "group, mention", chat: "77@g.us", from: "11@lid", group: true, m: mention, sender: "+4911", peer: "77@g.us", mentioned: true},
		{name: "status", chat: "status@broadcast", from: "11@lid", m: text("x"), drop: true},
		{name: "empty", chat: "11@lid", from: "11@lid", m: &waE2E.Message{}, drop: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := &events.Message{Message: tt.m, Info: types.MessageInfo{ID: "1", Timestamp: now.Add(-tt.age), MessageSource: types.MessageSource{Chat: jid(tt.chat), Sender: jid(tt.from), IsFromMe: tt.mine, IsGroup: tt.group}}}
			if tt.alt != "" {
				e.Info.SenderAlt = jid(tt.alt)
			}
			in, ok := parse(e, p, tt.own, now)
			if ok == tt.drop {
				t.Fatalf("parse = %+v, %t", in, ok)
			}
			if ok && (in.From.ID != tt.sender || in.At.Peer != tt.peer || in.Mentioned != tt.mentioned || in.Backlog != tt.late) {
				t.Errorf("parse = %+v", in)
			}
			if tt.m == mention && (in.Quote == nil || !in.Quote.Self || in.Quote.Text != "before") {
				t.Errorf("quote = %+v", in.Quote)
			}
		})
	}
}

func TestMessageID(t *testing.T) {
	t.Parallel()
	if a := messageID("d", "0"); a != messageID("d", "0") || a == messageID("d", "1") || len(a) != 22 {
		t.Errorf("messageID = %q", a)
	}
}

func TestJIDOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"+4911": "4911@s.whatsapp.net", "7@g.us": "7@g.us", "13@lid": "13@lid", "x": "", "+": "", "a\r\n": "", "1@evil": ""} {
		got, err := jidOf(in)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("jidOf(%q) = %v, %v", in, got, err)
		}
	}
}
