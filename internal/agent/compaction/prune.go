package compaction

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// pruning is a config.Pruning with its defaults.
type pruning struct {
	ttl              time.Duration
	keep             int
	soft, hard       float64 // shares of the window
	least            int     // bytes of what can be cleared, below which it stays
	most, head, tail int     // bytes of a result
	clear            bool
	placeholder      string
	allow, deny      []string
}

func pruningOf(c config.Pruning) pruning {
	p := pruning{
		ttl: 5 * time.Minute, keep: or(c.KeepLastAssistants, 3), soft: or(c.SoftTrimRatio, 0.3), hard: or(c.HardClearRatio, 0.5),
		least: or(c.MinPrunableToolChars, 50_000), most: or(c.SoftTrim.MaxChars, 4000), head: or(c.SoftTrim.HeadChars, 1500),
		tail: or(c.SoftTrim.TailChars, 1500), clear: or(c.HardClear.Enabled, true),
		placeholder: cmp.Or(c.HardClear.Placeholder, "[Old tool result content cleared]"), allow: c.Tools.Allow, deny: c.Tools.Deny,
	}
	if d, err := config.ParseDuration(c.TTL, time.Minute); err == nil && d > 0 {
		p.ttl = d
	}
	return p
}

func or[T any](v *T, usual T) T {
	if v == nil {
		return usual
	}
	return *v
}

// Prune shortens and clears old results of tools as agents.defaults.
// contextPruning says, for one request: the transcript keeps them. It acts on
// what is older than the last pause that was longer than the ttl, when a
// service with a cache had forgotten the conversation anyhow. What it does
// follows from the messages alone, so that requests without such a pause
// between them have the same beginning, and the cache goes on working.
func Prune(ms []llm.Message, c config.Pruning, window int, now time.Time) []llm.Message {
	if c.Mode != "cache-ttl" || window <= 0 {
		return ms
	}
	p := pruningOf(c)
	end := pause(ms, p.ttl, now)
	old := protected(ms[:end], p.keep)
	size, limit := length(ms[:end]), float64(window*perToken)
	if old <= 0 || float64(size) < p.soft*limit {
		return ms
	}
	out := slices.Clone(ms)
	could := 0
	for i := range out[:old] {
		if !p.prunable(out[i]) {
			continue
		}
		s := out[i].Text()
		if len(s) > p.most {
			t := middle(s, p.head, p.tail)
			out[i].Content = llm.Content{llm.Text(t)}
			size -= len(s) - len(t)
			s = t
		}
		could += len(s)
	}
	if !p.clear || could < p.least {
		return out
	}
	for i := range out[:old] {
		if float64(size) < p.hard*limit {
			break
		}
		if p.prunable(out[i]) {
			size -= len(out[i].Text()) - len(p.placeholder)
			out[i].Content = llm.Content{llm.Text(p.placeholder)}
		}
	}
	return out
}

// pause is the index behind the last message before the last pause in ms.
func pause(ms []llm.Message, ttl time.Duration, now time.Time) int {
	next := now.UnixMilli()
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role != llm.Assistant || ms[i].Time == 0 {
			continue
		}
		if next-ms[i].Time > ttl.Milliseconds() {
			return len(ms[:i+1]) + results(ms[i+1:])
		}
		next = ms[i].Time
	}
	return 0
}

func results(ms []llm.Message) (n int) {
	for n < len(ms) && ms[n].Role == llm.ToolRole {
		n++
	}
	return n
}

// protected is the index of the first message that stays: the nth assistant
// message from the end; 0 when there aren't so many.
func protected(ms []llm.Message, n int) int {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == llm.Assistant {
			if n--; n <= 0 {
				return i
			}
		}
	}
	return 0
}

// length is how many bytes of text ms have, pictures counted by what they take.
func length(ms []llm.Message) (n int) {
	for i := range ms {
		for _, b := range ms[i].Content {
			n += len(b.Text)
			if b.Call != nil {
				n += len(b.Call.Args)
			}
			if b.Type == llm.ImageBlock {
				n += imageTokens * perToken
			}
		}
	}
	return n
}

func (p pruning) prunable(m llm.Message) bool {
	if m.Role != llm.ToolRole || pictured(m) {
		return false
	}
	name := strings.ToLower(m.ToolName)
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool {
			ok, err := path.Match(strings.ToLower(pattern), name)
			return ok && err == nil
		})
	}
	return !in(p.deny) && (len(p.allow) == 0 || in(p.allow))
}
