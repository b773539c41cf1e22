package auth_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/auth"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/secret"
)

const (
	tokenMismatch = "unauthorized: gateway token mismatch (set gateway.remote.token to match gateway.auth.token)"
	tokenMissing  = "unauthorized: gateway token missing (set gateway.remote.token to match gateway.auth.token)"
	originBad     = "origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)"
)

// The cases and their names are those recorded from the original gateway. In
// each the device op is paired from loopback with all scopes before.
func TestConnectRefusals(t *testing.T) {
	t.Parallel()
	ui := wire.Client{ID: "openclaw-control-ui", Version: "2026.3.13", Platform: "linux", Mode: "webchat"}
	tests := []struct {
		name    string
		change  func(*wire.Connect)  // before signing
		tamper  func(*wire.Connect)  // after signing
		bare    bool                 // no device
		fresh   bool                 // another device
		request func(*http.Request)  // how it arrives
		conf    func(*auth.Settings) // what is configured
		want    string               // code: message
		details string               // JSON; PAIRING has the request id cut out
		close   int
	}{
		{
			name: "no-auth-at-all", bare: true, change: func(c *wire.Connect) { c.Auth = nil },
			want: "NOT_PAIRED: device identity required", details: `{"code":"DEVICE_IDENTITY_REQUIRED"}`,
		},
		{
			name: "no-auth-with-device", change: func(c *wire.Connect) { c.Auth = nil }, want: "INVALID_REQUEST: " + tokenMissing,
			details: `{"code":"AUTH_TOKEN_MISSING","authReason":"token_missing","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_configuration"}`,
		},
		{
			name: "bad-token-no-device", bare: true, change: func(c *wire.Connect) { c.Auth.Token = "wrong" }, want: "INVALID_REQUEST: " + tokenMismatch,
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_credentials"}`,
		},
		{
			name: "bad-token-with-device", change: func(c *wire.Connect) { c.Auth.Token = "wrong" }, want: "INVALID_REQUEST: " + tokenMismatch,
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":true,"recommendedNextStep":"retry_with_device_token"}`,
		},
		{
			name: "bad-device-token", change: func(c *wire.Connect) { c.Auth = &wire.Auth{DeviceToken: "wrong-device-token"} },
			want:    "INVALID_REQUEST: unauthorized: device token mismatch (rotate/reissue device token)",
			details: `{"code":"AUTH_DEVICE_TOKEN_MISMATCH","authReason":"device_token_mismatch","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_credentials"}`,
		},
		{
			name: "bad-bootstrap-token", change: func(c *wire.Connect) { c.Auth = &wire.Auth{BootstrapToken: "wrong-bootstrap"} },
			want:    "INVALID_REQUEST: unauthorized: bootstrap token invalid or expired (scan a fresh setup code)",
			details: `{"code":"AUTH_BOOTSTRAP_TOKEN_INVALID","authReason":"bootstrap_token_invalid","canRetryWithDeviceToken":false,"recommendedNextStep":"review_auth_configuration"}`,
		},
		{
			name: "password-in-token-mode", change: func(c *wire.Connect) { c.Auth = &wire.Auth{Password: "secret-token"} }, want: "INVALID_REQUEST: " + tokenMissing,
			details: `{"code":"AUTH_TOKEN_MISSING","authReason":"token_missing","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_configuration"}`,
		},
		{
			name: "control-ui-bad-token", change: func(c *wire.Connect) { c.Client = ui; c.Auth.Token = "wrong" }, request: header("Origin", "http://127.0.0.1:18789"),
			want:    "INVALID_REQUEST: unauthorized: gateway token mismatch (open the dashboard URL and paste the token in Control UI settings)",
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":true,"recommendedNextStep":"retry_with_device_token"}`,
		},
		{
			name: "other-client-bad-token", change: func(c *wire.Connect) { c.Client.ID, c.Client.Mode = "test", "test"; c.Auth.Token = "wrong" },
			want:    "INVALID_REQUEST: unauthorized: gateway token mismatch (provide gateway auth token)",
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":true,"recommendedNextStep":"retry_with_device_token"}`,
		},
		{
			name: "bad-nonce", tamper: func(c *wire.Connect) { c.Device.Nonce = "other" }, want: "INVALID_REQUEST: device nonce mismatch",
			details: `{"code":"DEVICE_AUTH_NONCE_MISMATCH","reason":"device-nonce-mismatch"}`,
		},
		{
			name: "blank-nonce", tamper: func(c *wire.Connect) { c.Device.Nonce = " " }, want: "INVALID_REQUEST: device nonce required",
			details: `{"code":"DEVICE_AUTH_NONCE_REQUIRED","reason":"device-nonce-missing"}`,
		},
		{
			name: "stale-signedAt", tamper: func(c *wire.Connect) { c.Device.SignedAt -= 121_000 }, want: "INVALID_REQUEST: device signature expired",
			details: `{"code":"DEVICE_AUTH_SIGNATURE_EXPIRED","reason":"device-signature-stale"}`,
		},
		{
			name: "future-signedAt", tamper: func(c *wire.Connect) { c.Device.SignedAt += 121_000 }, want: "INVALID_REQUEST: device signature expired",
			details: `{"code":"DEVICE_AUTH_SIGNATURE_EXPIRED","reason":"device-signature-stale"}`,
		},
		{
			name: "bad-signature", tamper: func(c *wire.Connect) { c.Device.Signature = strings.Repeat("A", 86) }, want: "INVALID_REQUEST: device signature invalid",
			details: `{"code":"DEVICE_AUTH_SIGNATURE_INVALID","reason":"device-signature"}`,
		},
		{
			name: "bad-signature-and-bad-token", change: func(c *wire.Connect) { c.Auth.Token = "wrong" }, tamper: func(c *wire.Connect) { c.Device.Signature = "!" },
			want: "INVALID_REQUEST: device signature invalid", details: `{"code":"DEVICE_AUTH_SIGNATURE_INVALID","reason":"device-signature"}`,
		},
		{
			name: "wrong-scope-order-signed", tamper: func(c *wire.Connect) { slices.Reverse(c.Scopes) }, want: "INVALID_REQUEST: device signature invalid",
			details: `{"code":"DEVICE_AUTH_SIGNATURE_INVALID","reason":"device-signature"}`,
		},
		{
			name: "signed-for-another-role", tamper: func(c *wire.Connect) { c.Role = "node" }, want: "INVALID_REQUEST: device signature invalid",
			details: `{"code":"DEVICE_AUTH_SIGNATURE_INVALID","reason":"device-signature"}`,
		},
		{
			name: "device-id-mismatch", tamper: func(c *wire.Connect) { c.Device.ID = strings.Repeat("0", 64) }, want: "INVALID_REQUEST: device identity mismatch",
			details: `{"code":"DEVICE_AUTH_DEVICE_ID_MISMATCH","reason":"device-id-mismatch"}`,
		},
		{
			name: "device-public-key-garbage", tamper: func(c *wire.Connect) { c.Device.PublicKey = "!!" }, want: "INVALID_REQUEST: device identity mismatch",
			details: `{"code":"DEVICE_AUTH_DEVICE_ID_MISMATCH","reason":"device-id-mismatch"}`,
		},
		{name: "protocol-too-new", change: func(c *wire.Connect) { c.MinProtocol, c.MaxProtocol = 4, 4 }, want: "INVALID_REQUEST: protocol mismatch", details: `{"expectedProtocol":3}`, close: 1002},
		{name: "protocol-too-old", change: func(c *wire.Connect) { c.MinProtocol, c.MaxProtocol = 1, 2 }, want: "INVALID_REQUEST: protocol mismatch", details: `{"expectedProtocol":3}`, close: 1002},
		{name: "protocol-min-gt-max", change: func(c *wire.Connect) { c.MaxProtocol = 2 }, want: "INVALID_REQUEST: protocol mismatch", details: `{"expectedProtocol":3}`, close: 1002},
		{name: "invalid-role", change: func(c *wire.Connect) { c.Role, c.Scopes = "banana", nil }, want: "INVALID_REQUEST: invalid role"},
		{
			name: "origin-bad", request: header("Origin", "https://evil.example"), want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin not allowed"}`,
		},
		{
			name: "origin-null", request: header("Origin", "null"), want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin missing or invalid"}`,
		},
		{
			name: "origin-looks-local", request: header("Origin", "http://127.0.0.1.evil.example:18789"), want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin not allowed"}`,
		},
		{
			name: "origin-extension", request: header("Origin", "chrome-extension://x"), want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin missing or invalid"}`,
		},
		{
			name: "origin-rebound", request: func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("Origin", "http://evil.example") }, want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin not allowed"}`,
		},
		{
			name: "control-ui-no-origin", change: func(c *wire.Connect) { c.Client = ui }, want: "INVALID_REQUEST: " + originBad,
			details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin missing or invalid"}`,
		},
		{
			name: "control-ui-no-device", bare: true, change: func(c *wire.Connect) { c.Client = ui }, request: header("Origin", "http://localhost:18789"),
			want:    "INVALID_REQUEST: control ui requires device identity (use HTTPS or localhost secure context)",
			details: `{"code":"CONTROL_UI_DEVICE_IDENTITY_REQUIRED"}`,
		},
		{
			name: "node-no-device", bare: true, change: func(c *wire.Connect) { c.Client.ID, c.Client.Mode, c.Role, c.Scopes = "node-host", "node", "node", nil },
			want: "NOT_PAIRED: device identity required", details: `{"code":"DEVICE_IDENTITY_REQUIRED"}`,
		},
		{
			name: "host-header-nonlocal-new-device", fresh: true, request: func(r *http.Request) { r.Host = "gw.example" },
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"not-paired"}`,
		},
		{
			name: "forwarded-for-untrusted-new-device", fresh: true, request: header("X-Forwarded-For", "127.0.0.1"),
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"not-paired"}`,
		},
		{
			name: "forwarded", fresh: true, request: header("Forwarded", "for=127.0.0.1"),
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"not-paired"}`,
		},
		{
			name: "real-ip", fresh: true, request: header("X-Real-IP", "127.0.0.1"),
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"not-paired"}`,
		},
		{
			name: "loopback-claim-through-a-proxy", fresh: true, request: header("X-Forwarded-For", "127.0.0.1"),
			conf: func(s *auth.Settings) { s.Gateway.TrustedProxies = []string{"127.0.0.1"} },
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"not-paired"}`,
		},
		{
			name: "metadata-change-platform", change: func(c *wire.Connect) { c.Client.Platform = "darwin" },
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"metadata-upgrade"}`,
		},
		{
			name: "role-upgrade-operator-to-node", change: func(c *wire.Connect) { c.Client.ID, c.Client.Mode, c.Role, c.Scopes = "node-host", "node", "node", nil },
			want: "NOT_PAIRED: pairing required", details: `{"code":"PAIRING_REQUIRED","requestId":"","reason":"role-upgrade"}`,
		},
		{
			name: "token-prefix", bare: true, change: func(c *wire.Connect) { c.Auth.Token = "secret-" }, want: "INVALID_REQUEST: " + tokenMismatch,
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_credentials"}`,
		},
		{
			name: "token-and-a-blank", bare: true, change: func(c *wire.Connect) { c.Auth.Token = "secret-token " }, want: "INVALID_REQUEST: " + tokenMismatch,
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_credentials"}`,
		},
		{
			name: "no-secret-configured", bare: true, conf: func(s *auth.Settings) { s.Token = "" }, want: "INVALID_REQUEST: " + tokenMismatch,
			details: `{"code":"AUTH_TOKEN_MISMATCH","authReason":"token_mismatch","canRetryWithDeviceToken":false,"recommendedNextStep":"update_auth_credentials"}`,
		},
		{
			name: "mode-none-local-page", fresh: true, request: header("Origin", "http://127.0.0.1:1"), conf: func(s *auth.Settings) { s.Mode = "none" },
			want: "INVALID_REQUEST: " + originBad, details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin not allowed"}`,
		},
		{
			name: "mode-none-foreign-page", fresh: true, request: header("Origin", "http://evil.example"), conf: func(s *auth.Settings) { s.Mode = "none" },
			want: "INVALID_REQUEST: " + originBad, details: `{"code":"CONTROL_UI_ORIGIN_NOT_ALLOWED","reason":"origin not allowed"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			d := newDevice(t)
			r.mustConnect(r.sign(params(), d), r.peer(nil))
			if tt.conf != nil {
				tt.conf(&r.settings)
			}
			c := params()
			if tt.change != nil {
				tt.change(c)
			}
			if tt.fresh {
				d = newDevice(t)
			}
			if !tt.bare {
				r.sign(c, d)
			}
			if tt.tamper != nil {
				tt.tamper(c)
			}
			g, refusal := r.connect(c, r.peer(tt.request))
			if refusal == nil {
				t.Fatalf("Connect = %+v, want refusal", g)
			}
			if got := refusal.Err.Code + ": " + refusal.Err.Message; got != tt.want {
				t.Errorf("error\n got %s\nwant %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.details, details(t, refusal)); diff != "" {
				t.Error(diff)
			}
			want := tt.close
			if want == 0 {
				want = 1008
			}
			if refusal.Close != want {
				t.Errorf("close %d, want %d", refusal.Close, want)
			}
		})
	}
}

// details returns the details as JSON, without the id of a request.
func details(t *testing.T, r *auth.Refusal) string {
	t.Helper()
	if r.Err.Details == nil {
		return ""
	}
	raw, err := json.Marshal(r.Err.Details)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if _, rest, ok := strings.Cut(text, `"requestId":"`); ok && len(rest) > 36 {
		return strings.Replace(text, rest[:36], "", 1)
	}
	return text
}

