package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/config"
)

const handwritten = `// my gateway
{
  meta: { lastTouchedVersion: "x", lastTouchedAt: "y" },
  gateway: {
    mode: "local", // here
    port: 18789,
    auth: { token: "${GW_TOKEN}" },
  },
  /* people */
  channels: {
    telegram: { allowFrom: [7000000001, "tg:7000000002"], botToken: "1:secret-of-telegram" },
  },
}
`

func file(t testing.TB, text string) config.File {
	t.Helper()
	p := home(t)
	if text != "" {
		write(t, p.Config, text)
	}
	return config.File{
		Paths: p, Load: options(t, map[string]string{"GW_TOKEN": "token-from-env"}), Version: "x",
		Args: strings.Fields("openclaw config set a b c d e f g"),
		Now:  func() time.Time { return time.Date(2026, 11, 30, 21, 0, 41, 481e6, time.UTC) },
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const stamped = `lastTouchedAt: "2026-11-30T21:00:41.481Z"`

func TestSetChangesOnlyItsLines(t *testing.T) {
	t.Parallel()
	f := file(t, handwritten)
	s, err := f.Set(t.Context(), "gateway.port", []byte("19000"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("18789", "19000", `lastTouchedAt: "y"`, stamped).Replace(handwritten)
	if diff := cmp.Diff(want, read(t, f.Paths.Config)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Config.Gateway.Port != 19000 || !s.Changed || s.Previous == s.Hash {
		t.Errorf("Saved = port %d, changed %v", s.Config.Gateway.Port, s.Changed)
	}
	if got := read(t, f.Paths.Config+".bak"); got != handwritten {
		t.Errorf("the backup is %s", got)
	}
	info, err := os.Stat(f.Paths.Config)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if !strings.HasPrefix(s.OverwriteNote(), "Config overwrite: "+f.Paths.Config+" (sha256 ") {
		t.Errorf("note = %q", s.OverwriteNote())
	}
	again, err := f.Set(t.Context(), "gateway.port", []byte("19000"))
	if err != nil || again.Changed {
		t.Errorf("the same once more: changed = %v, %v", again.Changed, err)
	}
}

func TestLongIDsKeepTheirDigits(t *testing.T) { // CFG-03
	t.Parallel()
	raw, err := os.ReadFile("testdata/faults/long-ids.json")
	if err != nil {
		t.Fatal(err)
	}
	f := file(t, string(raw))
	s, err := f.Set(t.Context(), "logging.level", []byte(`"debug"`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"923475000111222333", "648000111222333441", "42"}
	if diff := cmp.Diff(want, s.Config.Channel("discord").AllowFrom); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"7000000001", "tg:7000000002"}, s.Config.Accounts("telegram")[0].Common.AllowFrom); diff != "" {
		t.Error(diff)
	}
	if got := read(t, f.Paths.Config); !strings.Contains(got, "[923475000111222333, \"648000111222333441\", 42]") {
		t.Errorf("on disk: %s", got)
	}
	// Out over the control API and back.
	out := s.Doc.Root.JSON()
	if !bytes.Contains(out, []byte("[923475000111222333,\"648000111222333441\",42]")) {
		t.Errorf("as JSON: %s", out)
	}
	if s, err = f.Replace(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Config.Channel("discord").AllowFrom); diff != "" {
		t.Error(diff)
	}
}

func TestUnsetDropsEmptyParents(t *testing.T) {
	t.Parallel()
	f := file(t, "{\n  // keep\n  ui: { assistant: { name: \"x\" } },\n  gateway: { port: 1 },\n}\n")
	if _, err := f.Unset(t.Context(), "ui.assistant.name"); err != nil {
		t.Fatal(err)
	}
	got := read(t, f.Paths.Config)
	if strings.Contains(got, "ui") || !strings.Contains(got, "// keep") {
		t.Errorf("got %s", got)
	}
	if _, err := f.Unset(t.Context(), "ui.assistant.name"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("unset again: %v", err)
	}
}

func TestWritesAreCheckedWhole(t *testing.T) { // CFG-05
	t.Parallel()
	const agents = `{ agents: { list: [{ id: "main" }, { id: "work" }] }, bindings: [{ agentId: "work", match: { channel: "telegram" } }] }`
	tests := map[string]struct {
		patch string
		path  string
	}{
		"binding to nobody": {`{ bindings: [{ agentId: "ghost", match: { channel: "telegram" } }] }`, "bindings.0.agentId"},
		"the agent goes":    {`{ agents: { list: null } , broadcast: { x: ["ghost"] } }`, ""},
		"excluding pair":    {`{ tools: { allow: ["read"], alsoAllow: ["exec"] } }`, "tools"},
		"open to nobody":    {`{ channels: { telegram: { dmPolicy: "open" } } }`, "channels.telegram.allowFrom"},
		"wrong type":        {`{ gateway: { port: "x" } }`, "gateway.port"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := file(t, agents)
			_, err := f.Patch(t.Context(), []byte(test.patch))
			var invalid *config.Invalid
			if test.path == "" {
				if err != nil {
					t.Fatalf("Patch: %v", err)
				}
				return
			}
			if !errors.As(err, &invalid) || invalid.Problems[0].Path != test.path {
				t.Fatalf("Patch: %v, want a problem at %s", err, test.path)
			}
			if got := read(t, f.Paths.Config); got != agents {
				t.Errorf("the file changed: %s", got)
			}
		})
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	f := file(t, `{ agents: { list: [{ id: "main", name: "M" }, { id: "two" }] }, tools: { deny: ["a"] }, gateway: { port: 1 } }`)
	s, err := f.Patch(t.Context(), []byte(`{ agents: { list: [{ id: "two", name: "T" }, { id: "three" }] }, tools: { deny: ["b"] }, gateway: null }`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Agents, Tools, Gateway any }
	if err := json.Unmarshal(s.Resolved.JSON(), &got); err != nil {
		t.Fatal(err)
	}
	one := func(kv ...string) any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	want := struct{ Agents, Tools, Gateway any }{
		map[string]any{"list": []any{one("id", "main", "name", "M"), one("id", "two", "name", "T"), one("id", "three")}},
		map[string]any{"deny": []any{"b"}},
		nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for patch, kind := range map[string]fault.Kind{"[]": fault.Invalid, "{nope": fault.Invalid, `{"__proto__":{"a":1}}`: fault.Invalid, `{a:{constructor:1}}`: fault.Invalid} {
		if _, err := f.Patch(t.Context(), []byte(patch)); fault.KindOf(err) != kind {
			t.Errorf("Patch(%s): %v", patch, err)
		}
	}
	f.BaseHash = "deadbeef"
	if _, err := f.Patch(t.Context(), []byte("{}")); fault.KindOf(err) != fault.Conflict || fault.Hint(err) != "config changed since last load; re-run config.get and retry" {
		t.Errorf("a stale hash: %v", err)
	}
}

func TestIncludedKeysAreEditedInTheirFile(t *testing.T) {
	t.Parallel()
	f := file(t, `{ $include: "./base.json5", gateway: { port: 2 }, agents: { $include: "./agents.json5" } }`)
	write(t, filepath.Join(f.Paths.State, "base.json5"), `{ gateway: { mode: "local", port: 1 }, tools: { deny: ["x"] } }`)
	write(t, filepath.Join(f.Paths.State, "agents.json5"), `{ defaults: { workspace: "~/w" } }`)
	for _, path := range []string{"gateway.mode", "agents.defaults.workspace", "agents.defaults", "tools.deny", "gateway"} {
		_, err := f.Set(t.Context(), path, []byte(`{}`))
		if err == nil || !strings.Contains(fault.Hint(err), ".json5; edit it there") {
			t.Errorf("Set(%s): %v", path, err)
		}
	}
	if _, err := f.Patch(t.Context(), []byte(`{ tools: { deny: null } }`)); err == nil {
		t.Error("a patch reached into an included file")
	}
	s, err := f.Set(t.Context(), "gateway.port", []byte("3"))
	if err != nil || s.Config.Gateway.Port != 3 || s.Config.Gateway.Mode != "local" {
		t.Fatalf("Set of an own key: %v", err)
	}
	if s, err = f.Set(t.Context(), "logging.level", []byte(`"debug"`)); err != nil || s.Config.Logging.Level != "debug" {
		t.Fatalf("Set of a new key: %v", err)
	}
	if got := read(t, f.Paths.Config); !strings.Contains(got, `$include: "./base.json5"`) || strings.Contains(got, "deny") {
		t.Errorf("flattened: %s", got)
	}
}

func TestBackupsAndAudit(t *testing.T) {
	t.Parallel()
	f := file(t, "")
	for i := range 7 {
		if _, err := f.Set(t.Context(), "gateway.port", []byte{'1', byte('0' + i)}); err != nil {
			t.Fatal(err)
		}
	}
	var ports []string
	for _, suffix := range []string{"", ".bak", ".bak.1", ".bak.2", ".bak.3", ".bak.4"} {
		var c struct{ Gateway struct{ Port json.Number } }
		if err := json.Unmarshal([]byte(read(t, f.Paths.Config+suffix)), &c); err != nil {
			t.Fatal(err)
		}
		ports = append(ports, c.Gateway.Port.String())
	}
	if diff := cmp.Diff([]string{"16", "15", "14", "13", "12", "11"}, ports); diff != "" {
		t.Error(diff)
	}
	entries, err := os.ReadDir(f.Paths.State)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	lines := strings.Split(strings.TrimSpace(read(t, f.Paths.Audit())), "\n")
	if len(lines) != 7 {
		t.Fatalf("%d audit lines, want 7", len(lines))
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]any{
		"event": "config.write", "existsBefore": false, "result": "rename", "hasMetaAfter": true,
		"previousHash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "ts": "2026-11-30T21:00:41.481Z",
	} {
		if line[k] != want {
			t.Errorf("audit %s = %v, want %v", k, line[k], want)
		}
	}
	if argv, _ := line["argv"].([]any); len(argv) != 8 {
		t.Errorf("argv = %v, want the first 8 words", line["argv"])
	}
}

func TestWritersDoNotLoseEachOther(t *testing.T) {
	t.Parallel()
	f := file(t, "{}")
	var wg sync.WaitGroup
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		wg.Go(func() {
			if _, err := f.Set(context.WithoutCancel(t.Context()), "env.vars."+strings.ToUpper(key), []byte(`"1"`)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l, err := config.Load(t.Context(), f.Paths, f.Load)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Resolved.Find("env", "vars").Members); n != 8 {
		t.Errorf("%d of 8 writes are there", n)
	}
}

func TestRedaction(t *testing.T) { // T-22
	t.Parallel()
	f := file(t, strings.Replace(handwritten, "/* people */", `/* the bot is 1:secret-of-telegram */
  hooks: { mappings: [{ id: "a", sessionKey: "hook:CANARY1" }], token: "CANARY2-long" },
  env: { vars: { FOO_TOKEN: "CANARY3-long" } },
  models: { providers: { p: { baseUrl: "https://u:CANARY4@h/", apiKey: { source: "env", provider: "default", id: "CANARY_ID" },
    headers: { "X-Api-Key": "CANARY5-long" }, models: [] } } },
  mcp: { servers: { s: { command: "x", env: { ANY: "CANARY6-long" } } } },`, 1))
	l, err := config.Load(t.Context(), f.Paths, f.Load)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := config.RedactSource(l.Doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{string(raw), string(config.Redact(l.Resolved).JSON()), string(config.Redact(l.Filled).JSON())} {
		for _, secret := range []string{"CANARY", "secret-of-telegram", "token-from-env"} {
			if strings.Contains(out, secret) {
				t.Errorf("%s shows in %s", secret, out)
			}
		}
		if !strings.Contains(out, "maxTokens") && strings.Contains(out, `"maxTokens": "__`) {
			t.Errorf("harmless keys are hidden: %s", out)
		}
	}
	if !strings.Contains(string(raw), "${GW_TOKEN}") || !strings.Contains(string(raw), "// my gateway") {
		t.Errorf("references and comments must stay: %s", raw)
	}
	s, err := f.Replace(t.Context(), bytes.Replace(raw, []byte("18789"), []byte("18790"), 1))
	if err != nil {
		t.Fatal(err)
	}
	disk := read(t, f.Paths.Config)
	for _, want := range []string{"CANARY1", "CANARY2-long", "CANARY3-long", "u:CANARY4@h", "CANARY5-long", "CANARY6-long", "CANARY_ID", `botToken: "1:secret-of-telegram"`, "${GW_TOKEN}", "18790"} {
		if !strings.Contains(disk, want) {
			t.Errorf("%s is gone: %s", want, disk)
		}
	}
	if s.Config.Gateway.Port != 18790 {
		t.Errorf("port = %d", s.Config.Gateway.Port)
	}
	for _, text := range []string{
		`{ gateway: { remote: { token: "__OPENCLAW_REDACTED__" } } }`,
		`{ gateway: { auth: { token: "x__OPENCLAW_REDACTED__" } } }`,
		`{ hooks: { mappings: [{ id: "other", sessionKey: "__OPENCLAW_REDACTED__" }] } }`,
	} {
		if _, err := f.Patch(t.Context(), []byte(text)); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.Hint(err), "is not valid as real data") {
			t.Errorf("Patch(%s): %v", text, err)
		}
	}
	if _, err := f.Set(t.Context(), "logging.file", []byte(`"__OPENCLAW_REDACTED__"`)); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Set to a mark: %v", err)
	}
}

func TestRepair(t *testing.T) { // CFG-01
	t.Parallel()
	raw, err := os.ReadFile("testdata/faults/retired-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	f := file(t, string(raw))
	s, changes, err := f.Repair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Moved telegram → channels.telegram.", "Removed unknown key gateway.controlUi.requirePairing.",
		"Removed unknown key gateway.controlUi.autoApproveDevices.", "Removed unknown key plugins.bundledDiscovery.",
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if read(t, s.Backup) != string(raw) || !strings.Contains(read(t, f.Paths.Config), "// file written by an older release") {
		t.Error("no backup, or the comments are gone")
	}
	if s, changes, err = f.Repair(t.Context()); err != nil || len(changes) > 0 || s.Changed {
		t.Errorf("a second repair: %v, %v", changes, err)
	}
	f = file(t, `{ telegram: { botToken: "1:a" }, gateway: { auth: { token: 5 } } }`)
	before := read(t, f.Paths.Config)
	_, _, err = f.Repair(t.Context())
	var invalid *config.Invalid
	if !errors.As(err, &invalid) || invalid.Problems[0].Path != "gateway.auth.token" || read(t, f.Paths.Config) != before {
		t.Errorf("a wrong type on an access key: %v", err)
	}
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	tests := map[string][2]string{
		"agent":       {`{ agent: { model: "a/b", modelFallbacks: ["c/d"], allowedModels: ["a/b"], modelAliases: { x: "e/f" }, timeoutSeconds: 5 } }`, `{"agents":{"defaults":{"models":{"a/b":{},"e/f":{"alias":"x"}},"timeoutSeconds":5,"model":{"primary":"a/b","fallbacks":["c/d"]}}}}`},
		"bind":        {`{ gateway: { bind: "0.0.0.0", token: "t" } }`, `{"gateway":{"bind":"lan","auth":{"token":"t"}}}`},
		"routing":     {`{ routing: { agents: { w: { name: "W" } }, defaultAgentId: "w", queue: { cap: 3 } } }`, `{"messages":{"queue":{"cap":3}},"agents":{"list":[{"id":"w","name":"W","default":true}]}}`},
		"identity":    {`{ identity: { name: "N" } }`, `{"agents":{"list":[{"id":"main","default":true,"identity":{"name":"N"}}]}}`},
		"mention":     {`{ telegram: { requireMention: true, botToken: "x" } }`, `{"channels":{"telegram":{"groups":{"*":{"requireMention":true}},"botToken":"x"}}}`},
		"ttl":         {`{ session: { threadBindings: { ttlHours: 3 } } }`, `{"session":{"threadBindings":{"idleHours":3}}}`},
		"bash":        {`{ tools: { bash: { timeoutSec: 3 }, exec: { timeoutSec: 4 } } }`, `{"tools":{"exec":{"timeoutSec":4}}}`},
		"tts":         {`{ messages: { tts: { enabled: true } } }`, `{"messages":{"tts":{"auto":"always"}}}`},
		"heartbeat":   {`{ heartbeat: { every: "5m", showOk: true } }`, `{"channels":{"defaults":{"heartbeat":{"showOk":true}}},"agents":{"defaults":{"heartbeat":{"every":"5m"}}}}`},
		"nothing":     {`{ gateway: { port: 1 } }`, `{"gateway":{"port":1}}`},
		"kept object": {`{ ui: { bogus: 1 } }`, `{"ui":{}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := file(t, test[0])
			s, _, err := f.Repair(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if json.Unmarshal(s.Resolved.JSON(), &got) != nil || json.Unmarshal([]byte(test[1]), &want) != nil {
				t.Fatal("not JSON")
			}
			delete(got, "meta")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
