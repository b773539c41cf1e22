package slack

// allowed tells whether channels.slack.actions lets the agent do something.
func (b *bot) allowed(group string) bool {
	on, said := b.cfg.Actions[group]
	return on || !said
}

// Allows implements [channel.Gate]: what channels.slack.actions leaves open. The
// actions that only Slack has aren't there when their gate is closed.
func (b *bot) Allows(action string) bool {
	switch action {
	case "send", "reply", "thread-reply", "broadcast", "thread-create", "edit", "delete", "unsend", "read":
		return b.allowed("messages")
	case "react":
		return b.allowed("reactions")
	case "pin", "unpin", "pins", "list-pins":
		return b.allowed("pins")
	case "search":
		return b.allowed("search")
	case "channel-list":
		return b.allowed("channelInfo")
	}
	return true
}
