package reply_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		raw  string
		want reply.Text
	}{
		{"hello", reply.Text{Text: "hello"}},
		{"  NO_REPLY\n", reply.Text{Silent: true}},
		{"HEARTBEAT_OK", reply.Text{Silent: true}},
		{"", reply.Text{Silent: true}},
		{"done\nNO_REPLY", reply.Text{Text: "done"}},
		{"NO_REPLY is a token", reply.Text{Text: "NO_REPLY is a token"}},
		{"[[reply_to_current]] Hi there", reply.Text{Text: "Hi there", Current: true}},
		{"[[ reply_to: 42 ]]yes", reply.Text{Text: "yes", ReplyTo: "42"}},
		{"a [[link]] stays", reply.Text{Text: "a [[link]] stays"}},
	} {
		if d := cmp.Diff(tc.want, reply.Clean(tc.raw)); d != "" {
			t.Errorf("Clean(%q): %s", tc.raw, d)
		}
	}
}

// streamed feeds text in pieces of n bytes and returns what is let through.
func streamed(text string, n int) string {
	var b strings.Builder
	s := &reply.Stream{Emit: func(t string, _ bool) { b.WriteString(t) }}
	s.Fresh()
	for len(text) > 0 {
		k := min(n, len(text))
		s.Delta(text[:k])
		text = text[k:]
	}
	s.Flush()
	return b.String()
}

func TestStreamHidesTokens(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"NO_REPLY":                      "",
		"HEARTBEAT_OK":                  "",
		"HEARTBEAT_OK\n":                "",
		"NO_REPLY needed":               "NO_REPLY needed",
		"Now":                           "Now",
		"N":                             "N",
		"[[reply_to_current]] Hi there": "Hi there",
		"see [[docs]] there":            "see [[docs]] there",
		"a [b] c [":                     "a [b] c [",
		"plain text":                    "plain text",
	} {
		for n := 1; n <= len(raw); n++ {
			if got := streamed(raw, n); got != want {
				t.Errorf("stream of %q in pieces of %d = %q, want %q", raw, n, got, want)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add("NO_REPLY", 3)
	f.Add("[[reply_to_current]] x [[", 2)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || n > 64 || strings.Contains(text, "[[") {
			return
		}
		got := streamed(text, n)
		if c := reply.Clean(text); strings.TrimSpace(got) != c.Text {
			t.Errorf("stream of %q in pieces of %d = %q, want %q", text, n, got, c.Text)
		}
	})
}

func TestOutbound(t *testing.T) {
	t.Parallel()
	split := func(s string) []string { return strings.SplitAfter(s, "|") }
	got := reply.Outbound(msg.Outbound{ReplyTo: "7"}, reply.Text{Text: "a|b", Current: true}, "[bot]", split)
	if len(got) != 2 || got[0].Text != "[bot] a|" || got[0].ReplyTo != "7" || got[1].ReplyTo != "" || got[1].Part != 2 || got[0].ID == got[1].ID {
		t.Errorf("Outbound = %+v", got)
	}
	if got := reply.Outbound(msg.Outbound{ReplyTo: "7"}, reply.Text{Text: "a"}, "", split); got[0].ReplyTo != "" || got[0].Parts != 0 {
		t.Errorf("Outbound = %+v", got)
	}
}

// HB-02: what is visible of a reply that comes in pieces, at any moment.
func TestPiecesOfATokenAreNeverSeen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pieces []string
		want   string
	}{
		{[]string{"N", "O", "_", "RE", "PLY"}, ""},
		{[]string{"NO_REPLY"}, ""},
		{[]string{"  NO_REPLY\n"}, ""},
		{[]string{"No", ", that is wrong."}, "No, that is wrong."},
		{[]string{"NO", "TE: disk full"}, "NOTE: disk full"},
		{[]string{"N", " is the answer"}, "N is the answer"},
		{[]string{"HEART", "BEAT_OK"}, ""},
		{[]string{"HEART", " rate is 60"}, "HEART rate is 60"},
		{[]string{"NO_REPLY", "NO_REPLY"}, ""},
		{[]string{"Sure.\n", "NO_REPLY"}, "Sure."},
		{[]string{"Sure.\n", "NO_REPLY", "\nHEARTBEAT", "_OK\n"}, "Sure."},
		{[]string{"Sure.\n", "NO", " way"}, "Sure.\nNO way"},
		{[]string{"HEARTBEAT_OK", "\n", "but the disk is full"}, "but the disk is full"},
		{[]string{"[[reply_to_current]]", " ", " hi"}, "hi"},
	} {
		var got strings.Builder
		s := &reply.Stream{Emit: func(t string, _ bool) { got.WriteString(t) }}
		s.Fresh()
		for _, p := range tc.pieces {
			s.Delta(p)
			if !strings.HasPrefix(tc.want, strings.TrimRight(got.String(), " \n")) {
				t.Errorf("%q shows %q on the way", tc.pieces, got.String())
			}
		}
		s.Flush()
		if g := got.String(); strings.TrimSpace(g) != tc.want {
			t.Errorf("%q shows %q, want %q", tc.pieces, g, tc.want)
		}
		if c := reply.Clean(strings.Join(tc.pieces, "")); c.Text != tc.want {
			t.Errorf("Clean(%q) = %q, want %q", tc.pieces, c.Text, tc.want)
		}
	}
}

func TestAcked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		raw  string
		want string
	}{
		{"HEARTBEAT_OK", ""},
		{"HEARTBEAT_OK all is well", ""},
		{"All is well.\nHEARTBEAT_OK", ""},
		{"HEARTBEAT_OK " + strings.Repeat("x", 31), strings.Repeat("x", 31)},
		{"The disk is full.", "The disk is full."},
	} {
		if got := reply.Acked(tc.raw, 30); got.Text != tc.want || got.Silent != (tc.want == "") {
			t.Errorf("Acked(%q) = %+v, want %q", tc.raw, got, tc.want)
		}
	}
}
