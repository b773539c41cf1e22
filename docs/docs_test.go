//go:build unix

// Package docs_test runs what the documentation shows.
//
// Blocks fenced as console are typed, page by page and in order, into a shell
// whose home directory is new, and what comes back must be what the page shows:
// "..." stands for any text in a line, and alone for any lines. A command
// without shown output must succeed; "console exit=1" says how the last command
// of a block ends. Blocks fenced as json5 are whole config files that must be
// valid. A page that says <!-- gateway: yes --> has a gateway running.
package docs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/test/harness"
)

var update = flag.Bool("update", false, "write what commands print into the pages where it differs")

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "curl" {
		os.Exit(curl(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(harness.Main(m))
}

func pages(t *testing.T) []string {
	t.Helper()
	found := []string{"../README.md"}
	for _, glob := range []string{"*.md", "*/*.md"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, files...)
	}
	return found
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, file := range pages(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			run(t, file, hasCurl())
		})
	}
}

// TestOwnCurl runs the HTTP page as on a host without curl.
func TestOwnCurl(t *testing.T) {
	t.Parallel()
	if !*update {
		run(t, "http-api.md", false)
	}
}

func run(t *testing.T, file string, realCurl bool) {
	t.Helper()
	p := read(t, file)
	w := newWorld(t, realCurl)
	if p.gateway {
		w.startGateway()
	}
	changed := false
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.json5 {
			w.validate(fmt.Sprintf("%s:%d", file, b.line), b.text)
			continue
		}
		for j := range b.steps {
			s := &b.steps[j]
			where := fmt.Sprintf("%s:%d", file, s.line)
			got, code := w.sh(where, s.command)
			if code != s.exit {
				t.Fatalf("%s: $ %s\nexit code %d, want %d\n%s", where, s.command, code, s.exit, got)
			}
			if len(s.want) == 0 || match(s.want, lines(got)) {
				continue
			}
			if *update {
				s.want, changed = slices.CompactFunc(lines(got), func(a, b string) bool { return a == b && a == "..." }), true
				continue
			}
			t.Errorf("%s: $ %s\n--- got\n%s\n--- want\n%s", where, s.command, got, strings.Join(s.want, "\n"))
		}
	}
	if changed {
		p.write(t, file)
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinks finds links to files that aren't there.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, file := range append(pages(t), "../CHANGELOG.md", "../ARCHITECTURE.md") {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(raw), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", file, m[1], err)
			}
		}
	}
}
