package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/session"
)

const file = `// mine
{
  gateway: { mode: 'local', bind: 'loopback', port: 21040, auth: { mode: 'token', token: 'very-secret-token' } },
  hooks: { enabled: true, token: 'another-secret' }, // hooks
  models: { providers: { fake: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'fake-key', api: 'openai-completions', models: [{ id: 'fake-1', name: 'Fake One' }] } } },
  agents: {
    defaults: { workspace: '%s/ws', model: { primary: 'fake/fake-1' } },
    list: [
      { id: 'main', default: true },
      { id: 'second', name: 'Second', workspace: '%s/ws2' }, // the other
    ],
  },
}
`

// newFileWorld has a file on disk and runs what it says.
func newFileWorld(t *testing.T, change ...func(*control.Deps)) *world {
	t.Helper()
	w := newWorld(t, change...)
	write(t, w.cfg.Paths.Config, fmt.Sprintf(file, w.dir, w.dir))
	l, err := config.Load(t.Context(), w.cfg.Paths, config.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg = l.Config
	return w
}

func (w *world) disk(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(w.cfg.Paths.Config)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

type got struct {
	Raw, Hash string
	Valid     bool
	Exists    bool
	Parsed    map[string]any
	Config    map[string]any
	Issues    []config.Problem
}

func (w *world) get(t *testing.T) got {
	t.Helper()
	return into[got](t, w.ok(t, "config.get", object{}))
}

// refused is call that must fail with a protocol error.
func (w *world) refused(t *testing.T, method string, params any) *rpc.Error {
	t.Helper()
	out, err := w.call(t, owner(), method, params)
	e, ok := errors.AsType[*rpc.Error](err)
	if !ok {
		t.Fatalf("%s = %s, %v; want a protocol error", method, out, err)
	}
	return e
}

func TestConfigGet(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t)
	raw := w.ok(t, "config.get", object{})
	sameShape(t, payload(t, "config.get", "ok"), raw, ".parsed.", ".resolved.", ".config.")
	for _, s := range []string{"very-secret-token", "another-secret", "fake-key"} {
		if strings.Contains(string(raw), s) {
			t.Errorf("config.get shows %s", s)
		}
	}
	g := w.get(t)
	if !g.Valid || !g.Exists || len(g.Hash) != 64 || !strings.Contains(g.Raw, "// the other") || !strings.Contains(g.Raw, config.Redacted) {
		t.Errorf("got %+v", g)
	}
	write(t, w.cfg.Paths.Config, "{ gateway: { auth: { token: 'very-secret-token' ")
	raw = w.ok(t, "config.get", object{})
	if g := into[got](t, raw); g.Valid || len(g.Issues) != 1 || strings.Contains(string(raw), "very-secret") {
		t.Errorf("half a file: %s", raw)
	}
	if err := os.Remove(w.cfg.Paths.Config); err != nil {
		t.Fatal(err)
	}
	if g := w.get(t); !g.Valid || g.Exists || g.Raw != "" {
		t.Errorf("no file: %+v", g)
	}
}

// TestNoCanary: no credential of the file is in any answer, wherever it stands.
func TestNoCanary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *control.Deps) {
		d.Channels = func(context.Context, bool) []control.ChannelStatus {
			a := control.AccountStatus{ID: "default", Enabled: true, Configured: true, LastError: "Post https://api/bot123456789:AACANARYabcdefghijklmnopqrstuvw/x: refused"}
			return []control.ChannelStatus{{ID: "telegram", Accounts: []control.AccountStatus{a}}}
		}
	})
	write(t, w.cfg.Paths.Config, `{
  // the token was CANARY-gateway once
  gateway: { auth: { token: 'CANARY-gateway', password: 'CANARY-password' }, remote: { token: 'CANARY-remote' } },
  models: { providers: { p: { baseUrl: 'https://user:CANARY-url@host/v1', apiKey: 'CANARY-key', headers: { 'X-Api-Key': 'CANARY-header' }, models: [] } } },
  channels: { telegram: { botToken: '123456:CANARY-bot', accounts: { b: { botToken: 'CANARY-bot2' } } } },
  env: { vars: { FOO_TOKEN: 'CANARY-env' } },
  unknown: { apiKey: 'CANARY-unknown', nested: { password: 'CANARY-nested' } },
}`)
	for _, m := range []string{"config.get", "status", "health", "channels.status", "agents.list", "models.list", "skills.status", "tools.catalog"} {
		if raw := w.ok(t, m, object{}); strings.Contains(string(raw), "CANARY") {
			t.Errorf("%s shows a secret: %s", m, raw)
		}
	}
	hash := w.get(t).Hash
	for _, raw := range []string{`{ "__proto__": { admin: true } }`, `{ gateway: { constructor: 1 } }`} {
		for _, m := range []string{"config.set", "config.apply"} {
			if e := w.refused(t, m, object{"raw": raw, "baseHash": hash}); e.Code != "INVALID_REQUEST" {
				t.Errorf("%s %s: %v", m, raw, e)
			}
		}
	}
}

