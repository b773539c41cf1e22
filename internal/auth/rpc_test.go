package auth_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

func (r *rig) call(scopes []string, name, params string) (string, error) {
	r.t.Helper()
	for _, m := range r.a.Methods() {
		if m.Name != name {
			continue
		}
		c := &rpc.Caller{Role: rpc.Operator, Scopes: map[rpc.Scope]bool{}}
		for _, s := range scopes {
			c.Scopes[rpc.Scope(s)] = true
		}
		v, err := m.Call(r.t.Context(), c, json.RawMessage(params))
		if err != nil {
			return "", err
		}
		raw, err := json.Marshal(v)
		if err != nil {
			r.t.Fatal(err)
		}
		return string(raw), nil
	}
	r.t.Fatalf("no method %s", name)
	return "", nil
}

// ask makes a device ask for pairing from elsewhere and returns the request.
func (r *rig) ask(d device, scopes []string) auth.Request {
	r.t.Helper()
	c := params()
	c.Scopes = scopes
	if _, refusal := r.connect(r.sign(c, d), r.peer(func(q *http.Request) { q.Host = "gw.example" })); refusal == nil {
		r.t.Fatal("connected without approval")
	}
	for _, p := range r.store.pending {
		if p.Device == d.id {
			return p
		}
	}
	r.t.Fatal("no request")
	return auth.Request{}
}

func TestPairing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	sub := r.bus.Subscribe(10)
	defer sub.Close()
	d := newDevice(t)
	req := r.ask(d, allScopes())
	if again := r.ask(d, []string{"operator.read"}); again.ID != req.ID || len(r.store.pending) != 1 {
		t.Errorf("asking twice made %d requests", len(r.store.pending))
	}
	if e := (<-sub.C).(event.Pairing); e.Kind != "device.pair.requested" {
		t.Errorf("event %s", e.Kind)
	}
	approve := `{"requestId":"` + req.ID + `"}`
	if _, err := r.call([]string{"operator.pairing"}, "device.pair.approve", approve); err == nil || err.Error() != "INVALID_REQUEST: missing scope: operator.admin" {
		t.Errorf("an approver without admin gave it: %v", err)
	}
	if len(r.store.pending) != 1 {
		t.Error("a refused approval lost the request")
	}
	if _, err := r.call(allScopes(), "device.pair.approve", approve); err != nil {
		t.Fatal(err)
	}
	if e := (<-sub.C).(event.Pairing); e.Kind != "device.pair.resolved" {
		t.Errorf("event %s", e.Kind)
	}
	if _, err := r.call(allScopes(), "device.pair.approve", approve); err == nil || err.Error() != "INVALID_REQUEST: unknown requestId" {
		t.Errorf("second approval: %v", err)
	}
	r.mustConnect(r.sign(params(), d), r.peer(func(q *http.Request) { q.Host = "gw.example" }))
}

func TestPairingExpiresAndIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for range 80 {
		r.ask(newDevice(t), nil)
		r.now = r.now.Add(time.Millisecond)
	}
	if n := len(r.store.pending); n > 64 {
		t.Errorf("%d requests are open", n)
	}
	r.now = r.now.Add(6 * time.Minute)
	got, err := r.call(allScopes(), "device.pair.list", `{}`)
	if err != nil || got != `{"pending":[],"paired":[]}` {
		t.Errorf("list = %s, %v", got, err)
	}
}

func TestTokensRotateAndRevoke(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	d := newDevice(t)
	first := r.mustConnect(r.sign(params(), d), r.peer(nil))
	byToken := func(token string, scopes []string) *auth.Refusal {
		c := params()
		c.Auth, c.Scopes = &wire.Auth{DeviceToken: token}, scopes
		_, refusal := r.connect(r.sign(c, d), r.peer(nil))
		return refusal
	}
	var told []string
	stop := r.a.OnRevoke(func(d id.Device, role string) { told = append(told, role) })
	defer stop()

	who := `{"deviceId":"` + string(d.id) + `","role":"operator"`
	tests := []struct {
		name, params string
		scopes       []string
		err          string
	}{
		{"unknown", `{"deviceId":"zzz","role":"operator"}`, allScopes(), "INVALID_REQUEST: unknown deviceId/role"},
		{"role not approved", `{"deviceId":"` + string(d.id) + `","role":"node"}`, allScopes(), "INVALID_REQUEST: unknown deviceId/role"},
		{"caller lacks scope", who + `,"scopes":["operator.admin"]}`, []string{"operator.pairing"}, "INVALID_REQUEST: missing scope: operator.admin"},
		{"keeps what it had", who + `}`, []string{"operator.pairing"}, "INVALID_REQUEST: missing scope: operator.admin"},
		{"narrow", who + `,"scopes":["operator.read"]}`, allScopes(), ""},
	}
	for _, tt := range tests {
		_, err := r.call(tt.scopes, "device.token.rotate", tt.params)
		if got := ""; err != nil {
			got = err.Error()
			if got != tt.err {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
		} else if tt.err != "" {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if byToken(first.Hello.DeviceToken, []string{"operator.read"}) == nil {
		t.Error("the old token still connects")
	}
	narrow := r.store.devices[d.id].Tokens["operator"].Token
	if refusal := byToken(narrow, []string{"operator.read"}); refusal != nil {
		t.Errorf("the new token: %v", refusal)
	}
	if byToken(narrow, []string{"operator.admin"}) == nil {
		t.Error("the narrow token connects as admin")
	}
	if _, err := r.call(allScopes(), "device.token.revoke", who+`}`); err != nil {
		t.Fatal(err)
	}
	if byToken(narrow, []string{"operator.read"}) == nil {
		t.Error("the revoked token still connects")
	}
	if _, err := r.call(allScopes(), "device.pair.remove", `{"deviceId":"`+string(d.id)+`"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := r.call(allScopes(), "device.pair.remove", `{"deviceId":"`+string(d.id)+`"}`); err == nil || err.Error() != "INVALID_REQUEST: unknown deviceId" {
		t.Errorf("second removal: %v", err)
	}
	if len(told) != 3 || told[2] != "" {
		t.Errorf("told %q, want rotate, revoke and remove", told)
	}
}

func TestListShowsNoSecrets(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	d := newDevice(t)
	g := r.mustConnect(r.sign(params(), d), r.peer(nil))
	got, err := r.call(allScopes(), "device.pair.list", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	ms, _ := json.Marshal(r.now.UnixMilli())
	at := string(ms)
	want := `{"pending":[],"paired":[{"deviceId":"` + string(d.id) + `","publicKey":"` + d.pub + `","platform":"linux","clientId":"cli","clientMode":"cli","role":"operator","roles":["operator"],"scopes":["operator.admin","operator.read","operator.write","operator.approvals","operator.pairing"],"createdAtMs":` + at + `,"approvedAtMs":` + at + `,"tokens":[{"role":"operator","scopes":["operator.admin","operator.approvals","operator.pairing","operator.read","operator.write"],"createdAtMs":` + at + `}]}]}`
	if got != want {
		t.Errorf("list\n got %s\nwant %s", got, want)
	}
	if !r.a.Valid(g) {
		t.Error("the grant isn't valid")
	}
	r.settings.Token = "another"
	if r.a.Valid(g) {
		t.Error("the grant outlives its token")
	}
}
