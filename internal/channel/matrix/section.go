package matrix

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Section is channels.matrix: all that may stand there. What this package reads
// of it is [Config].
type Section struct {
	Name              string                 `json:"name"`
	Enabled           bool                   `json:"enabled"`
	DefaultAccount    string                 `json:"defaultAccount"`
	Accounts          map[string]any         `json:"accounts"`
	Markdown          settings.Markdown      `json:"markdown"`
	Homeserver        string                 `json:"homeserver"`
	UserID            string                 `json:"userId"`
	AccessToken       string                 `json:"accessToken"`
	Password          settings.Secret        `json:"password"`
	DeviceName        string                 `json:"deviceName"`
	InitialSyncLimit  float64                `json:"initialSyncLimit"`
	Encryption        bool                   `json:"encryption"`
	AllowlistOnly     bool                   `json:"allowlistOnly"`
	GroupPolicy       string                 `json:"groupPolicy" schema:"values=open|disabled|allowlist"`
	ReplyToMode       string                 `json:"replyToMode" schema:"values=off|first|all"`
	ThreadReplies     string                 `json:"threadReplies" schema:"values=off|inbound|always"`
	TextChunkLimit    float64                `json:"textChunkLimit"`
	ChunkMode         string                 `json:"chunkMode" schema:"values=length|newline"`
	ResponsePrefix    string                 `json:"responsePrefix"`
	MediaMaxMB        float64                `json:"mediaMaxMb"`
	AutoJoin          string                 `json:"autoJoin" schema:"values=always|allowlist|off"`
	AutoJoinAllowlist []settings.ID          `json:"autoJoinAllowlist"`
	GroupAllowFrom    []settings.ID          `json:"groupAllowFrom"`
	DM                SectionDM              `json:"dm"`
	Groups            map[string]SectionRoom `json:"groups"`
	Rooms             map[string]SectionRoom `json:"rooms"`
	Actions           SectionActions         `json:"actions"`
}

// SectionDM is dm of channels.matrix.
type SectionDM struct {
	Enabled   bool          `json:"enabled"`
	Policy    string        `json:"policy" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom []settings.ID `json:"allowFrom"`
}

// SectionActions is actions of channels.matrix.
type SectionActions struct {
	Reactions   bool `json:"reactions"`
	Messages    bool `json:"messages"`
	Pins        bool `json:"pins"`
	MemberInfo  bool `json:"memberInfo"`
	ChannelInfo bool `json:"channelInfo"`
}

// SectionRoom is rooms.<name> of channels.matrix.
type SectionRoom struct {
	Enabled        bool                `json:"enabled"`
	Allow          bool                `json:"allow"`
	RequireMention bool                `json:"requireMention"`
	Tools          settings.ToolPolicy `json:"tools"`
	AutoReply      bool                `json:"autoReply"`
	Users          []settings.ID       `json:"users"`
	Skills         []string            `json:"skills"`
	SystemPrompt   string              `json:"systemPrompt"`
}
