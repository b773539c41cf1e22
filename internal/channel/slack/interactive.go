package slack

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// Replies of an agent may hold controls, where capabilities.interactiveReplies
// is on:
//
//	[[slack_buttons: Approve:approve, Reject:reject]]
//	[[slack_select: Choose a target | Canary:canary, Production:production]]
//
// What is chosen comes back as a sentence, never as a command: a button says
// what it does only by its label, and a model wrote that.

// choosePrefix begins the action ids of an agent's controls.
const choosePrefix = "ocr_"

var directive = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`\[\[slack_(buttons|select):([^\[\]\n]{1,1000})\]\]`)
})

func (c *Config) interactive() bool {
	switch v := c.Capabilities.(type) {
	case map[string]any:
		yes, _ := v["interactiveReplies"].(bool)
		return yes
	case []any:
		return slices.Contains(words(v), "interactiveReplies")
	}
	return false
}

// controls cuts the directives out of a text and returns the blocks that stand
// for the whole. They are nil when there are none, or when Slack wouldn't take
// them; the text is then as it was.
func (b *bot) controls(source string) (rest string, blocks []any) {
	if !b.cfg.interactive() || !strings.Contains(source, "[[slack_") {
		return source, nil
	}
	n := 0
	rest = directive().ReplaceAllStringFunc(source, func(s string) string {
		m := directive().FindStringSubmatch(s)
		if e := elements(m[1], m[2], &n); e != nil {
			blocks = append(blocks, map[string]any{"type": "actions", "elements": e})
			return ""
		}
		return s
	})
	if blocks == nil {
		return source, nil
	}
	rest = strings.TrimSpace(rest)
	var all []any
	for _, s := range sections(b.render(markdown.Parse(rest))) {
		all = append(all, map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": s}})
	}
	if all = append(all, blocks...); len(all) > maxBlocks {
		return source, nil
	}
	if rest == "" {
		rest = "Choose:" // what notifications show
	}
	return rest, all
}

// elements are the controls of one directive.
func elements(kind, body string, n *int) []any {
	const most = 100 // options of a menu
	plain := func(s string, limit int) map[string]any {
		return map[string]any{"type": "plain_text", "text": text.Fit(s, limit, text.UTF16), "emoji": true}
	}
	title := "Choose"
	if kind == "select" {
		if head, tail, ok := strings.Cut(body, "|"); ok {
			title, body = strings.TrimSpace(head), tail
		}
	}
	var out, options []any
	for item := range strings.SplitSeq(body, ",") {
		label, value, ok := strings.Cut(strings.TrimSpace(item), ":")
		label, value = strings.TrimSpace(label), strings.TrimSpace(value)
		if !ok || value == "" {
			value = label
		}
		if label == "" || len(value) > maxLabel {
			return nil
		}
		if kind == "select" {
			options = append(options, map[string]any{"text": plain(label, maxLabel), "value": value})
			continue
		}
		out = append(out, map[string]any{"type": "button", "action_id": choosePrefix + strconv.Itoa(*n), "text": plain(label, maxLabel), "value": value})
		*n++
	}
	if kind == "select" && len(options) > 0 && len(options) <= most && title != "" {
		out = append(out, map[string]any{"type": "static_select", "action_id": choosePrefix + strconv.Itoa(*n), "placeholder": plain(title, maxLabel*2), "options": options})
		*n++
	}
	if len(out) == 0 || len(out) > maxRow {
		return nil
	}
	return out
}
