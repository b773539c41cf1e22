package term_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

func TestTableKeepsColumnsStraight(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	term.Table{
		Head: []string{"Key", "Name", "Age"}, Max: map[int]int{0: 10},
		Rows: [][]string{
			{"a", "plain", "1m"},
			{"房间", "日本語テスト", "2m"},
			{"a-very-long-key", "\x1b[31mred\x1b[0m", "3m"},
			{"bad", "x\x1b[2J\ny\u202e", "4m"},
			{"🦞", "é", ""},
		},
	}.Write(&b, term.Style{})
	want := `Key         Name          Age
a           plain         1m
房间        日本語テスト  2m
a-very-lo…  ` + "\x1b[31mred\x1b[0m" + `           3m
bad         x [2J y       4m
🦞          é
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCardLeavesOutWhatIsEmpty(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	c := term.Card{Title: "T"}
	c.Add("One", "1")
	c.Add("Nothing", "")
	c.Add("Longer name", "2")
	c.Write(&b, term.Style{})
	if want := "T\n  One          1\n  Longer name  2\n"; b.String() != want {
		t.Errorf("card = %q, want %q", b.String(), want)
	}
}

func TestColors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"no terminal":  {nil, false},
		"NO_COLOR":     {map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, false},
		"FORCE_COLOR":  {map[string]string{"FORCE_COLOR": "1"}, true},
		"FORCE_COLOR0": {map[string]string{"FORCE_COLOR": "0"}, false},
	} {
		if got := term.Colors(&bytes.Buffer{}, func(k string) string { return tc.env[k] }); got != tc.want {
			t.Errorf("%s: Colors = %v, want %v", name, got, tc.want)
		}
	}
	if got := (term.Style{Color: true}).Bad("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("Bad = %q", got)
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := term.NewPrompt(strings.NewReader("\nmaybe\ny\n9\n2\nlast"), &out, term.Style{})
	if s, err := p.Ask("Name", "ada"); s != "ada" || err != nil {
		t.Errorf("Ask = %q, %v", s, err)
	}
	if ok, err := p.Confirm("Sure?", false); !ok || err != nil {
		t.Errorf("Confirm = %v, %v", ok, err)
	}
	if n, err := p.Choose("Which?", []string{"a", "b"}); n != 1 || err != nil {
		t.Errorf("Choose = %d, %v", n, err)
	}
	if s, err := p.Secret("Key"); s != "last" || err != nil {
		t.Errorf("Secret = %q, %v", s, err)
	}
	if _, err := p.Ask("More", ""); !errors.Is(err, term.ErrEnded) {
		t.Errorf("Ask at the end = %v", err)
	}
}

// FuzzClean holds that nothing from outside can move the cursor.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "\x1b[31mred\x1b[0m", "a\x00b\r\n", "\xff\xfe", "\u202e", "\x1b[1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := term.Clean(s)
		for _, ours := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"} {
			got = strings.ReplaceAll(got, ours, "")
		}
		if strings.ContainsAny(got, "\x1b\r\n\x00\u202e\u0085\u009b") {
			t.Errorf("Clean(%q) = %q", s, got)
		}
	})
}
