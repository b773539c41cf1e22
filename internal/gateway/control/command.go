package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
	"github.com/openclaw-go/openclaw/internal/tool/status"
)

// commands are the slash commands about the gateway and the session that they
// are given in. What they answer is for people; nothing parses it.
func (c *Control) commands() []command.Command {
	return []command.Command{
		{Name: "help", Help: "what you can type here", Run: c.cmdHelp, Inline: true},
		{Name: "commands", Help: "all commands", Run: c.cmdCommands, Inline: true},
		{Name: "status", Help: "session, model and how full the context is", Run: c.cmdStatus, Inline: true},
		{Name: "whoami", Aliases: []string{"id"}, Help: "who you are to the gateway", Run: c.cmdWhoami, Inline: true},
		{Name: "context", Help: "what fills the context: list, detail or json", Args: choices("mode", "list", "detail", "json"), Run: c.cmdContext},
		{Name: "compact", Help: "sum up the older part of the conversation; say what matters, or undo", Args: choices("what matters"), Run: c.cmdCompact},
		{Name: "new", Help: "start a new conversation, with the text behind it if there is one", Then: true, Run: c.cmdReset("new")},
		{Name: "reset", Help: "the same as /new", Then: true, Run: c.cmdReset("reset")},
		{
			Name: "model", Help: "show or choose the model: a name, list, status or default", Args: choices("model"), Run: c.cmdModel,
			Takes: oneWord, Once: func(o *command.Once, args string) error {
				m, err := c.find(args)
				o.Model = m.String()
				return err
			},
		},
		{Name: "models", Help: "browse providers and their models", Run: c.cmdModels},
		{
			Name: "think", Aliases: []string{"thinking", "t"}, Help: "how much the model thinks: " + strings.Join(thinkLevels(), ", "),
			Args: choices("level", thinkLevels()...), Run: c.cmdThink, Takes: oneWord, Once: func(o *command.Once, args string) error {
				level, ok := thinkLevel(args)
				if !ok {
					return wrong("think", args, thinkLevels())
				}
				o.Thinking = level
				return nil
			},
		},
		{
			Name: "verbose", Aliases: []string{"v"}, Help: "show what tools do: on, full or off", Args: choices("mode", "on", "full", "off"),
			Run: c.cmdVerbose, Takes: oneWord, Once: onceOf(func(o *command.Once) *string { return &o.Verbose }, "off", "on", "full"),
		},
		{
			Name: "reasoning", Aliases: []string{"reason"}, Help: "show the model's reasoning: on, off or stream", Args: choices("mode", "on", "off", "stream"),
			Run: c.cmdReasoning, Takes: oneWord, Once: onceOf(func(o *command.Once) *string { return &o.Reasoning }, "off", "on", "stream"),
		},
		{Name: "fast", Help: "fast mode, for models that have it: on or off", Args: choices("mode", "status", "on", "off"), Run: c.cmdFast, Takes: oneWord},
		{Name: "usage", Help: "tokens under each answer: off, tokens or full; or cost", Args: choices("mode", "off", "tokens", "full", "cost"), Run: c.cmdUsage},
		{Name: "activation", Help: "when the agent answers in this group: mention or always", Args: choices("mode", "mention", "always"), Run: c.cmdActivation},
		{Name: "send", Help: "whether answers of this session go out: on, off or inherit", Owner: true, Args: choices("mode", "on", "off", "inherit"), Run: c.cmdSend},
		{Name: "config", Help: "show or change the configuration: show, get, set or unset", Owner: true, Args: choices("action", "show", "get", "set", "unset"), Run: c.cmdConfig},
		{Name: "debug", Help: "settings over the configuration, in memory only: show, set, unset or reset", Owner: true, Args: choices("action", "show", "set", "unset", "reset"), Run: c.cmdDebug},
		{Name: "allowlist", Help: "who may write: list, add or remove, for dm or group", Args: choices("action", "list", "add", "remove"), Run: c.cmdAllowlist},
		{Name: "export-session", Aliases: []string{"export"}, Help: "write this conversation to an HTML file in the workspace", Args: choices("path"), Run: c.cmdExport},
		{Name: "restart", Help: "restart the gateway", Owner: true, Run: c.cmdRestart},
	}
}

