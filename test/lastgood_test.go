package test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// While the file is invalid the gateway goes on, so the commands that ask it go
// on too, and status says what is in force.
func TestInvalidFileWhileRunning(t *testing.T) {
	t.Parallel()
	g, m := alone(t, nil)
	good := read(t, g.ConfigPath())
	bad := strings.Replace(good, "{", `{"strangeKey": 1,`, 1)
	if err := os.WriteFile(g.ConfigPath(), []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	harness.Until(t, 10*time.Second, "the file is refused", func() bool { return strings.Contains(g.Log(), "strangeKey") })
	code, out := run(t, g, 20*time.Second, "agent", "--agent", "main", "-m", "hello")
	if code != 0 || !strings.Contains(out, "echo: hello") || !strings.Contains(out, "strangeKey") {
		t.Errorf("agent: %d: %s", code, out)
	}
	if len(m.Calls("hello")) == 0 {
		t.Error("the gateway wasn't asked")
	}
	if code, out := run(t, g, 20*time.Second, "health"); code != 0 {
		t.Errorf("health: %d: %s", code, out)
	}
	if code, out := run(t, g, 20*time.Second, "status"); code != 0 || !strings.Contains(out, "the last good one is in force") {
		t.Errorf("status: %d: %s", code, out)
	}
	if code, out := run(t, g, 20*time.Second, "status", "--json"); code != 0 || !strings.Contains(out, `"lastGoodInForce": true`) {
		t.Errorf("status --json: %d: %s", code, out)
	}
}