func TestConfigSetRefuses(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t)
	g, before := w.get(t), w.disk(t)
	for _, tc := range []struct {
		name   string
		params object
		want   string
	}{
		{"no hash", object{"raw": g.Raw}, "config base hash required; re-run config.get and retry"},
		{"old hash", object{"raw": g.Raw, "baseHash": "deadbeef"}, "config changed since last load; re-run config.get and retry"},
		{"no JSON5", object{"raw": "{nope", "baseHash": g.Hash}, "SyntaxError: JSON5: invalid"},
		{
			"two problems",
			object{"raw": `{"gateway":{"port":"abc"},"bogusKey":1}`, "baseHash": g.Hash},
			`invalid config: gateway.port: Invalid input: expected number, received string; <root>: Unrecognized key: "bogusKey"`,
		},
		{"a binding to nobody", object{"raw": `{"agents":{"list":[{"id":"main"}]},"bindings":[{"agentId":"gone","match":{"channel":"irc"}}]}`, "baseHash": g.Hash}, "invalid config: "},
		{"a mark without a value", object{"raw": `{"gateway":{"remote":{"token":"` + config.Redacted + `"}}}`, "baseHash": g.Hash}, "Sentinel value"},
		{"too large", object{"raw": strings.Repeat(" ", 5<<20), "baseHash": g.Hash}, "raw is too large"},
	} {
		if e := w.refused(t, "config.set", tc.params); e.Code != "INVALID_REQUEST" || !strings.HasPrefix(e.Message, tc.want) {
			t.Errorf("%s: %v, want %s", tc.name, e, tc.want)
		}
	}
	many := `{"gateway":{"port":"a","bind":1,"mode":2},"x":1,"session":3}`
	e := w.refused(t, "config.set", object{"raw": many, "baseHash": g.Hash})
	details, err := json.Marshal(e.Details)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(into[struct{ Issues []any }](t, details).Issues); n < 5 || !strings.Contains(e.Message, fmt.Sprintf("(+%d more issues)", n-3)) {
		t.Errorf("%d issues: %s", n, e.Message)
	}
	if w.disk(t) != before || w.changed != nil {
		t.Error("a refused change changed something")
	}
}

func TestConfigSetRestoresSecrets(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t)
	g := w.get(t)
	edited := strings.Replace(g.Raw, "gateway: {", "messages: { ackReactionScope: 'all' },\n  gateway: {", 1)
	r := w.ok(t, "config.set", object{"raw": edited, "baseHash": g.Hash})
	sameShape(t, payload(t, "config.set", "ok"), r, ".config.")
	disk := w.disk(t)
	for _, want := range []string{"very-secret-token", "another-secret", "fake-key", "// the other", "ackReactionScope: 'all'", "lastTouchedVersion"} {
		if !strings.Contains(disk, want) {
			t.Errorf("the file lacks %s:\n%s", want, disk)
		}
	}
	if strings.Contains(disk, config.Redacted) || strings.Contains(string(r), "very-secret") {
		t.Error("marks on disk, or secrets in the answer")
	}
	if !cmp.Equal(w.changed, []string{"messages.ackReactionScope"}) && !strings.Contains(strings.Join(w.changed, " "), "messages") {
		t.Errorf("changed %v", w.changed)
	}
	if e := w.refused(t, "config.set", object{"raw": g.Raw, "baseHash": g.Hash}); !strings.HasPrefix(e.Message, "config changed since last load") {
		t.Error(e)
	}
}

