package reply_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/config"
)

// all cuts s into the pieces that c makes of it when it is complete.
func all(c reply.Chunk, s string) (out []string) {
	for s != "" {
		n := c.Next(s, true)
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func TestChunk(t *testing.T) {
	t.Parallel()
	fence := "```\n" + strings.Repeat("x\n\n", 20) + "```\n"
	for name, tc := range map[string]struct {
		c    reply.Chunk
		s    string
		want []string
	}{
		"fits":         {reply.Chunk{Min: 5, Max: 20}, "a b\n\nc", []string{"a b\n\nc"}},
		"paragraph":    {reply.Chunk{Min: 5, Max: 20}, "one two.\nthree\n\nfour five six seven", []string{"one two.\nthree\n\n", "four five six seven"}},
		"newline":      {reply.Chunk{Min: 5, Max: 20, Break: "newline"}, "one two.\nthree four five", []string{"one two.\n", "three four five"}},
		"sentence":     {reply.Chunk{Min: 5, Max: 20, Break: "sentence"}, "One two. Three\nfour five six", []string{"One two.", " Three\nfour five six"}},
		"whitespace":   {reply.Chunk{Min: 5, Max: 10}, "aaa bbb ccc ddd", []string{"aaa bbb", " ccc ddd"}},
		"hard":         {reply.Chunk{Min: 2, Max: 4}, "äöüßéà", []string{"äöüß", "éà"}},
		"chinese":      {reply.Chunk{Min: 2, Max: 6}, "你好。我是一只猫。", []string{"你好。", "我是一只猫。"}},
		"fence whole":  {reply.Chunk{Min: 5, Max: 20}, fence + "after", []string{fence, "after"}},
		"before fence": {reply.Chunk{Min: 5, Max: 20}, "Look here:\n" + fence, []string{"Look here:\n", fence}},
		"open fence":   {reply.Chunk{Min: 5, Max: 20}, "```\n" + strings.Repeat("y\n", 20), []string{"```\n" + strings.Repeat("y\n", 20)}},
		"media line":   {reply.Chunk{Min: 2, Max: 10}, "MEDIA:/a path with words.png\nb", []string{"MEDIA:/a path with words.png\n", "b"}},
	} {
		if d := cmp.Diff(tc.want, all(tc.c, tc.s)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if n := (reply.Chunk{Min: 5, Max: 20}).Next("```\n"+strings.Repeat("y\n", 20), false); n != 0 {
		t.Errorf("an open fence is cut at %d while it comes", n)
	}
}

func FuzzChunk(f *testing.F) {
	f.Add("a\n\nb ```\nx\n``` c", 3, 9)
	f.Add("~~~\nx", 1, 2)
	f.Fuzz(func(t *testing.T, s string, lo, hi int) {
		if !utf8.ValidString(s) || len(s) > 2000 {
			return
		}
		lo = 1 + lo&63
		hi = lo + hi&127
		for _, b := range []string{"", "newline", "sentence"} {
			parts := all(reply.Chunk{Min: lo, Max: hi, Break: b}, s)
			if strings.Join(parts, "") != s {
				t.Errorf("the pieces of %q are %q", s, parts)
			}
			for _, p := range parts {
				if !utf8.ValidString(p) {
					t.Errorf("invalid UTF-8 in %q", p)
				}
			}
		}
		for i := 0; i < len(s); i++ { // while it comes
			if utf8.RuneStart(s[i]) {
				(reply.Chunk{Min: lo, Max: hi}).Next(s[:i], false)
			}
		}
	})
}

func TestMedia(t *testing.T) {
	t.Parallel()
	rest, refs := reply.Media("Look:\nMEDIA:/a.png\n  MEDIA: `b c.png`\n```\nMEDIA:no\n```\nMEDIA:\nMEDIA: https://e.example/x.jpg\nend MEDIA:x")
	if d := cmp.Diff([]string{"/a.png", "b c.png", "https://e.example/x.jpg"}, refs); d != "" {
		t.Error(d)
	}
	if want := "Look:\n```\nMEDIA:no\n```\nMEDIA:\nend MEDIA:x"; rest != want {
		t.Errorf("rest %q, want %q", rest, want)
	}
}

func TestFilled(t *testing.T) {
	t.Parallel()
	who, m := config.Identity{Name: "Claw"}, llm.Model{Provider: "p", ID: "x/y"}
	for prefix, want := range map[string]string{
		"auto": "[Claw]", "🦞": "🦞", "": "", "{MODEL} {modelFull} {provider} {think} {thinkingLevel} {identity.name} {x}": "y p/x/y p high high Claw {x}",
	} {
		if got := reply.Filled(prefix, who, m, "high"); got != want {
			t.Errorf("Filled(%q) = %q, want %q", prefix, got, want)
		}
	}
	if got := reply.Filled("auto", config.Identity{}, m, ""); got != "" {
		t.Errorf("without a name: %q", got)
	}
}