// choices is the one argument of a command.
func choices(name string, values ...string) []command.Arg {
	return []command.Arg{{Name: name, Choices: values}}
}

// oneWord is for directives that take one word.
func oneWord(i int, _ string) bool { return i == 0 }

// onceOf sets one field of what holds for a message.
func onceOf(field func(*command.Once) *string, values ...string) func(*command.Once, string) error {
	return func(o *command.Once, args string) error {
		v := strings.ToLower(args)
		if !slices.Contains(values, v) {
			return wrong("directive", args, values)
		}
		*field(o) = v
		return nil
	}
}

func (c *Control) cmdHelp(context.Context, command.Env, string) (string, error) {
	return "Write to talk to the agent. What starts with / is a command:\n" +
		"/status  how this conversation is doing\n" +
		"/new  start a new conversation\n" +
		"/stop  stop the current answer\n" +
		"/model <name>  choose the model\n" +
		"/think <level>  how much the model thinks\n" +
		"/commands  all commands", nil
}

func (c *Control) cmdCommands(context.Context, command.Env, string) (string, error) {
	all := c.commands()
	if c.Commands != nil {
		all = c.Commands()
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b command.Command) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("Commands:")
	stop := false
	for _, one := range all {
		if one.Hidden {
			continue
		}
		stop = stop || one.Name == "stop"
		b.WriteString("\n/" + one.Name)
		for _, a := range one.Aliases {
			b.WriteString(", /" + a)
		}
		if one.Help != "" {
			b.WriteString("  " + one.Help)
		}
		if one.Owner {
			b.WriteString(" (owner only)")
		}
	}
	if !stop {
		b.WriteString("\n/stop  stop the current answer")
	}
	return b.String(), nil
}

func (c *Control) cmdWhoami(_ context.Context, env command.Env, _ string) (string, error) {
	var b strings.Builder
	line := func(k, v string) {
		if v != "" {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
		}
	}
	line("Channel", string(env.In.At.Channel))
	line("Account", string(env.In.At.Account))
	if env.In.Client != nil {
		line("Client", env.In.Client.Label)
	} else {
		line("Your id", string(env.In.From.ID))
		line("Name", env.In.From.Name)
		line("Chat", string(env.In.At.Peer))
	}
	line("Session", string(env.Session))
	if env.Owner {
		line("Rights", "owner")
	} else {
		line("Rights", "may talk to the agent")
	}
	if env.In.Client == nil && env.In.From.ID != "" && env.In.At.Channel != "" {
		line("Allow list entry", fmt.Sprintf("channels.%s.allowFrom: [\"%s\"]", env.In.At.Channel, env.In.From.ID))
	}
	return strings.TrimSpace(b.String()), nil
}

func (c *Control) cmdStatus(ctx context.Context, env command.Env, _ string) (string, error) {
	in, err := c.info(ctx, env.Session)
	if err != nil {
		return "", err
	}
	reply := status.Card(in, c.Now())
	if waiting, err := c.Lines.Waiting(ctx, env.Session); err == nil && len(waiting) > 0 {
		reply += fmt.Sprintf("\nWaiting for the next turn: %d notes", len(waiting))
	}
	return reply, nil
}

// SessionInfo is what session_status and /status tell about a session. The kind
// of the error is fault.NotFound when there is none.
func (c *Control) SessionInfo(ctx context.Context, _ tool.Scope, key id.SessionKey) (status.Info, error) {
	if _, known, err := c.Sessions.Get(ctx, key); err != nil {
		return status.Info{}, err
	} else if !known {
		return status.Info{}, fault.New(fault.NotFound, "control.SessionInfo", "there is no such session")
	}
	return c.info(ctx, key)
}

