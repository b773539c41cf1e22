package command_test

import (
	"context"
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
		{" /think", "", false},
		{"/", "", false},
		{"", "", false},
	} {
		got, handled, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: tc.text}})
		if got != tc.want || handled != tc.handled || err != nil {
			t.Errorf("Apply(%q) = %q, %t, %v, want %q, %t", tc.text, got, handled, err, tc.want, tc.handled)
		}
		if tc.text != " /think" && table.Knows(tc.text) != tc.handled {
			t.Errorf("Knows(%q) = %t", tc.text, !tc.handled)
		}
	}
	_, handled, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: "/config show"}})
	if !handled || fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a stranger's /config: %t, %v", handled, err)
	}
	if got, _, err := table.Apply(t.Context(), command.Env{In: msg.Inbound{Text: "/config show"}, Owner: true}); got != "[show]" || err != nil {
		t.Errorf("the owner's /config: %q, %v", got, err)
	}
}

func TestNewTableRefusesTwins(t *testing.T) {
	t.Parallel()
	if _, err := command.NewTable([]command.Command{{Name: "a", Aliases: []string{"b"}}, {Name: "b"}}); err == nil {
		t.Error("two commands share a name")
	}
}
