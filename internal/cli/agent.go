package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/client"
	"github.com/openclaw-go/openclaw/internal/config"
)

type agentFlags struct {
	message, to, session, agent      string
	thinking, verbose, channel       string
	replyTo, replyChannel, replyAcct string
	local, deliver                   bool
	timeout                          int // seconds
}

// agentReply is the final answer of the method agent.
type agentReply struct {
	RunID   string `json:"runId"`
	Status  string `json:"status"`
	Summary string `json:"summary,omitempty"`
	Result  Answer `json:"result"`
}

// agent is openclaw agent: one turn, through the gateway or in this process.
func (sh *shell) agent() *cobra.Command {
	var f agentFlags
	cmd := sh.command(spec{
		name: "agent", short: "One turn of an agent",
		example: `openclaw agent -m "list the files in your workspace"
openclaw agent --agent work -m "what is next?" --json`,
		run: func(ctx context.Context, _ []string) error { return sh.turn(ctx, f) },
	})
	fs := cmd.Flags()
	fs.StringVarP(&f.message, "message", "m", "", "what to say (`text`)")
	fs.StringVarP(&f.to, "to", "t", "", "the conversation with this `number`")
	fs.StringVar(&f.session, "session-id", "", "the conversation with this `id`")
	fs.StringVar(&f.agent, "agent", "", "the agent's `id` (default: the default agent)")
	fs.StringVar(&f.thinking, "thinking", "", "off, minimal, low, medium, high or xhigh (`level`)")
	fs.StringVar(&f.verbose, "verbose", "", "keep verbose `on|off` for the conversation")
	fs.StringVar(&f.channel, "channel", "", "the conversation's `channel`")
	fs.StringVar(&f.replyTo, "reply-to", "", "with --deliver: send to this `target`")
	fs.StringVar(&f.replyChannel, "reply-channel", "", "with --deliver: send on this `channel`")
	fs.StringVar(&f.replyAcct, "reply-account", "", "with --deliver: send as this account (`id`)")
	fs.BoolVar(&f.local, "local", false, "run in this process, without a gateway")
	fs.BoolVar(&f.deliver, "deliver", false, "send the answer to the conversation's channel too")
	fs.IntVar(&f.timeout, "timeout", 0, "how long to wait, in `seconds` (default: the config's, else 600)")
	require(cmd, "message")
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) turn(ctx context.Context, f agentFlags) error {
	if strings.TrimSpace(f.message) == "" {
		return say("the message is empty: openclaw agent -m \"hello\"")
	}
	c, err := sh.running(ctx)
	if err != nil {
		return err
	}
	if err := f.check(c); err != nil {
		return err
	}
	if f.local {
		return sh.turnHere(ctx, f, c)
	}
	r, err := sh.turnThere(ctx, f, c)
	if err == nil {
		return sh.showReply(r)
	}
	if !nobody(err) || sh.Local == nil {
		return err
	}
	sh.note("%s", sh.err.Dim("No gateway answers; running the agent in this process. A gateway: openclaw gateway run"))
	return sh.turnHere(ctx, f, c)
}

func (f agentFlags) check(c *config.Config) error {
	if f.agent != "" {
		if _, ok := c.Agent(id.Agent(f.agent)); !ok {
			return say("Unknown agent id %q. What there is: openclaw agents list", f.agent)
		}
	}
	if f.verbose != "" && f.verbose != "on" && f.verbose != "off" {
		return say("--verbose is on or off, not %q", f.verbose)
	}
	if f.timeout < 0 {
		return say("--timeout is a number of seconds, not %d", f.timeout)
	}
	return nil
}

// nobody reports that no gateway is there, as opposed to one that said no.
func nobody(err error) bool {
	c, ok := errors.AsType[*client.CloseError](err)
	return ok && c.Code == 1006 && hasKind(err, fault.Unavailable)
}

func (f agentFlags) limit(c *config.Config) time.Duration {
	if f.timeout > 0 {
		return time.Duration(f.timeout) * time.Second
	}
	if s := c.Agents.Defaults.TimeoutSeconds; s > 0 {
		return time.Duration(s) * time.Second
	}
	return 600 * time.Second
}

func (f agentFlags) agentID(c *config.Config) id.Agent {
	if f.agent != "" {
		return id.Agent(f.agent)
	}
	return c.DefaultAgent()
}