func (c *Control) info(ctx context.Context, key id.SessionKey) (status.Info, error) {
	cfg := c.Config()
	s, err := c.current(ctx, key)
	if err != nil {
		return status.Info{}, err
	}
	m := c.modelOf(s)
	in := status.Info{
		Version: version.String(), Session: key, Model: m.String(), Window: contextOf(cfg, m), Compactions: s.CompactionCount,
		Usage:   llm.Usage{Input: s.InputTokens, Output: s.OutputTokens, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite},
		Runtime: "direct", Thinking: c.thinking(s), Queue: first(s.QueueMode, cfg.Messages.Queue.Mode, "collect"),
		Zone: cfg.Agents.Defaults.UserTimezone, Clock12: cfg.Agents.Defaults.TimeFormat == "12",
	}
	if strings.Contains(string(key), ":group:") || strings.Contains(string(key), ":channel:") {
		in.Activation = first(s.GroupActivation, "mention")
	}
	m.Price(&in.Usage)
	if s.ContextTokens > 0 {
		in.Window = s.ContextTokens
	}
	if s.TotalTokensFresh {
		in.Context = int(s.TotalTokens)
	}
	if s.Updated > 0 {
		in.Updated = time.UnixMilli(s.Updated)
	}
	return in, nil
}

// ChooseModel sets the model of a session; an empty name goes back to the
// agent's own.
func (c *Control) ChooseModel(ctx context.Context, _ tool.Scope, key id.SessionKey, name string) error {
	if name == "" {
		return c.choose(ctx, key, "", "")
	}
	m, err := c.find(name)
	if err != nil {
		return err
	}
	return c.choose(ctx, key, m.Provider, m.ID)
}

func (c *Control) choose(ctx context.Context, key id.SessionKey, provider, model string) error {
	return c.change(ctx, key, func(s *session.Session) {
		s.ProviderOverride, s.ModelOverride = provider, model
		s.TotalTokensFresh, s.ContextTokens = false, 0 // counted for another model
	})
}

// thinking is the level that s answers with.
func (c *Control) thinking(s session.Session) string {
	m := c.Models.Default(s.Key.Agent())
	if s.ModelOverride != "" {
		if chosen, err := c.Models.Lookup(strings.TrimPrefix(s.ProviderOverride+"/"+s.ModelOverride, "/")); err == nil {
			m = chosen
		}
	}
	return first(s.ThinkingLevel, c.Config().Agents.Defaults.ThinkingDefault, model.Thinking(m))
}

// cmdReset starts a new transcript under the same key.
func (c *Control) cmdReset(reason string) func(context.Context, command.Env, string) (string, error) {
	return func(ctx context.Context, env command.Env, _ string) (string, error) {
		s, err := c.Sessions.Reset(ctx, env.Session, reason)
		if err != nil {
			return "", err
		}
		s.Key = env.Session
		return "New conversation, model " + c.modelOf(s).String() + ".", nil
	}
}

// change sets something in the index entry of key, making it when needed.
func (c *Control) change(ctx context.Context, key id.SessionKey, set func(*session.Session)) error {
	if _, known, err := c.Sessions.Get(ctx, key); err != nil {
		return err
	} else if !known {
		if _, _, err := c.Sessions.Open(ctx, key); err != nil {
			return err
		}
	}
	_, err := c.Sessions.Update(ctx, key, func(s *session.Session) error {
		set(s)
		return nil
	})
	return err
}

// current is the index entry of key, empty when there is none.
func (c *Control) current(ctx context.Context, key id.SessionKey) (session.Session, error) {
	s, _, err := c.Sessions.Get(ctx, key)
	s.Key = key
	return s, err
}

func wrong(cmd, got string, want []string) error {
	return fault.New(fault.Invalid, "command."+cmd, fmt.Sprintf("/%s doesn't know %q. Use one of: %s", cmd, text.Ellipsis(got, 40), strings.Join(want, ", ")))
}
