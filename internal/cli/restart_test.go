package cli_test

import (
	"context"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/cli"
)

// A gateway that asks for a restart is run again, with what the file says then.
func TestRestart(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var ports []int
	d := cli.Deps{Serve: func(_ context.Context, o cli.ServeOptions) error {
		ports = append(ports, o.Port)
		if o.FixedPort {
			t.Error("the port is fixed, and neither a flag nor the environment says it")
		}
		if len(ports) > 1 {
			return nil
		}
		if _, errs, code := in(t, state, "config", "set", "gateway.port", "29181"); code != 0 {
			t.Error(errs)
		}
		return cli.ErrRestart
	}}
	var errs strings.Builder
	p := cli.System()
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), new(strings.Builder), &errs
	env := map[string]string{"HOME": t.TempDir(), "OPENCLAW_STATE_DIR": state}
	p.Getenv = func(k string) string { return env[k] }
	if _, e, code := in(t, state, "config", "patch", "{gateway: {mode: 'local', port: 29180, auth: {token: 'tttttttttttttttttttttttt'}}}"); code != 0 {
		t.Fatal(e)
	}
	if code := cli.Run(t.Context(), []string{"gateway", "run"}, d, p); code != 0 {
		t.Fatalf("gateway run = %d, %s", code, errs.String())
	}
	if len(ports) != 2 || ports[0] != 29180 || ports[1] != 29181 {
		t.Errorf("ports = %v, want 29180 and 29181", ports)
	}
}
