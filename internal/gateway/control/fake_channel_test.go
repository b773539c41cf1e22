package control_test

import (
	"context"
	"os"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// ircStatus tells about one IRC account that runs.
func ircStatus(probe any) func(context.Context, bool) []control.ChannelStatus {
	return func(_ context.Context, asked bool) []control.ChannelStatus {
		a := control.AccountStatus{
			ID: "default", Enabled: true, Configured: true, Running: true, LastStart: 1796072004056,
			Extra: object{"host": "127.0.0.1", "port": 21050, "tls": false, "nick": "clawbot", "passwordSource": "none"},
		}
		if asked {
			a.Probe, a.LastProbe = probe, 1796072074220
		}
		return []control.ChannelStatus{{ID: "irc", Label: "IRC", SystemImage: "network", Accounts: []control.AccountStatus{a}}}
	}
}

func logout(asked *string) func(context.Context, id.Channel, id.Account) (any, error) {
	return func(_ context.Context, c id.Channel, a id.Account) (any, error) {
		*asked = string(c) + " " + string(a)
		return object{"channel": c, "accountId": a, "cleared": true}, nil
	}
}

// grouped is a tool that does nothing.
type grouped struct{ name, group string }

func (g grouped) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: g.name, Description: "Do it. And more.", Schema: []byte(`{}`)}
}
func (g grouped) Run(context.Context, tool.Call) (tool.Result, error) { return tool.Text(""), nil }
func (g grouped) Group() string                                       { return g.group }

// makeDir makes workspaces and notes for whom.
func makeDir(made *[]id.Agent) func(context.Context, id.Agent, string) error {
	return func(_ context.Context, a id.Agent, dir string) error {
		*made = append(*made, a)
		return os.MkdirAll(dir, 0o755)
	}
}
