package irc_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/channel/irc"
)

// eventually waits until got answers want.
func eventually(t *testing.T, want string, got func() string) {
	t.Helper()
	end := time.Now().Add(15 * time.Second)
	for got() != want {
		if time.Now().After(end) {
			t.Fatalf("got %s, want %s", got(), want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func ids(es []channel.Entry, err error) string {
	out := []id.Peer{}
	for _, e := range es {
		out = append(out, e.ID)
	}
	return fmt.Sprint(out, err)
}

// The account knows who is in its rooms, as people come, go and rename.
func TestDirectory(t *testing.T) {
	t.Parallel()
	addr := small(t, "")
	alice := join(t, addr, "alice", "#room")
	bob := join(t, addr, "bob", "#room", "#other")
	c, _, status := run(t, config(addr, `,"channels":["#room"]`))
	d := c.(channel.Directory)
	if err := wait(t, status, "a connection"); err != nil {
		t.Fatal(err)
	}
	members := func() string { return ids(d.Members(t.Context(), "#ROOM", 10)) }
	eventually(t, "[alice bob] <nil>", members)
	fmt.Fprint(bob.conn, "NICK robert\r\n")
	if got := ids(d.Groups(t.Context(), "", 10)); got != "[#room] <nil>" {
		t.Errorf("groups %s", got)
	}
	fmt.Fprint(alice.conn, "PART #room\r\n")
	eventually(t, "[bob] <nil>", members) // this server tells a new nick to its owner only
	join(t, addr, "carol", "#room")
	eventually(t, "[bob carol] <nil>", members)
	if got := ids(d.Peers(t.Context(), "CAR", 10)); got != "[carol] <nil>" {
		t.Errorf("people %s", got)
	}
	if got := ids(d.Peers(t.Context(), "", 1)); got != "[bob] <nil>" {
		t.Errorf("one of the people: %s", got)
	}
	if e, err := d.Self(t.Context()); err != nil || e.ID != "clawbot" {
		t.Errorf("self %+v, %v", e, err)
	}
	if _, err := d.Members(t.Context(), "#other", 5); fault.KindOf(err) != fault.NotFound {
		t.Errorf("members of a room we aren't in: %v", err)
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	addr := small(t, "")
	join(t, addr, "clawbot")
	c, _, status := run(t, config(addr, `,"channels":["#room","closed key"],"groups":{"*":{},"#Room":{},"#elsewhere":{}},"nickserv":{"enabled":false,"register":true,"registerEmail":"a@b.example"}`))
	if err := wait(t, status, "a connection"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"config: TLS is off, so what is said and the passwords can be read on the way",
		"config: nickserv.register is on without a password",
		"runtime: the nick clawbot is taken; the account goes by clawbot_",
		"permissions: can't join #closed: Cannot join channel (+i) -- Invited users only",
		"config: groups lists #elsewhere, which the account doesn't join",
	}
	audit := func() (got []string) {
		issues, err := c.(channel.Auditor).Audit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range issues {
			got = append(got, i.Kind+": "+i.Text)
		}
		return got
	}
	eventually(t, fmt.Sprint(want), func() string { return fmt.Sprint(audit()) })
	if d := cmp.Diff(want, audit()); d != "" {
		t.Error(d)
	}
}

func TestTarget(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]msg.Address{
		"#go": {Kind: msg.Group, Peer: "#go"}, "irc:#go": {Kind: msg.Group, Peer: "#go"}, "channel:go": {Kind: msg.Group, Peer: "#go"},
		"alice": {Kind: msg.Direct, Peer: "alice"}, "user:alice!a@b": {Kind: msg.Direct, Peer: "alice"},
	} {
		if got, err := irc.Kind().Target(in); err != nil || got != want {
			t.Errorf("Target(%q) = %+v, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "a b", "x,y", "channel:"} {
		if _, err := irc.Kind().Target(bad); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Target(%q) = %v", bad, err)
		}
	}
}
