package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/command"
)

func TestApply(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, _ command.Env, args string) (string, error) { return "[" + args + "]", nil }
	table, err := command.NewTable([]command.Command{{Name: "think", Aliases: []string{"t"}, Run: echo}, {Name: "config", Owner: true, Run: echo}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		text, want string
		handled    bool
	}{
		{"/think high", "[high]", true},
		{"/t", "[]", true},
		{"/think: high ", "[high]", true},
		{"/think:high", "[high]", true},
		{"/THINK@my_bot high", "[high]", true},
		{"/think\nhigh\nlow", "[high\nlow]", true},
		{"/thinking high", "", false},
		{"/etc/passwd: what is it", "", false},
		{"think high", "", false},
		{" /think", "[]", true},
		{"/", "", false},
		{"", "", false},
	} {
		res, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: tc.text}, May: true})
		got, handled := strings.Join(res.Replies, ""), res.Handled
		if got != tc.want || handled != tc.handled || err != nil {
			t.Errorf("Apply(%q) = %q, %t, %v, want %q, %t", tc.text, got, handled, err, tc.want, tc.handled)
		}
		if table.Knows(tc.text) != tc.handled {
			t.Errorf("Knows(%q) = %t", tc.text, !tc.handled)
		}
	}
	res, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: "/config show"}, May: true})
	if !res.Handled || fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a stranger's /config: %+v, %v", res, err)
	}
	if got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: "/config show"}, Owner: true, May: true}); strings.Join(got.Replies, "") != "[show]" || err != nil {
		t.Errorf("the owner's /config: %+v, %v", got, err)
	}
}

func TestNewTableRefusesTwins(t *testing.T) {
	t.Parallel()
	if _, err := command.NewTable([]command.Command{{Name: "a", Aliases: []string{"b"}}, {Name: "b"}}); err == nil {
		t.Error("two commands share a name")
	}
}

// world is a table with commands of each kind.
func world(t testing.TB) *command.Table {
	t.Helper()
	echo := func(name string) func(context.Context, command.Env, string) (string, error) {
		return func(_ context.Context, _ command.Env, args string) (string, error) {
			return name + "[" + args + "]", nil
		}
	}
	level := func(o *command.Once, args string) error {
		if args != "high" && args != "low" {
			return errors.New("no level")
		}
		o.Thinking = args
		return nil
	}
	one := func(i int, _ string) bool { return i == 0 }
	cs := []command.Command{
		{Name: "think", Aliases: []string{"t"}, Run: echo("think"), Takes: one, Once: level},
		{Name: "queue", Run: echo("queue"), Takes: func(_ int, w string) bool { return w == "steer" || strings.Contains(w, ":") }, Once: func(o *command.Once, args string) error {
			o.Queue = args
			return nil
		}},
		{Name: "status", Run: echo("status"), Inline: true},
		{Name: "new", Run: echo("new")},
	}
	table, err := command.NewTable(append(cs, command.Later(cs)...))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestDirectives(t *testing.T) {
	t.Parallel()
	table := world(t)
	for _, tc := range []struct {
		text, rest, replies, think string
		handled                    bool
	}{
		{"/think high", "", "think[high]", "", true},
		{"/think:high /queue steer cap:3", "", "think[high] queue[steer cap:3]", "", true},
		{"/think foo", "", "think[foo]", "", true},
		{"/queue", "", "queue[]", "", true},
		{"/think high what is 2+2?", "what is 2+2?", "", "high", false},
		{"what /t: high is 2+2?", "what is 2+2?", "", "high", false},
		{"please /think hard about it", "please hard about it", "", "", false},
		{"one\n/think low\ntwo", "one\n\ntwo", "", "low", false},
		{"hey /status how are you", "hey how are you", "status[]", "", false},
		{"/status", "", "status[]", "", true},
		{"/status and more", "", "status[and more]", "", true},
		{"see /new things", "see /new things", "", "", false},
		{"`/think high` does what?", "`/think high` does what?", "", "", false},
		{"```\n/think high\n```", "```\n/think high\n```", "", "", false},
		{"he wrote \"/think high\" there", "he wrote \"/think high\" there", "", "", false},
		{"> /think high\nwhy?", "> /think high\nwhy?", "", "", false},
		{"it's /think low, don't", "it's low, don't", "", "", false},
		{"https://x.org/think high", "https://x.org/think high", "", "", false},
		{"ls /think/high", "ls /think/high", "", "", false},
		{"a/think high", "a/think high", "", "", false},
		{"/elevated on", "", "not available yet", "", true},
	} {
		got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: tc.text}, May: true})
		if err != nil || got.Handled != tc.handled || got.Once.Thinking != tc.think || !strings.Contains(strings.Join(got.Replies, "|"), tc.replies) || tc.replies == "" && len(got.Replies) > 0 {
			t.Errorf("Apply(%q) = %+v, %v", tc.text, got, err)
		}
		if rest := table.Cut(tc.text)[0]; !tc.handled && rest != tc.rest {
			t.Errorf("Cut(%q) = %q, want %q", tc.text, rest, tc.rest)
		}
		if got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: tc.text}}); err != nil || len(got.Replies) > 0 || got.Once != (command.Once{}) {
			t.Errorf("a stranger's %q: %+v, %v", tc.text, got, err)
		}
	}
}

// What is cut out leaves nothing behind that is a directive, and never more
// than there was.
func FuzzCut(f *testing.F) {
	for _, s := range []string{"/think high", "a /t: low b `/t high`", "\"/queue steer", "/status /status", "> /think\n/think", "'/t' «/t»"} {
		f.Add(s)
	}
	table := world(f)
	f.Fuzz(func(t *testing.T, s string) {
		rest := table.Cut(s)[0]
		if len(rest) > len(s)+16 {
			t.Errorf("Cut(%q) = %q grew", s, rest)
		}
		if _, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: s}, May: true}); err != nil {
			t.Errorf("Apply(%q): %v", s, err)
		}
	})
}

// A command with Then runs once and leaves the text behind it for the agent.
func TestThen(t *testing.T) {
	t.Parallel()
	ran := 0
	count := func(context.Context, command.Env, string) (string, error) { ran++; return "new", nil }
	said := func(context.Context, command.Env, string) (string, error) { return "help", nil }
	table, err := command.NewTable([]command.Command{{Name: "new", Then: true, Run: count}, {Name: "reset", Then: true, Run: count}, {Name: "help", Run: said}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, left string
		begun, may bool
		handled    bool
		reply      string
		ran        int
	}{
		{"/new", "/new", false, true, true, "new", 1},
		{"/new hello there", "hello there", false, true, false, "", 1},
		{"/Reset: hello\nthere", "hello\nthere", false, true, false, "", 1},
		{"/new /reset /new hello", "hello", false, true, false, "", 1},
		{"/new /help", "/help", false, true, true, "help", 1},
		{"/new hello", "hello", true, true, false, "", 0},
		{"/new hello", "hello", false, false, true, "", 0},
		{"say /new hello", "say /new hello", false, true, false, "", 0},
	} {
		ran = 0
		got, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: c.text}, May: c.may, Begun: c.begun})
		if err != nil || got.Handled != c.handled || strings.Join(got.Replies, "") != c.reply || ran != c.ran || table.Cut(c.text)[0] != c.left {
			t.Errorf("%q: %+v, %v, ran %d, left %q", c.text, got, err, ran, table.Cut(c.text)[0])
		}
	}
}
