package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

func TestPressedButton(t *testing.T) {
	t.Parallel()
	push := `{"callback_query":{"id":"q%d","from":{"id":9,"first_name":"Bo"},"data":"/yes","message":{"message_id":5,"message_thread_id":42,` +
		`"is_topic_message":true,"date":1,"chat":{"id":-1001,"type":"supergroup","is_forum":true,"title":"Home"},"from":{"id":424242}}}}`
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	s.Push(fmt.Sprintf(push, 1))
	in := wait(t, r.got, "a pressed button")
	if !in.Native || in.Text != "/yes" || in.From.ID != "9" || in.At.Peer != "-1001" || in.At.Thread != "42" || in.At.Kind != msg.Group || in.ID != "callback:q1" {
		t.Errorf("received %+v", in)
	}
	s.Say("next")
	wait(t, r.got, "the next message")
	eventually(t, "an answer", func() bool { return len(s.Calls("answerCallbackQuery")) == 1 })
	if c := s.Calls("answerCallbackQuery")[0]; c.Params["callback_query_id"] != "q1" {
		t.Errorf("answered %+v", c)
	}
	r.stop()

	off := server(t)
	r = build(t, kind(), config(off, `,"capabilities":{"inlineButtons":"dm"}`)).start()
	off.Push(fmt.Sprintf(push, 2))
	off.Push(`{"callback_query":{"id":"q3","from":{"id":9},"inline_message_id":"x","data":"d"}}`)
	off.Say("next")
	if in := wait(t, r.got, "a message"); in.Text != "next" {
		t.Errorf("where buttons are off %+v is received", in)
	}
	// Somebody waits for those as well.
	eventually(t, "answers to buttons that aren't obeyed", func() bool { return len(off.Calls("answerCallbackQuery")) == 2 })
}

func TestReactions(t *testing.T) {
	t.Parallel()
	react := func(m int64, last, next string) string {
		return fmt.Sprintf(`{"message_reaction":{"chat":{"id":7,"type":"private"},"message_id":%d,"date":5,"user":{"id":7,"first_name":"Al"},"old_reaction":[%s],"new_reaction":[%s]}}`, m, last, next)
	}
	const up, down = `{"type":"emoji","emoji":"👍"}`, `{"type":"emoji","emoji":"👎"}`
	for mode, want := range map[string][]string{
		"":    {"Al reacted with 👎 and took back the reaction 👍 on your message "},
		"own": {"Al reacted with 👎 and took back the reaction 👍 on your message "},
		"all": {"Al reacted with 👎 and took back the reaction 👍 on your message ", "Al took back the reaction 👍 on the message 999"},
		"off": nil,
	} {
		s := server(t)
		more := ""
		if mode != "" {
			more = `,"reactionNotifications":"` + mode + `"`
		}
		r := build(t, kind(), config(s, more)).start()
		sent, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		_, _ = fmt.Sscan(string(sent.IDs[0]), &n)
		s.Push(react(n, up, down))
		s.Push(react(999, up, ""))
		s.Push(react(n, up, up))
		s.Push(strings.Replace(react(n, up, down), `"user":{"id":7`, `"user":{"id":424242`, 1)) // our own
		s.Say("next")
		for _, text := range want {
			in := wait(t, r.got, "a reaction")
			if !strings.HasPrefix(in.Text, text) || !in.Notice || in.From.ID != "7" || in.At.Kind != msg.Direct {
				t.Errorf("%q: received %+v, want %q", mode, in, text)
			}
		}
		if in := wait(t, r.got, "a message"); in.Text != "next" {
			t.Errorf("%q: received %+v", mode, in)
		}
		asked := fmt.Sprint(s.Calls("getUpdates")[0].Params["allowed_updates"])
		if strings.Contains(asked, "message_reaction") != (mode != "off") || !strings.Contains(asked, "callback_query") {
			t.Errorf("%q: asked for %s", mode, asked)
		}
		r.stop()
	}
}

// Which messages are ours is known after a restart too.
func TestReactionAfterRestart(t *testing.T) {
	t.Parallel()
	s := server(t)
	r := build(t, kind(), config(s, "")).start()
	var ids []string
	for range 3 {
		sent, err := r.ch.Send(t.Context(), msg.Outbound{ID: "x", To: address("7"), Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(sent.IDs[0]))
	}
	r.stop()
	next := build(t, kind(), config(s, ""))
	next.state = r.state
	next.start()
	if _, err := next.ch.Send(t.Context(), msg.Outbound{ID: "y", To: address("8"), Text: "x"}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{ids[0], "999", ids[2]} {
		s.Push(`{"message_reaction":{"chat":{"id":7,"type":"private"},"message_id":` + n + `,"date":5,"user":{"id":7,"first_name":"Al"},"old_reaction":[],"new_reaction":[{"type":"emoji","emoji":"👍"}]}}`)
	}
	for _, n := range []string{ids[0], ids[2]} {
		if in := wait(t, next.got, "a reaction"); in.Text != "Al reacted with 👍 on your message "+n {
			t.Errorf("received %+v, want the reaction to %s", in, n)
		}
	}
	next.none()
}
