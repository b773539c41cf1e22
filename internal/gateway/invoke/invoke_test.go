package invoke_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/invoke"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// server has every tool by name, dangerous ones too; only "hidden" is refused
// by the agent's policy. ran gets the names of tools that were run.
func server(t *testing.T, tools config.GatewayTools, ran *[]string) http.Handler {
	t.Helper()
	c := &config.Config{}
	c.Gateway.Tools = tools
	f := invoke.Feature(invoke.Options{
		Config: func() *config.Config { return c },
		Tool: func(_ context.Context, session id.SessionKey, name string) (tool.Tool, tool.Scope, bool) {
			if name == "hidden" {
				return nil, tool.Scope{}, false
			}
			return tool.New(name, "x", func(_ context.Context, call tool.Call, a struct {
				Action string `json:"action,omitempty"`
				Fail   string `json:"fail,omitempty"`
			},
			) (tool.Result, error) {
				*ran = append(*ran, name)
				switch a.Fail {
				case "ours":
					return tool.Result{}, errors.New("/secret/path")
				case "theirs":
					return tool.Errorf("sessionKey required"), nil
				case "policy":
					return tool.Result{}, tool.ErrDenied
				}
				return tool.Text(`{"action":"` + a.Action + `","session":"` + string(call.Scope.Session) + `"}`), nil
			}), tool.Scope{Session: session}, true
		},
		History: func(_ context.Context, session id.SessionKey, limit int) (any, bool, error) {
			return []int{limit}, session == "agent:main:here", nil
		},
		Kill: func(_ context.Context, session id.SessionKey) (bool, bool, error) {
			return session == "agent:main:here", session != "agent:main:none", nil
		},
	})
	mux := http.NewServeMux()
	for _, r := range f.Routes {
		mux.Handle(r.Pattern, r.Handler)
	}
	return mux
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	const syntax = `{"error":{"message":"The body isn't valid JSON.","type":"invalid_request_error"}}`
	unavailable := func(name string) string {
		return `{"ok":false,"error":{"type":"not_found","message":"Tool not available: ` + name + `"}}`
	}
	tests := []struct {
		name, method, body string
		tools              config.GatewayTools
		status             int
		want               string
		ran                bool
	}{
		{"good", "POST", `{"tool":"agents_list"}`, config.GatewayTools{}, 200, `{"ok":true,"result":{"content":[{"type":"text","text":"{\"action\":\"\",\"session\":\"agent:main:main\"}"}],"details":{"action":"","session":"agent:main:main"}}}`, true},
		{"action and session", "POST", `{"tool":"t","action":"status","args":{},"sessionKey":"agent:second:x"}`, config.GatewayTools{}, 200, `{"ok":true,"result":{"content":[{"type":"text","text":"{\"action\":\"status\",\"session\":\"agent:second:x\"}"}],"details":{"action":"status","session":"agent:second:x"}}}`, true},
		{"args decide", "POST", `{"tool":"t","action":"status","args":{"action":"list"},"dryRun":true}`, config.GatewayTools{}, 200, `{"ok":true,"dryRun":true,"tool":"t","args":{"action":"list"},"sessionKey":"agent:main:main"}`, false},
		{"args of another type", "POST", `{"tool":"t","args":[1],"dryRun":true}`, config.GatewayTools{}, 200, `{"ok":true,"dryRun":true,"tool":"t","args":{},"sessionKey":"agent:main:main"}`, false},
		{"not a dry run", "POST", `{"tool":"t","dryRun":false}`, config.GatewayTools{}, 200, ``, true},
		{"dry run of nothing", "POST", `{"tool":"hidden","dryRun":true}`, config.GatewayTools{}, 404, unavailable("hidden"), false},
		{"their mistake", "POST", `{"tool":"t","args":{"fail":"theirs"}}`, config.GatewayTools{}, 400, `{"ok":false,"error":{"type":"tool_error","message":"sessionKey required"}}`, true},
		{"our mistake", "POST", `{"tool":"t","args":{"fail":"ours"}}`, config.GatewayTools{}, 500, `{"ok":false,"error":{"type":"tool_error","message":"tool execution failed"}}`, true},
		{"policy at use", "POST", `{"tool":"t","args":{"fail":"policy"}}`, config.GatewayTools{}, 404, unavailable("t"), true},
		{"policy", "POST", `{"tool":"hidden"}`, config.GatewayTools{}, 404, unavailable("hidden"), false},
		{"exec", "POST", `{"tool":"exec"}`, config.GatewayTools{}, 404, unavailable("exec"), false},
		{"exec, other case", "POST", `{"tool":"Exec"}`, config.GatewayTools{}, 404, unavailable("Exec"), false},
		{"exec, blank", "POST", `{"tool":"exec "}`, config.GatewayTools{}, 404, unavailable("exec "), false},
		{"exec, zero width", "POST", `{"tool":"exec\u200b"}`, config.GatewayTools{}, 404, "", false},
		{"exec, allowed", "POST", `{"tool":"exec"}`, config.GatewayTools{Allow: []string{"exec"}}, 200, "", true},
		{"allowed and denied", "POST", `{"tool":"exec"}`, config.GatewayTools{Allow: []string{"exec"}, Deny: []string{"exec"}}, 404, unavailable("exec"), false},
		{"denied", "POST", `{"tool":"web_fetch"}`, config.GatewayTools{Deny: []string{"web_fetch"}}, 404, unavailable("web_fetch"), false},
		{"no tool", "POST", `{"args":{}}`, config.GatewayTools{}, 400, `{"error":{"message":"tools.invoke requires body.tool","type":"invalid_request_error"}}`, false},
		{"tool twice", "POST", `{"tool":"a","tool":"exec"}`, config.GatewayTools{}, 400, `{"error":{"message":"Invalid body: at root: duplicate property 'tool'","type":"invalid_request_error"}}`, false},
		{"tool, other case", "POST", `{"Tool":"a"}`, config.GatewayTools{}, 400, `{"error":{"message":"tools.invoke requires body.tool","type":"invalid_request_error"}}`, false},
		{"bad json", "POST", `{x`, config.GatewayTools{}, 400, syntax, false},
		{"empty", "POST", ``, config.GatewayTools{}, 400, syntax, false},
		{"get", "GET", ``, config.GatewayTools{}, 405, "Method Not Allowed", false},
		{"too large", "POST", `{"tool":"` + strings.Repeat("x", 2<<20) + `"}`, config.GatewayTools{}, 413, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			w := httptest.NewRecorder()
			server(t, tt.tools, &ran).ServeHTTP(w, httptest.NewRequest(tt.method, "/tools/invoke", strings.NewReader(tt.body)))
			if w.Code != tt.status || tt.want != "" && w.Body.String() != tt.want {
				t.Errorf("%d %s\nwant %d %s", w.Code, w.Body, tt.status, tt.want)
			}
			if (len(ran) > 0) != tt.ran {
				t.Errorf("ran %q, want %v", ran, tt.ran)
			}
		})
	}
}

