package test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/openclaw-go/openclaw/test/harness"
)

func TestThreatsOfBrowsers(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	// T-01: the page may talk to this gateway only.
	t.Run("T-01 the page connects to nobody else", func(t *testing.T) {
		for _, path := range []string{"/", "/?gatewayUrl=ws://127.0.0.1:9"} {
			_, body, h := ask(t, g, "GET", path, "", nil)
			policy := h.Get("Content-Security-Policy")
			if !strings.Contains(policy, "connect-src 'self'") || strings.Contains(policy, "ws:") || strings.Contains(policy, "http") {
				t.Errorf("%s: policy %q", path, policy)
			}
			if strings.Contains(body, "127.0.0.1:9") {
				t.Errorf("%s: the address of the query is in the page", path)
			}
		}
	})
	// T-02: a page of another origin gets no socket.
	t.Run("T-02 foreign origins are refused", func(t *testing.T) {
		for _, o := range foreign() {
			refusedOrigin(t, g, header("Origin", o), object{"token": harness.Token})
		}
		refusedOrigin(t, g, header("Origin", "http://evil.example", "Host", "evil.example"), object{"token": harness.Token})
		if s := owner(t, g); s == nil {
			t.Error("a client without Origin can't connect")
		}
	})
	// T-05: a name that a stranger's DNS points at us is not ours.
	t.Run("T-05 rebound host names see nothing", func(t *testing.T) {
		for _, host := range []string{"evil.example:18789", "127.0.0.1.evil.example"} {
			for _, r := range [][2]string{{"GET", "/"}, {"GET", "/__openclaw__/canvas/"}, {"POST", "/tools/invoke"}, {"GET", "/v1/models"}} {
				if code, body, _ := ask(t, g, r[0], r[1], "{}", header("Host", host)); code < 400 || strings.Contains(body, "<html") {
					t.Errorf("%s %s as %s: %d %.80q", r[0], r[1], host, code, body)
				}
			}
			if code, body, _ := ask(t, g, "GET", "/health", "", header("Host", host)); code != 200 || strings.TrimSpace(body) != `{"ok":true,"status":"live"}` {
				t.Errorf("health as %s: %d %q", host, code, body)
			}
		}
		if a := raw(t, g, 5*time.Second, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"); status(a) != 400 {
			t.Errorf("two hosts: %q", a)
		}
		if a := raw(t, g, 5*time.Second, "GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"); status(a) < 400 {
			t.Errorf("empty host: %.60q", a)
		}
		if code, _, _ := ask(t, g, "GET", "/v1/models", "", bearer("Host", "gateway:18789")); code != 200 {
			t.Errorf("a container's name with the token: %d, want 200", code)
		}
	})
	// T-06: no credential is ambient, and no preflight is answered.
	t.Run("T-06 preflights name no origin", func(t *testing.T) {
		for _, p := range []string{"/tools/invoke", "/v1/chat/completions"} {
			_, _, h := ask(t, g, "OPTIONS", p, "", header("Origin", "https://evil.example", "Access-Control-Request-Method", "POST"))
			if v := h.Get("Access-Control-Allow-Origin"); v != "" {
				t.Errorf("%s: Access-Control-Allow-Origin %q", p, v)
			}
		}
	})
	// T-75, T-76: neither loads nor runs what a model wrote.
	t.Run("T-76 the page runs no script and is in no frame", func(t *testing.T) {
		_, _, h := ask(t, g, "GET", "/", "", nil)
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "img-src 'self' data:"} {
			if !strings.Contains(policy, want) {
				t.Errorf("policy %q lacks %s", policy, want)
			}
		}
		if strings.Contains(policy, "script-src") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("headers %v", h)
		}
	})
	if n := len(m.Calls("")); n != 0 {
		t.Errorf("%d model calls, want none", n)
	}
}

func foreign() []string {
	return []string{
		"http://evil.example", "null", "http://127.0.0.1.evil.example:18789", "http://localhost.evil.example", "file://", "chrome-extension://x",
	}
}

// refusedOrigin connects with h and wants a refusal, with nothing but the
// challenge before it.
func refusedOrigin(t *testing.T, g *harness.Gateway, h http.Header, auth any) {
	t.Helper()
	s, resp, err := dial(t, g, h)
	if err != nil {
		if resp == nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %v", h, err)
		}
		return
	}
	f := s.call("connect", newDevice(t).sign(cli(auth), s.nonce()))
	if f.OK || f.code() != "CONTROL_UI_ORIGIN_NOT_ALLOWED" {
		t.Errorf("%v: %+v, want CONTROL_UI_ORIGIN_NOT_ALLOWED", h, f)
	}
	if c := s.closed(5 * time.Second); c != websocket.StatusPolicyViolation {
		t.Errorf("%v: closed with %d, want 1008", h, c)
	}
}

