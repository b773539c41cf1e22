package chat_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// MSG-01 at any moment: whatever way an answer is shown, and however often the
// process ends while it is made, each of its sentences is seen once, in order.
func TestAnswersSurviveCrashesAnywhere(t *testing.T) {
	t.Parallel()
	sections := []string{`{"streaming":"off"}`, `{}`, `{"streaming":"block","draftChunk":{"minChars":30,"maxChars":90}}`, `{"blockStreaming":true}`}
	for seed := range uint64(32) {
		section := sections[seed%4]
		t.Run(fmt.Sprint(seed, section), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 7))
			dir, net := t.TempDir(), &wire{limit: 200, keys: map[id.Delivery]bool{}}
			first, second := words(1, 12), words(12, 60)
			m := &teller{gates: map[string]chan struct{}{}}
			var want string
			for crash := range 3 {
				// The model says the same, in other pieces, and waits at some point.
				wait := fmt.Sprint("g", crash)
				m.mu.Lock()
				m.gates[wait] = make(chan struct{})
				m.mu.Unlock()
				cut := rnd.IntN(len(second))
				m.set(turnOf{pieces: pieces(first, 1+rnd.IntN(40)), call: "c1"}, turnOf{pieces: append(pieces(second[:cut], 1+rnd.IntN(60)), second[cut:]), wait: wait})
				p := furnish(t, dir, net, m, section, blocked)
				if crash == 0 {
					p.says(written1(1, "hi"))
				} else if n, err := p.Inbox.Recover(t.Context()); n != 1 || err != nil {
					t.Fatal(n, err)
				}
				p.until("the second message begins", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.spoke == wait })
				p.crash()
				m.mu.Lock()
				close(m.gates[wait])
				m.mu.Unlock()
			}
			m.set(turnOf{pieces: pieces(first, 9), call: "c1"}, turnOf{pieces: pieces(second, 11)})
			p := furnish(t, dir, net, m, section, blocked)
			defer p.crash()
			if n, err := p.Inbox.Recover(t.Context()); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			want = squeezed(first + second)
			p.until("the whole answer", func() bool { return len(squeezed(strings.Join(net.sees(), ""))) >= len(want) })
			p.until("nothing waits", func() bool { open, err := p.db.OpenOutbound(t.Context()); return err == nil && len(open) == 0 })
			if d := cmp.Diff(want, squeezed(strings.Join(net.sees(), ""))); d != "" {
				t.Errorf("%s\nshown: %q", d, net.sees())
			}
		})
	}
}

func words(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "Sentence %d is here.", i)
		b.WriteString([]string{" ", "\n", "\n\n", " "}[i%4])
	}
	return b.String()
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// set changes what the model says: the first turn until the call is answered.
func (m *teller) set(turns ...turnOf) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns, m.byCall = turns, true
}
