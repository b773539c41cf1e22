package chat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/msg"
)

func TestAckReaction(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		section, more string
		group         bool
		want          []string
	}{
		"by default not in a direct chat": {`{}`, ``, false, nil},
		"by default in a group":           {`{}`, ``, true, []string{"in1👀true"}},
		"all":                             {`{}`, `{"messages":{"ackReactionScope":"all"}}`, false, []string{"in1👀true"}},
		"off":                             {`{}`, `{"messages":{"ackReactionScope":"off","ackReaction":"🔥"}}`, true, nil},
		"general":                         {`{}`, `{"messages":{"ackReactionScope":"direct","ackReaction":"🔥"}}`, false, []string{"in1🔥true"}},
		"channel":                         {`{"ackReaction":"✅"}`, `{"messages":{"ackReactionScope":"group-all","ackReaction":"🔥"}}`, true, []string{"in1✅true"}},
		"channel turns it off":            {`{"ackReaction":""}`, `{"messages":{"ackReactionScope":"all","ackReaction":"🔥"}}`, true, nil},
		"account":                         {`{"ackReaction":"✅","accounts":{"default":{"ackReaction":"🐾"}}}`, ``, true, []string{"in1🐾true"}},
		"identity":                        {`{}`, `{"agents":{"list":[{"id":"main","identity":{"emoji":"🦞"}}]}}`, true, []string{"in1🦞true"}},
		"removed":                         {`{}`, `{"messages":{"removeAckAfterReply":true}}`, true, []string{"in1👀true", "in1👀false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &wire{}
			p := furnish(t, t.TempDir(), net, &teller{turns: []turnOf{{pieces: []string{"done"}}}}, tc.section, tc.more)
			in := written1(1, "hi")
			if tc.group {
				in.At.Kind, in.At.Peer = msg.Group, "-9"
			}
			p.says(in)
			p.shows("done")
			if len(tc.want) > 0 {
				net.until(p, "the reactions", func() bool { return len(net.reacts) >= len(tc.want) })
			}
			p.crash() // waits for reactions under way
			if d := cmp.Diff(tc.want, net.reacts); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTyping(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more   string
		group  bool // not mentioned
		before bool // shown before the first text
		after  bool // shown with it
	}{
		"direct":    {``, false, true, true},
		"group":     {``, true, false, true},
		"never":     {`{"agents":{"defaults":{"typingMode":"never"}}}`, false, false, false},
		"message":   {`{"agents":{"defaults":{"typingMode":"message"}}}`, false, false, true},
		"instant":   {`{"agents":{"defaults":{"typingMode":"instant"}}}`, true, true, true},
		"session":   {`{"agents":{"defaults":{"typingMode":"instant"}},"session":{"typingMode":"message"}}`, false, false, true},
		"no stream": {`{"agents":{"defaults":{"typingMode":"thinking"}}}`, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &wire{}
			m := &teller{turns: []turnOf{{pieces: []string{"NO", " way"}, wait: "g"}}, gates: map[string]chan struct{}{"g": make(chan struct{})}}
			p := furnish(t, t.TempDir(), net, m, `{"streaming":"off"}`, tc.more)
			defer p.crash()
			in := written1(1, "hi")
			if tc.group {
				in.At.Kind, in.At.Peer, in.Mentioned = msg.Group, "-9", false
				in.Native = true
			}
			p.says(in)
			p.until("the model is asked", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.asked == 1 })
			if tc.before {
				net.until(p, "typing at once", func() bool { return net.typed > 0 })
			} else if net.typed > 0 {
				t.Error("typing is shown before there is text")
			}
			close(m.gates["g"])
			p.shows("NO way")
			if got := net.typed > 0; got != tc.after {
				t.Errorf("typing shown: %v, want %v", got, tc.after)
			}
		})
	}
}
