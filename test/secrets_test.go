package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// The gateway's secrets reach neither a transcript nor a model, whichever tool
// the owner has look at the files that hold them (promise 10).
func TestSecretsStayPut(t *testing.T) {
	t.Parallel()
	const (
		fromFile = "file-secret-1f3a5b7d9"
		fromEnv  = "env-secret-2b4d6f8a0c"
		profile  = "sk-profile-3c5e7a9b1d"
	)
	g, m := alone(t, func(cfg object) {
		section(cfg, "channels")["telegram"] = object{"enabled": false, "botToken": fromFile}
	})
	agentDir := filepath.Join(g.Dir, "agents", "main", "agent")
	if err := os.MkdirAll(agentDir, 0o700); err != nil {
		t.Fatal(err)
	}
	auth := fmt.Sprintf(`{"version":1,"profiles":{"openai:x":{"type":"api_key","provider":"openai","key":%q}}}`, profile)
	for path, text := range map[string]string{filepath.Join(agentDir, "auth-profiles.json"): auth, filepath.Join(g.Dir, ".env"): "BRAVE_API_KEY=" + fromEnv + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.Kill()
	g.Start()
	owner(t, g) // a paired device, so that its token is on disk too
	harness.Until(t, 10*time.Second, "the device is on disk", func() bool {
		b, err := os.ReadFile(filepath.Join(g.Dir, "devices", "paired.json"))
		return err == nil && strings.Contains(string(b), "token")
	})
	var devices map[string]json.RawMessage
	_ = json.Unmarshal([]byte(read(t, filepath.Join(g.Dir, "devices", "paired.json"))), &devices)
	if len(devices) == 0 {
		t.Fatal("no device on disk")
	}
	ask := func(tool string, args object) {
		t.Helper()
		raw, _ := json.Marshal(args)
		if code, out := run(t, g, 30*time.Second, "agent", "--agent", "main", "-m", "!tool "+tool+" "+string(raw)); code != 0 {
			t.Fatalf("%s: %d: %s", tool, code, out)
		}
	}
	ask("read", object{"path": g.ConfigPath()})
	ask("grep", object{"pattern": "oken", "path": g.ConfigPath()})
	ask("exec", object{"command": "cat " + g.ConfigPath() + " " + g.Dir + "/.env; cat " + agentDir + "/auth-profiles.json; cat " + g.Dir + "/devices/*.json " + g.Dir + "/identity/*.json; env"})
	seen := read(t, g.TranscriptFile("agent:main:main"))
	for _, c := range m.Calls("!tool") {
		seen += c.Raw
	}
	if !strings.Contains(seen, "__OPENCLAW_REDACTED__") || !strings.Contains(seen, "auth") {
		t.Error("nothing was read at all")
	}
	secrets := []string{fromFile, fromEnv, profile, harness.Token, "PRIVATE KEY"}
	for _, raw := range devices {
		var d struct {
			Tokens map[string]struct{ Token string }
		}
		if json.Unmarshal(raw, &d) != nil {
			t.Fatalf("device: %s", raw)
		}
		for _, tok := range d.Tokens {
			secrets = append(secrets, tok.Token)
		}
	}
	for _, s := range secrets {
		if i := strings.Index(seen, s); s != "" && i >= 0 {
			t.Errorf("%q is in a transcript or model request: …%s…", s, seen[max(0, i-80):min(len(seen), i+80)])
		}
	}
	// What the agent would write back doesn't become the configuration.
	if err := os.WriteFile(g.ConfigPath(), []byte(strings.ReplaceAll(read(t, g.ConfigPath()), harness.Token, "__OPENCLAW_REDACTED__")), 0o600); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, 10*time.Second, "the file is refused", func() bool {
		return strings.Contains(g.Log(), "the mark that hides a secret")
	})
}

// A token of the command line stands in no file, and what a command in the
// background puts out comes back another way than a tool's result.
func TestGivenSecretsStayPut(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	g.Edit(func(cfg object) {
		section(cfg, "gateway")["auth"] = object{"mode": "token", "token": "another-token-567890"}
	})
	g.Args = []string{"--token", harness.Token}
	g.Start()
	g.Env = append(g.Env, "OPENCLAW_GATEWAY_TOKEN="+harness.Token) // for the command line that asks
	ask := func(text string) {
		t.Helper()
		if code, out := run(t, g, 30*time.Second, "agent", "-m", text); code != 0 {
			t.Fatalf("%s: %d: %s", text, code, out)
		}
	}
	first, second := harness.Token[:9], harness.Token[9:]
	print := fmt.Sprintf("A=%s; echo given ${A}%s", first, second) // the call itself doesn't hold it
	for _, args := range []object{{"command": print}, {"command": "sleep 0.2; " + print, "background": true}} {
		raw, _ := json.Marshal(args)
		ask("!tool exec " + string(raw))
	}
	harness.Until(t, 20*time.Second, "the end of the command in the background is told", func() bool {
		ask("what is new?")
		for _, c := range m.Calls("what is new?") {
			if strings.Contains(c.Raw, "Exec completed") {
				return true
			}
		}
		return false
	})
	seen := read(t, g.TranscriptFile("agent:main:main"))
	for _, c := range m.Calls("") {
		seen += c.Raw
	}
	if n := strings.Count(seen, "given __OPENCLAW_REDACTED__"); n < 2 {
		t.Errorf("%d outputs were seen", n)
	}
	if strings.Contains(seen, harness.Token) {
		t.Error("the token of the flag is in a transcript or model request")
	}
}