func TestConnectGrants(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	op := newDevice(t)
	first := r.mustConnect(r.sign(params(), op), r.peer(nil))
	if len(first.Hello.DeviceToken) != 43 {
		t.Fatalf("device token %q", first.Hello.DeviceToken)
	}
	sorted := []string{"operator.admin", "operator.approvals", "operator.pairing", "operator.read", "operator.write"}
	tests := []struct {
		name    string
		change  func(*wire.Connect)
		tamper  func(*wire.Connect)
		request func(*http.Request)
		scopes  []string // granted
	}{
		{name: "ok-operator-v3-signature", scopes: allScopes()},
		{name: "ok-operator-v2-signature", scopes: allScopes(), tamper: func(c *wire.Connect) {
			c.Device.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(op.key, []byte(auth.SigningPayload("v2", c))))
		}},
		{name: "ok-device-token-in-auth.deviceToken", scopes: allScopes(), change: func(c *wire.Connect) { c.Auth = &wire.Auth{DeviceToken: first.Hello.DeviceToken} }},
		{name: "ok-device-token-in-auth.token", scopes: allScopes(), change: func(c *wire.Connect) { c.Auth = &wire.Auth{Token: first.Hello.DeviceToken} }},
		{name: "ok-narrower-scopes", scopes: []string{"operator.read"}, change: func(c *wire.Connect) { c.Scopes = []string{"operator.read"} }},
		{name: "unknown-scope", scopes: []string{"operator.banana"}, change: func(c *wire.Connect) { c.Scopes = []string{"operator.banana"} }},
		{name: "no-scopes-field", change: func(c *wire.Connect) { c.Scopes = nil }},
		{name: "no-role-field", scopes: allScopes(), change: func(c *wire.Connect) { c.Role = "" }},
		{name: "protocol-range-1-9", scopes: allScopes(), change: func(c *wire.Connect) { c.MinProtocol, c.MaxProtocol = 1, 9 }},
		{name: "origin-loopback-same", scopes: allScopes(), request: header("Origin", "http://127.0.0.1:18789")},
		{name: "origin-localhost-other-port", scopes: allScopes(), request: header("Origin", "http://localhost:5173")},
		{name: "token-and-deviceToken", scopes: allScopes(), change: func(c *wire.Connect) { c.Auth.DeviceToken = "x" }},
		{name: "ok-std-base64-signature", scopes: allScopes(), tamper: func(c *wire.Connect) {
			c.Device.Signature = base64.StdEncoding.EncodeToString(ed25519.Sign(op.key, []byte(auth.SigningPayload("v3", c))))
		}},
	}
	for _, tt := range tests {
		c := params()
		if tt.change != nil {
			tt.change(c)
		}
		r.sign(c, op)
		if tt.tamper != nil {
			tt.tamper(c)
		}
		g := r.mustConnect(c, r.peer(tt.request))
		if diff := cmp.Diff(tt.scopes, g.Scopes); diff != "" {
			t.Errorf("%s: scopes %s", tt.name, diff)
		}
		want := &wire.HelloAuth{DeviceToken: first.Hello.DeviceToken, Role: "operator", Scopes: sorted, IssuedAtMs: r.now.UnixMilli()}
		if diff := cmp.Diff(want, g.Hello); diff != "" {
			t.Errorf("%s: hello %s", tt.name, diff)
		}
	}
}

func TestConnectWithoutDeviceHoldsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := params()
	c.Client.ID, c.Client.Mode = "gateway-client", "backend"
	g := r.mustConnect(c, r.peer(nil))
	if len(g.Scopes) != 0 || g.Hello != nil {
		t.Errorf("grant %+v, want no scopes and no token", g)
	}
}

func TestBackendWithDeviceNeedsNoPairing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := params()
	c.Client.ID, c.Client.Mode = "gateway-client", "backend"
	g := r.mustConnect(r.sign(c, newDevice(t)), r.peer(nil))
	if diff := cmp.Diff(allScopes(), g.Scopes); diff != "" || g.Hello != nil || len(r.store.devices) != 0 {
		t.Errorf("grant %+v, %d devices; want the scopes and no pairing", g, len(r.store.devices))
	}
}

func TestNodeGetsNoTokenInHello(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := params()
	c.Client.ID, c.Client.Mode, c.Role, c.Scopes = "node-host", "node", "node", nil
	d := newDevice(t)
	g := r.mustConnect(r.sign(c, d), r.peer(nil))
	if g.Hello != nil {
		t.Errorf("hello auth %+v, want none", g.Hello)
	}
	if tok := r.store.devices[d.id].Tokens["node"]; len(tok.Token) != 43 || len(tok.Scopes) != 0 {
		t.Errorf("stored token %+v", tok)
	}
}

