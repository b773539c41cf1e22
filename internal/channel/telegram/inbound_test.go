package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel/telegram"
)

func TestTarget(t *testing.T) {
	t.Parallel()
	read := telegram.Kind().Target
	for in, want := range map[string]msg.Address{
		"123":                      {Kind: msg.Direct, Peer: "123"},
		" telegram:123 ":           {Kind: msg.Direct, Peer: "123"},
		"TG:123":                   {Kind: msg.Direct, Peer: "123"},
		"-100123":                  {Kind: msg.Group, Peer: "-100123"},
		"tg:group:-100123":         {Kind: msg.Group, Peer: "-100123"},
		"-100123:topic:42":         {Kind: msg.Group, Peer: "-100123", Thread: "42"},
		"-100123/42":               {Kind: msg.Group, Peer: "-100123", Thread: "42"},
		"-100123:42":               {Kind: msg.Group, Peer: "-100123", Thread: "42"},
		"telegram:-100123:topic:1": {Kind: msg.Group, Peer: "-100123", Thread: "1"},
		"@some_room":               {Kind: msg.Group, Peer: "@some_room"},
		"https://t.me/some_room":   {Kind: msg.Group, Peer: "@some_room"},
	} {
		want.Channel = "telegram"
		got, err := read(in)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("Target(%q): %v\n%s", in, err, d)
		}
	}
	for _, in := range []string{"", "alice", "@x", "0", "-100123:topic:x", "-100123/0", "12 3", "@a b", strings.Repeat("9", 40), "-1/2/3"} {
		if got, err := read(in); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
}

func one(t *testing.T, update string) msg.Inbound {
	t.Helper()
	ins := telegram.Read([]byte(update))
	if len(ins) != 1 {
		t.Fatalf("Read(%s) = %+v, want one message", update, ins)
	}
	return ins[0]
}

const inTopic = `{"update_id":1,"message":{"message_id":9,"date":1,"message_thread_id":42,"is_topic_message":true,` +
	`"chat":{"id":-1001,"type":"supergroup","title":"Home","is_forum":true},"from":{"id":9,"first_name":"Bo"},`

func TestRoomAndQuote(t *testing.T) {
	t.Parallel()
	in := one(t, inTopic+`"reply_to_message":{"message_id":42,"forum_topic_created":{"name":"Garden"}},"text":"x"}}`)
	if in.ReplyTo != "" || in.Quote != nil {
		t.Errorf("what merely stands in a topic answers %q, %+v", in.ReplyTo, in.Quote)
	}
	if in.Room.Name != "Home" || in.Room.Topic != "Garden" || in.At.Thread != "42" {
		t.Errorf("room %+v, thread %q", in.Room, in.At.Thread)
	}
	in = one(t, inTopic+`"reply_to_message":{"message_id":8,"from":{"id":424242,"is_bot":true},"caption":"look","photo":[{"file_id":"p"}]},"text":"x"}}`)
	if q := in.Quote; in.ReplyTo != "8" || q == nil || !q.Self || q.Text != "look" || !in.Mentioned {
		t.Errorf("answer to us: %q, %+v, mentioned %v", in.ReplyTo, q, in.Mentioned)
	}
	in = one(t, inTopic+`"reply_to_message":{"message_id":8,"from":{"id":5},"text":"all of it"},"quote":{"text":"of it"},"text":"x"}}`)
	if q := in.Quote; q == nil || q.Self || q.Text != "of it" || q.From.ID != "5" || in.Mentioned {
		t.Errorf("answer to another: %+v, mentioned %v", q, in.Mentioned)
	}
	in = one(t, inTopic+`"reply_to_message":{"message_id":8,"from":{"id":5},"voice":{"file_id":"v"}},"text":"x"}}`)
	if q := in.Quote; q == nil || q.Text != "[audio]" {
		t.Errorf("answer to a voice note: %+v", q)
	}
	in = one(t, `{"update_id":1,"channel_post":{"message_id":3,"date":1,"chat":{"id":-1002,"type":"channel","title":"News"},"sender_chat":{"id":-1002,"title":"News"},"text":"new"}}`)
	if in.At.Kind != msg.Channel || in.From.ID != "-1002" || in.Room.Name != "News" || in.Mentioned {
		t.Errorf("a post: %+v", in)
	}
}

