package docs_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

var updateServices = flag.Bool("services", false, "rewrite the table of services in providers.md")

// TestServices keeps the table of providers.md that of the program.
func TestServices(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("\n| service | | format | variables |\n|---|---|---|---|\n")
	for _, r := range compat.Table() {
		names := "`" + r.ID + "`"
		for _, a := range r.Aliases {
			names += ", `" + a + "`"
		}
		var env []string
		for _, e := range append(r.Env, r.Elsewhere...) {
			env = append(env, "`"+e+"`")
		}
		if len(env) == 0 {
			env = []string{"a login"}
			if r.Keyless {
				env = []string{"none needed"}
			}
		}
		b.WriteString("| " + names + " | " + r.Name + " | `" + r.API + "` | " + strings.Join(env, ", ") + " |\n")
	}
	b.WriteString("\n")
	raw, err := os.ReadFile("providers.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- services -->\n", "<!-- /services -->"
	head, rest, ok1 := strings.Cut(string(raw), begin)
	table, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("providers.md has no place for the table")
	}
	if *updateServices {
		if err := os.WriteFile("providers.md", []byte(head+begin+b.String()+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(table, b.String()); d != "" {
		t.Errorf("providers.md (-it +the program), -services writes it:\n%s", d)
	}
}
