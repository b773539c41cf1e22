package control_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/tool"
)

type recording struct {
	Requires   string
	Validation map[string]string
	Examples   []example
}

type example struct {
	Label    string
	Params   json.RawMessage
	Response struct {
		OK      bool
		Payload json.RawMessage
		Error   struct{ Code, Message string }
	}
}

func recordings(t *testing.T) map[string]recording {
	t.Helper()
	raw, err := os.ReadFile("testdata/methods.json")
	if err != nil {
		t.Fatal(err)
	}
	return into[map[string]recording](t, raw)
}

// payload returns the recorded payload of an example.
func payload(t *testing.T, method, label string) json.RawMessage {
	t.Helper()
	for _, e := range recordings(t)[method].Examples {
		if e.Label == label {
			return e.Response.Payload
		}
	}
	t.Fatalf("no example %q of %s", label, method)
	return nil
}

func TestScopes(t *testing.T) {
	t.Parallel()
	rec := recordings(t)
	for _, m := range newWorld(t).Feature().Methods {
		want := rec[m.Name].Requires
		if strings.HasPrefix(want, "(none") {
			want = ""
		}
		if string(m.Scope) != want {
			t.Errorf("%s needs scope %q, recorded %q", m.Name, m.Scope, want)
		}
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	rec := recordings(t)
	for _, m := range newWorld(t).Feature().Methods {
		for kind, params := range map[string]string{"emptyParams": `{}`, "unknownProperty": `{"__bogus__":1}`} {
			want, ok := rec[m.Name].Validation[kind]
			if !ok {
				continue
			}
			// A world each, as some methods count their calls.
			_, err := newWorld(t).method(t, m.Name).Call(t.Context(), owner(), json.RawMessage(params))
			got := "accepted"
			if e, isRPC := errors.AsType[*rpc.Error](err); isRPC {
				got = e.Message
			} else if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s %s: %q, recorded %q", m.Name, params, got, want)
			}
		}
	}
}

// TestRefusals replays the recorded refusals that need no state.
func TestRefusals(t *testing.T) {
	t.Parallel()
	stateful := []string{"config.set", "config.patch", "config.apply", "agents.create/duplicate", "agents.delete/gone"}
	rec := recordings(t)
	for _, m := range newWorld(t).Feature().Methods {
		for _, e := range rec[m.Name].Examples {
			if e.Response.OK || slices.Contains(stateful, m.Name) || slices.Contains(stateful, m.Name+"/"+e.Label) {
				continue
			}
			params := strings.ReplaceAll(string(e.Params), "temp-agent", "main") // made by an earlier call
			_, err := newWorld(t).method(t, m.Name).Call(t.Context(), owner(), json.RawMessage(params))
			got, ok := errors.AsType[*rpc.Error](err)
			if !ok || got.Code != e.Response.Error.Code || got.Message != e.Response.Error.Message {
				t.Errorf("%s %s: %v, recorded %s: %s", m.Name, params, err, e.Response.Error.Code, e.Response.Error.Message)
			}
		}
	}
}

// shape describes the keys and types of a value, the first element standing
// for a list.
func shape(path string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		out[path] = "object"
		for k, x := range v {
			shape(path+"."+k, x, out)
		}
	case []any:
		out[path] = "list"
		if len(v) > 0 {
			shape(path+"[]", v[0], out)
		}
	case nil:
		out[path] = "null"
	default:
		out[path] = strings.TrimPrefix(fmt.Sprintf("%T", v), "float")
	}
}