func TestDangerousToolsAreHidden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"exec", "process", "bash", "read", "write", "edit", "apply_patch", "gateway", "cron", "nodes", "sessions_spawn", "sessions_send"} {
		var ran []string
		w := httptest.NewRecorder()
		server(t, config.GatewayTools{}, &ran).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/tools/invoke", strings.NewReader(`{"tool":"`+name+`"}`)))
		if w.Code != 404 || len(ran) > 0 {
			t.Errorf("%s: %d, ran %q", name, w.Code, ran)
		}
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/sessions/agent:main:here/history", 200, `{"sessionKey":"agent:main:here","items":[200]}`},
		{"GET", "/sessions/agent%3Amain%3Ahere/history?limit=5", 200, `{"sessionKey":"agent:main:here","items":[5]}`},
		{"GET", "/sessions/here/history", 200, `{"sessionKey":"here","items":[200]}`},
		{"GET", "/sessions/agent:main:here/history?limit=0", 400, `{"ok":false,"error":{"type":"invalid_request_error","message":"limit must be a number from 1 to 1000"}}`},
		{"GET", "/sessions/agent:main:none/history", 404, `{"ok":false,"error":{"type":"not_found","message":"Session not found: agent:main:none"}}`},
		{"POST", "/sessions/agent:main:here/history", 405, `{"ok":false,"error":{"type":"method_not_allowed","message":"Use GET."}}`},
		{"POST", "/sessions/agent:main:here/kill", 200, `{"ok":true,"killed":true}`},
		{"POST", "/sessions/agent:main:idle/kill", 200, `{"ok":true,"killed":false}`},
		{"POST", "/sessions/agent:main:none/kill", 404, `{"ok":false,"error":{"type":"not_found","message":"Session not found: agent:main:none"}}`},
		{"GET", "/sessions/agent:main:here/kill", 405, "Method Not Allowed"},
	}
	for _, tt := range tests {
		var ran []string
		w := httptest.NewRecorder()
		server(t, config.GatewayTools{}, &ran).ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, nil))
		if w.Code != tt.status || w.Body.String() != tt.want {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, w.Code, w.Body, tt.status, tt.want)
		}
	}
}
