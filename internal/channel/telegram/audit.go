package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// asked is what the audit reads of a group or a topic.
type asked struct {
	Enabled *bool `json:"enabled"`
	Mention *bool `json:"requireMention"`
}

// group is what the audit reads of an entry of groups.
type group struct {
	asked

	Topics map[string]topicRules `json:"topics"`
}

// topicRules is what is read of a topic.
type topicRules struct {
	asked

	Agent string `json:"agentId"` // that answers there
}

// directRules is what is read of an entry of direct.
type directRules struct {
	Topics map[string]struct {
		Agent string `json:"agentId"`
	} `json:"topics"`
}

func (a asked) off() bool  { return a.Enabled != nil && !*a.Enabled }
func (a asked) open() bool { return !a.off() && a.Mention != nil && !*a.Mention }

// open tells whether g is to be answered without a mention, somewhere.
func (g group) open() bool {
	if g.off() {
		return false
	}
	if g.asked.open() {
		return true
	}
	for _, t := range g.Topics {
		if t.open() {
			return true
		}
	}
	return false
}

// Audit implements [channel.Auditor]: groups of the configuration that the bot
// isn't in, and those that it is to read whole while Telegram shows it only
// what mentions it.
func (b *bot) Audit(ctx context.Context) (out []channel.Issue, err error) {
	if err := b.Probe(ctx); err != nil {
		return nil, err
	}
	me := b.self()
	out = b.misplaced()
	const most = 50
	looked := 0
	for _, key := range slices.Sorted(maps.Keys(b.cfg.Groups)) {
		g := b.cfg.Groups[key]
		if g.off() {
			continue
		}
		n, err := strconv.ParseInt(key, 10, 64)
		if key != "*" && (err != nil || n >= 0) {
			out = append(out, channel.Issue{
				Kind: "config", Text: fmt.Sprintf("groups.%s is not the id of a group", printable(key)),
				Mend: "use its number, as -1001234567890: openclaw logs shows it when somebody writes there",
			})
			continue
		}
		status := ""
		if key != "*" && looked < most {
			looked++
			if status, err = b.membership(ctx, key, me.ID); err != nil {
				return out, err
			}
		}
		switch {
		case status == "left" || status == "kicked":
			out = append(out, channel.Issue{Kind: "permissions", Text: "the bot isn't in group " + key, Mend: "add @" + me.Username + " to it, or take it out of groups"})
		case g.open() && !me.ReadsAll && status != "administrator" && status != "creator":
			out = append(out, channel.Issue{
				Kind: "config", Text: fmt.Sprintf("groups.%s wants messages without a mention, but privacy mode is on, so Telegram doesn't show them", key),
				Mend: "@BotFather, /setprivacy, Disable; then remove the bot from the group and add it again, or make it an administrator",
			})
		}
	}
	return out, nil
}

// misplaced are groups on lists of people: they open nothing there.
func (b *bot) misplaced() (out []channel.Issue) {
	for _, l := range []struct {
		name    string
		entries []json.RawMessage
	}{{"allowFrom", b.cfg.AllowFrom}, {"groupAllowFrom", b.cfg.GroupAllowFrom}} {
		for _, raw := range l.entries {
			n := normalize(strings.Trim(string(raw), `"`))
			if _, known := b.cfg.Groups[n]; known && strings.HasPrefix(n, "-") {
				out = append(out, channel.Issue{
					Kind: "config", Text: fmt.Sprintf("%s names the group %s, which lets nobody in", l.name, n),
					Mend: "name people there; administrators who write as the group are admins:" + n,
				})
			}
		}
	}
	return out
}

// membership is what the bot is in a group: member, administrator, left, kicked.
func (b *bot) membership(ctx context.Context, group string, me int64) (string, error) {
	var m struct {
		Status string `json:"status"`
	}
	err := b.ask(ctx, "getChatMember", msg.Address{Peer: id.Peer(group)}, map[string]any{"user_id": me}, &m)
	switch k := fault.KindOf(err); {
	case err == nil:
		return strings.ToLower(m.Status), nil
	case k == fault.NotFound || k == fault.Forbidden || k == fault.Invalid:
		return "left", nil
	}
	return "", err
}
