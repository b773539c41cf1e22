package command

import "context"

// Later are the commands that the original has and this program doesn't have
// yet: each says so, and what to do meanwhile, so that it never goes to the
// model as text. Names that taken has are left out.
func Later(taken []Command) []Command {
	have := map[string]bool{}
	for _, c := range taken {
		have[c.Name] = true
		for _, a := range c.Aliases {
			have[a] = true
		}
	}
	var out []Command
	for _, l := range [...]struct {
		name, alias, instead string
	}{
		{"skill", "", "Ask the agent in plain words; skills come with a later version."},
		{"allowlist", "", "The owner can use: openclaw config set channels.<channel>.allowFrom '[\"<id>\"]'"},
		{"approve", "", "Exec approvals come with a later version; see openclaw config get tools.exec"},
		{"export-session", "export", "On the gateway's host: openclaw sessions, and the transcript file that it names."},
		{"bash", "", "Ask the agent to run it; it has the tool exec."},
		{"tts", "", "Speech comes with a later version."},
		{"session", "", "Bound threads come with a later version."},
		{"subagents", "", "Sub-agents come with a later version."},
		{"acp", "", "ACP sessions come with a later version."},
		{"focus", "", "Bound threads come with a later version."},
		{"unfocus", "", "Bound threads come with a later version."},
		{"agents", "", "Bound threads come with a later version; openclaw agents list shows all agents."},
		{"kill", "", "Sub-agents come with a later version; /stop stops the current answer."},
		{"steer", "tell", "Sub-agents come with a later version; /queue steer makes your next messages steer the current answer."},
		{"debug", "", "On the gateway's host: openclaw config set, which takes effect at once."},
		{"compact", "", "The oldest turns are left out by themselves when the context is full; /new starts afresh."},
		{"elevated", "elev", "Commands run on the gateway's host already: there is no sandbox to leave."},
		{"exec", "", "The owner can use: openclaw config set tools.exec.security allowlist"},
		{"dock-telegram", "dock_telegram", "Write to the agent from Telegram; answers go where you wrote last."},
		{"dock-discord", "dock_discord", "Write to the agent from Discord; answers go where you wrote last."},
		{"dock-slack", "dock_slack", "Write to the agent from Slack; answers go where you wrote last."},
		{"dock-mattermost", "dock_mattermost", "Mattermost comes with a later version."},
	} {
		if have[l.name] || l.alias != "" && have[l.alias] {
			continue
		}
		c := Command{Name: l.name, Hidden: true, Run: func(context.Context, Env, string) (string, error) {
			return "⚙️ /" + l.name + " is not available yet. " + l.instead, nil
		}}
		if l.alias != "" {
			c.Aliases = []string{l.alias}
		}
		out = append(out, c)
	}
	return out
}
