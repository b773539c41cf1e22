package control_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/gateway/control"
)

func TestAgentsCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	check := w.Feature().Checks[0]
	if f := check.Run(t.Context()); len(f) != 0 {
		t.Errorf("a good configuration: %v", f)
	}
	w.cfg.Agents.List[1].Workspace = w.cfg.Agents.Defaults.Workspace
	w.cfg.Agents.List[1].Model.Primary = "nope/x"
	write(t, w.cfg.Agents.Defaults.Workspace, "a file")
	if f := check.Run(t.Context()); len(f) != 4 { // shared, no directory twice, no model
		t.Errorf("found %v", f)
	}
}

func TestNeedsRestart(t *testing.T) {
	t.Parallel()
	got := map[string]bool{}
	paths := []string{"gateway.port", "gateway", "gateway.auth.token", "gateway.http.endpoints", "messages", "gateway.reload.mode", "gateway.authentic"}
	for _, p := range paths {
		got[p] = control.NeedsRestart([]string{"meta", p})
	}
	want := map[string]bool{
		"gateway.port": true, "gateway": true, "gateway.auth.token": true, "gateway.http.endpoints": false, "messages": false,
		"gateway.reload.mode": false, "gateway.authentic": false,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