func TestScopeUpgrade(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	d := newDevice(t)
	c := params()
	c.Scopes = []string{"operator.read"}
	narrow := r.mustConnect(r.sign(c, d), r.peer(nil))

	// The device's own token says nothing about more scopes, even on loopback.
	c = params()
	c.Auth = &wire.Auth{DeviceToken: narrow.Hello.DeviceToken}
	if _, refusal := r.connect(r.sign(c, d), r.peer(nil)); refusal == nil {
		t.Fatal("a read-only device token became admin")
	}
	// The shared secret on loopback does.
	r.now = r.now.Add(time.Second)
	g := r.mustConnect(r.sign(params(), d), r.peer(nil))
	if diff := cmp.Diff(allScopes(), g.Scopes); diff != "" {
		t.Error(diff)
	}
	if g.Hello.DeviceToken == narrow.Hello.DeviceToken || g.Hello.IssuedAtMs != r.now.UnixMilli() {
		t.Error("the wider token is the old one")
	}
	// From elsewhere it must be approved.
	d2 := newDevice(t)
	c = params()
	c.Scopes = []string{"operator.read"}
	r.mustConnect(r.sign(c, d2), r.peer(nil))
	_, refusal := r.connect(r.sign(params(), d2), r.peer(func(r *http.Request) { r.RemoteAddr = "192.0.2.7:1" }))
	if refusal == nil || details(t, refusal) != `{"code":"PAIRING_REQUIRED","requestId":"","reason":"scope-upgrade"}` {
		t.Fatalf("refusal %v", refusal)
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	no := false
	tests := []struct {
		name    string
		limit   *config.RateLimit
		request func(*http.Request)
		tries   int // until limited; 0 never
	}{
		{"this host, unless configured", nil, nil, 0},
		{"another host, always", nil, func(r *http.Request) { r.RemoteAddr = "192.0.2.9:1" }, 10},
		{"configured", &config.RateLimit{MaxAttempts: 3, WindowMs: 60000, LockoutMs: 4000, ExemptLoopback: &no}, nil, 3},
		{"loopback is exempt", &config.RateLimit{MaxAttempts: 3, WindowMs: 60000, LockoutMs: 4000}, nil, 0},
		{"a page is always limited", nil, header("Origin", "http://127.0.0.1:18789"), 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.settings.Gateway.Auth.RateLimit = tt.limit
			for i := range 15 {
				c := params()
				c.Auth.Token = "wrong"
				_, refusal := r.connect(c, r.peer(tt.request))
				want := tokenMismatch
				if tt.tries > 0 && i >= tt.tries {
					want = "unauthorized: too many failed authentication attempts (retry later)"
				}
				if refusal.Err.Message != want {
					t.Fatalf("try %d: %s, want %s", i+1, refusal.Err.Message, want)
				}
				if limited := tt.tries > 0 && i >= tt.tries; limited != (refusal.Err.RetryAfterMs > 0) {
					t.Fatalf("try %d: retryAfterMs %d", i+1, refusal.Err.RetryAfterMs)
				}
			}
			if tt.tries == 10 {
				r.mustConnect(params(), r.peer(nil)) // a program isn't locked out by a page
			}
			if tt.tries == 3 {
				if _, refusal := r.connect(params(), r.peer(nil)); refusal == nil {
					t.Error("the good token passes while locked out")
				}
				r.now = r.now.Add(5 * time.Second)
				r.mustConnect(params(), r.peer(nil))
			}
		})
	}
}

