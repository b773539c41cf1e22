package command_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/command"
)

// What stands in code, in quotes and in quoted lines is never a command, and
// what stands beside it is.
func TestShield(t *testing.T) {
	t.Parallel()
	table := world(t)
	for _, tc := range []struct {
		text string
		cut  string // "" is text itself
	}{
		{"try `/think high` now", ""},
		{"try ``/think high`` now", ""},
		{"try `` a ` /think high`` now", ""},
		{"a span `over\n/think high\ntwo` lines", ""},
		{"```\n/think high\n```", ""},
		{"```sh\n/think high\n\n/status\n```\nwhat is it?", ""},
		{"````\n```\n/think high\n```\n````", ""},
		{"~~~\n/think high\n```\n/status\n~~~", ""},
		{"  ```\n/think high\n  ```", ""},
		{"never closed\n```\n/think high", ""},
		{"within a line ```/think high``` it is", ""},
		{"within a line ```never closed /think high", ""},
		{"run\n\n    /think high\n\n    /status\n", ""},
		{"run\n\n\t/think high", ""},
		{"> /think high", ""},
		{"he wrote\n> so\n> /think high\nwhy?", ""},
		{"  > /think high", ""},
		{`he said "/think high" to me`, ""},
		{"he said \"first\n/think high\" to me", ""},
		{"he said “ /think high” to me", ""},
		{"er schrieb „ /think high“ an mich", ""},
		{"il a dit « /think high » hier", ""},
		{"er schrieb » /think high « hier", ""},
		{"he said ‘ /think high’ to me", ""},
		{"he said ' /think high' to me", ""},
		{"彼は「 /think high」と言った", ""},
		{"『 /status』", ""},
		{"it's late /think high, isn't it", "it's late high, isn't it"},
		{"`code` /think high then", "`code` then"},
		{"```\n/think low\n```\n/think high\nwhat is it?", "```\n/think low\n```\n\nwhat is it?"},
		{"> /think low\n/think high\nwhy?", "> /think low\n\nwhy?"},
		{"a ` alone /think high then", "a ` alone then"},
		{"a \" alone\n\n/think high then \"", "a \" alone\n\n then \""},
		{"5 > 3 /think high then", "5 > 3 then"},
		{"a `` b ` /think high then", "a `` b ` then"},
		{"what /think high is 'it'", "what is 'it'"},
	} {
		want := tc.cut
		if want == "" {
			want = tc.text
		}
		if d := cmp.Diff([]string{want}, table.Cut(tc.text)); d != "" {
			t.Errorf("Cut(%q): %s", tc.text, d)
		}
		got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: tc.text}, May: true})
		if none := got.Once == (command.Once{}) && len(got.Replies) == 0 && !got.Handled; err != nil || none != (tc.cut == "" || strings.Contains(tc.cut, "high")) {
			t.Errorf("Apply(%q) = %+v, %v", tc.text, got, err)
		}
	}
	// Code that one part of a message begins goes on in the next.
	parts := []string{"look:\n```", "/think high", "```", "/think low what is it?"}
	want := []string{"look:\n```", "/think high", "```", "what is it?"}
	if d := cmp.Diff(want, table.Cut(parts...)); d != "" {
		t.Error(d)
	}
}

// The time that a text takes grows with it, not with its square.
func TestShieldIsFast(t *testing.T) {
	t.Parallel()
	table := world(t)
	for _, piece := range []string{"«", "“", "\"'", "` ``", "` `` ``` ", "> /think\n", "/think high ", "\n```\n", "'x"} {
		text := strings.Repeat(piece, 200_000/len(piece))
		start := time.Now()
		table.Cut(text)
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%q: %v", piece, d)
		}
	}
}

// Whatever is put in code or quoted, it does nothing and stays as it is.
func FuzzShield(f *testing.F) {
	for _, s := range []string{"/think high", "/status", "a /queue steer b", "x\n/t: low", "/new \"", "'/t", "~~~\n/think high"} {
		f.Add(s)
	}
	table := world(f)
	f.Fuzz(func(t *testing.T, s string) {
		oneLine := strings.Join(strings.Fields(strings.NewReplacer("`", "", "\"", "").Replace(s)), " ")
		fenced := strings.NewReplacer("`", "", "~", "").Replace(s)
		for _, text := range []string{
			"a ` " + oneLine + " ` b", "a `` ` " + oneLine + " `` b", "```\n" + fenced + "\n```", "~~~~\n~~~\n" + fenced + "\n~~~~",
			"> " + strings.ReplaceAll(s, "\n", "\n> "), "a \" " + oneLine + " \" b",
		} {
			if rest := table.Cut(text)[0]; rest != text {
				t.Errorf("Cut(%q) = %q", text, rest)
			}
			got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: text}, May: true})
			if err != nil || got.Handled || len(got.Replies) > 0 || got.Once != (command.Once{}) {
				t.Errorf("Apply(%q) = %+v, %v", text, got, err)
			}
		}
	})
}
