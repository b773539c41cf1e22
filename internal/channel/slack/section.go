package slack

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Account is channels.slack.accounts.<name>: all that may stand there. What this
// package reads of it is [Config].
type Account struct {
	Name                         string                                          `json:"name"`
	Mode                         string                                          `json:"mode" schema:"values=socket|http"`
	SigningSecret                settings.Secret                                 `json:"signingSecret"`
	WebhookPath                  string                                          `json:"webhookPath"`
	Capabilities                 jsonschema.AnyOf[[]string, SectionCapabilities] `json:"capabilities"`
	Markdown                     settings.Markdown                               `json:"markdown"`
	Enabled                      bool                                            `json:"enabled"`
	Commands                     settings.NativeCommands                         `json:"commands"`
	ConfigWrites                 bool                                            `json:"configWrites"`
	BotToken                     settings.Secret                                 `json:"botToken"`
	AppToken                     settings.Secret                                 `json:"appToken"`
	UserToken                    settings.Secret                                 `json:"userToken"`
	UserTokenReadOnly            bool                                            `json:"userTokenReadOnly" schema:"default=true"`
	AllowBots                    bool                                            `json:"allowBots"`
	DangerouslyAllowNameMatching bool                                            `json:"dangerouslyAllowNameMatching"`
	RequireMention               bool                                            `json:"requireMention"`
	GroupPolicy                  string                                          `json:"groupPolicy" schema:"values=open|disabled|allowlist"`
	HistoryLimit                 settings.Natural                                `json:"historyLimit"`
	DMHistoryLimit               settings.Natural                                `json:"dmHistoryLimit"`
	DMs                          map[string]settings.DMHistory                   `json:"dms"`
	TextChunkLimit               settings.Positive                               `json:"textChunkLimit"`
	ChunkMode                    string                                          `json:"chunkMode" schema:"values=length|newline"`
	BlockStreaming               bool                                            `json:"blockStreaming"`
	BlockStreamingCoalesce       settings.Coalesce                               `json:"blockStreamingCoalesce"`
	Streaming                    any                                             `json:"streaming" schema:"is=boolean|values(off|partial|block|progress)"`
	NativeStreaming              bool                                            `json:"nativeStreaming"`
	StreamMode                   string                                          `json:"streamMode" schema:"values=replace|status_final|append"`
	MediaMaxMB                   float64                                         `json:"mediaMaxMb" schema:"exclusiveMinimum=0"`
	ReactionNotifications        string                                          `json:"reactionNotifications" schema:"values=off|own|all|allowlist"`
	ReactionAllowlist            []settings.ID                                   `json:"reactionAllowlist"`
	ReplyToMode                  string                                          `json:"replyToMode" schema:"enum=off|first|all"`
	ReplyToModeByChatType        SectionReplyToModeByChatType                    `json:"replyToModeByChatType"`
	Thread                       SectionThread                                   `json:"thread"`
	Actions                      SectionActions                                  `json:"actions"`
	SlashCommand                 SectionSlashCommand                             `json:"slashCommand"`
	DMPolicy                     string                                          `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom                    []settings.ID                                   `json:"allowFrom"`
	DefaultTo                    string                                          `json:"defaultTo"`
	DM                           SectionDM                                       `json:"dm"`
	Channels                     map[string]SectionChannel                       `json:"channels"`
	Heartbeat                    settings.HeartbeatView                          `json:"heartbeat"`
	ResponsePrefix               string                                          `json:"responsePrefix"`
	AckReaction                  string                                          `json:"ackReaction"`
	TypingReaction               string                                          `json:"typingReaction"`
	APIRoot                      string                                          `json:"apiRoot"`
}

// Whole returns the type of channels.slack.
func (Account) Whole() any { return Section{} }

// Section is channels.slack: an account, and what accounts leave to it.
type Section struct {
	Account

	Mode        string `json:"mode" schema:"values=socket|http,default=socket"`
	WebhookPath string `json:"webhookPath" schema:"default=/slack/events"`
	GroupPolicy string `json:"groupPolicy" schema:"values=open|disabled|allowlist,default=allowlist"`
}

// SectionCapabilities is capabilities of channels.slack.
type SectionCapabilities struct {
	InteractiveReplies bool `json:"interactiveReplies"`
}

// SectionReplyToModeByChatType is replyToModeByChatType of channels.slack.
type SectionReplyToModeByChatType struct {
	Direct  string `json:"direct" schema:"enum=off|first|all"`
	Group   string `json:"group" schema:"enum=off|first|all"`
	Channel string `json:"channel" schema:"enum=off|first|all"`
}

// SectionThread is thread of channels.slack.
type SectionThread struct {
	HistoryScope        string           `json:"historyScope" schema:"values=thread|channel"`
	InheritParent       bool             `json:"inheritParent"`
	InitialHistoryLimit settings.Natural `json:"initialHistoryLimit"`
}

// SectionActions is actions of channels.slack.
type SectionActions struct {
	Reactions   bool `json:"reactions"`
	Messages    bool `json:"messages"`
	Pins        bool `json:"pins"`
	Search      bool `json:"search"`
	Permissions bool `json:"permissions"`
	MemberInfo  bool `json:"memberInfo"`
	ChannelInfo bool `json:"channelInfo"`
	EmojiList   bool `json:"emojiList"`
}

// SectionSlashCommand is slashCommand of channels.slack.
type SectionSlashCommand struct {
	Enabled       bool   `json:"enabled"`
	Name          string `json:"name"`
	SessionPrefix string `json:"sessionPrefix"`
	Ephemeral     bool   `json:"ephemeral"`
}

// SectionDM is dm of channels.slack.
type SectionDM struct {
	Enabled       bool          `json:"enabled"`
	Policy        string        `json:"policy" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom     []settings.ID `json:"allowFrom"`
	GroupEnabled  bool          `json:"groupEnabled"`
	GroupChannels []settings.ID `json:"groupChannels"`
	ReplyToMode   string        `json:"replyToMode" schema:"enum=off|first|all"`
}

// SectionChannel is channels.<name> of channels.slack.
type SectionChannel struct {
	Enabled        bool                           `json:"enabled"`
	Allow          bool                           `json:"allow"`
	RequireMention bool                           `json:"requireMention"`
	Tools          settings.ToolPolicy            `json:"tools"`
	ToolsBySender  map[string]settings.ToolPolicy `json:"toolsBySender"`
	AllowBots      bool                           `json:"allowBots"`
	Users          []settings.ID                  `json:"users"`
	Skills         []string                       `json:"skills"`
	SystemPrompt   string                         `json:"systemPrompt"`
}