func TestThreatsWithoutCredential(t *testing.T) {
	t.Parallel()
	g, m := alone(t, func(cfg object) { section(cfg, "gateway")["auth"] = object{"mode": "none"} })
	// T-02 and T-06 in mode none: what a browser brings along is no credential.
	t.Run("T-02 foreign origins are refused in mode none", func(t *testing.T) {
		for _, o := range append(foreign(), "http://127.0.0.1:1") {
			refusedOrigin(t, g, header("Origin", o), nil)
		}
	})
	t.Run("T-06 a simple request of a page runs nothing", func(t *testing.T) {
		for _, p := range []string{"/tools/invoke", "/v1/chat/completions"} {
			body := `{"tool":"session_status","model":"openclaw","messages":[{"role":"user","content":"planted"}]}`
			code, _, _ := ask(t, g, "POST", p, body, header("Origin", "https://evil.example", "Content-Type", "text/plain"))
			if code != 403 && code != 415 {
				t.Errorf("%s: %d, want 403 or 415", p, code)
			}
		}
		if len(m.Calls("planted")) != 0 {
			t.Error("the model was called")
		}
	})
	t.Run("T-05 rebound host names are refused in mode none", func(t *testing.T) {
		for _, p := range []string{"/v1/models", "/"} {
			if code, _, _ := ask(t, g, "GET", p, "", header("Host", "evil.example")); code != 403 && code != 421 {
				t.Errorf("%s: %d, want 403", p, code)
			}
		}
	})
}

func TestThreatsBehindAProxy(t *testing.T) {
	t.Parallel()
	g, m := alone(t, func(cfg object) {
		gw := section(cfg, "gateway")
		gw["auth"] = object{"mode": "trusted-proxy", "trustedProxy": object{"userHeader": "X-Forwarded-User", "allowUsers": []any{"owner"}, "requiredHeaders": []any{"X-Proxy"}}}
		gw["trustedProxies"] = []any{"127.0.0.1"}
	})
	good := header("X-Forwarded-User", "owner", "X-Proxy", "1", "X-Forwarded-For", "203.0.113.9")
	with := func(kv ...string) http.Header {
		h := good.Clone()
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	t.Run("T-17 only whom the proxy names", func(t *testing.T) {
		without := good.Clone()
		without.Del("X-Proxy")
		twice := good.Clone()
		twice.Add("X-Forwarded-User", "other")
		for name, h := range map[string]http.Header{"other user": with("X-Forwarded-User", "mallory"), "empty": with("X-Forwarded-User", " "), "header missing": without, "twice": twice} {
			if code, _, _ := ask(t, g, "GET", "/v1/models", "", h); code != 401 && code != 403 && code != 400 {
				t.Errorf("%s: %d", name, code)
			}
		}
		if code, body, _ := ask(t, g, "GET", "/v1/models", "", good); code != 200 {
			t.Errorf("the proxy's user: %d %s", code, body)
		}
	})
	t.Run("T-06 a page can't use the proxy's sign-in", func(t *testing.T) {
		code, _, _ := ask(t, g, "POST", "/v1/chat/completions", `{"model":"openclaw","messages":[{"role":"user","content":"planted"}]}`, with("Origin", "https://evil.example", "Content-Type", "text/plain"))
		if code != 403 && code != 415 || len(m.Calls("planted")) != 0 {
			t.Errorf("%d with %d model calls, want 403 and none", code, len(m.Calls("planted")))
		}
	})
	t.Run("T-02 foreign origins are refused behind a proxy", func(t *testing.T) {
		for _, o := range foreign() {
			refusedOrigin(t, g, with("Origin", o), nil)
		}
	})
}

func TestThreatOfGuessing(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	origin := fmt.Sprintf("http://127.0.0.1:%d", g.Port)
	t.Run("T-03 a page may guess ten times", func(t *testing.T) {
		for i := 1; i <= 15; i++ {
			s := mustDial(t, g, header("Origin", origin))
			f := s.call("connect", newDevice(t).sign(cli(object{"token": fmt.Sprint("guess", i)}), s.nonce()))
			limited := f.code() == "AUTH_RATE_LIMITED"
			if f.OK || limited != (i > 10) || limited && f.Error.RetryAfterMs <= 0 {
				t.Errorf("guess %d: %+v", i, f.Error)
			}
		}
		code, _, h := ask(t, g, "GET", "/v1/models", "", header("Origin", origin, "Authorization", "Bearer guess"))
		if code != 429 || h.Get("Retry-After") == "" {
			t.Errorf("over HTTP: %d, Retry-After %q", code, h.Get("Retry-After"))
		}
		start := time.Now()
		owner(t, g)
		if took := time.Since(start); took > time.Second {
			t.Errorf("the owner's own client took %v", took)
		}
		if n := strings.Count(g.Log(), "authentication failed"); n > 2 {
			t.Errorf("%d log lines for one burst", n)
		}
	})
}

func TestThreatOfBlankSecrets(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	for _, token := range []string{"", "   ", "undefined", "null", "changeme", "<token>"} {
		t.Run(fmt.Sprintf("T-07 token %q isn't served", token), func(t *testing.T) {
			t.Parallel()
			g := harness.New(t, m.URL, nil)
			g.Edit(func(cfg object) { section(cfg, "gateway", "auth")["token"] = token })
			g.Env = append(g.Env, "OPENCLAW_GATEWAY_TOKEN=")
			refusedStart(t, g, "gateway.auth.token")
			if token != "" && token != "   " && token != "null" && strings.Contains(g.Log(), token+" ") {
				t.Errorf("the value is shown: %s", g.Log())
			}
		})
	}
	t.Run("T-07 no auth on all interfaces isn't served", func(t *testing.T) {
		t.Parallel()
		g := harness.New(t, m.URL, nil)
		g.Edit(func(cfg object) {
			section(cfg, "gateway")["auth"] = object{"mode": "none"}
			section(cfg, "gateway")["bind"] = "lan"
		})
		refusedStart(t, g, "gateway.auth")
	})
}

// refusedStart starts g and wants it to end with an error that has word in it,
// without having listened.
func refusedStart(t *testing.T, g *harness.Gateway, word string) {
	t.Helper()
	g.StartOnly()
	if code := g.Ended(5 * time.Second); code == 0 {
		t.Errorf("exit code 0; log:\n%s", g.Log())
	}
	if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", g.Port)); err == nil {
		c.Close()
		t.Error("the port is open")
	}
	if !strings.Contains(g.Log(), word) {
		t.Errorf("the message doesn't name %s:\n%s", word, g.Log())
	}
}

