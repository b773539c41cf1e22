package cli_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// absent are recorded flags of commands that we have, which this version
// doesn't know yet: they say "unknown option".
func absent() map[string]string {
	return map[string]string{
		"agents bind": "", "channels add": "app-token signal-number cli-path db-path service region auth-dir http-url webhook-path " +
			"audience-type audience homeserver access-token device-name initial-sync-limit ship url code auto-discover-channels no-auto-discover-channels",
		"gateway probe": "ssh ssh-identity ssh-auto",
		"message send":  "card",
		"models auth":   "agent",
		"models status": "probe probe-provider probe-profile probe-timeout probe-concurrency probe-max-tokens", // ignored, as unknown ones are there
		"onboard":       "cloudflare-ai-gateway-account-id cloudflare-ai-gateway-gateway-id cloudflare-ai-gateway-api-key",
		"config":        "section",
	}
}

// Every flag that OpenClaw 2026.3.13 has on a command that we have is there,
// except the ones listed above.
func TestRecordedFlags(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/recorded-flags.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string][]string
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	long := regexp.MustCompile(`--([a-z0-9-]+)`)
	ours := append(commands(t, nil), "daemon", "daemon status", "daemon install", "daemon start", "daemon stop", "daemon restart", "daemon uninstall")
	seen := 0
	for path, flags := range recorded {
		if !slices.Contains(ours, path) {
			continue
		}
		seen++
		for _, f := range flags {
			name := long.FindStringSubmatch(f)[1]
			if slices.Contains(strings.Fields(absent()[path]), name) || name == "no-color" {
				continue
			}
			if _, errs, _ := run(t, append(strings.Fields(path), "--"+name, "--help")...); strings.Contains(errs, "unknown option") {
				t.Errorf("openclaw %s doesn't know --%s", path, name)
			}
		}
	}
	if seen < 70 {
		t.Errorf("only %d recorded commands are here", seen)
	}
}

// Whatever is recorded and isn't here says that it isn't here yet.
func TestRecordedCommands(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/recorded-flags.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string][]string
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	ours := append(commands(t, nil), "daemon", "daemon status", "daemon install", "daemon start", "daemon stop", "daemon restart", "daemon uninstall")
	for path := range recorded {
		if slices.Contains(ours, path) {
			continue
		}
		for _, more := range []string{"", " --json", " --whatever x"} {
			_, errs, code := run(t, strings.Fields(path+more)...)
			if code != 1 || !strings.Contains(errs, "this version doesn't have it yet") || strings.Count(errs, "\n") != 1 {
				t.Errorf("openclaw %s = %d, %q", path+more, code, errs)
			}
		}
	}
}
