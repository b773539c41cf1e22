package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/cli"
)

// run runs a command line in this process, with no environment and no home.
func run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	p := cli.System()
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), &o, &e
	p.Getenv = func(k string) string { return map[string]string{"HOME": t.TempDir()}[k] }
	code = cli.Run(t.Context(), args, deps(), p)
	return o.String(), e.String(), code
}

// Every command's --help is a golden file: what people read must not change
// by accident.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, line := range commands(t, nil) {
		out, errs, code := run(t, append(strings.Fields(line), "--help")...)
		if code != 0 || errs != "" {
			t.Errorf("%s --help = %d, %s", line, code, errs)
		}
		file := filepath.Join("testdata", "help", strings.ReplaceAll("openclaw "+line, " ", "-")+".txt")
		file = strings.ReplaceAll(file, "openclaw-.txt", "openclaw.txt")
		if *update {
			if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out); diff != "" {
			t.Errorf("%s --help (-want +got):\n%s", line, diff)
		}
	}
}

// commands walks the tree as completion sees it.
func commands(t *testing.T, at []string) []string {
	t.Helper()
	out, _, _ := run(t, append(append([]string{"__complete"}, at...), "")...)
	all := []string{strings.Join(at, " ")}
	for line := range strings.Lines(out) {
		name, about, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if about == "" || strings.HasPrefix(name, ":") || len(at) > 3 {
			continue
		}
		all = append(all, commands(t, append(at[:len(at):len(at)], name))...)
	}
	return all
}