func TestConfigSetKeepsJSON(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		raw  string
		json bool
	}{
		"JSON5":                {`{ messages: { ackReactionScope: 'all' }, "gateway": { "port": 4000, } }`, true},
		"a comment":            {"{ gateway: { port: 4000 } } // why", false},
		"no comment in a text": {`{ messages: { responsePrefix: "a // b" } }`, true},
	} {
		w := newWorld(t)
		write(t, w.cfg.Paths.Config, `{"gateway":{"port":3000}}`)
		w.ok(t, "config.set", object{"raw": tc.raw, "baseHash": w.get(t).Hash})
		if disk := w.disk(t); json.Valid([]byte(disk)) != tc.json {
			t.Errorf("%s: the file is %s", name, disk)
		}
	}
}

func TestConfigSetMakesTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ok(t, "config.set", object{"raw": "{ gateway: { port: 4000 } }"})
	if !strings.Contains(w.disk(t), "4000") || w.cfg.Gateway.Port != 4000 {
		t.Errorf("the file is %s", w.disk(t))
	}
}

func TestConfigPatch(t *testing.T) {
	t.Parallel()
	type plan struct {
		reason string
		after  time.Duration
	}
	var plans []plan
	w := newFileWorld(t, func(d *control.Deps) {
		d.Restart = func(reason string, after time.Duration) bool {
			plans = append(plans, plan{reason, after})
			return false
		}
	})
	w.sessions.all = []session.Session{{Key: "agent:main:main", Delivery: &session.Delivery{Channel: "irc", To: "irc:alice", AccountID: "default"}}}
	hot := into[restartAnswer](t, w.ok(t, "config.patch", object{"raw": "{ messages: { ackReactionScope: 'all' } }", "baseHash": w.get(t).Hash}))
	if len(plans) != 0 || hot.Restart.Mode != "hot" || hot.Sentinel.Path != nil {
		t.Errorf("a hot change: %+v, restarts %v", hot, plans)
	}
	asked := w.ok(t, "config.patch", object{
		"raw": "{ messages: { ackReactionScope: 'direct' } }", "baseHash": w.get(t).Hash, "note": "wire note", "restartDelayMs": 500, "sessionKey": "agent:main:main",
	})
	sameShape(t, payload(t, "config.patch", "ok"), asked, ".config.")
	a := into[restartAnswer](t, asked)
	if d := cmp.Diff(restartRecorded(t), a.Restart); d != "" {
		t.Errorf("restart (-recorded +got):\n%s", d)
	}
	s, ok, err := control.TakeSentinel(w.dir)
	if err != nil || !ok || s.Message == nil || *s.Message != "wire note" || s.SessionKey != "agent:main:main" || s.Delivery.To != "irc:alice" || s.Kind != "config-patch" {
		t.Errorf("sentinel = %+v, %t, %v", s, ok, err)
	}
	if _, again, err := control.TakeSentinel(w.dir); again || err != nil {
		t.Errorf("the sentinel is still there: %v", err)
	}
	w.ok(t, "config.patch", object{"raw": "{ gateway: { port: 21041 } }", "baseHash": w.get(t).Hash})
	g := w.get(t)
	w.ok(t, "config.set", object{"raw": strings.Replace(g.Raw, "21041", "21042", 1), "baseHash": g.Hash})
	want := []plan{{"config.patch", 500 * time.Millisecond}, {"config.patch", 2 * time.Second}, {"config.set", 2 * time.Second}}
	if !slices.Equal(want, plans) {
		t.Errorf("restarts %v, want %v", plans, want)
	}
	if disk := w.disk(t); !strings.Contains(disk, "// the other") || !strings.Contains(disk, "very-secret-token") || !strings.Contains(disk, "21042") {
		t.Errorf("the file is now %s", disk)
	}
}

type restartAnswer struct {
	Restart struct {
		OK            bool
		Signal        string
		DelayMs       int64
		Reason, Mode  string
		Coalesced     bool
		CooldownMsApp int64 `json:"cooldownMsApplied"`
	}
	Sentinel struct{ Path *string }
}

