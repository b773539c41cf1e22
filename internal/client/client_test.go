package client_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/wire"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// gateway is a server that does the handshake and then calls serve for each
// request. It refuses a bad signature and any token but "good".
func gateway(t *testing.T, serve func(ctx context.Context, ws *websocket.Conn, id, method string, params json.RawMessage)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer ws.CloseNow()
		ctx := r.Context()
		send(ctx, ws, object{"type": "event", "event": "connect.challenge", "payload": object{"nonce": "n-1", "ts": 1}})
		for {
			_, raw, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			var f struct {
				ID, Method string
				Params     json.RawMessage
			}
			if err := json.Unmarshal(raw, &f); err != nil {
				return
			}
			if f.Method == "connect" {
				if !greet(r.Context(), ws, f.ID, f.Params) {
					return
				}
				continue
			}
			serve(r.Context(), ws, f.ID, f.Method, f.Params)
		}
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

func greet(ctx context.Context, ws *websocket.Conn, id string, raw json.RawMessage) bool {
	var p struct {
		Client wire.Client
		Role   string
		Scopes []string
		Auth   struct{ Token, DeviceToken string }
		Device *struct {
			ID, PublicKey, Signature, Nonce string
			SignedAt                        int64
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return false
	}
	if p.Auth.Token != "good" && p.Auth.DeviceToken != "device-token" {
		refuse(ctx, ws, id, "unauthorized: gateway token mismatch", object{"code": "AUTH_TOKEN_MISMATCH"})
		return false
	}
	if p.Device != nil {
		key, _ := base64.RawURLEncoding.DecodeString(p.Device.PublicKey)
		sig, _ := base64.RawURLEncoding.DecodeString(p.Device.Signature)
		payload := client.Signed{
			Device: p.Device.ID, ClientID: p.Client.ID, ClientMode: p.Client.Mode, Role: p.Role, Scopes: p.Scopes,
			At: p.Device.SignedAt, Token: p.Auth.Token, Nonce: "n-1", Platform: p.Client.Platform,
		}.Payload()
		if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(payload), sig) {
			refuse(ctx, ws, id, "device signature invalid", object{"code": "DEVICE_AUTH_SIGNATURE_INVALID"})
			return false
		}
	}
	send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{
		"type": "hello-ok", "protocol": 3, "server": object{"version": "2026.3.13", "connId": "c1"},
		"auth":   object{"deviceToken": "device-token", "role": p.Role, "scopes": p.Scopes},
		"policy": object{"tickIntervalMs": 30000},
	}})
	return true
}

func refuse(ctx context.Context, ws *websocket.Conn, id, message string, details object) {
	send(ctx, ws, object{"type": "res", "id": id, "ok": false, "error": object{"code": "INVALID_REQUEST", "message": message, "details": details}})
	_ = ws.Close(1008, message)
}

func send(ctx context.Context, ws *websocket.Conn, v any) {
	raw, _ := json.Marshal(v)
	_ = ws.Write(ctx, websocket.MessageText, raw)
}

func identity(t *testing.T) (*client.Identity, string) {
	t.Helper()
	state := t.TempDir()
	id, err := client.LoadIdentity(client.IdentityPath(state))
	if err != nil {
		t.Fatal(err)
	}
	return id, state
}

func dial(t *testing.T, o client.Options) *client.Conn {
	t.Helper()
	c, err := client.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestCallAnswersByID(t *testing.T) {
	t.Parallel()
	id, state := identity(t)
	url := gateway(t, func(ctx context.Context, ws *websocket.Conn, id, method string, params json.RawMessage) {
		send(ctx, ws, object{"type": "res", "id": "someone-else", "ok": true, "payload": object{"n": 0}})
		send(ctx, ws, object{"type": "event", "event": "tick", "payload": object{}, "seq": 7})
		if method == "fail" {
			send(ctx, ws, object{"type": "res", "id": id, "ok": false, "error": object{"code": "UNAVAILABLE", "message": "no", "retryable": true, "retryAfterMs": 1500}})
			return
		}
		send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{"got": params}})
	})
	c := dial(t, client.Options{URL: url, Token: "good", Identity: id, Tokens: client.NewTokenFile(state)})

	var got struct{ Got object }
	if err := c.Call(t.Context(), "echo", object{"a": "b"}, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(object{"a": "b"}, got.Got); diff != "" {
		t.Errorf("Call (-want +got):\n%s", diff)
	}
	if ev := <-c.Events(); ev.Event != "tick" || ev.Seq != 7 {
		t.Errorf("event = %+v, want tick 7", ev)
	}

	err := c.Call(t.Context(), "fail", nil, nil)
	re, ok := errors.AsType[*rpc.Error](err)
	if !ok || re.Code != "UNAVAILABLE" || !re.Retryable || re.RetryAfter != 1500*time.Millisecond {
		t.Errorf("Call(fail) = %#v, want UNAVAILABLE, retry after 1.5 s", err)
	}
}