func TestThreatOfForgedTokens(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	tok := harness.Token
	t.Run("T-08 only the exact token passes", func(t *testing.T) {
		for _, auth := range []any{
			object{},
			object{"token": nil},
			object{"token": ""},
			object{"token": []string{tok}},
			object{"token": object{}},
			object{"token": tok + " "},
			object{"token": tok[:16]},
			object{"token": strings.ToUpper(tok)},
			object{"token": tok + "\x00"},
			object{"password": tok},
			object{"token": true},
		} {
			for _, bare := range []bool{true, false} {
				s := mustDial(t, g, nil)
				p := cli(auth)
				if nonce := s.nonce(); !bare {
					newDevice(t).sign(p, nonce)
				}
				if f := s.call("connect", p); f.OK {
					t.Errorf("%v passes", auth)
				}
			}
		}
	})
	t.Run("T-08 over HTTP too, and with one answer", func(t *testing.T) {
		var first string
		for _, v := range []string{"", "bearer", "Bearer  " + tok + " x", "Basic " + tok, tok, "Bearer " + tok[:16], "Bearer " + strings.ToUpper(tok), "Bearer x"} {
			code, body, _ := ask(t, g, "GET", "/v1/models", "", header("Authorization", v))
			if code != 401 || first != "" && body != first {
				t.Errorf("%q: %d %s", v, code, body)
			}
			first = body
		}
		two := http.Header{"Authorization": {"Bearer x", "Bearer " + tok}}
		if code, _, _ := ask(t, g, "GET", "/v1/models", "", two); code != 401 {
			t.Errorf("two Authorization lines: %d", code)
		}
		if code, _, _ := ask(t, g, "GET", "/v1/models", "", bearer()); code != 200 {
			t.Errorf("the token: %d", code)
		}
	})
	t.Run("T-14 a device proves itself each time", func(t *testing.T) {
		other := mustDial(t, g, nil).nonce()
		for name, twist := range map[string]func(p object, nonce string){
			"another socket's nonce": func(p object, _ string) { newDevice(t).sign(p, other) },
			"no nonce":               func(p object, n string) { newDevice(t).sign(p, n); p["device"].(object)["nonce"] = " " },
			"old": func(p object, n string) {
				newDevice(t).sign(p, n)
				p["device"].(object)["signedAt"] = time.Now().Add(-10 * time.Minute).UnixMilli()
			},
			"from the future": func(p object, n string) {
				newDevice(t).sign(p, n)
				p["device"].(object)["signedAt"] = time.Now().Add(10 * time.Minute).UnixMilli()
			},
			"another key": func(p object, n string) {
				newDevice(t).sign(p, n)
				p["device"].(object)["publicKey"] = newDevice(t).PublicKey()
			},
			"other scopes": func(p object, n string) { newDevice(t).sign(p, n); p["scopes"] = []string{"operator.read"} },
		} {
			s := mustDial(t, g, nil)
			p := cli(object{"token": tok})
			twist(p, s.nonce())
			if f := s.call("connect", p); f.OK || !strings.HasPrefix(f.code(), "DEVICE_AUTH_") {
				t.Errorf("%s: %+v", name, f.Error)
			}
		}
	})
}

