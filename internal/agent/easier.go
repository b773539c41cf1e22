package agent

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// maxEasier is how often a run thinks less because a service wants it.
const maxEasier = 2

var named = regexp.MustCompile(`\b(off|none|disabled|minimal|low|medium|high|xhigh|adaptive)\b`)

// easier reports whether the service refused how hard the model is to think,
// and has the run go on with less: the highest lower level that the refusal
// names, else none at all.
func (w *work) easier(m llm.Model, err error) bool {
	now := w.thinking(m)
	if now == "off" || w.easings >= maxEasier || !refusesThinking(err) {
		return false
	}
	f, _ := errors.AsType[*provider.Failure](err)
	next := below(now, named.FindAllString(strings.ToLower(f.Message), -1))
	w.easings++
	w.easy = next
	w.Log.Warn("the service refuses this thinking level; the run goes on with another", "run", w.req.Run, "model", m.String(), "level", now, "next", next)
	if w.to.Watch != nil {
		w.to.Watch.Model(m, next)
	}
	return true
}

func refusesThinking(err error) bool {
	f, ok := errors.AsType[*provider.Failure](err)
	if !ok || f.Reason != provider.ReasonFormat || f.Status < 400 || f.Status >= 500 {
		return false
	}
	s := strings.ToLower(f.Message + " " + f.Code)
	return strings.Contains(s, "thinking") || strings.Contains(s, "reasoning_effort") || strings.Contains(s, "reasoning effort") || strings.Contains(s, "reasoning.effort")
}

// below is the highest of the levels offered that is below now, or off.
func below(now string, offered []string) string {
	order := []string{"off", "minimal", "low", "medium", "high", "xhigh"}
	at := slices.Index(order, now)
	if at < 0 {
		at = len(order) // adaptive: any fixed one is simpler
	}
	for i := at - 1; i > 0; i-- {
		if slices.Contains(offered, order[i]) {
			return order[i]
		}
	}
	return "off"
}