func TestCallFinalTakesTheSecondFrame(t *testing.T) {
	t.Parallel()
	url := gateway(t, func(ctx context.Context, ws *websocket.Conn, id, method string, _ json.RawMessage) {
		if method == "twice" {
			send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{"status": "accepted"}})
		}
		send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{"status": "ok", "n": 2}})
		send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{"status": "ok", "n": 3}})
		send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": object{"status": "ok", "n": 4}})
	})
	c := dial(t, client.Options{URL: url, Token: "good"})
	for _, method := range []string{"twice", "once"} {
		accepted := 0
		var got struct{ N int }
		if err := c.CallFinal(t.Context(), method, nil, &got, func(json.RawMessage) { accepted++ }); err != nil {
			t.Fatal(err)
		}
		if got.N != 2 || (accepted == 1) != (method == "twice") {
			t.Errorf("CallFinal(%s) = %d, accepted %d times", method, got.N, accepted)
		}
	}
}

func TestDeviceTokenOpensTheDoorNextTime(t *testing.T) {
	t.Parallel()
	id, state := identity(t)
	url := gateway(t, func(context.Context, *websocket.Conn, string, string, json.RawMessage) {})
	o := client.Options{URL: url, Token: "good", Identity: id, Tokens: client.NewTokenFile(state)}
	_ = dial(t, o).Close()

	info, err := os.Stat(filepath.Join(state, "identity", "device-auth.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("device-auth.json: %v, %v", info, err)
	}
	o.Token = ""
	_ = dial(t, o).Close()
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	url := gateway(t, nil)
	_, err := client.Dial(t.Context(), client.Options{URL: url, Token: "bad"})
	if fault.KindOf(err) != fault.Unauthenticated || !strings.Contains(fault.Hint(err), "gateway.auth.token") {
		t.Errorf("Dial with a bad token = %v", err)
	}
	closed, ok := errors.AsType[*client.CloseError](err)
	if !ok || closed.Error() != "gateway closed (1008): unauthorized: gateway token mismatch" {
		t.Errorf("Dial with a bad token closed = %v", closed)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	url := "ws" + strings.TrimPrefix(srv.URL, "http")
	_, err := client.Dial(t.Context(), client.Options{URL: url})
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Hint(err), "isn't an OpenClaw gateway") {
		t.Errorf("Dial to another server = %v", err)
	}
	srv.Close()
	_, err = client.Dial(t.Context(), client.Options{URL: url})
	closed, ok := errors.AsType[*client.CloseError](err)
	if fault.KindOf(err) != fault.Unavailable || !ok ||
		closed.Error() != "gateway closed (1006 abnormal closure (no close frame)): no close reason" {
		t.Errorf("Dial to a closed port = %v", err)
	}
}

func TestCallEndsWithTheConnection(t *testing.T) {
	t.Parallel()
	url := gateway(t, func(_ context.Context, ws *websocket.Conn, _, _ string, _ json.RawMessage) {
		_ = ws.Close(1012, "service restart")
	})
	c := dial(t, client.Options{URL: url, Token: "good"})
	err := c.Call(t.Context(), "anything", nil, nil)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.Hint(err), "restarting") {
		t.Errorf("Call = %v, want a restart", err)
	}
	if _, open := <-c.Events(); open {
		t.Error("Events is open after the end")
	}
	if err := c.Call(t.Context(), "again", nil, nil); err == nil {
		t.Error("Call on a closed connection = nil")
	}
}

