package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel"
)

// everywhere lists the actions that the gateway asks a [channel.Gate] about.
func everywhere() []string {
	return []string{
		"broadcast", "channel-list", "delete", "edit", "list-pins", "pin", "pins", "poll", "react", "read", "reply", "search", "send",
		"thread-create", "thread-reply", "unpin", "unsend",
	}
}

// Gates checks that each gate of actions closes just what closed lists for it.
// build makes an account with the given actions section.
func Gates(t *testing.T, build func(t *testing.T, actions string) channel.Channel, closed map[string][]string) {
	t.Helper()
	own := func(c channel.Channel) (names []string) {
		if a, ok := c.(channel.Actor); ok {
			for _, x := range a.Actions() {
				names = append(names, x.Name)
			}
		}
		return names
	}
	every := make([]string, 0, len(closed))
	for gate := range closed {
		every = append(every, fmt.Sprintf("%q:true", gate))
	}
	opened := "{" + strings.Join(every, ",")
	whole := build(t, opened+"}")
	known := own(whole)
	for gate, want := range closed {
		c, ok := build(t, strings.Replace(opened, fmt.Sprintf("%q:true", gate), fmt.Sprintf("%q:false", gate), 1)+"}").(channel.Gate)
		if !ok {
			t.Fatal("the channel is no Gate")
		}
		left := own(c.(channel.Channel))
		for _, action := range slices.Concat(everywhere(), known) {
			open := c.Allows(action) && (!slices.Contains(known, action) || slices.Contains(left, action))
			if open == slices.Contains(want, action) {
				t.Errorf("with actions.%s off, %s is allowed: %t", gate, action, open)
			}
		}
	}
}