func TestRateLimitBuckets(t *testing.T) {
	t.Parallel()
	from := func(addr, forwarded string) func(*http.Request) {
		return func(r *http.Request) {
			r.RemoteAddr = addr
			if forwarded != "" {
				r.Header.Set("X-Forwarded-For", forwarded)
			}
		}
	}
	r := newRig(t)
	r.settings.Gateway.Auth.RateLimit = &config.RateLimit{MaxAttempts: 4, WindowMs: 60000, LockoutMs: 60000}
	try := func(change func(*http.Request)) string {
		_, refusal := r.a.HTTP(request(func(q *http.Request) {
			change(q)
			q.Header.Set("Authorization", "Bearer wrong")
		}))
		return http.StatusText(refusal.Status)
	}
	for i := range 4 {
		addr := []string{"192.0.2.1:1", "[::ffff:192.0.2.1]:1"}[i%2]
		try(from(addr, "198.51.100."+string(rune('1'+i))))
	}
	if got := try(from("192.0.2.1:1", "203.0.113.1")); got != "Too Many Requests" {
		t.Errorf("a mapped address and a forged header split the bucket: %s", got)
	}
	if got := try(from("192.0.2.2:1", "")); got != "Unauthorized" {
		t.Errorf("another address is limited too: %s", got)
	}
	for i := range 4 {
		try(from("[2001:db8::"+string(rune('1'+i))+"]:1", ""))
	}
	if got := try(from("[2001:db8::ffff]:1", "")); got != "Too Many Requests" {
		t.Errorf("addresses of one /64 have buckets of their own: %s", got)
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		conf   func(*auth.Settings)
		change func(*http.Request)
		want   int // 200 is a caller
	}{
		{"good", nil, header("Authorization", "Bearer secret-token"), 200},
		{"scheme in lower case", nil, header("Authorization", "bearer secret-token"), 200},
		{"none", nil, nil, 401},
		{"wrong", nil, header("Authorization", "Bearer nope"), 401},
		{"scheme alone", nil, header("Authorization", "bearer"), 401},
		{"more words", nil, header("Authorization", "Bearer  secret-token x"), 401},
		{"basic", nil, header("Authorization", "Basic secret-token"), 401},
		{"in another header", nil, header("X-OpenClaw-Token", "secret-token"), 401},
		{"in the query", nil, func(r *http.Request) { r.URL.RawQuery = "token=secret-token" }, 401},
		{"twice", nil, func(r *http.Request) {
			r.Header["Authorization"] = []string{"Bearer secret-token", "Bearer secret-token"}
		}, 401},
		{"password mode", func(s *auth.Settings) { s.Mode, s.Password = "password", "pw" }, header("Authorization", "Bearer pw"), 200},
		{"token in password mode", func(s *auth.Settings) { s.Mode, s.Password = "password", "pw" }, header("Authorization", "Bearer secret-token"), 401},
		{"mode none", func(s *auth.Settings) { s.Mode = "none" }, nil, 200},
		{"mode none, foreign page", func(s *auth.Settings) { s.Mode = "none" }, header("Origin", "https://evil.example"), 403},
		{"proxy user", proxied, func(r *http.Request) { r.Header.Set("X-Forwarded-User", "ann"); r.Header.Set("X-Gate", "1") }, 200},
		{"proxy user twice", proxied, func(r *http.Request) {
			r.Header["X-Forwarded-User"] = []string{"ann", "bob"}
			r.Header.Set("X-Gate", "1")
		}, 401},
		{"proxy user empty", proxied, func(r *http.Request) { r.Header.Set("X-Forwarded-User", " "); r.Header.Set("X-Gate", "1") }, 401},
		{"proxy user not allowed", proxied, func(r *http.Request) { r.Header.Set("X-Forwarded-User", "eve"); r.Header.Set("X-Gate", "1") }, 401},
		{"proxy header missing", proxied, header("X-Forwarded-User", "ann"), 401},
		{"not from the proxy", proxied, func(r *http.Request) {
			r.RemoteAddr = "127.0.0.3:1"
			r.Header.Set("X-Forwarded-User", "ann")
			r.Header.Set("X-Gate", "1")
		}, 401},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if tt.conf != nil {
				tt.conf(&r.settings)
			}
			caller, refusal := r.a.HTTP(request(tt.change))
			got := 200
			if refusal != nil {
				got = refusal.Status
			}
			if got != tt.want || (caller != nil) != (got == 200) {
				t.Errorf("HTTP = %d, want %d", got, tt.want)
			}
		})
	}
}

