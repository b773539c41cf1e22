package discord

// allowed tells whether channels.discord.actions lets the agent do something.
func (b *bot) allowed(gate string) bool {
	on, said := b.cfg.Actions[gate]
	if !said {
		return gate != "roles" && gate != "moderation" && gate != "presence"
	}
	return on
}

// Allows implements [channel.Gate]: what channels.discord.actions leaves open.
// The actions that only Discord has aren't there when their gate is closed.
func (b *bot) Allows(action string) bool {
	switch action {
	case "send", "reply", "broadcast", "edit", "delete", "unsend", "read":
		return b.allowed("messages")
	case "react":
		return b.allowed("reactions")
	case "poll":
		return b.allowed("polls")
	case "pin", "unpin", "pins", "list-pins":
		return b.allowed("pins")
	case "thread-create", "thread-reply":
		return b.allowed("threads")
	case "search":
		return b.allowed("search")
	case "channel-list":
		return b.allowed("channelInfo")
	}
	return true
}