func TestThreatOfClaimedScopes(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	t.Run("T-09 no device, no scope", func(t *testing.T) {
		for _, c := range []object{{"id": "cli", "mode": "cli"}, {"id": "gateway-client", "mode": "backend"}, {"id": "webchat", "mode": "webchat"}} {
			s := mustDial(t, g, nil)
			s.nonce()
			p := cli(object{"token": harness.Token})
			c["version"], c["platform"] = "1", "linux"
			p["client"] = c
			if f := s.call("connect", p); !f.OK {
				continue // refused altogether
			}
			for _, method := range []string{"config.get", "chat.send", "config.set", "device.pair.list"} {
				if f := s.call(method, object{}); f.OK || f.Error.Message == "" || !strings.Contains(f.Error.Message, "scope") {
					t.Errorf("%v calls %s: %+v", c, method, f.Error)
				}
			}
		}
	})
	t.Run("T-09 a device gets what it was approved for", func(t *testing.T) {
		d := newDevice(t)
		p := cli(object{"token": harness.Token})
		p["scopes"] = []string{"operator.read"}
		s, f := login(t, g, d, p)
		if !f.OK {
			t.Fatal(f.Error)
		}
		var hello struct {
			Auth struct {
				DeviceToken string
				Scopes      []string
			}
			Features struct{ Methods []string }
		}
		_ = json.Unmarshal(f.Payload, &hello)
		if !slices.Equal(hello.Auth.Scopes, []string{"operator.read"}) {
			t.Errorf("scopes %v", hello.Auth.Scopes)
		}
		if len(hello.Features.Methods) < 40 {
			t.Errorf("only %d methods", len(hello.Features.Methods))
		}
		before := read(t, g.ConfigPath())
		for _, method := range hello.Features.Methods {
			write := slices.ContainsFunc([]string{".set", ".patch", ".apply", ".send", ".create", ".delete", ".update", ".reset", ".approve", ".reject", ".remove", ".rotate", ".revoke", ".abort", ".inject", ".compact", ".logout"},
				func(s string) bool { return strings.HasSuffix(method, s) })
			if f := s.call(method, object{}); write && (f.OK || f.Error == nil || !strings.Contains(f.Error.Message, "missing scope") && !strings.Contains(f.Error.Message, "role")) {
				t.Errorf("operator.read calls %s: %+v", method, f)
			}
		}
		if read(t, g.ConfigPath()) != before {
			t.Error("the configuration changed")
		}
		p = cli(object{"deviceToken": hello.Auth.DeviceToken})
		if _, f := login(t, g, d, p); f.OK {
			t.Error("a read-only device token became admin")
		}
	})
	t.Run("T-09 a node has the methods of nodes", func(t *testing.T) {
		p := cli(object{"token": harness.Token})
		p["role"] = "node"
		delete(p, "scopes")
		p["client"] = object{"id": "node-host", "version": "1", "platform": "linux", "mode": "node"}
		s, f := login(t, g, newDevice(t), p)
		if !f.OK {
			t.Fatal(f.Error)
		}
		for _, method := range []string{"config.get", "chat.send", "exec.approval.resolve", "device.pair.list"} {
			if f := s.call(method, object{}); f.OK {
				t.Errorf("a node calls %s", method)
			}
		}
	})
}

