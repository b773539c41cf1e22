package cli_test

import (
	"context"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/cli"
)

// What to type next is typed as the program was.
func TestWelcome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, program, port, want string
		args                      []string
	}{
		{"installed", "openclaw", "29182", "  openclaw status\n", nil},
		{"by a path", "./bin/openclaw", "29182", "  ./bin/openclaw status\n", nil},
		{"by a path with spaces", "/my programs/openclaw", "29182", "  openclaw status\n", nil},
		{"in a profile", "bin/openclaw", "29182", "  bin/openclaw --profile work status\n", []string{"--profile", "work"}},
		{"on another port", "bin/openclaw", "29183", "  OPENCLAW_GATEWAY_PORT=29183 bin/openclaw status\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := cli.Deps{Serve: func(_ context.Context, o cli.ServeOptions) error {
				o.Ready(cli.Ready{Addr: "127.0.0.1:" + tt.port, Model: "demo/demo"})
				return nil
			}}
			var out, errs strings.Builder
			p := cli.System()
			p.Stdin, p.Stdout, p.Stderr, p.Program = strings.NewReader(""), &out, &errs, tt.program
			env := map[string]string{"HOME": t.TempDir(), "OPENCLAW_GATEWAY_PORT": "29182"}
			p.Getenv = func(k string) string { return env[k] }
			if code := cli.Run(t.Context(), append(tt.args, "gateway", "run", "--allow-unconfigured"), d, p); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("got\n%s\nwant %q in it", out.String(), tt.want)
			}
		})
	}
}