func restartRecorded(t *testing.T) any {
	t.Helper()
	return into[restartAnswer](t, payload(t, "config.patch", "ok")).Restart
}

func TestConfigPatchRefuses(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t)
	hash := w.get(t).Hash
	for _, tc := range []struct {
		params object
		want   string
	}{
		{object{"raw": "{}"}, "config base hash required; re-run config.get and retry"},
		{object{"raw": "{ messages: { ackReactionScope: null } }", "baseHash": "bad"}, "config changed since last load; re-run config.get and retry"},
		{object{"raw": "[]", "baseHash": hash}, "config.patch raw must be an object"},
	} {
		if e := w.refused(t, "config.patch", tc.params); e.Code != "INVALID_REQUEST" || e.Message != tc.want {
			t.Errorf("%v: %v, want %s", tc.params, e, tc.want)
		}
	}
	w.now = w.now.Add(2650 * time.Millisecond)
	for _, m := range []string{"config.patch", "config.apply"} { // they share the count
		e := w.refused(t, m, object{"raw": "{}"})
		if e.Code != "UNAVAILABLE" || e.Message != "rate limit exceeded for "+m+"; retry after 58s" || !e.Retryable || e.RetryAfter != 57350*time.Millisecond {
			t.Errorf("fourth call: %+v", e)
		}
		if d := cmp.Diff(map[string]any{"method": m, "limit": "3 per 60s"}, e.Details); d != "" {
			t.Error(d)
		}
	}
	other := owner()
	other.Device = "d2"
	if _, err := w.call(t, other, "config.patch", object{"raw": "[]", "baseHash": hash}); err == nil || strings.Contains(err.Error(), "rate") {
		t.Errorf("another device: %v", err)
	}
	w.now = w.now.Add(time.Minute)
	write(t, w.cfg.Paths.Config, `{"gateway":{"port":"abc"}}`)
	if e := w.refused(t, "config.patch", object{"raw": "{}", "baseHash": w.get(t).Hash}); e.Message != "invalid config; fix before patching" {
		t.Error(e)
	}
	if e := w.refused(t, "config.patch", object{"raw": ""}); !strings.HasPrefix(e.Message, "invalid config.patch params: ") {
		t.Error(e)
	}
}

func TestConfigApply(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t, func(d *control.Deps) { d.Restart = func(string, time.Duration) bool { return false } })
	g := w.get(t)
	if e := w.refused(t, "config.apply", object{"raw": g.Raw}); e.Message != "config base hash required; re-run config.get and retry" {
		t.Error(e)
	}
	r := w.ok(t, "config.apply", object{"raw": g.Raw, "baseHash": g.Hash, "restartDelayMs": 300, "note": "n"})
	sameShape(t, payload(t, "config.apply", "ok"), r, ".config.")
}

func TestConfigSchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := into[map[string]json.RawMessage](t, w.ok(t, "config.schema", object{}))
	for _, k := range []string{"schema", "uiHints", "version", "generatedAt"} {
		if len(s[k]) == 0 {
			t.Errorf("config.schema lacks %s", k)
		}
	}
	sameShape(t, payload(t, "config.schema.lookup", "ok"), w.ok(t, "config.schema.lookup", object{"path": "gateway.auth"}), ".hint.help", ".children[].hint.help") // texts for forms are our own
}