func TestThreatOfRevokedCredentials(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	t.Run("T-13 a removed device's socket closes", func(t *testing.T) {
		admin := owner(t, g)
		d := newDevice(t)
		s, f := login(t, g, d, cli(object{"token": harness.Token}))
		var hello struct{ Auth struct{ DeviceToken string } }
		_ = json.Unmarshal(f.Payload, &hello)
		start := time.Now()
		if f := admin.call("device.pair.remove", object{"deviceId": d.ID}); !f.OK {
			t.Fatal(f.Error)
		}
		if c := s.closed(5 * time.Second); c != 4001 && c != 1008 {
			t.Errorf("closed with %d", c)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("closed after %v, want 1 s", took)
		}
		if _, f := login(t, g, d, cli(object{"deviceToken": hello.Auth.DeviceToken})); f.OK {
			t.Error("the removed device's token still passes")
		}
	})
	t.Run("T-13 a changed token ends what the old one opened", func(t *testing.T) {
		s := owner(t, g)
		stream := make(chan string, 1)
		go func() {
			_, body := g.HTTP("POST", "/v1/chat/completions", object{"model": "openclaw", "stream": true, "messages": []any{object{"role": "user", "content": "olive !hold w"}}})
			stream <- body
		}()
		harness.Until(t, within, "the model is asked", func() bool { return len(m.Calls("olive")) > 0 })
		g.Edit(func(cfg object) { section(cfg, "gateway", "auth")["token"] = "another-token-9876543210" })
		start := time.Now()
		s.closed(5 * time.Second)
		harness.Until(t, 5*time.Second, "the old token is refused", func() bool {
			code, _, _ := ask(t, g, "GET", "/v1/models", "", bearer())
			return code != 200
		})
		t.Logf("in force after %v", time.Since(start))
		m.Release("w")
		<-stream
		harness.Until(t, within, "the new token is in force", func() bool {
			code, _, _ := ask(t, g, "GET", "/v1/models", "", header("Authorization", "Bearer another-token-9876543210"))
			return code == 200
		})
		refused := 0 // there is no port for a moment while it starts anew
		harness.Until(t, within, "twenty refusals", func() bool {
			switch code, _, _ := ask(t, g, "GET", "/v1/models", "", bearer()); code {
			case 401:
				refused++
			case 200:
				t.Error("the old token passes")
			}
			return refused == 20
		})
	})
}

