//go:build unix

package docs_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/test/harness"
)

// TestMethods keeps the methods of protocol.md those that a gateway serves.
func TestMethods(t *testing.T) {
	t.Parallel()
	g := harness.New(t, "http://127.0.0.1:1", nil)
	g.Start()
	c, err := client.Dial(t.Context(), client.Options{URL: strings.Replace(g.URL(""), "http", "ws", 1), Token: harness.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	methods := slices.Sorted(slices.Values(c.Hello().Features.Methods))
	var sb strings.Builder
	group := ""
	for _, m := range methods {
		at, _, dotted := strings.Cut(m, ".")
		if !dotted {
			at = ""
		}
		switch {
		case sb.Len() == 0:
		case at != group:
			sb.WriteString("\n- ")
		default:
			sb.WriteString(", ")
		}
		if sb.Len() == 0 {
			sb.WriteString("- ")
		}
		group = at
		sb.WriteString("`" + m + "`")
	}
	within(t, "protocol.md", "methods", sb.String())
}

// within wants what stands between the marks name to be text.
func within(t *testing.T, file, name, text string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(raw), "<!-- "+name+" -->\n")
	old, after, ok2 := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok1 || !ok2 {
		t.Fatalf("%s: no marks %s", file, name)
	}
	if text += "\n"; old == text {
		return
	}
	if !*update {
		t.Fatalf("%s: %s differ (go test ./docs -run %s -update)\n--- want\n%s", file, name, t.Name(), text)
	}
	if err := os.WriteFile(file, []byte(before+"<!-- "+name+" -->\n"+text+"<!-- /"+name+" -->"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

var entry = regexp.MustCompile(`^  ([a-z][a-z-]*)( .*)?  +[^ ]`)

// TestCommands wants an example of every command in cli.md.
func TestCommands(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("cli.md")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, hasCurl())
	var walk func(path string) int
	walk = func(path string) int {
		help, code := w.sh("help", path+" --help")
		if code != 0 {
			t.Fatalf("%s --help: exit code %d\n%s", path, code, help)
		}
		n, inside := 0, false
		for _, l := range lines(help) {
			switch {
			case l == "":
			case !strings.HasPrefix(l, " "):
				inside = strings.HasSuffix(l, ":") && !slices.Contains([]string{"Options:", "Examples:", "Before the command:"}, l)
			case inside:
				m := entry.FindStringSubmatch(l)
				if m == nil {
					continue
				}
				n++
				sub := path + " " + m[1]
				if walk(sub) == 0 && !strings.Contains(string(raw), sub+" ") && !strings.Contains(string(raw), sub+"\n") {
					t.Errorf("cli.md has no example of %s", sub)
				}
			}
		}
		return n
	}
	if n := walk("openclaw"); n < 15 {
		t.Errorf("only %d commands found", n)
	}
}