func TestCallTimeout(t *testing.T) {
	t.Parallel()
	url := gateway(t, func(context.Context, *websocket.Conn, string, string, json.RawMessage) {})
	c := dial(t, client.Options{URL: url, Token: "good"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.Call(ctx, "slow", nil, nil); fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.Hint(err), "--timeout") {
		t.Errorf("Call = %v, want a timeout", err)
	}
}

func TestKeepDialsAgain(t *testing.T) {
	t.Parallel()
	url := gateway(t, func(_ context.Context, ws *websocket.Conn, _, method string, _ json.RawMessage) {
		_ = ws.Close(1012, "")
	})
	lost, uses := 0, 0
	err := client.Keep(t.Context(), client.Options{URL: url, Token: "good"}, func(ctx context.Context, c *client.Conn) error {
		if uses++; uses == 2 {
			return nil
		}
		return c.Call(ctx, "x", nil, nil)
	}, func(error, time.Duration) { lost++ })
	if err != nil || uses != 2 || lost != 1 {
		t.Errorf("Keep = %v after %d uses and %d losses", err, uses, lost)
	}
	err = client.Keep(t.Context(), client.Options{URL: url, Token: "bad"}, nil, nil)
	if fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("Keep with a bad token = %v", err)
	}
}

// The vector was checked against OpenClaw 2026.3.13.
func TestSignatureVector(t *testing.T) {
	t.Parallel()
	seed, _ := hex.DecodeString("37f9d42131029e2fd12fda89480e37446d1a2c4b80bce765a4d7f8e3a6b47c58")
	id := client.NewIdentity(ed25519.NewKeyFromSeed(seed))
	payload := client.Signed{
		Device: id.ID, ClientID: "cli", ClientMode: "cli", Role: "operator", Scopes: []string{"operator.read", "operator.write"},
		At: 1737264000000, Token: "secret-token", Nonce: "11111111-2222-4333-8444-555555555555", Platform: " macOS ", Family: "Mac",
	}.Payload()
	got := []string{id.ID, id.PublicKey(), payload, id.Sign(payload)}
	want := []string{
		"a4f349fa014da07d006b163724678d132240f4bb8bc6533db503306fd4d1aca0",
		"I_0vWpZ9JX1UbZvK1MCr1Snjci-HCW2YXr_c87Q7sCw",
		"v3|a4f349fa014da07d006b163724678d132240f4bb8bc6533db503306fd4d1aca0|cli|cli|operator|operator.read,operator.write|1737264000000|secret-token|11111111-2222-4333-8444-555555555555|macos|mac",
		"Oe1iJD2B2UZV11U1atVpGSw7ch02NByWot7fYEtXrM2nEVg7c2fT4g40uiOTb4uHZQp4KtufdpL_mvW5AwmBAA",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdentityFile(t *testing.T) {
	t.Parallel()
	id, state := identity(t)
	again, err := client.LoadIdentity(client.IdentityPath(state))
	if err != nil || again.ID != id.ID || again.PublicKey() != id.PublicKey() {
		t.Fatalf("LoadIdentity again = %v, %v", again, err)
	}
	info, err := os.Stat(client.IdentityPath(state))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	raw, _ := os.ReadFile(client.IdentityPath(state))
	var f object
	if err := json.Unmarshal(raw, &f); err != nil || f["deviceId"] != id.ID || f["version"] != 1.0 {
		t.Errorf("file = %s", raw)
	}
	for _, bad := range []string{"", "{", "{}", `{"privateKeyPem":"x"}`, strings.Repeat(" ", 2<<20)} {
		if err := os.WriteFile(client.IdentityPath(state), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := client.LoadIdentity(client.IdentityPath(state)); err == nil {
			t.Errorf("LoadIdentity of %.20q = nil", bad)
		}
	}
}

// FuzzFrame holds that no frame of a gateway harms the client, and that every
// refusal has words for a person.
func FuzzFrame(f *testing.F) {
	for _, s := range []string{
		`{"type":"res","id":"1","ok":true,"payload":{}}`, `{"type":"res","id":1,"ok":false,"error":{"code":"X","message":"y","details":{"code":"PAIRING_REQUIRED","requestId":"r"}}}`,
		`{"type":"res","ok":false}`, `{"type":"event","event":"tick","seq":1e3}`, `[]`, `null`, `{"type":"event","payload":`, "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		kind, payload, err := client.ParseFrame(raw)
		if err != nil && fault.Hint(err) == "" {
			t.Errorf("ParseFrame(%q) = %v, without a hint", raw, err)
		}
		if err == nil && kind != "" && len(payload) > len(raw) {
			t.Errorf("ParseFrame(%q) made up a payload", raw)
		}
	})
}