func TestThreatOfProxyHeaders(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	t.Run("T-15 forwarded means not local", func(t *testing.T) {
		for _, h := range [][2]string{{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-For", "127.0.0.1"}, {"Forwarded", "for=127.0.0.1"}, {"X-Real-IP", "127.0.0.1"}} {
			s := mustDial(t, g, header(h[0], h[1]))
			f := s.call("connect", newDevice(t).sign(cli(object{"token": harness.Token}), s.nonce()))
			if f.OK || f.code() != "PAIRING_REQUIRED" {
				t.Errorf("%v: %+v, want pairing", h, f.Error)
			}
			if code, _, _ := ask(t, g, "GET", "/__openclaw__/canvas/", "", header(h[0], h[1])); code < 400 {
				t.Errorf("%v: canvas %d", h, code)
			}
		}
		f := owner(t, g).call("device.pair.list", object{})
		var list struct{ Paired []any }
		_ = json.Unmarshal(f.Payload, &list)
		if len(list.Paired) != 1 {
			t.Errorf("%d paired devices, want the owner's", len(list.Paired))
		}
	})
}

func TestThreatOfOddPaths(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	t.Run("T-19 a spelling doesn't open a door", func(t *testing.T) {
		for _, p := range []string{
			"/TOOLS/invoke", "//tools/invoke", "/tools%2Finvoke", "/%74ools/invoke", "/%74ools%252finvoke", "/tools/./invoke", "/x/../tools/invoke",
			"/tools/invoke;a=b", "/tools/invoke/.", "/tools/invoke/", "/v1//models", "/v1/models/..", "/%76%31/models", "/V1/models", "/v1\\models", "/v1/models%00",
			"/__openclaw__/%2e%2e/", "/avatar/..%2f..%2fetc%2fpasswd", "/sessions/..%2f..%2fx/history", "http://evil.example/v1/models", "*",
		} {
			for _, method := range []string{"GET", "POST"} {
				a := raw(t, g, 5*time.Second, method+" "+p+" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
				if c := status(a); c != 400 && c != 401 && c != 403 && c != 404 && c != 405 {
					t.Errorf("%s %s: %d %.200q", method, p, c, a)
				}
				if strings.Contains(a, "root:") {
					t.Errorf("%s %s shows a file of the host", method, p)
				}
			}
		}
	})
}

func TestThreatOfTokensInAddresses(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, func(cfg object) { cfg["logging"] = object{"level": "trace", "consoleLevel": "trace"} })
	t.Run("T-20 a token in the query opens nothing and is in no log", func(t *testing.T) {
		for _, p := range []string{"/tools/invoke?token=", "/v1/models?token=", "/v1/models?access_token=", "/sessions/main/history?token="} {
			if code, _, _ := ask(t, g, "GET", p+harness.Token, "", nil); code != 401 && code != 400 && code != 405 {
				t.Errorf("%s: %d", p, code)
			}
		}
		_, body, h := ask(t, g, "GET", "/?token="+harness.Token, "", nil)
		if h.Get("Referrer-Policy") != "no-referrer" || strings.Contains(body, harness.Token) {
			t.Errorf("the page: %v", h)
		}
		if s, _, err := dial(t, g, nil); err == nil {
			s.nonce()
			if f := s.call("connect", cli(nil)); f.OK {
				t.Error("no auth passes")
			}
		}
		noLeak(t, g, harness.Token)
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", g.PID()))
		if err != nil || strings.Contains(string(args), harness.Token) {
			t.Errorf("command line %q, %v", args, err)
		}
	})
}

func TestThreatOfReadSecrets(t *testing.T) {
	t.Parallel()
	const canary = "CANARY7f3a9b"
	g, _ := alone(t, func(cfg object) {
		p := section(cfg, "models", "providers", "fake")
		p["apiKey"], p["headers"] = "sk-"+canary, object{"X-Api-Key": canary}
		cfg["env"] = object{"vars": object{"FOO_TOKEN": canary}}
		section(cfg, "channels")["telegram"] = object{"enabled": false, "botToken": "123456:" + canary, "proxy": "http://u:" + canary + "@127.0.0.1:9/"}
		section(cfg, "channels")["irc"] = object{"enabled": false, "host": "127.0.0.1", "nick": "n", "password": canary, "nickserv": object{"password": canary}}
	})
	t.Run("T-22 no reading method shows a secret", func(t *testing.T) {
		s := owner(t, g)
		for _, m := range []string{
			"config.get", "config.schema", "status", "skills.status", "channels.status", "models.list", "tools.catalog", "sessions.list", "agents.list", "logs.tail", "health",
			"last-heartbeat", "system-presence", "device.pair.list", "sessions.usage", "agents.files.list",
		} {
			f := s.call(m, object{})
			raw, _ := json.Marshal(f)
			if strings.Contains(string(raw), canary) || strings.Contains(string(f.Payload), harness.Token) {
				t.Errorf("%s shows a secret", m)
			}
		}
		for _, args := range [][]string{{"status", "--all"}, {"doctor"}, {"config", "get", "channels"}, {"config", "get", "models"}, {"channels", "list"}, {"models", "status"}, {"gateway", "status"}} {
			if _, out := run(t, g, 30*time.Second, args...); strings.Contains(out, canary) {
				t.Errorf("%q shows a secret:\n%s", args, out)
			}
		}
	})
	t.Run("T-22 the sentinel keeps the old secret", func(t *testing.T) {
		s := owner(t, g)
		var c struct {
			Hash   string
			Parsed object
			Raw    string
		}
		_ = json.Unmarshal(s.call("config.get", object{}).Payload, &c)
		if f := s.call("config.set", object{"raw": c.Raw, "baseHash": c.Hash}); !f.OK {
			t.Fatalf("config.set: %+v", f.Error)
		}
		if n := strings.Count(read(t, g.ConfigPath()), canary); n != 7 {
			t.Errorf("%d secrets in the file, want 7", n)
		}
		_ = json.Unmarshal(s.call("config.get", object{}).Payload, &c)
		f := s.call("config.patch", object{"raw": `{"messages":{"responsePrefix":"__OPENCLAW_REDACTED__"}}`, "baseHash": c.Hash})
		if f.OK && strings.Contains(read(t, g.ConfigPath()), "__OPENCLAW_REDACTED__") {
			t.Error("the sentinel was stored where no secret was")
		}
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestThreatOfConfigWrites(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	t.Run("T-23 only an admin with the current hash writes", func(t *testing.T) {
		before := read(t, g.ConfigPath())
		p := cli(object{"token": harness.Token})
		p["scopes"] = []string{"operator.write"}
		s, f := login(t, g, newDevice(t), p)
		if !f.OK {
			t.Fatal(f.Error)
		}
		patch := `{"tools":{"exec":{"security":"full"}},"channels":{"signal":{"cliPath":"/tmp/x.sh"}}}`
		for _, m := range []string{"config.patch", "config.apply", "config.set"} {
			if f := s.call(m, object{"raw": patch, "baseHash": "x"}); f.OK || !strings.Contains(f.Error.Message, "missing scope") {
				t.Errorf("operator.write calls %s: %+v", m, f.Error)
			}
		}
		bare := mustDial(t, g, nil)
		bare.nonce()
		if f := bare.call("config.set", object{"raw": "{}"}); f.OK {
			t.Error("a stranger writes the configuration")
		}
		admin := owner(t, g)
		for _, hash := range []any{"stale", nil} {
			if f := admin.call("config.patch", object{"raw": patch, "baseHash": hash}); f.OK {
				t.Errorf("hash %v: written", hash)
			}
		}
		if read(t, g.ConfigPath()) != before {
			t.Fatal("the configuration changed")
		}
		var c struct{ Hash string }
		_ = json.Unmarshal(admin.call("config.get", object{}).Payload, &c)
		if f := admin.call("config.patch", object{"raw": `{"messages":{"responsePrefix":"hi"}}`, "baseHash": c.Hash}); !f.OK {
			t.Errorf("the admin's patch: %+v", f.Error)
		}
		limited := false
		for range 40 {
			f, err := admin.try("config.patch", object{"raw": `{"messages":{"responsePrefix":"x"}}`, "baseHash": "stale"})
			if err != nil {
				admin = owner(t, g) // the patch above may restart the gateway
				continue
			}
			limited = limited || f.Error != nil && (f.Error.RetryAfterMs > 0 || strings.Contains(f.Error.Message, "rate"))
		}
		if !limited {
			t.Error("40 writes in a row are not limited")
		}
	})
}

func TestThreatOfInvokedTools(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	mark := filepath.Join(g.Work, "mark")
	t.Run("T-25 no dangerous tool over HTTP", func(t *testing.T) {
		args := object{"command": "touch " + mark, "path": mark, "content": "x"}
		unknown := ""
		for _, name := range []string{
			"nosuch", "exec", "process", "bash", "read", "write", "edit", "apply_patch", "gateway", "cron", "nodes", "sessions_spawn", "sessions_send",
			"Exec", "EXEC", "exec ", " exec", "exec\u200b", "ex\u0435c", "exec\x00", "ls", "grep", "find",
		} {
			code, body := g.HTTP("POST", "/tools/invoke", object{"tool": name, "args": args})
			body = strings.ReplaceAll(body, strings.TrimSuffix(fmt.Sprintf("%q", name)[1:], `"`), "NAME")
			if name == "nosuch" {
				unknown = body
			}
			if code != 404 || !strings.Contains(body, "Tool not available") {
				t.Errorf("%q: %d %s", name, code, body)
			}
			if name == "exec" && body != unknown {
				t.Errorf("denied %q differs from unknown %q", body, unknown)
			}
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("a tool ran")
		}
		if code, body := g.HTTP("POST", "/tools/invoke", object{"tool": "session_status"}); code == 404 {
			t.Errorf("session_status: %d %s", code, body)
		}
	})
}

func TestThreatOfSocketsWithoutHello(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	t.Run("T-26 strangers can't use up the gateway", func(t *testing.T) {
		me := owner(t, g)
		refused, base := 0, fds(t, g)
		var open []*socket
		for range 100 {
			s, resp, err := dial(t, g, nil)
			if err == nil {
				open = append(open, s)
			} else if resp != nil && resp.StatusCode == http.StatusServiceUnavailable {
				refused++
			}
		}
		if len(open) > 32 || refused < 68 {
			t.Errorf("%d sockets without hello, %d refused; want at most 32 and the rest refused", len(open), refused)
		}
		for range 20 {
			start := time.Now()
			if f := me.call("health", object{}); !f.OK {
				t.Error(f.Error)
			}
			if took := time.Since(start); took > 500*time.Millisecond {
				t.Errorf("health took %v during the attack", took)
			}
		}
		for _, s := range open {
			_ = s.ws.CloseNow()
		}
		harness.Until(t, within, "there is room again", func() bool {
			s, _, err := dial(t, g, nil)
			if err != nil {
				return false
			}
			defer s.ws.CloseNow()
			s.nonce()
			return true
		})
		s := mustDial(t, g, nil)
		s.nonce()
		_ = s.ws.Write(t.Context(), websocket.MessageText, []byte(`{"type":"req","id":"1","method":"connect","params":{"x":"`+strings.Repeat("a", 200_000)+`"}}`))
		if c := s.closed(10 * time.Second); c != websocket.StatusMessageTooBig {
			t.Errorf("a first frame of 200 KB: closed with %d, want 1009", c)
		}
		start := time.Now()
		idle := mustDial(t, g, nil)
		idle.nonce()
		idle.closed(15 * time.Second)
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("an idle socket lived %v", took)
		}
		harness.Until(t, within, "the descriptors are given back", func() bool { return fds(t, g) <= base+4 })
	})
}

func fds(t *testing.T, g *harness.Gateway) int {
	t.Helper()
	d, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", g.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return len(d)
}

// rss is the resident memory in MB.
func rss(t *testing.T, g *harness.Gateway) int {
	t.Helper()
	var size, resident int
	if _, err := fmt.Sscan(read(t, fmt.Sprintf("/proc/%d/statm", g.PID())), &size, &resident); err != nil {
		t.Fatal(err)
	}
	return resident * os.Getpagesize() >> 20
}

func TestThreatOfSlowClients(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	// drip sends a byte every 250 ms and returns when the gateway ended it.
	drip := func(head string) time.Duration {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", g.Port))
		if err != nil {
			t.Error(err)
			return 0
		}
		defer c.Close()
		start, gone := time.Now(), make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = io.Copy(io.Discard, c)
		}()
		_, _ = io.WriteString(c, head)
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = io.WriteString(c, "a")
			case <-gone:
				return time.Since(start)
			case <-time.After(time.Minute):
				return time.Minute
			}
			if time.Since(start) > 45*time.Second {
				return time.Since(start)
			}
		}
	}
	t.Run("T-27 headers have ten seconds", func(t *testing.T) {
		t.Parallel()
		ended := make(chan time.Duration, 30)
		for range 30 {
			go func() { ended <- drip("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ") }()
		}
		for range 10 {
			start := time.Now()
			if code, _, _ := ask(t, g, "GET", "/health", "", nil); code != 200 || time.Since(start) > 500*time.Millisecond {
				t.Errorf("health: %d after %v", code, time.Since(start))
			}
		}
		for range 30 {
			if d := <-ended; d > 14*time.Second {
				t.Errorf("a slow header lived %v", d)
			}
		}
	})
	t.Run("T-27 a wrong token is refused before the body", func(t *testing.T) {
		t.Parallel()
		for _, p := range []string{"/tools/invoke", "/v1/chat/completions", "/nowhere"} {
			start := time.Now()
			a := raw(t, g, 2*time.Second, "POST "+p+" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer no\r\nContent-Length: 1000\r\n\r\n")
			if c := status(a); c != 401 && c != 404 || !strings.Contains(a, "Connection: close") {
				t.Errorf("%s: %.200q after %v", p, a, time.Since(start))
			}
		}
	})
	t.Run("T-27 bodies have thirty seconds", func(t *testing.T) {
		t.Parallel()
		for _, p := range []string{"/tools/invoke", "/v1/chat/completions", "/nowhere"} {
			t.Run(p, func(t *testing.T) {
				t.Parallel()
				if d := drip("POST " + p + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + harness.Token + "\r\nContent-Length: 1000\r\n\r\n"); d > 35*time.Second {
					t.Errorf("a slow body lived %v", d)
				}
			})
		}
	})
}

