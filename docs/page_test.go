//go:build unix

package docs_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// page is a page cut into what is run and what is between.
type page struct {
	gateway bool
	text    []string // lines outside blocks; blocks[i] follows text[i]
	blocks  []block
}

type block struct {
	line  int
	fence string // backticks; more than three when the output has three
	info  string // what is written behind them
	json5 bool
	text  string
	steps []step
}

type step struct {
	line    int
	command string
	want    []string
	exit    int
}

var exitCode = regexp.MustCompile(`exit=(\d+)`)

func read(t *testing.T, file string) *page {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{gateway: strings.Contains(string(raw), "<!-- gateway: yes -->")}
	all := strings.Split(string(raw), "\n")
	var text []string
	for i := 0; i < len(all); i++ {
		info := strings.TrimLeft(all[i], "`")
		fence := all[i][:len(all[i])-len(info)]
		kind, _, _ := strings.Cut(info, " ")
		if len(fence) < 3 || kind != "console" && kind != "json5" {
			text = append(text, all[i])
			continue
		}
		start := i + 1
		for i++; i < len(all) && all[i] != fence; i++ {
		}
		if i == len(all) {
			t.Fatalf("%s:%d: block without end", file, start)
		}
		b := block{line: start, fence: fence, info: info, json5: kind == "json5", text: strings.Join(all[start:i], "\n")}
		if !b.json5 {
			b.steps = steps(t, file, start+1, all[start:i])
			if m := exitCode.FindStringSubmatch(info); m != nil {
				b.steps[len(b.steps)-1].exit, _ = strconv.Atoi(m[1])
			}
		}
		p.text = append(p.text, strings.Join(text, "\n"))
		p.blocks = append(p.blocks, b)
		text = nil
	}
	p.text = append(p.text, strings.Join(text, "\n"))
	return p
}

// steps reads commands, which begin with "$ " and go on in lines that begin
// with "> ", and what they print.
func steps(t *testing.T, file string, line int, in []string) []step {
	t.Helper()
	var out []step
	for i, l := range in {
		if c, ok := strings.CutPrefix(l, "$ "); ok {
			out = append(out, step{line: line + i, command: c})
			continue
		}
		if len(out) == 0 {
			t.Fatalf("%s:%d: output before a command", file, line+i)
		}
		s := &out[len(out)-1]
		if c, ok := strings.CutPrefix(l, "> "); ok && len(s.want) == 0 {
			s.command += "\n" + c
			continue
		}
		s.want = append(s.want, l)
	}
	if len(out) == 0 {
		t.Fatalf("%s:%d: no command", file, line)
	}
	return out
}

func (p *page) write(t *testing.T, file string) {
	t.Helper()
	var sb strings.Builder
	put := func(s string) {
		if s != "" {
			sb.WriteString(s + "\n")
		}
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		put(p.text[i])
		put(b.fence + b.info)
		if b.json5 {
			put(b.text)
		}
		for _, s := range b.steps {
			put("$ " + strings.ReplaceAll(s.command, "\n", "\n> "))
			if len(s.want) > 0 {
				sb.WriteString(strings.Join(s.want, "\n") + "\n")
			}
		}
		put(b.fence)
	}
	sb.WriteString(p.text[len(p.blocks)])
	if err := os.WriteFile(file, []byte(sb.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lines(s string) []string {
	s = strings.TrimRight(s, "\n ")
	if s == "" {
		return nil
	}
	out := strings.Split(s, "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out
}

// match says whether got is what a page shows.
func match(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for i := range len(got) + 1 {
			if match(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && matchLine(want[0], got[0]) && match(want[1:], got[1:])
}

func matchLine(want, got string) bool {
	parts := strings.Split(want, "...")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(got)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want, got string
		ok        bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a ... c", "a big b c", true},
		{"a ... c", "a big b d", false},
		{"...", "", true},
		{"a\n...\nz", "a\nb\nc\nz", true},
		{"a\n...\nz", "a\nb\nc", false},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
	} {
		if ok := match(lines(tt.want), lines(tt.got)); ok != tt.ok {
			t.Errorf("match(%q, %q) = %v, want %v", tt.want, tt.got, ok, tt.ok)
		}
	}
}
