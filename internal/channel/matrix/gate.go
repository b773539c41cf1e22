package matrix

// Allows implements [channel.Gate]: what channels.matrix.actions leaves open.
func (b *bot) Allows(action string) bool {
	a := b.cfg.Actions
	if a == nil {
		return true
	}
	open := func(on *bool) bool { return on == nil || *on }
	switch action {
	case "send", "reply", "thread-reply", "broadcast", "edit", "delete", "unsend", "read":
		return open(a.Messages)
	case "react", "reactions":
		return open(a.Reactions)
	case "pin", "unpin", "pins", "list-pins":
		return open(a.Pins)
	case "member-info":
		return open(a.MemberInfo)
	case "channel-info", "channel-list":
		return open(a.ChannelInfo)
	}
	return true
}
