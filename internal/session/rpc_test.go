package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

// call calls a method as a client does and returns its answer, or its error's
// text.
func (r *rig) call(t *testing.T, method, params string) (map[string]any, string) {
	t.Helper()
	for _, m := range r.Methods() {
		if m.Name != method {
			continue
		}
		res, err := m.Call(t.Context(), &rpc.Caller{}, json.RawMessage(params))
		if err != nil {
			e, isWire := err.(*rpc.Error) //nolint:errorlint // sent as it is
			if !isWire {
				t.Fatalf("%s: %v", method, err)
			}
			return nil, e.Message
		}
		b, err := json.Marshal(res)
		ok(t, err)
		var v map[string]any
		ok(t, json.Unmarshal(b, &v))
		return v, ""
	}
	t.Fatalf("no method %s", method)
	return nil, ""
}

// holds reports whether got has all of want.
func holds(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, isMap := got.(map[string]any)
		for k, v := range w {
			if v == nil {
				if _, has := g[k]; has {
					return false
				}
				continue
			}
			if !isMap || !holds(g[k], v) {
				return false
			}
		}
		return isMap
	case []any:
		g, isList := got.([]any)
		if !isList || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !holds(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return got == want
}

func TestMethods(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ok(t, json.Unmarshal([]byte(`{"defaults":{"model":"fake/fake-1"}}`), &r.conf.Agents))
	s, _, err := r.Open(t.Context(), mainKey)
	ok(t, err)
	ok(t, r.Append(t.Context(), s, user("[Mon 2026-11-30 20:45 UTC] Hello there"), calls("c"), result("c", "x"), says("Hello from the fake model.")))
	old := string(s.ID)

	// In order: each is a method, its params, and what its answer holds (null:
	// does not have), or its error.
	for _, c := range []struct{ method, params, want string }{
		{"sessions.list", `{"__bogus__":1}`, "invalid sessions.list params: at root: unexpected property '__bogus__'"},
		{"sessions.list", `{}`, `{"count":1,"defaults":{"modelProvider":"fake","model":"fake-1"},"sessions":[{"key":"agent:main:main","kind":"direct","model":"fake-1","derivedTitle":null,"systemSent":false,"totalTokensFresh":true}]}`},
		{"sessions.list", `{"limit":1,"includeLastMessage":true,"includeDerivedTitles":true}`, `{"sessions":[{"derivedTitle":"Hello there","lastMessagePreview":"Hello from the fake model."}]}`},
		{"sessions.list", `{"label":"zzz"}`, `{"count":0,"sessions":[]}`},
		{"sessions.preview", `{}`, "invalid sessions.preview params: must have required property 'keys'"},
		{"sessions.preview", `{"keys":["main","agent:main:zzz"],"limit":3,"maxChars":20}`, `{"previews":[{"key":"main","status":"ok","items":[{"role":"tool","text":"call exec"},{"role":"tool","text":"x"},{"role":"assistant","text":"Hello from the fa..."}]},{"key":"agent:main:zzz","status":"missing","items":[]}]}`},
		{"sessions.patch", `{"__bogus__":1}`, "invalid sessions.patch params: must have required property 'key'; at root: unexpected property '__bogus__'"},
		{"sessions.patch", `{"key":"agent:main:w","label":"L1"}`, `{"ok":true,"key":"agent:main:w","entry":{"label":"L1","systemSent":null,"inputTokens":null,"totalTokensFresh":null},"resolved":{"modelProvider":"fake","model":"fake-1"}}`},
		{"sessions.patch", `{"key":"main","label":"L1"}`, "label already in use: L1"},
		{"sessions.patch", `{"key":"agent:main:w","thinkingLevel":"low","verboseLevel":"on","reasoningLevel":"off","elevatedLevel":"off","responseUsage":"tokens","sendPolicy":"deny","groupActivation":"mention","fastMode":true}`, `{"entry":{"thinkingLevel":"low","verboseLevel":"on","reasoningLevel":"off","elevatedLevel":"off","responseUsage":"tokens","sendPolicy":"deny","groupActivation":"mention","fastMode":true}}`},
		{"sessions.patch", `{"key":"agent:main:w","thinkingLevel":null,"sendPolicy":null}`, `{"entry":{"thinkingLevel":null,"sendPolicy":null,"label":"L1"}}`},
		{"sessions.patch", `{"key":"agent:main:w","thinkingLevel":"banana"}`, "invalid thinkingLevel (use off|minimal|low|medium|high|adaptive)"},
		{"sessions.patch", `{"key":"agent:main:w","model":"fake/fake-2"}`, `{"entry":{"providerOverride":"fake","modelOverride":"fake-2"},"resolved":{"modelProvider":"fake","model":"fake-2"}}`},
		{"sessions.patch", `{"key":"agent:main:w","model":null}`, `{"entry":{"providerOverride":null,"modelOverride":null},"resolved":{"model":"fake-1"}}`},
		{"sessions.patch", `{"key":"agent:main:w","execHost":"gateway","execSecurity":"full","execAsk":"off"}`, `{"entry":{"execHost":"gateway","execSecurity":"full","execAsk":"off"}}`},
		{"sessions.patch", `{"key":"agent:main:w","execHost":"moon"}`, `invalid execHost (use "sandbox"|"gateway"|"node")`},
		{"sessions.patch", `{"key":"agent:main:w","spawnedBy":"agent:main:main"}`, "spawnedBy is only supported for subagent:* or acp:* sessions"},
		{"sessions.patch", `{"key":"agent:main:subagent:c","spawnedBy":"agent:main:main","spawnDepth":1}`, `{"entry":{"spawnedBy":"agent:main:main","spawnDepth":1}}`},
		{"sessions.patch", `{"key":"agent:main:subagent:c","spawnedBy":"agent:main:other"}`, "spawnedBy cannot be changed once set"},
		{"sessions.list", `{"spawnedBy":"agent:main:main"}`, `{"count":1,"sessions":[{"key":"agent:main:subagent:c"}]}`},
		{"sessions.resolve", `{"key":"main"}`, `{"ok":true,"key":"agent:main:main"}`},
		{"sessions.resolve", `{"label":"L1"}`, `{"key":"agent:main:w"}`},
		{"sessions.resolve", `{"sessionId":"` + old + `"}`, `{"key":"agent:main:main"}`},
		{"sessions.resolve", `{"key":"agent:main:zzz"}`, "No session found: agent:main:zzz"},
		{"sessions.resolve", `{}`, "Either key, sessionId, or label is required"},
		{"sessions.get", `{}`, "key required"},
		{"sessions.get", `{"key":"main","limit":1}`, `{"messages":[{"role":"assistant","stopReason":"stop"}]}`},
		{"sessions.usage", `{"key":"main"}`, `{"totals":{"input":11,"output":7,"totalTokens":18},"sessions":[{"key":"agent:main:main","usage":{"activityDates":["2026-11-30"],"totalTokens":18,"messageCounts":{"user":1,"assistant":2,"toolCalls":1}}}]}`},
		{"sessions.usage", `{"mode":"specific","utcOffset":"UTC+5:30","startDate":"2020-01-01","endDate":"2020-01-02"}`, `{"startDate":"2020-01-01","endDate":"2020-01-02","totals":{"input":0}}`},
		{"sessions.usage.timeseries", `{}`, "key is required for timeseries"},
		{"sessions.usage.timeseries", `{"key":"main"}`, `{"points":[{"totalTokens":18,"cumulativeTokens":18}]}`},
		{"sessions.usage.logs", `{"key":"main","limit":1}`, `{"logs":[{"role":"assistant","content":"Hello from the fake model.","tokens":18}]}`},
		{"sessions.compact", `{"key":"agent:main:zzz"}`, `{"compacted":false,"reason":"no sessionId"}`},
		{"sessions.compact", `{"key":"main"}`, `{"compacted":false,"kept":5}`},
		{"sessions.compact", `{"key":"main","maxLines":2}`, `{"compacted":true,"kept":2}`},
		{"sessions.get", `{"key":"main"}`, `{"messages":[{"role":"assistant","stopReason":"stop"}]}`},
		{"sessions.reset", `{"key":"main","reason":"new"}`, `{"ok":true,"key":"agent:main:main","entry":{"systemSent":false,"abortedLastRun":false,"inputTokens":0,"outputTokens":0,"totalTokens":0,"totalTokensFresh":true,"model":"fake-1","modelProvider":"fake"}}`},
		{"sessions.get", `{"key":"main"}`, `{"messages":[]}`},
		{"sessions.delete", `{"key":"main"}`, "Cannot delete the main session (agent:main:main)."},
		{"sessions.delete", `{"key":"agent:main:w","deleteTranscript":true}`, `{"ok":true,"deleted":true,"archived":[]}`},
		{"sessions.delete", `{"key":"agent:main:w"}`, `{"ok":true,"deleted":false,"archived":[]}`},
	} {
		got, failed := r.call(t, c.method, c.params)
		if !strings.HasPrefix(c.want, "{") {
			if failed != c.want {
				t.Errorf("%s %s = %v, error %q, want %q", c.method, c.params, got, failed, c.want)
			}
			continue
		}
		var want map[string]any
		ok(t, json.Unmarshal([]byte(c.want), &want))
		if failed != "" || !holds(got, want) {
			b, _ := json.Marshal(got)
			t.Errorf("%s %s =\n%s %s, want\n%s", c.method, c.params, b, failed, c.want)
		}
	}
	for _, pattern := range []string{old + ".jsonl.bak.*", old + ".jsonl.reset.*"} {
		if l, err := filepath.Glob(filepath.Join(r.sessions(), pattern)); err != nil || len(l) != 1 {
			t.Errorf("%s: %v, %v", pattern, l, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.sessions(), old+".jsonl")); err == nil {
		t.Error("the old transcript is still there")
	}
}
