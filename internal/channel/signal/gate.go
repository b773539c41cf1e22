package signal

// Allows implements [channel.Gate]: reactionLevel and actions.reactions are
// about those that the agent gives, not about the gateway's own.
func (b *bot) Allows(action string) bool {
	return action != "react" || b.cfg.reacts()
}
