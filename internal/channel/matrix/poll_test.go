package matrix_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
)

func TestPolls(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	s.Say("hello")
	next(t, got)
	to := msg.Address{Channel: matrix.ID, Kind: msg.Direct, Peer: matrixtest.Person}
	for range 2 { // the second is the same
		if _, err := c.Send(t.Context(), msg.Outbound{ID: "p", To: to, Poll: &msg.Poll{Question: "Ship it?", Options: []string{"Yes", "No"}, Multi: true}}); err != nil {
			t.Fatal(err)
		}
	}
	polls := s.Sent("m.poll.start")
	if len(polls) != 1 {
		t.Fatalf("%d polls", len(polls))
	}
	raw, _ := json.Marshal(polls[0].Content)
	for _, want := range []string{`"max_selections":2`, `"id":"answer2"`, `"m.text":"Ship it?\n1. Yes\n2. No"`, `"org.matrix.msc1767.text":"Yes"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the poll lacks %s: %s", want, raw)
		}
	}
	for typ, content := range map[string]object{
		"m.poll.start": {"m.poll.start": object{"question": object{"m.text": []any{object{"body": "Tea?"}}}, "answers": []any{object{"id": "1", "body": "Yes"}}}},
		"org.matrix.msc3381.poll.start": {"org.matrix.msc3381.poll.start": object{
			"question": object{"org.matrix.msc1767.text": "Tea?"}, "answers": []any{object{"id": "1", "org.matrix.msc1767.text": "Yes"}},
		}},
	} {
		s.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: matrixtest.Person, Type: typ, Content: content})
		if in := next(t, got); in.Text != "[Poll]\nTea?\n\n1. Yes" {
			t.Errorf("%s is read as %q", typ, in.Text)
		}
	}
	s.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: matrixtest.Person, Type: "m.poll.start", Content: object{"m.poll.start": []any{1}}})
	s.Put(matrixtest.Event{Room: matrixtest.Direct, Sender: matrixtest.Person, Type: "m.poll.response", Content: object{}})
	s.Say("after")
	if in := next(t, got); in.Text != "after" {
		t.Errorf("a broken poll is read as %q", in.Text)
	}
}

func TestActionsOfMatrix(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	e := s.Put(said(matrixtest.Group, "hello", nil))
	next(t, got)
	for _, who := range []string{matrixtest.Person, "@bob:test"} {
		s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: who, Type: "m.reaction", Content: object{"m.relates_to": object{"rel_type": "m.annotation", "event_id": e, "key": "👍"}}})
	}
	by := map[string]channel.Action{}
	for _, a := range c.(channel.Actor).Actions() {
		if !json.Valid(a.Schema) || a.Description == "" {
			t.Errorf("%s: schema %s", a.Name, a.Schema)
		}
		by[a.Name] = a
	}
	for _, tc := range []struct{ name, args, want string }{
		{"reactions", `{"channelId":"` + matrixtest.Group + `","messageId":"` + e + `"}`, `"count":2`},
		{"member-info", `{"userId":"` + matrixtest.Person + `"}`, `"displayName":"Alice"`},
		{"channel-info", `{"channelId":"room:` + matrixtest.Group + `"}`, `"members":3`},
	} {
		v, err := by[tc.name].Run(t.Context(), json.RawMessage(tc.args))
		if raw, _ := json.Marshal(v); err != nil || !strings.Contains(string(raw), tc.want) {
			t.Errorf("%s = %s, %v", tc.name, raw, err)
		}
	}
	for name, args := range map[string]string{
		"reactions": `{"channelId":"` + matrixtest.Group + `","messageId":"5"}`, "member-info": `{"userId":"alice"}`, "channel-info": `{"channelId":"Our room"}`,
	} {
		if _, err := by[name].Run(t.Context(), json.RawMessage(args)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s(%s) = %v", name, args, err)
		}
	}
}