func TestAgentsLifecycle(t *testing.T) {
	t.Parallel()
	var made []id.Agent
	w := newFileWorld(t, func(d *control.Deps) { d.Workspace = makeDir(&made) })
	ws := filepath.Join(w.dir, "ws-temp")
	params := object{"name": "Temp Agent", "workspace": ws, "emoji": "🦊", "avatar": "F"}
	if d := cmp.Diff(object{"ok": true, "agentId": "temp-agent", "name": "Temp Agent", "workspace": ws}, into[object](t, w.ok(t, "agents.create", params))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]id.Agent{"temp-agent"}, made); d != "" {
		t.Errorf("workspaces made:\n%s", d)
	}
	if d := cmp.Diff(into[any](t, payload(t, "agents.list", "after create")), into[any](t, w.ok(t, "agents.list", object{}))); d != "" {
		t.Errorf("agents.list (-recorded +got):\n%s", d)
	}
	if d := cmp.Diff(into[any](t, payload(t, "agent.identity.get", "after create")), into[any](t, w.ok(t, "agent.identity.get", object{"agentId": "temp-agent"}))); d != "" {
		t.Errorf("identity (-recorded +got):\n%s", d)
	}
	if e := w.refused(t, "agents.create", params); e.Message != `agent "temp-agent" already exists` {
		t.Error(e)
	}
	w.ok(t, "agents.update", object{"agentId": "temp-agent", "name": "Temp Two", "model": "fake/fake-2", "avatar": "T"})
	e, _ := w.cfg.Agent("temp-agent")
	if e.Name != "Temp Two" || e.Model.Primary != "fake/fake-2" || e.Workspace != ws {
		t.Errorf("entry = %+v", e)
	}
	if e := w.refused(t, "agents.update", object{"agentId": "temp-agent", "model": "nope/x"}); !strings.HasPrefix(e.Message, "unknown model") {
		t.Error(e)
	}
	hash := w.get(t).Hash
	w.ok(t, "config.patch", object{"raw": `{bindings:[{agentId:"temp-agent",match:{channel:"irc"}},{agentId:"second",match:{channel:"irc",accountId:"b"}}]}`, "baseHash": hash})
	w.sessions.all = []session.Session{{Key: "agent:temp-agent:main"}, {Key: "agent:main:main"}}
	del := into[object](t, w.ok(t, "agents.delete", object{"agentId": "temp-agent"}))
	if d := cmp.Diff(object{"ok": true, "agentId": "temp-agent", "removedBindings": 1.0}, del); d != "" {
		t.Error(d)
	}
	if e := w.refused(t, "agents.delete", object{"agentId": "temp-agent"}); e.Message != `agent "temp-agent" not found` {
		t.Error(e)
	}
	if _, err := os.Stat(ws); !os.IsNotExist(err) {
		t.Errorf("the workspace is still there: %v", err)
	}
	if kept, err := filepath.Glob(filepath.Join(w.dir, "trash", "temp-agent-*", "workspace", "IDENTITY.md")); len(kept) != 1 {
		t.Errorf("the trash holds %v, %v", kept, err)
	}
	if len(w.sessions.all) != 1 || len(w.cfg.Bindings) != 1 || !strings.Contains(w.disk(t), "// the other") {
		t.Errorf("left: %v, %v\n%s", w.sessions.all, w.cfg.Bindings, w.disk(t))
	}
}

func TestAgentsDeleteSparesOthers(t *testing.T) {
	t.Parallel()
	w := newFileWorld(t)
	for _, dir := range []string{"ws", "."} { // main's workspace, the home
		w.ok(t, "agents.create", object{"name": "Temp", "workspace": filepath.Join(w.dir, dir)})
		write(t, filepath.Join(w.dir, dir, "keep.txt"), "mine")
		w.ok(t, "agents.delete", object{"agentId": "temp", "deleteFiles": true})
		if _, err := os.Stat(filepath.Join(w.dir, dir, "keep.txt")); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestAgentsCreateKeepsMain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	write(t, w.cfg.Paths.Config, "{}\n")
	w.ok(t, "agents.create", object{"name": "Work", "workspace": "~/work"})
	if d := cmp.Diff([]id.Agent{"main", "work"}, w.cfg.AgentIDs()); d != "" || w.cfg.Workspace("work") != filepath.Join(w.dir, "work") {
		t.Errorf("agents:\n%s\n%s", d, w.disk(t))
	}
}

func TestAgentsCreateRefusesIncludedList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	write(t, filepath.Join(w.dir, "agents.json5"), `{ list: [{ id: 'main' }] }`)
	write(t, w.cfg.Paths.Config, "{ agents: { $include: './agents.json5' } }\n")
	if e := w.refused(t, "agents.create", object{"name": "Work", "workspace": "~/work"}); !strings.Contains(e.Message, "included file") {
		t.Error(e)
	}
}