func TestThreatOfLargeBodies(t *testing.T) {
	t.Parallel()
	g, _ := alone(t, nil)
	auth := "Authorization: Bearer " + harness.Token + "\r\n"
	t.Run("T-28 bodies are bounded", func(t *testing.T) {
		before := rss(t, g)
		for _, p := range []string{"/tools/invoke", "/v1/chat/completions"} {
			code, body, _ := ask(t, g, "POST", p, `{"x":"`+strings.Repeat("a", 24<<20)+`"}`, bearer())
			if code != 413 || !json.Valid([]byte(body)) {
				t.Errorf("%s with 24 MB: %d %.80q, want a 413 that can be read", p, code, body)
			}
			if code, _, _ := ask(t, g, "POST", p, "xx", bearer("Content-Encoding", "gzip")); code != 415 {
				t.Errorf("%s with gzip: %d, want 415", p, code)
			}
			a := raw(t, g, 5*time.Second, "POST "+p+" HTTP/1.1\r\nHost: x\r\n"+auth+"Content-Length: 1000000000000000000000\r\n\r\n")
			if c := status(a); c != 400 && c != 413 {
				t.Errorf("%s with an impossible length: %q", p, a)
			}
			a = raw(t, g, 5*time.Second, "POST "+p+" HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer no\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
			if status(a) != 401 {
				t.Errorf("%s, Expect with a wrong token: %.80q", p, a)
			}
		}
		endless := "POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\n" + auth + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("10000\r\n"+strings.Repeat("a", 1<<16)+"\r\n", 200)
		if a := raw(t, g, 10*time.Second, endless); status(a) != 413 {
			t.Errorf("endless chunks: %.100q", a)
		}
		if now := rss(t, g); now > before+100 {
			t.Errorf("memory grew from %d to %d MB", before, now)
		}
	})
	t.Run("T-31 one request has one meaning", func(t *testing.T) {
		victim := "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n" + auth + "\r\n"
		for _, head := range []string{
			"POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
			"POST /tools/invoke HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("a", 100_000) + "\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n",
			"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
		} {
			a := raw(t, g, 3*time.Second, head+victim)
			if status(a) < 400 || strings.Count(a, "\nContent-Type:") > 1 {
				t.Errorf("%.80q: %.200q", head, a)
			}
		}
	})
}
