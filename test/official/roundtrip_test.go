//go:build official

package official_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/test/harness"
)

// The key of the model's service stands in the configuration as a variable.
const (
	keyVariable = "TRIP_MODEL_KEY"
	modelKey    = "sk-trip-0123456789"
)

// The sessions of the trip.
const (
	mainKey   = "agent:main:main"
	customKey = "agent:main:custom"
	deepKey   = "agent:main:proj:alpha"
	resetKey  = "agent:main:again"
	secondKey = "agent:second:main"
	newKey    = "agent:main:ours:new" // ours begins it
)

const pairings = `{"version":1,"requests":[{"id":"42","code":"ABCD2345","createdAt":%[1]q,"lastSeenAt":%[1]q,"meta":{"accountId":"default","username":"ann"}}]}`

// trip is a state directory on its way.
type trip struct {
	*testing.T
	official official
	model    *harness.Model
	root     string
}

// write puts a configuration with comments, an include and a variable into a
// new state directory.
func (t *trip) write(state string) {
	t.Helper()
	one := `{ id: %q, name: %q, reasoning: %v, input: ["text"], cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, contextWindow: 128000, maxTokens: 4096 }`
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	for name, text := range map[string]string{
		"openclaw.json": fmt.Sprintf(`// My gateway. Keep this comment.
{
  gateway: {
    mode: "local", bind: "loopback",
    auth: { mode: "token", token: %q }, // a secret
  },
  update: { checkOnStart: false },
  browser: { enabled: false },
  models: { $include: "./conf/models.json5" },
  agents: {
    /* who answers */
    defaults: { workspace: %q, model: { primary: "fake/fake-1" }, heartbeat: { every: "0m" } },
    list: [{ id: "main", default: true }, { id: "second", name: "Second", workspace: %q }],
  },
}
`, harness.Token, filepath.Join(t.root, "ws"), filepath.Join(t.root, "ws2")),
		"conf/models.json5": fmt.Sprintf(`// the models
{ mode: "merge", providers: { fake: { baseUrl: "%s/v1", apiKey: "${%s}", api: "openai-completions", models: [
  %s,
  %s,
] } } }
`, t.model.URL, keyVariable, fmt.Sprintf(one, "fake-1", "One", false), fmt.Sprintf(one, "fake-2", "Two", true)),
		"credentials/telegram-pairing.json":           fmt.Sprintf(pairings, now),
		"credentials/telegram-default-allowFrom.json": `{"version":1,"allowFrom":["7","11"]}`,
		"credentials/irc-allowFrom.json":              `{"version":1,"allowFrom":["bob!b@host"]}`,
	} {
		path := filepath.Join(state, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ours starts our gateway on state.
func (t *trip) ours(state string) *harness.Gateway {
	t.Helper()
	g := harness.New(t, t.model.URL, nil)
	g.Dir, g.Env = state, []string{keyVariable + "=" + modelKey}
	g.Start()
	return g
}

// device is where the key of a device is kept.
func (t *trip) device(name string) string { return filepath.Join(t.root, "devices", name) }

// live has OpenClaw make sessions, jobs and devices.
func (t *trip) live(c *caller) {
	t.Helper()
	c.turn(mainKey, "theirs 1")
	c.turn(mainKey, `theirs 2 !tool exec {"command":"echo from-their-exec"}`)
	c.turn(mainKey, `theirs 3 !tool write {"path":"note.txt","content":"written by theirs"}`)
	c.turn(mainKey, `theirs 4 !tool read {"path":"note.txt"}`)
	c.turn(customKey, "custom 1")
	c.turn(customKey, "custom 2")
	c.turn(secondKey, "second 1")
	c.turn(resetKey, "before their reset")
	c.call("sessions.reset", object{"key": resetKey})
	c.turn(resetKey, "after their reset")
	c.call("sessions.patch", object{"key": customKey, "label": "My label", "thinkingLevel": "low", "verboseLevel": "on"})
	c.turn(deepKey, "deep 1")
	c.call("sessions.patch", object{"key": deepKey, "model": "fake/fake-2", "thinkingLevel": "medium"})
	c.turn(deepKey, "deep 2 !think carefully")
	c.call("chat.inject", object{"sessionKey": customKey, "message": "a note of theirs", "label": "note"})
	for _, job := range []object{
		{
			"name": "far", "enabled": true, "deleteAfterRun": true, "schedule": object{"kind": "at", "at": time.Now().AddDate(8, 0, 0).UTC().Format(time.RFC3339)},
			"sessionTarget": "isolated", "wakeMode": "now", "payload": object{"kind": "agentTurn", "message": "far away"}, "delivery": object{"mode": "none"},
		},
		{
			"name": "off", "enabled": false, "schedule": object{"kind": "cron", "expr": "0 3 * * *", "tz": "Europe/Berlin"},
			"sessionTarget": "main", "wakeMode": "next-heartbeat", "payload": object{"kind": "systemEvent", "text": "nightly"},
		},
		{
			"name": "daily", "description": "each day", "enabled": true, "schedule": object{"kind": "every", "everyMs": 86400000},
			"sessionTarget": "isolated", "wakeMode": "now", "payload": object{"kind": "agentTurn", "message": "daily", "model": "fake/fake-2", "thinking": "low", "timeoutSeconds": 60},
		},
	} {
		c.call("cron.add", job)
	}
}

// goOn has ours take fifty turns, some with tools, and change what people
// change.
func (t *trip) goOn(g *harness.Gateway, c *caller) {
	t.Helper()
	for i := range 10 {
		for key, text := range map[string]string{mainKey: "main", customKey: "custom", deepKey: "deep !think of-it", newKey: "new"} {
			c.turn(key, fmt.Sprintf("ours %d %s", i, text))
		}
	}
	c.turn(mainKey, `ours tool 1 !tool exec {"command":"echo from-our-exec"}`)
	c.turn(mainKey, `ours tool 2 !tool write {"path":"ours.txt","content":"written by ours"}`)
	if got := c.turn(mainKey, `ours tool 3 !tool read {"path":"ours.txt"}`); !strings.Contains(got, "written by ours") {
		t.Errorf("our read says %q", got)
	}
	c.turn(mainKey, `ours tool 4 !tool read {"path":"note.txt"}`)
	c.turn(mainKey, `ours tool 5 !tool exec {"command":"exit 3"}`)
	c.turn(newKey, `ours tool 6 !tool read {"path":"no-such-file"}`)
	c.turn(secondKey, "ours second")
	c.turn(resetKey, "before our reset")
	c.call("sessions.reset", object{"key": resetKey})
	c.turn(resetKey, "after our reset")
	c.turn(resetKey, "and on")
	c.call("sessions.patch", object{"key": newKey, "label": "Ours", "verboseLevel": "full"})
	c.call("chat.inject", object{"sessionKey": customKey, "message": "a note of ours", "label": "note"})
	for _, args := range [][]string{
		{"config", "set", "agents.list[1].name", "Renamed"},
		{"config", "set", "messages.ackReactionScope", "all"},
		{"pairing", "approve", "telegram", "ABCD2345"},
	} {
		if out, err := g.Command(t.Context(), args...).CombinedOutput(); err != nil {
			t.Errorf("openclaw %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// end stops ours in order.
func (t *trip) end(g *harness.Gateway) {
	t.Helper()
	if code, _ := g.Term(30 * time.Second); code != 0 {
		t.Errorf("our gateway ended with %d", code)
	}
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestRoundTrip takes a state directory from OpenClaw's gateway to ours, for
// fifty turns, back to OpenClaw's, and to ours again. Each finds what the other
// left. Every station is a copy in another place, and the first one is looked
// after: nobody may go on writing there.
func TestRoundTrip(tt *testing.T) {
	t := &trip{T: tt, official: install(tt), model: harness.NewModel(tt), root: tt.TempDir()}
	first, second := filepath.Join(t.root, "first"), filepath.Join(t.root, "second")
	t.write(first)

	theirs := t.official.gateway(tt, first)
	c := dial(tt, theirs.port, t.device("phone"))
	t.live(c)
	before := c.look()
	theirs.stop()
	copyState(tt, first, second)
	left := files(tt, first)

	g := t.ours(second)
	c = dial(tt, g.Port, t.device("phone"))
	same(tt, "ours shows what OpenClaw left", before, c.look())
	t.goOn(g, c)
	dial(tt, g.Port, t.device("tablet"))
	after := c.look()
	t.end(g)
	t.checkFiles(first, second)

	t.Run("nothing was written where the directory was before", func(tt *testing.T) { same(tt, "files", left, files(tt, first)) })

	theirs = t.official.gateway(tt, second)
	c = dial(tt, theirs.port, t.device("phone"))
	back := c.look()
	same(tt, "OpenClaw shows what ours left", after, back)
	if len(back.Devices) != len(before.Devices)+1 {
		t.Errorf("%d devices, before %d and one came", len(back.Devices), len(before.Devices))
	}
	t.checkTurns(before, back)
	t.commands(theirs.port, second)

	// It goes on where ours stopped: its model is told our turns.
	for key := range back.Sessions {
		word := "back in " + strings.ReplaceAll(key, ":", "-")
		c.turn(key, word)
		calls := t.model.Calls(word)
		if len(calls) == 0 {
			t.Errorf("%s: the model wasn't asked", key)
			continue
		}
		told := calls[0].Raw
		for _, w := range back.words(key) {
			quoted, _ := json.Marshal(w)
			if !strings.Contains(told, strings.Trim(string(quoted), `"`)) {
				t.Errorf("%s: OpenClaw doesn't tell the model %q", key, w)
			}
		}
	}
	last := c.look()
	theirs.stop()
	if bad := complaint.FindAllString(theirs.said(), -1); bad != nil {
		t.Errorf("OpenClaw complains:\n%s", strings.Join(bad, "\n"))
	}

	g = t.ours(second)
	same(tt, "ours shows what OpenClaw added", last, dial(tt, g.Port, t.device("phone")).look())
	t.end(g)
}

var complaint = regexp.MustCompile(`(?im)^.*\b(warn(ing)?|errors?|invalid|schema|corrupt(ed)?|repaired|unreadable|failed)\b.*$`)

// checkFiles looks at the files that the gateways don't show.
func (t *trip) checkFiles(first, second string) {
	t.Helper()
	same(t.T, "jobs", value(t.T, filepath.Join(first, "cron/jobs.json")), value(t.T, filepath.Join(second, "cron/jobs.json")))
	same(t.T, "included configuration", files(t.T, filepath.Join(first, "conf")), files(t.T, filepath.Join(second, "conf")))
	same(t.T, "who may write by Telegram", any([]any{"7", "11", "42"}), value(t.T, filepath.Join(second, "credentials/telegram-default-allowFrom.json")).(map[string]any)["allowFrom"])
	same(t.T, "who may write by IRC", any([]any{"bob!b@host"}), value(t.T, filepath.Join(second, "credentials/irc-allowFrom.json")).(map[string]any)["allowFrom"])
	same(t.T, "who asks", any([]any{}), value(t.T, filepath.Join(second, "credentials/telegram-pairing.json")).(map[string]any)["requests"])
	raw, err := os.ReadFile(filepath.Join(second, "openclaw.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"// My gateway. Keep this comment.", "// a secret", "/* who answers */", `$include: "./conf/models.json5"`, "Renamed", "ackReactionScope"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("openclaw.json lost %q:\n%s", want, raw)
		}
	}
	archives, err := filepath.Glob(filepath.Join(second, "agents/main/sessions/*.jsonl.reset.*"))
	if err != nil || len(archives) != 2 {
		t.Errorf("archives of the two resets: %v, %v", archives, err)
	}
}

// checkTurns holds what people wrote against what they wrote.
func (t *trip) checkTurns(before, back seen) {
	t.Helper()
	for key, n := range map[string]int{mainKey: 15, customKey: 10, deepKey: 10, newKey: 11, secondKey: 1} {
		was, is := before.words(key), back.words(key)
		if len(is) != len(was)+n || !slices.Equal(is[:len(was)], was) {
			t.Errorf("%s: %q, before %q and %d turns came", key, is, was, n)
		}
		for i, w := range is[min(len(was), len(is)):] {
			if i < 10 && key != secondKey && !strings.HasPrefix(w, fmt.Sprintf("ours %d ", i)) {
				t.Errorf("%s: our turn %d is %q", key, i, w)
			}
		}
	}
	same(t.T, "the session that was reset", []string{"after our reset", "and on"}, back.words(resetKey))
	if back.Sessions[newKey].(map[string]any)["label"] != "Ours" || back.Sessions[customKey].(map[string]any)["label"] != "My label" {
		t.Errorf("labels: %v, %v", back.Sessions[newKey], back.Sessions[customKey])
	}
}

// commands has OpenClaw's command line say what is there.
func (t *trip) commands(port int, state string) {
	t.Helper()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"sessions", "--all-agents", "--json"}, []string{mainKey, customKey, deepKey, resetKey, secondKey, newKey}},
		{[]string{"cron", "list", "--all", "--json"}, []string{`"far"`, `"off"`, `"daily"`, "Europe/Berlin"}},
		{[]string{"devices", "list", "--json"}, []string{`"operator"`}},
		{[]string{"config", "validate"}, []string{"valid"}},
	} {
		out, err := t.official.run(t.T, here(state, port), c.args...)
		if err != nil {
			t.Errorf("openclaw %s: %v", strings.Join(c.args, " "), err)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("openclaw %s doesn't say %s:\n%s", strings.Join(c.args, " "), w, out)
			}
		}
	}
}