// sameShape compares a payload with a recorded one. Paths in except may differ.
func sameShape(t *testing.T, want, got json.RawMessage, except ...string) {
	t.Helper()
	w, g := map[string]string{}, map[string]string{}
	shape("", into[any](t, want), w)
	shape("", into[any](t, got), g)
	for _, m := range []map[string]string{w, g} {
		for k := range m {
			if slices.ContainsFunc(except, func(e string) bool { return strings.HasPrefix(k, e) }) {
				delete(m, k)
			}
		}
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("shape (-recorded +got):\n%s\n%s", d, got)
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	tools := func() []tool.Tool {
		return []tool.Tool{grouped{"read", "fs"}, grouped{"write", "fs"}, grouped{"exec", "runtime"}}
	}
	profiles := func(string) []string { return []string{"coding"} }
	for _, tc := range []struct {
		method, label string
		params        any
		except        []string
	}{
		{"health", "params omitted", nil, nil},
		{"status", "ok", object{}, nil},
		{"channels.status", "ok", object{"probe": false}, nil},
		{"usage.status", "ok", object{}, nil},
		{"usage.cost", "ok", object{"days": 1}, nil},
		{"models.list", "ok", object{}, nil},
		{"tools.catalog", "ok", object{"agentId": "main"}, nil},
		{"agents.list", "ok", object{}, nil},
		{"agent.identity.get", "ok", object{"agentId": "main"}, nil},
		{"gateway.identity.get", "ok", object{}, nil},
		{"last-heartbeat", "none yet", object{}, nil},
		{"set-heartbeats", "ok", object{"enabled": false}, nil},
		{"wake", "next", object{"mode": "next-heartbeat", "text": "Later"}, nil},
	} {
		t.Run(tc.method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(d *control.Deps) { d.Tools, d.Profiles = tools, profiles })
			sameShape(t, payload(t, tc.method, tc.label), w.ok(t, tc.method, tc.params), tc.except...)
		})
	}
}

// TestValues compares payloads that hold nothing of the moment.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method, label string
		params        any
	}{
		{"agents.list", "ok", object{}},
		{"agent.identity.get", "ok", object{"agentId": "main"}},
		{"agent.identity.get", "by session", object{"sessionKey": "agent:second:main"}},
		{"agent.identity.get", "unknown", object{"agentId": "nope"}},
		{"wake", "blank text", object{"mode": "now", "text": "   "}},
		{"set-heartbeats", "on", object{"enabled": true}},
	} {
		want, got := payload(t, tc.method, tc.label), newWorld(t).ok(t, tc.method, tc.params)
		if d := cmp.Diff(into[any](t, want), into[any](t, got)); d != "" {
			t.Errorf("%s (-recorded +got):\n%s", tc.method, d)
		}
	}
}

func TestChannelShapes(t *testing.T) {
	t.Parallel()
	probe := object{"ok": true, "host": "127.0.0.1", "port": 21050, "tls": false, "nick": "clawbot", "latencyMs": 1}
	w := newWorld(t, func(d *control.Deps) {
		d.Channels = ircStatus(probe)
	})
	w.cfg.Agents.Defaults.Heartbeat.Every = "30m"
	// The recorded health leaves out the port and knows less than the status.
	sameShape(t, payload(t, "health", "with irc"), w.ok(t, "health", object{"probe": true}), ".channels.irc.port", ".channels.irc.accounts.default.port", ".channels.irc.lastStartAt", ".channels.irc.accounts.default.lastStartAt", ".channels.irc.passwordSource", ".channels.irc.accounts.default.passwordSource")
	got := w.ok(t, "channels.status", object{"probe": true, "timeoutMs": 3000})
	sameShape(t, payload(t, "channels.status", "irc probe"), got, ".channels.irc.passwordSource")
	h := into[control.Health](t, w.ok(t, "health", nil))
	if h.HeartbeatSeconds != 1800 {
		t.Errorf("heartbeatSeconds = %d, want 1800", h.HeartbeatSeconds)
	}
}

func TestLogoutAsksTheChannel(t *testing.T) {
	t.Parallel()
	var asked string
	w := newWorld(t, func(d *control.Deps) { d.Channels = ircStatus(nil) })
	_, err := w.call(t, owner(), "channels.logout", object{"channel": "irc"})
	if e, ok := errors.AsType[*rpc.Error](err); !ok || e.Message != "channel irc does not support logout" {
		t.Errorf("logout of irc = %v", err)
	}
	w = newWorld(t, func(d *control.Deps) {
		d.Channels = ircStatus(nil)
		d.Logout = logout(&asked)
	})
	w.ok(t, "channels.logout", object{"channel": "irc", "accountId": "work"})
	if asked != "irc work" {
		t.Errorf("Logout got %q", asked)
	}
}
