package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/coder/websocket"
)

type object = map[string]any

// gateway is a small one: it knows the token tok and a handful of answers.
type gateway struct{ *httptest.Server }

func newGateway() *gateway {
	return &gateway{httptest.NewServer(http.HandlerFunc(serve))}
}

func (g *gateway) port() string { return g.URL[strings.LastIndex(g.URL, ":")+1:] }

func serve(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer ws.CloseNow()
	send(r.Context(), ws, object{"type": "event", "event": "connect.challenge", "payload": object{"nonce": "n"}})
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
		if !answer(r.Context(), ws, f.ID, f.Method, f.Params) {
			return
		}
	}
}

func answer(ctx context.Context, ws *websocket.Conn, id, method string, params json.RawMessage) bool {
	ok := func(payload any) bool {
		send(ctx, ws, object{"type": "res", "id": id, "ok": true, "payload": payload})
		return true
	}
	no := func(message string, details any) bool {
		send(ctx, ws, object{"type": "res", "id": id, "ok": false, "error": object{"code": "INVALID_REQUEST", "message": message, "details": details}})
		return true
	}
	var p object
	_ = json.Unmarshal(params, &p) // absent params are none
	switch method {
	case "connect":
		auth, _ := p["auth"].(object)
		if auth["token"] != "tok" {
			no("unauthorized: gateway token mismatch (set gateway.remote.token to match gateway.auth.token)", object{"code": "AUTH_TOKEN_MISMATCH"})
			_ = ws.Close(1008, "unauthorized: gateway token mismatch")
			return false
		}
		return ok(object{"type": "hello-ok", "protocol": 3, "server": object{"version": "2026.3.13"}, "auth": object{"role": "operator", "scopes": p["scopes"]}})
	case "health":
		return ok(object{"ok": true, "ts": 1, "durationMs": 0, "channels": object{}, "agents": []any{object{
			"agentId": "main", "isDefault": true,
			"heartbeat": object{"enabled": true, "every": "30m"}, "sessions": object{"count": 1, "recent": []any{object{"key": "agent:main:main", "updatedAt": 1}}},
		}}})
	case "status":
		return ok(object{"runtimeVersion": "2026.3.13", "heartbeat": object{"defaultAgentId": "main", "agents": []any{}}, "channelSummary": []string{"IRC: up"}, "queuedSystemEvents": []any{}})
	case "agent":
		ok(object{"runId": p["idempotencyKey"], "status": "accepted", "acceptedAt": 1})
		if p["message"] == "break" {
			return ok(object{"runId": "r", "status": "error", "summary": "the model is away", "result": object{"payloads": []any{}, "meta": object{}}})
		}
		return ok(object{"runId": "r", "status": "ok", "summary": "completed", "result": object{
			"payloads": []any{object{"text": "you said " + p["message"].(string), "mediaUrl": nil}}, "meta": object{"durationMs": 1},
		}})
	case "send":
		return ok(object{"runId": "r", "messageId": "m1", "channel": p["channel"]})
	case "logs.tail":
		return ok(object{"file": "/x.log", "cursor": 9, "size": 9, "truncated": false, "reset": false, "lines": []string{
			`{"0":"{\"subsystem\":\"gateway\"}","1":"ready \u001b[2Jnow","_meta":{"logLevelName":"INFO"},"time":"2026-11-30T10:00:00.000+00:00"}`, "not json",
		}})
	case "device.pair.list":
		return ok(object{"pending": []any{object{"requestId": "req1", "deviceId": "d1", "clientId": "cli", "roles": []string{"operator"}, "ts": 1}}, "paired": []any{}})
	case "device.pair.approve", "device.pair.reject":
		if p["requestId"] != "req1" {
			return no("unknown requestId", nil)
		}
		return ok(object{"requestId": "req1"})
	case "channels.status":
		return ok(object{
			"ts": 1, "channelOrder": []string{"irc"}, "channelLabels": object{"irc": "IRC"},
			"channelAccounts": object{"irc": []any{object{"accountId": "default", "enabled": true, "running": true}}},
		})
	}
	return no("unknown method: "+method, nil)
}

func send(ctx context.Context, ws *websocket.Conn, v any) {
	raw, err := json.Marshal(v)
	if err == nil {
		_ = ws.Write(ctx, websocket.MessageText, raw) // the client may be gone
	}
}