func proxied(s *auth.Settings) {
	s.Mode = "trusted-proxy"
	s.Gateway.TrustedProxies = []string{"127.0.0.1"}
	s.Proxy = auth.Proxy{UserHeader: "X-Forwarded-User", RequiredHeaders: []string{"X-Gate"}, AllowUsers: []string{"ann"}}
}

func TestPeerBehindProxy(t *testing.T) {
	t.Parallel()
	tests := []struct{ xff, want string }{
		{"203.0.113.9", "203.0.113.9"},
		{"127.0.0.1, 203.0.113.9", "203.0.113.9"},
		{"203.0.113.9, 127.0.0.2", "203.0.113.9"},
		{"127.0.0.1", "127.0.0.1"},
		{"garbage", "invalid IP"},
		{strings.Repeat("127.0.0.2,", 4000) + "203.0.113.9", "203.0.113.9"},
	}
	r := newRig(t)
	r.settings.Gateway.TrustedProxies = []string{"127.0.0.2"}
	for _, tt := range tests {
		p := r.peer(func(q *http.Request) {
			q.RemoteAddr = "127.0.0.2:1"
			q.Header.Set("X-Forwarded-For", tt.xff)
		})
		if p.Addr.String() != tt.want || p.Local {
			t.Errorf("PeerOf(%.40q) = %v, local %v; want %s, not local", tt.xff, p.Addr, p.Local, tt.want)
		}
	}
}

func TestCheckSettings(t *testing.T) {
	t.Parallel()
	for _, bad := range []secret.String{"", "   ", "undefined", "null", "changeme", "<token>", "${TOKEN}"} {
		err := auth.Settings{Token: bad}.Check()
		if err == nil || !strings.Contains(err.Error(), "gateway.auth.token") {
			t.Errorf("Check(%q) = %v, want an error that names the key", bad.Reveal(), err)
		}
	}
	if err := (auth.Settings{Token: "a-secret-of-mine"}).Check(); err != nil {
		t.Error(err)
	}
	if err := (auth.Settings{Mode: "bananas"}).Check(); err == nil {
		t.Error("an unknown mode passes")
	}
}
