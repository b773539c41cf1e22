package test

import (
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/test/harness"
)

// A gateway that no flag holds to its port goes where the file sends it, within
// its process.
func TestPortMoves(t *testing.T) {
	t.Parallel()
	m := harness.NewModel(t)
	g := harness.New(t, m.URL, nil)
	cmd := g.Command(t.Context(), "gateway", "run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, cmd) })
	answers(t, g)
	g.Port = harness.Port(t)
	g.Edit(func(c map[string]any) { c["gateway"].(map[string]any)["port"] = g.Port })
	answers(t, g)
	if code, out := run(t, g, 20*time.Second, "agent", "--agent", "main", "-m", "a question"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
}

func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}

func answers(t *testing.T, g *harness.Gateway) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		resp, err := http.Get(g.URL("/readyz"))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("nothing answers on port %d", g.Port)
}
