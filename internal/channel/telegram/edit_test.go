package telegram_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// An edit behind its message is told, not taken for another message.
func TestEdits(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	push := func(kind string, n int64, at int64, content string) {
		s.Push(fmt.Sprintf(`{%q:{"message_id":%d,"date":%d,"edit_date":%d,"chat":{"id":7,"type":"private"},"from":{"id":7,"first_name":"Al"},%s}}`, kind, n, at, at, content))
	}
	today := time.Now().Unix()
	push("message", 50, today, `"text":"buy milk"`)
	if in := wait(t, r.got, "a message"); in.Text != "buy milk" || in.Notice {
		t.Fatalf("received %+v", in)
	}
	push("edited_message", 50, today, `"text":"buy milk"`)                                     // a link preview came
	push("edited_message", 50, today, `"text":"here","location":{"latitude":1,"longitude":2}`) // it moves
	push("edited_message", 49, today-48*3600, `"text":"long ago"`)                             // by a program
	push("edited_message", 51, today, `"photo":[{"file_id":"p"}]`)                             // no words
	push("edited_message", 50, today, `"text":"buy bread"`)                                    // the one to know of
	push("edited_message", 50, today, `"text":"buy bread"`)                                    // and once
	s.Push(fmt.Sprintf(`{"edited_channel_post":{"message_id":3,"date":%d,"chat":{"id":-1002,"type":"channel","title":"News"},"sender_chat":{"id":-1002,"type":"channel","title":"News"},"caption":"corrected"}}`, today))
	in := wait(t, r.got, "the edit")
	if !in.Notice || in.Text != "Al changed message 50 to: buy bread" || in.From.ID != "7" || in.At.Kind != msg.Direct || !in.Mentioned {
		t.Errorf("received %+v", in)
	}
	first := in.ID
	in = wait(t, r.got, "the edited post")
	if !in.Notice || in.Text != "News changed message 3 to: corrected" || in.From.ID != "-1002" || in.At.Kind != msg.Channel || in.ID == first {
		t.Errorf("received %+v", in)
	}
	r.none()
}

// A message and its edit that come together are one message.
func TestEditInTime(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Push(`{"message":{"message_id":50,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7},"text":"teh cat"}}`)
	s.Push(`{"edited_message":{"message_id":50,"date":1,"chat":{"id":7,"type":"private"},"from":{"id":7},"text":"the cat"}}`)
	r := build(t, kind(), config(s, "")).start()
	if in := wait(t, r.got, "a message"); in.Text != "the cat" || in.Notice {
		t.Errorf("received %+v", in)
	}
	r.none()
}
