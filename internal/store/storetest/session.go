package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

func sessionRoundTrip(t *testing.T, s Store) {
	t.Helper()
	fast := true
	x := session.Session{
		Key: "agent:main:main", ID: "0b5ad2a4-3f0e-4e7d-9a53-3b8a4a7f1c55", Updated: 1796071665643,
		SystemSent: true, ChatType: "direct", Label: "L", LastChannel: "irc", FastMode: &fast,
		Delivery: &session.Delivery{Channel: "irc", To: "irc:alice", AccountID: "default", ThreadID: "7"},
		Origin:   &session.Origin{Label: "irc:bob", Provider: "irc"}, InputTokens: 11, TotalTokensFresh: true,
		Extra: map[string]json.RawMessage{"skillsSnapshot": json.RawMessage(`{"prompt":"<a & b>","version":0}`)},
	}
	for range 2 {
		ok(t, s.PutSession(t.Context(), x))
		x.InputTokens += 11
	}
	x.InputTokens -= 11
	got, found, err := s.Session(t.Context(), x.Key)
	ok(t, err)
	if !found {
		t.Fatal("the session is not there")
	}
	if diff := cmp.Diff(x, got); diff != "" {
		t.Errorf("session (-want +got):\n%s", diff)
	}
	ok(t, s.DeleteSession(t.Context(), x.Key))
	if _, found, err := s.Session(t.Context(), x.Key); err != nil || found {
		t.Errorf("after delete: %v, %v", found, err)
	}
	if err := s.PutSession(t.Context(), session.Session{Key: "agent:main:x"}); err == nil {
		t.Error("a session without an id was stored")
	}
}

func sessionFilters(t *testing.T, s Store) {
	t.Helper()
	for i, k := range []string{"agent:main:main", "agent:main:50%_off", "agent:main:subagent:c", "agent:second:main"} {
		x := session.Session{Key: id.SessionKey(k), ID: id.Session(fmt.Sprintf("id-%d", i)), Updated: int64(1000 + i)}
		switch i {
		case 1:
			x.Label = "Größe"
		case 2:
			x.SpawnedBy = "agent:main:main"
		}
		ok(t, s.PutSession(t.Context(), x))
	}
	for name, c := range map[string]struct {
		f    session.Filter
		keys []string
	}{
		"all":      {session.Filter{}, []string{"agent:second:main", "agent:main:subagent:c", "agent:main:50%_off", "agent:main:main"}},
		"agent":    {session.Filter{Agent: "second"}, []string{"agent:second:main"}},
		"since":    {session.Filter{UpdatedSince: 1002, Limit: 5}, []string{"agent:second:main", "agent:main:subagent:c"}},
		"limit":    {session.Filter{Limit: 1}, []string{"agent:second:main"}},
		"label":    {session.Filter{Label: "Größe"}, []string{"agent:main:50%_off"}},
		"folded":   {session.Filter{Search: "GRÖß"}, []string{"agent:main:50%_off"}},
		"wildcard": {session.Filter{Search: "0%_o"}, []string{"agent:main:50%_off"}},
		"percent":  {session.Filter{Search: "%main"}, nil},
		"spawned":  {session.Filter{SpawnedBy: "agent:main:main"}, []string{"agent:main:subagent:c"}},
		"id":       {session.Filter{ID: "id-3"}, []string{"agent:second:main"}},
	} {
		var got []string
		for _, x := range want[[]session.Session](t)(s.Sessions(t.Context(), c.f)) {
			got = append(got, string(x.Key))
		}
		if diff := cmp.Diff(c.keys, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func channelState(t *testing.T, s Store) {
	t.Helper()
	holds := func(a id.Account, v string) {
		t.Helper()
		if got := want[string](t)(s.ChannelState(t.Context(), "telegram", a, "offset")); got != v {
			t.Errorf("state of %s = %q, want %q", a, got, v)
		}
	}
	holds("default", "")
	for _, v := range []string{"10", "11"} {
		ok(t, s.SetChannelState(t.Context(), "telegram", "default", "offset", v))
		holds("default", v)
	}
	holds("second", "")
	ok(t, s.SetChannelState(t.Context(), "telegram", "default", "offset", ""))
	holds("default", "")
}

func systemEvents(t *testing.T, s Store) {
	t.Helper()
	at := time.UnixMilli(1796071528985)
	look := func(key id.SessionKey) []store.SystemEvent {
		t.Helper()
		return want[[]store.SystemEvent](t)(s.SystemEvents(t.Context(), key))
	}
	for i := range 25 {
		ok(t, s.PutSystemEvent(t.Context(), "agent:main:main", fmt.Sprint(i), at))
	}
	ok(t, s.PutSystemEvent(t.Context(), "agent:main:other", "other", at))
	got := look("agent:main:main")
	if len(got) != 20 || got[0].Text != "5" || got[19].Text != "24" || !got[0].At.Equal(at) {
		t.Fatalf("%d events: %+v", len(got), got)
	}
	ok(t, s.PutSystemEvent(t.Context(), "agent:main:main", "late", at)) // while the others are being told
	ok(t, s.DropSystemEvents(t.Context(), "agent:main:main", got[19].ID))
	if left := look("agent:main:main"); len(left) != 1 || left[0].Text != "late" {
		t.Errorf("left: %+v", left)
	}
	if other := look("agent:main:other"); len(other) != 1 {
		t.Errorf("events of another session: %+v", other)
	}
}
