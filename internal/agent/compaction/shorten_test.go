package compaction_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/agent/compaction"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Whatever the conversation, what is sent is whole, and within the budget where
// that can be.
func TestFitProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var ms []llm.Message
		for i := range 1 + r.IntN(12) {
			ms = append(ms, user(strings.Repeat("wörd ", r.IntN(200))))
			for j := range r.IntN(4) {
				ms = append(ms, called(10*i+j, strings.Repeat("zeile é\n", r.IntN(3000)))...)
			}
			ms = append(ms, said(strings.Repeat("word ", r.IntN(200))))
		}
		budget := 200 + r.IntN(4000)
		before := compaction.Size(ms)
		got := compaction.Fit(ms, budget)
		whole(t, got)
		if compaction.Size(ms) != before {
			t.Fatalf("seed %d: the messages were changed", seed)
		}
		if n := compaction.Size(got); n > before || n > budget+2*compaction.Cost(ms[0])+2500 {
			t.Errorf("seed %d: %d tokens for %d", seed, n, budget)
		}
		if got[len(got)-1].Text() != ms[len(ms)-1].Text() {
			t.Errorf("seed %d: the last message is gone", seed)
		}
		for _, m := range got {
			if !utf8.ValidString(m.Text()) {
				t.Errorf("seed %d: not UTF-8", seed)
			}
		}
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var ms []llm.Message
	at := base
	add := func(m llm.Message) {
		m.Time = at.UnixMilli()
		ms = append(ms, m)
		at = at.Add(10 * time.Second)
	}
	turn := func(n int) {
		add(user(fmt.Sprint("question ", n)))
		for _, m := range called(n, strings.Repeat("0123456789", 2000)) {
			add(m)
		}
		add(said("answer"))
	}
	for n := range 8 {
		turn(n)
	}
	add(user("new"))
	const window = 50_000 // tokens; the results are 40,000
	c := config.Pruning{Mode: "cache-ttl", TTL: "5m"}
	sizes := func(ms []llm.Message) (out []int) {
		for _, m := range ms {
			if m.Role == llm.ToolRole {
				out = append(out, len(m.Text()))
			}
		}
		return out
	}
	// No pause, no pruning: the cache still has it.
	if got := sizes(compaction.Prune(ms, c, window, at)); got[0] != 20_000 {
		t.Errorf("without a pause: %v", got)
	}
	// Behind a pause the old ones are shortened, the newest three answers stay.
	late := at.Add(10 * time.Minute)
	got := sizes(compaction.Prune(ms, c, window, late))
	if got[0] > 3200 || got[6] > 3200 || got[7] != 20_000 {
		t.Errorf("behind a pause: %v", got)
	}
	// A request soon after has the same beginning.
	at = late
	first := compaction.Prune(ms, c, window, late)
	add(said("fresh answer"))
	add(user("and now?"))
	next := compaction.Prune(ms, c, window, at)
	for i := range first {
		if first[i].Text() != next[i].Text() {
			t.Fatalf("message %d changed between two requests", i)
		}
	}
	// Far beyond the share they are cleared, but for what tools.deny names and
	// what has a picture.
	min, one := 0, 1000
	c.MinPrunableToolChars, c.SoftTrim.MaxChars = &min, &one
	small := compaction.Prune(ms[:33], c, 2000, late)
	if s := small[2].Text(); s != "[Old tool result content cleared]" {
		t.Errorf("cleared: %.60q", s)
	}
	c.Tools.Deny = []string{"RE*"}
	if got := sizes(compaction.Prune(ms[:33], c, 2000, late)); got[0] != 20_000 {
		t.Errorf("denied: %v", got)
	}
	if got := sizes(compaction.Prune(ms, config.Pruning{}, window, late)); got[0] != 20_000 {
		t.Errorf("off: %v", got)
	}
}

func TestUsed(t *testing.T) {
	t.Parallel()
	m := said("x")
	m.Usage, m.Time = &llm.Usage{Input: 100, CacheRead: 900, Output: 50}, 5
	ms := []llm.Message{user(strings.Repeat("w", 40_000)), m, user(strings.Repeat("w", 400))}
	if got := compaction.Used(ms, 77); got != 1050+compaction.Cost(ms[2]) {
		t.Errorf("counted: %d", got)
	}
	sum := user("summary")
	sum.Key, sum.Time = "compaction:x", 6
	if got := compaction.Used(append([]llm.Message{sum}, m), 77); got != 77+compaction.Cost(sum)+compaction.Cost(m) {
		t.Errorf("behind a younger summary: %d", got)
	}
}

func FuzzFit(f *testing.F) {
	f.Add("a", 10)
	f.Add(strings.Repeat("é", 5000), 3)
	f.Fuzz(func(t *testing.T, s string, budget int) {
		ms := append([]llm.Message{user(s)}, called(1, s+s)...)
		whole(t, compaction.Fit(ms, budget))
	})
}
