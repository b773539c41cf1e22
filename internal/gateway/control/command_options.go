package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
)

func thinkLevels() []string { return []string{"off", "minimal", "low", "medium", "high", "xhigh"} }

// thinkLevel reads a level, with the other words people use for it.
func thinkLevel(s string) (string, bool) {
	s = strings.ToLower(s)
	switch s {
	case "none", "no":
		s = "off"
	case "min", "think":
		s = "minimal"
	case "on", "enable", "enabled":
		s = "low"
	case "mid", "med", "harder":
		s = "medium"
	case "max", "highest", "ultra":
		s = "high"
	case "x-high", "extra-high", "extrahigh":
		s = "xhigh"
	case "auto", "adaptive":
		return "adaptive", true
	}
	return s, slices.Contains(thinkLevels(), s)
}

func (c *Control) cmdThink(ctx context.Context, env command.Env, args string) (string, error) {
	if args == "" {
		s, err := c.current(ctx, env.Session)
		return "Thinking is " + c.thinking(s) + ". Change it with /think " + strings.Join(thinkLevels(), "|"), err
	}
	level, ok := thinkLevel(args)
	if !ok {
		return "", wrong("think", args, thinkLevels())
	}
	err := c.change(ctx, env.Session, func(s *session.Session) { s.ThinkingLevel = level })
	return "Thinking is now " + level + ".", err
}

// option is a setting of the session that has a few values.
type option struct {
	name   string // of the command
	title  string
	values []string // the first is the default
	field  func(*session.Session) *string
}

func (c *Control) option(ctx context.Context, env command.Env, args string, o option) (string, error) {
	if args == "" {
		s, err := c.current(ctx, env.Session)
		return fmt.Sprintf("%s is %s. Change it with /%s %s", o.title, first(*o.field(&s), o.values[0]), o.name, strings.Join(o.values, "|")), err
	}
	v := strings.ToLower(args)
	if !slices.Contains(o.values, v) {
		return "", wrong(o.name, args, o.values)
	}
	err := c.change(ctx, env.Session, func(s *session.Session) { *o.field(s) = v })
	return o.title + " is now " + v + ".", err
}

func (c *Control) cmdVerbose(ctx context.Context, env command.Env, args string) (string, error) {
	return c.option(ctx, env, args, option{
		"verbose", "Verbose",
		[]string{"off", "on", "full"},
		func(s *session.Session) *string { return &s.VerboseLevel },
	})
}

func (c *Control) cmdReasoning(ctx context.Context, env command.Env, args string) (string, error) {
	return c.option(ctx, env, args, option{
		"reasoning", "Reasoning",
		[]string{"off", "on", "stream"},
		func(s *session.Session) *string { return &s.ReasoningLevel },
	})
}

func (c *Control) cmdFast(ctx context.Context, env command.Env, args string) (string, error) {
	words := map[bool]string{true: "on", false: "off"}
	switch v := strings.ToLower(args); v {
	case "", "status":
		s, err := c.current(ctx, env.Session)
		return "Fast mode is " + words[s.FastMode != nil && *s.FastMode] + ". Change it with /fast on|off", err
	case "on", "off":
		on := v == "on"
		err := c.change(ctx, env.Session, func(s *session.Session) { s.FastMode = &on })
		return "Fast mode is now " + v + ".", err
	}
	return "", wrong("fast", args, []string{"status", "on", "off"})
}

func (c *Control) cmdActivation(ctx context.Context, env command.Env, args string) (string, error) {
	if env.In.Client != nil || env.In.At.Kind == msg.Direct || env.In.At.Kind == "" {
		return "⚙️ Group activation only applies to group chats.", nil
	}
	mode := strings.ToLower(args)
	if mode != "mention" && mode != "always" {
		return "⚙️ Usage: /activation mention|always", nil
	}
	err := c.change(ctx, env.Session, func(s *session.Session) { s.GroupActivation = mode })
	return "⚙️ Group activation set to " + mode + ".", err
}

// cmdSend sets whether answers of the session are sent.
func (c *Control) cmdSend(ctx context.Context, env command.Env, args string) (string, error) {
	stored := map[string]string{"on": "allow", "off": "deny", "inherit": "", "allow": "allow", "deny": "deny", "default": "", "reset": ""}
	v := strings.ToLower(args)
	if v == "" {
		s, err := c.current(ctx, env.Session)
		return "Send policy is " + first(s.SendPolicy, "inherit") + ". Change it with /send on|off|inherit", err
	}
	set, ok := stored[v]
	if !ok {
		return "", wrong("send", args, []string{"on", "off", "inherit"})
	}
	err := c.change(ctx, env.Session, func(s *session.Session) { s.SendPolicy = set })
	return "⚙️ Send policy set to " + map[string]string{"allow": "on", "deny": "off", "": "inherit"}[set] + ".", err
}

// restartPause lets the answer go out before the gateway ends.
const restartPause = 2 * time.Second

func (c *Control) cmdRestart(context.Context, command.Env, string) (string, error) {
	if on := c.Config().Commands.Restart; on != nil && !*on {
		return "⚠️ /restart is disabled. The owner can set commands.restart=true.", nil
	}
	if c.Restart == nil {
		return "⚠️ This gateway can't restart itself. On its host: openclaw gateway restart", nil
	}
	c.Restart("/restart", restartPause)
	return "⚙️ Restarting the gateway. Give it a few seconds.", nil
}

// cmdUsage sets the footer of answers; alone it goes to the next setting.
func (c *Control) cmdUsage(ctx context.Context, env command.Env, args string) (string, error) {
	values := []string{"off", "tokens", "full"}
	switch v := strings.ToLower(args); {
	case v == "cost":
		return c.costText(ctx)
	case v == "":
		var now string
		err := c.change(ctx, env.Session, func(s *session.Session) {
			i := slices.Index(values, first(s.ResponseUsage, "off"))
			now = values[(i+1)%len(values)]
			s.ResponseUsage = now
		})
		return "Usage footer is now " + now + ".", err
	case !slices.Contains(values, v):
		return "", wrong("usage", args, append(values, "cost"))
	}
	return c.option(ctx, env, args, option{
		"usage", "Usage footer", values,
		func(s *session.Session) *string { return &s.ResponseUsage },
	})
}

func (c *Control) costText(ctx context.Context) (string, error) {
	since, until := usageRange(nil, c.Now())
	r, err := c.spent(ctx, since, until)
	if err != nil {
		return "", err
	}
	var today session.Totals
	if n := len(r.Daily); n > 0 && r.Daily[n-1].Date == c.Now().UTC().Format(time.DateOnly) {
		today = r.Daily[n-1].Totals
	}
	return fmt.Sprintf("Today: $%.4f, %s tokens\nLast 30 days: $%.4f, %s tokens", today.Cost, count(today.Total), r.Totals.Cost, count(r.Totals.Total)), nil
}

// count is n as people read it: 950, 12.3k, 1.2M.
func count(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1e3), ".0k", "k", 1)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1e6), ".0M", "M", 1)
}