// key is the conversation, when nothing but the agent says which.
func (f agentFlags) key(c *config.Config) id.SessionKey {
	if f.to != "" || f.session != "" {
		return ""
	}
	return c.MainKey(f.agentID(c))
}

func (sh *shell) turnThere(ctx context.Context, f agentFlags, c *config.Config) (*agentReply, error) {
	conn, err := sh.dial(ctx, target{})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	limit := f.limit(c)
	params := map[string]any{
		"message": f.message, "idempotencyKey": uuid.NewString(), "timeout": int(limit.Seconds()),
		"agentId": f.agentID(c),
	}
	for k, v := range map[string]string{
		"to": f.to, "sessionId": f.session, "sessionKey": string(f.key(c)), "thinking": f.thinking,
		"channel": f.channel, "replyTo": f.replyTo, "replyChannel": f.replyChannel, "replyAccountId": f.replyAcct,
	} {
		if v != "" {
			params[k] = v
		}
	}
	if f.deliver {
		params["deliver"] = true
	}
	if key := cmp.Or(f.key(c), c.MainKey(cmp.Or(f.agentID(c), c.DefaultAgent()))); f.verbose != "" && f.session == "" {
		if err := conn.Call(ctx, "sessions.patch", map[string]any{"key": key, "verboseLevel": f.verbose}, nil); err != nil {
			return nil, err
		}
	}
	// The gateway ends the turn at the limit; we wait a little longer to hear it.
	ctx, cancel := context.WithTimeout(ctx, limit+30*time.Second)
	defer cancel()
	end := term.Progress(sh.Stderr, sh.err, "Waiting for the agent")
	defer end()
	r := new(agentReply)
	if err := conn.CallFinal(ctx, "agent", params, r, nil); err != nil {
		if hasKind(err, fault.Timeout) {
			return nil, say("the agent did not finish in time; give it longer: --timeout <seconds>")
		}
		return nil, err
	}
	return r, nil
}

func (sh *shell) turnHere(ctx context.Context, f agentFlags, c *config.Config) error {
	if sh.Local == nil {
		return say("this build can't run an agent without a gateway: openclaw gateway run")
	}
	limit := f.limit(c)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end := term.Progress(sh.Stderr, sh.err, "The agent works")
	a, err := sh.Local(ctx, LocalOptions{
		Paths: sh.paths(), Log: sh.logger(), Agent: f.agentID(c), Session: f.key(c), SessionID: id.Session(f.session), To: f.to,
		Message: f.message, Thinking: f.thinking, Verbose: f.verbose, Channel: f.channel, Deliver: f.deliver,
		ReplyTo: f.replyTo, ReplyOn: f.replyChannel, ReplyAs: id.Account(f.replyAcct), Timeout: limit, Run: id.NewRun(),
	})
	end()
	if f.local && hasKind(err, fault.Conflict) {
		return say("%s\nTo ask the agent of that gateway, leave --local out.", firstUpper(hint(err)))
	}
	if err != nil {
		return err
	}
	if sh.json {
		if a.Payloads == nil {
			a.Payloads = []Payload{}
		}
		if a.Meta == nil {
			a.Meta = json.RawMessage("{}")
		}
		sh.printJSON(a)
		return nil
	}
	sh.showAnswer(a)
	return nil
}

func (sh *shell) showReply(r *agentReply) error {
	if sh.json {
		sh.printJSON(r)
	} else {
		sh.showAnswer(r.Result)
	}
	if r.Status != "" && r.Status != "ok" {
		if !sh.json {
			sh.note("The turn ended with: %s", first(r.Summary, r.Status))
		}
		return quiet{1}
	}
	return nil
}

// showAnswer prints what the agent said and nothing else.
func (sh *shell) showAnswer(a Answer) {
	if len(a.Payloads) == 0 {
		sh.note("%s", sh.err.Dim("(no reply)"))
		return
	}
	for _, p := range a.Payloads {
		if t := strings.TrimRight(p.Text, "\n"); t != "" {
			sh.line("%s", t)
		}
		media := p.MediaURLs
		if p.MediaURL != nil && len(media) == 0 {
			media = []string{*p.MediaURL}
		}
		for _, m := range media {
			sh.line("MEDIA: %s", m)
		}
	}
}
