package matrix_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/matrix"
	"github.com/openclaw-go/openclaw/internal/channel/matrix/matrixtest"
)

// A room that gives itself the alias of another one isn't that one: what the
// homeserver says about an alias counts.
func TestAliases(t *testing.T) {
	t.Parallel()
	s := matrixtest.New()
	t.Cleanup(s.Close)
	s.Alias("#team:test", matrixtest.Group)
	s.AddRoom("!trap:test", matrixtest.Person, "@eve:test")
	empty := ""
	s.Put(matrixtest.Event{Room: "!trap:test", Sender: "@eve:test", Type: "m.room.canonical_alias", StateKey: &empty, Content: object{"alias": "#team:test"}})
	s.Put(matrixtest.Event{Room: matrixtest.Group, Sender: "@bob:test", Type: "m.room.topic", StateKey: &empty, Content: object{"topic": "all about us"}})
	raw := config(s.URL, `,"groups":{"#team:test":{},"#gone:test":{},"Our room":{},"!x:test":{}}`)
	c, err := matrix.Quick().New(new(memory).env(), raw)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, c)
	s.Put(said("!trap:test", "let me in", nil))
	in := next(t, got)
	if r := matrix.Kind().Rules(raw, in); r.Listed || in.Room.Alias != "" {
		t.Errorf("a room with a stolen alias: %+v, %+v", r, in.Room)
	}
	s.Put(said(matrixtest.Group, "hello", nil))
	in = next(t, got)
	if r := matrix.Kind().Rules(raw, in); !r.Listed || in.Room.Alias != "#team:test" || in.Room.Topic != "all about us" {
		t.Errorf("the room of the alias: %+v, %+v", r, in.Room)
	}
	issues, err := c.(channel.Auditor).Audit(t.Context())
	var texts []string
	for _, i := range issues {
		texts = append(texts, i.Text)
	}
	want := []string{"the homeserver knows no room #gone:test, so the entry lets nothing in", "groups.Our room is neither the id of a room nor an alias, so it lets nothing in"}
	if d := cmp.Diff(want, texts); d != "" || err != nil {
		t.Error(d, err)
	}
}

// An invitation says itself which alias its room has; that opens nothing.
func TestInvitationByAlias(t *testing.T) {
	t.Parallel()
	for alias, want := range map[string]bool{"#new:test": true, "#other:test": false} {
		s := matrixtest.New()
		t.Cleanup(s.Close)
		s.Alias("#new:test", "!new:test")
		s.Alias("#other:test", "!elsewhere:test")
		c, err := matrix.Quick().New(new(memory).env(), config(s.URL, `,"autoJoin":"allowlist","autoJoinAllowlist":["`+alias+`"]`))
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, c)
		s.Invite("!new:test")
		s.Say("after")
		next(t, got)
		if s.Joined("!new:test") != want {
			t.Errorf("%s: joined %t", alias, !want)
		}
	}
}

// Direct chats can be turned off.
func TestDirectOff(t *testing.T) {
	t.Parallel()
	s, _, got := rig(t, `,"dm":{"enabled":false}`)
	s.Say("psst")
	s.Put(said(matrixtest.Group, "aloud", nil))
	if in := next(t, got); !strings.Contains(in.Text, "aloud") {
		t.Errorf("received %q", in.Text)
	}
}
