package signal_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/signal"
	"github.com/openclaw-go/openclaw/internal/channel/signal/signaltest"
)

// Signal wants the author of a message that is reacted to or quoted: who wrote
// in a group is remembered, the bot's own messages too.
func TestReactInGroup(t *testing.T) {
	t.Parallel()
	s, c, got := rig(t, "")
	at := msg.Address{Channel: signal.ID, Kind: msg.Group, Peer: signaltest.Group}
	theirs := id.Message(strconv.FormatInt(s.Say("hello", `"groupInfo":{"groupId":"`+signaltest.Group+`","groupName":"Family"}`), 10))
	next(t, got)
	ours, err := c.Send(t.Context(), msg.Outbound{ID: "a", To: at, Text: "hi", ReplyTo: theirs})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Calls("send")[0].Params; p["quoteAuthor"] != signaltest.Person {
		t.Errorf("quoted %v", p["quoteAuthor"])
	}
	by := c.(channel.AuthorReactor)
	for _, tc := range []struct {
		m      id.Message
		author id.Peer
		want   string
	}{
		{theirs, "", signaltest.Person},
		{ours.IDs[0], "", signaltest.Bot},
		{"1796000000000", "+1 555 000 2222", "+15550002222"},
		{"1796000000000", "uuid:123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
	} {
		if err := by.ReactTo(t.Context(), at, tc.author, tc.m, "👍", true); err != nil {
			t.Fatal(err)
		}
		calls := s.Calls("sendReaction")
		if p := calls[len(calls)-1].Params; p["targetAuthor"] != tc.want || p["groupId"] != signaltest.Group {
			t.Errorf("reacted to %s of %v", tc.m, p)
		}
	}
	if err := c.(channel.Reactor).React(t.Context(), at, "1796000000000", "👍", true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a message of nobody: %v", err)
	}
	if err := by.ReactTo(t.Context(), at, "alice", theirs, "👍", true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an author who is none: %v", err)
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	_, c, _ := rig(t, "")
	d := c.(channel.Directory)
	if e, err := d.Self(t.Context()); err != nil || e.ID != signaltest.Bot {
		t.Errorf("self %+v, %v", e, err)
	}
	people, err := d.Peers(t.Context(), "", 10)
	want := []channel.Entry{{Kind: msg.Direct, ID: signaltest.Person, Name: "Alice"}, {Kind: msg.Direct, ID: "uuid:223e4567-e89b-12d3-a456-426614174000", Name: "Bob B"}}
	if d := cmp.Diff(want, people); d != "" || err != nil {
		t.Error(d, err)
	}
	if es, err := d.Peers(t.Context(), "bo", 10); err != nil || len(es) != 1 {
		t.Errorf("found %+v, %v", es, err)
	}
	if es, err := d.Groups(t.Context(), "", 10); err != nil || len(es) != 1 || es[0].Name != "Family" || es[0].ID != signaltest.Group {
		t.Errorf("groups %+v, %v", es, err)
	}
	if es, err := d.Members(t.Context(), signaltest.Group, 1); err != nil || len(es) != 1 || es[0].ID != signaltest.Person {
		t.Errorf("members %+v, %v", es, err)
	}
	if _, err := d.Members(t.Context(), "nowhere", 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("members of nothing: %v", err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	_, c, _ := rig(t, `,"groups":{"*":{},"`+signaltest.Group+`":{},"`+signaltest.Left+`":{},"My family":{}}`)
	issues, err := c.(channel.Auditor).Audit(t.Context())
	var got []string
	for _, i := range issues {
		got = append(got, i.Kind+": "+i.Text)
	}
	want := []string{"config: groups.My family is not the id of a group", "permissions: the account isn't in group " + signaltest.Left}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
}