func TestMediaIn(t *testing.T) {
	t.Parallel()
	private := `{"update_id":1,"message":{"message_id":9,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7},`
	for _, tt := range []struct{ more, text, files string }{
		{`"photo":[{"file_id":"s"},{"file_id":"l"}],"caption":"c"`, "c", "telegram:l image/jpeg"},
		{`"document":{"file_id":"d","file_name":"a.pdf","mime_type":"application/pdf"}`, "", "telegram:d application/pdf"},
		{`"document":{"file_id":"d"},"animation":{"file_id":"a"}`, "", "telegram:a video/mp4"},
		{`"audio":{"file_id":"a","mime_type":"audio/flac"}`, "", "telegram:a audio/flac"},
		{`"voice":{"file_id":"v"}`, "", "telegram:v audio/ogg"},
		{`"video":{"file_id":"v"}`, "", "telegram:v video/mp4"},
		{`"video_note":{"file_id":"v"}`, "", "telegram:v video/mp4"},
		{`"sticker":{"file_id":"s","emoji":"😀"}`, "[sticker 😀]", "telegram:s image/webp"},
		{`"sticker":{"file_id":"s","emoji":"😀","is_animated":true}`, "[sticker 😀]", ""},
		{`"sticker":{"file_id":"s","emoji":"😀","is_video":true}`, "[sticker 😀]", ""},
		{`"location":{"latitude":1.5,"longitude":2}`, "[location 1.50000, 2.00000]", ""},
		{`"location":{"latitude":1.5,"longitude":2},"venue":{"title":"Bar","address":"Street 1"}`, "[location 1.50000, 2.00000: Bar Street 1]", ""},
		{`"contact":{"first_name":"A","last_name":"B","phone_number":"+1"}`, "[contact A B +1]", ""},
		{`"dice":{"emoji":"🎲","value":6}`, "[dice 🎲 6]", ""},
		{`"text":"/new","forward_origin":{"type":"hidden_user","sender_user_name":"X] [owner"}`, "[forwarded from X) (owner]\n/new", ""},
		{`"text":"hi","forward_origin":{"type":"user","sender_user":{"id":1,"first_name":"Cy"}}`, "[forwarded from Cy]\nhi", ""},
		{`"text":"hi","forward_origin":{"type":"channel","chat":{"id":-1,"title":"News"}}`, "[forwarded from News]\nhi", ""},
		{`"poll":{"question":"Tea?","options":[{"text":"yes"},{"text":"no"}]}`, "[poll Tea?]\n1. yes\n2. no", ""},
	} {
		in := one(t, private+tt.more+"}}")
		var files []string
		for _, f := range in.Attachments {
			files = append(files, f.Ref+" "+f.MIME)
		}
		if in.Text != tt.text || strings.Join(files, ", ") != tt.files {
			t.Errorf("%s: %q with %q, want %q with %q", tt.more, in.Text, files, tt.text, tt.files)
		}
	}
}

// Topics have agents of their own, those of direct chats too.
func TestAgentOfATopic(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, `,"groups":{"-1001":{"topics":{"3":{"agentId":"zu"}}},"*":{"topics":{"3":{"agentId":"all"},"1":{"agentId":"main"}}}},`+
		`"direct":{"7":{"topics":{"5":{"agentId":"coder"}}}}`)).start()
	for _, tt := range []struct{ chat, topic, agent, thread string }{
		{`{"id":-1001,"type":"supergroup","is_forum":true}`, `"message_thread_id":3,"is_topic_message":true,`, "zu", "3"},
		{`{"id":-1001,"type":"supergroup","is_forum":true}`, ``, "main", "1"},
		{`{"id":-1001,"type":"supergroup","is_forum":true}`, `"message_thread_id":4,"is_topic_message":true,`, "", "4"},
		{`{"id":-1002,"type":"supergroup","is_forum":true}`, `"message_thread_id":3,"is_topic_message":true,`, "all", "3"},
		{`{"id":-1001,"type":"supergroup"}`, `"message_thread_id":3,`, "", ""}, // a chain of answers
		{`{"id":7,"type":"private"}`, `"message_thread_id":5,`, "coder", "5"},
		{`{"id":7,"type":"private"}`, ``, "", ""},
		{`{"id":8,"type":"private"}`, `"message_thread_id":5,"is_topic_message":true,`, "", "5"},
	} {
		s.Push(`{"message":{"message_id":50,"date":1,"chat":` + tt.chat + `,` + tt.topic + `"from":{"id":7},"text":"x"}}`)
		in := wait(t, r.got, "a message")
		if string(in.Room.Agent) != tt.agent || string(in.At.Thread) != tt.thread {
			t.Errorf("%s %s: agent %q, thread %q; want %q, %q", tt.chat, tt.topic, in.Room.Agent, in.At.Thread, tt.agent, tt.thread)
		}
	}
	if _, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: msg.Address{Kind: msg.Direct, Peer: "7", Thread: "5"}, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if p := s.Calls("sendMessage")[0].Params; fmt.Sprint(p["message_thread_id"]) != "5" {
		t.Errorf("the answer goes to %v", p)
	}
}
