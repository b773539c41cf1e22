package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/chat/access"
)

// ask has peer ask to be let in at at.
func ask(t *testing.T, s Store, peer, code string, at time.Time) (access.Request, bool) {
	t.Helper()
	r, let, err := s.RequestPairing(t.Context(), access.Request{
		Channel: "telegram", Account: "default", Peer: id.Peer(peer), Code: code,
		Created: at, Seen: at, Meta: map[string]string{"username": peer},
	}, access.Limits{Life: time.Hour, Pending: 3})
	ok(t, err)
	return r, let
}

func pairings(t *testing.T, s Store, since time.Time) []access.Request {
	t.Helper()
	return want[[]access.Request](t)(s.Pairings(t.Context(), "", since))
}

func pairingLimits(t *testing.T, s Store) {
	t.Helper()
	at := time.UnixMilli(1796071528985)
	for i, peer := range []string{"a", "b", "c", "d"} {
		if _, let := ask(t, s, peer, "CODE"+peer, at.Add(time.Duration(i)*time.Second)); let != (i < 3) {
			t.Errorf("request %d: ok = %v", i, let)
		}
	}
	seen := at.Add(time.Minute)
	if r, let := ask(t, s, "a", "OTHER", seen); !let || r.Code != "CODEa" || !r.Created.Equal(at) || !r.Seen.Equal(seen) {
		t.Errorf("second request of one peer = %+v, %v", r, let)
	}
	// An hour later the old ones are gone and d gets in.
	_, let := ask(t, s, "d", "CODEd", at.Add(time.Hour+time.Minute))
	rs := pairings(t, s, time.Time{})
	if !let || len(rs) != 1 || rs[0].Peer != "d" || rs[0].Meta["username"] != "d" {
		t.Errorf("after expiry: %v, %+v", let, rs)
	}
	if rs := pairings(t, s, at.Add(3*time.Hour)); len(rs) != 0 {
		t.Errorf("expired requests are listed: %+v", rs)
	}
}

func pairingApprove(t *testing.T, s Store) {
	t.Helper()
	at := time.UnixMilli(1796071528985)
	ask(t, s, "a", "ABCD2345", at)
	for _, c := range []struct {
		channel id.Channel
		code    string
		since   time.Time
		found   bool
	}{
		{"irc", "ABCD2345", time.Time{}, false},
		{"telegram", "WRONG234", time.Time{}, false},
		{"telegram", "ABCD2345", at.Add(time.Second), false}, // expired
		{"telegram", "abcd2345", at, true},
		{"telegram", "ABCD2345", at, false}, // used
	} {
		r, found, err := s.ApprovePairing(t.Context(), c.channel, c.code, c.since)
		ok(t, err)
		if found != c.found || found && r.Peer != "a" {
			t.Errorf("approve %+v = %+v, %v", c, r, found)
		}
	}
	if diff := cmp.Diff([]id.Peer{"a"}, want[[]id.Peer](t)(s.Allowed(t.Context(), "telegram", "default"))); diff != "" {
		t.Errorf("allowed (-want +got):\n%s", diff)
	}
	if rs := pairings(t, s, time.Time{}); len(rs) != 0 {
		t.Errorf("an approved request is listed: %+v", rs)
	}
}

func allowList(t *testing.T, s Store) {
	t.Helper()
	for _, changed := range []bool{true, false} {
		if got := want[bool](t)(s.Allow(t.Context(), "irc", "default", "alice")); got != changed {
			t.Errorf("allow: changed = %v, want %v", got, changed)
		}
	}
	if ps := want[[]id.Peer](t)(s.Allowed(t.Context(), "irc", "second")); len(ps) != 0 {
		t.Errorf("allowed on another account: %v", ps)
	}
	for _, changed := range []bool{true, false} {
		if got := want[bool](t)(s.Disallow(t.Context(), "irc", "default", "alice")); got != changed {
			t.Errorf("disallow: changed = %v, want %v", got, changed)
		}
	}
}

func devices(t *testing.T, s Store) {
	t.Helper()
	d := auth.Device{
		ID: "ab12", PublicKey: "pk", Role: "operator", Roles: []string{"operator"}, Scopes: []string{"operator.read"},
		Tokens: map[string]auth.Token{"operator": {Token: "t", Role: "operator", CreatedAtMs: 1}}, CreatedAtMs: 1,
	}
	ok(t, s.PutDevice(t.Context(), d))
	d.DisplayName = "Laptop"
	ok(t, s.PutDevice(t.Context(), d))
	if diff := cmp.Diff([]auth.Device{d}, want[[]auth.Device](t)(s.Devices(t.Context()))); diff != "" {
		t.Errorf("devices (-want +got):\n%s", diff)
	}
	r := auth.Request{ID: "r1", Device: "ab12", Ts: 5}
	ok(t, s.PutPending(t.Context(), r))
	if diff := cmp.Diff([]auth.Request{r}, want[[]auth.Request](t)(s.PendingDevices(t.Context()))); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	for range 2 { // deleting what doesn't exist is no error
		ok(t, s.DeletePending(t.Context(), "r1"))
		ok(t, s.DeleteDevice(t.Context(), "ab12"))
	}
	if ds := want[[]auth.Device](t)(s.Devices(t.Context())); len(ds) != 0 {
		t.Errorf("a deleted device is there: %+v", ds)
	}
}

func cooldowns(t *testing.T, s Store) {
	t.Helper()
	c := model.Cooldown{Key: "fake/fake-1", Reason: "rate limit", Until: time.UnixMilli(1796071528985), Count: 1}
	for range 2 {
		ok(t, s.PutCooldown(t.Context(), c))
		c.Count++
	}
	c.Count--
	if diff := cmp.Diff([]model.Cooldown{c}, want[[]model.Cooldown](t)(s.Cooldowns(t.Context()))); diff != "" {
		t.Errorf("cooldowns (-want +got):\n%s", diff)
	}
	c.Until = time.Time{}
	ok(t, s.PutCooldown(t.Context(), c))
	if cs := want[[]model.Cooldown](t)(s.Cooldowns(t.Context())); len(cs) != 0 {
		t.Errorf("cooldowns that ended: %+v", cs)
	}
}
