package spec

// RouteBinding is an entry of bindings that leads messages to an agent.
type RouteBinding struct {
	Type    string       `json:"type" schema:"const=route"`
	AgentID string       `json:"agentId" schema:"required"`
	Comment string       `json:"comment"`
	Match   BindingMatch `json:"match" schema:"required"`
}

// ACPBinding is an entry of bindings that leads messages to a session of another program.
type ACPBinding struct {
	Type    string       `json:"type" schema:"required,const=acp"`
	AgentID string       `json:"agentId" schema:"required"`
	Comment string       `json:"comment"`
	Match   BindingMatch `json:"match" schema:"required"`
	ACP     BindingACP   `json:"acp"`
}

// BindingMatch is bindings[].match.
type BindingMatch struct {
	Channel   string      `json:"channel" schema:"required"`
	AccountID string      `json:"accountId"`
	Peer      BindingPeer `json:"peer"`
	GuildID   string      `json:"guildId"`
	TeamID    string      `json:"teamId"`
	Roles     []string    `json:"roles"`
}

// BindingACP is bindings[].acp.
type BindingACP struct {
	Mode    string `json:"mode" schema:"values=persistent|oneshot"`
	Label   string `json:"label"`
	CWD     string `json:"cwd"`
	Backend string `json:"backend"`
}

// BindingPeer is bindings[].match.peer.
type BindingPeer struct {
	Kind string `json:"kind" schema:"required,enum=direct|group|channel|dm"`
	ID   string `json:"id" schema:"required"`
}

// Broadcast is broadcast.
type Broadcast struct {
	Strategy string `json:"strategy" schema:"values=parallel|sequential"`

	Rest map[string][]string `json:"-" schema:"rest"`
}
