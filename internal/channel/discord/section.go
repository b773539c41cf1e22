package discord

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Account is channels.discord.accounts.<name>: all that may stand there. What
// this package reads of it is [Config].
type Account struct {
	Name                         string                        `json:"name"`
	Capabilities                 []string                      `json:"capabilities"`
	Markdown                     settings.Markdown             `json:"markdown"`
	Enabled                      bool                          `json:"enabled"`
	Commands                     settings.NativeCommands       `json:"commands"`
	ConfigWrites                 bool                          `json:"configWrites"`
	Token                        settings.Secret               `json:"token"`
	Proxy                        string                        `json:"proxy"`
	AllowBots                    any                           `json:"allowBots" schema:"is=boolean|\"mentions\""`
	DangerouslyAllowNameMatching bool                          `json:"dangerouslyAllowNameMatching"`
	GroupPolicy                  string                        `json:"groupPolicy" schema:"values=open|disabled|allowlist,default=allowlist"`
	HistoryLimit                 settings.Natural              `json:"historyLimit"`
	DMHistoryLimit               settings.Natural              `json:"dmHistoryLimit"`
	DMs                          map[string]settings.DMHistory `json:"dms"`
	TextChunkLimit               settings.Positive             `json:"textChunkLimit"`
	ChunkMode                    string                        `json:"chunkMode" schema:"values=length|newline"`
	BlockStreaming               bool                          `json:"blockStreaming"`
	BlockStreamingCoalesce       settings.Coalesce             `json:"blockStreamingCoalesce"`
	Streaming                    any                           `json:"streaming" schema:"is=boolean|values(off|partial|block|progress)"`
	StreamMode                   string                        `json:"streamMode" schema:"values=partial|block|off"`
	DraftChunk                   settings.Chunks               `json:"draftChunk"`
	MaxLinesPerMessage           settings.Positive             `json:"maxLinesPerMessage"`
	MediaMaxMB                   float64                       `json:"mediaMaxMb" schema:"exclusiveMinimum=0"`
	Retry                        settings.Retry                `json:"retry"`
	Actions                      SectionActions                `json:"actions"`
	ReplyToMode                  string                        `json:"replyToMode" schema:"enum=off|first|all"`
	DMPolicy                     string                        `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom                    []settings.ID                 `json:"allowFrom"`
	DefaultTo                    string                        `json:"defaultTo"`
	DM                           SectionDM                     `json:"dm"`
	Guilds                       map[string]SectionGuild       `json:"guilds"`
	Heartbeat                    settings.HeartbeatView        `json:"heartbeat"`
	ExecApprovals                SectionExecApprovals          `json:"execApprovals"`
	AgentComponents              settings.Switch               `json:"agentComponents"`
	UI                           SectionUI                     `json:"ui"`
	SlashCommand                 SectionSlashCommand           `json:"slashCommand"`
	ThreadBindings               settings.ThreadBindings       `json:"threadBindings"`
	Intents                      SectionIntents                `json:"intents"`
	Voice                        SectionVoice                  `json:"voice"`
	PluralKit                    SectionPluralKit              `json:"pluralkit"`
	ResponsePrefix               string                        `json:"responsePrefix"`
	AckReaction                  string                        `json:"ackReaction"`
	AckReactionScope             string                        `json:"ackReactionScope" schema:"values=group-mentions|group-all|direct|all|off|none"`
	Activity                     string                        `json:"activity"`
	Status                       string                        `json:"status" schema:"values=online|dnd|idle|invisible"`
	AutoPresence                 SectionAutoPresence           `json:"autoPresence"`
	ActivityType                 any                           `json:"activityType" schema:"is=0|1|2|3|4|5"`
	ActivityURL                  string                        `json:"activityUrl" schema:"format=uri"`
	InboundWorker                SectionInboundWorker          `json:"inboundWorker"`
	EventQueue                   SectionEventQueue             `json:"eventQueue"`
	APIRoot                      string                        `json:"apiRoot"`
}

// SectionActions is actions of channels.discord.
type SectionActions struct {
	Reactions      bool `json:"reactions"`
	Stickers       bool `json:"stickers"`
	EmojiUploads   bool `json:"emojiUploads"`
	StickerUploads bool `json:"stickerUploads"`
	Polls          bool `json:"polls"`
	Permissions    bool `json:"permissions"`
	Messages       bool `json:"messages"`
	Threads        bool `json:"threads"`
	Pins           bool `json:"pins"`
	Search         bool `json:"search"`
	MemberInfo     bool `json:"memberInfo"`
	RoleInfo       bool `json:"roleInfo"`
	Roles          bool `json:"roles"`
	ChannelInfo    bool `json:"channelInfo"`
	VoiceStatus    bool `json:"voiceStatus"`
	Events         bool `json:"events"`
	Moderation     bool `json:"moderation"`
	Channels       bool `json:"channels"`
	Presence       bool `json:"presence"`
}

// SectionDM is dm of channels.discord.
type SectionDM struct {
	Enabled       bool          `json:"enabled"`
	Policy        string        `json:"policy" schema:"values=pairing|allowlist|open|disabled"`
	AllowFrom     []settings.ID `json:"allowFrom"`
	GroupEnabled  bool          `json:"groupEnabled"`
	GroupChannels []settings.ID `json:"groupChannels"`
}

// SectionGuild is guilds.<id> of channels.discord.
type SectionGuild struct {
	Slug                  string                         `json:"slug"`
	RequireMention        bool                           `json:"requireMention"`
	IgnoreOtherMentions   bool                           `json:"ignoreOtherMentions"`
	Tools                 settings.ToolPolicy            `json:"tools"`
	ToolsBySender         map[string]settings.ToolPolicy `json:"toolsBySender"`
	ReactionNotifications string                         `json:"reactionNotifications" schema:"values=off|own|all|allowlist"`
	Users                 []settings.ID                  `json:"users"`
	Roles                 []settings.ID                  `json:"roles"`
	Channels              map[string]SectionChannel      `json:"channels"`
}

// SectionChannel is guilds.<id>.channels.<id> of channels.discord.
type SectionChannel struct {
	Allow                bool                           `json:"allow"`
	RequireMention       bool                           `json:"requireMention"`
	IgnoreOtherMentions  bool                           `json:"ignoreOtherMentions"`
	Tools                settings.ToolPolicy            `json:"tools"`
	ToolsBySender        map[string]settings.ToolPolicy `json:"toolsBySender"`
	Skills               []string                       `json:"skills"`
	Enabled              bool                           `json:"enabled"`
	Users                []settings.ID                  `json:"users"`
	Roles                []settings.ID                  `json:"roles"`
	SystemPrompt         string                         `json:"systemPrompt"`
	IncludeThreadStarter bool                           `json:"includeThreadStarter"`
	AutoThread           bool                           `json:"autoThread"`
	AutoArchiveDuration  any                            `json:"autoArchiveDuration" schema:"is=values(60|1440|4320|10080)|60|1440|4320|10080"`
}

// SectionExecApprovals is execApprovals of channels.discord.
type SectionExecApprovals struct {
	Enabled             bool          `json:"enabled"`
	Approvers           []settings.ID `json:"approvers"`
	AgentFilter         []string      `json:"agentFilter"`
	SessionFilter       []string      `json:"sessionFilter"`
	CleanupAfterResolve bool          `json:"cleanupAfterResolve"`
	Target              string        `json:"target" schema:"values=dm|channel|both"`
}

// SectionUI is ui of channels.discord.
type SectionUI struct {
	Components SectionComponents `json:"components"`
}

// SectionComponents is ui.components of channels.discord.
type SectionComponents struct {
	AccentColor string `json:"accentColor" schema:"pattern=^#?[0-9a-fA-F]{6}$"`
}

// SectionSlashCommand is slashCommand of channels.discord.
type SectionSlashCommand struct {
	Ephemeral bool `json:"ephemeral"`
}

// SectionIntents is intents of channels.discord.
type SectionIntents struct {
	Presence     bool `json:"presence"`
	GuildMembers bool `json:"guildMembers"`
}

// SectionVoice is voice of channels.discord.
type SectionVoice struct {
	Enabled                    bool              `json:"enabled"`
	AutoJoin                   []SectionAutoJoin `json:"autoJoin"`
	DAVEEncryption             bool              `json:"daveEncryption"`
	DecryptionFailureTolerance settings.Natural  `json:"decryptionFailureTolerance"`
	TTS                        settings.TTS      `json:"tts"`
}

// SectionAutoJoin is voice.autoJoin of channels.discord.
type SectionAutoJoin struct {
	GuildID   string `json:"guildId" schema:"required,minLength=1"`
	ChannelID string `json:"channelId" schema:"required,minLength=1"`
}

// SectionPluralKit is pluralkit of channels.discord.
type SectionPluralKit struct {
	Enabled bool            `json:"enabled"`
	Token   settings.Secret `json:"token"`
}

// SectionAutoPresence is autoPresence of channels.discord.
type SectionAutoPresence struct {
	Enabled             bool              `json:"enabled"`
	IntervalMs          settings.Positive `json:"intervalMs"`
	MinUpdateIntervalMs settings.Positive `json:"minUpdateIntervalMs"`
	HealthyText         string            `json:"healthyText"`
	DegradedText        string            `json:"degradedText"`
	ExhaustedText       string            `json:"exhaustedText"`
}

// SectionInboundWorker is inboundWorker of channels.discord.
type SectionInboundWorker struct {
	RunTimeoutMs settings.Natural `json:"runTimeoutMs"`
}

// SectionEventQueue is eventQueue of channels.discord.
type SectionEventQueue struct {
	ListenerTimeout settings.Positive `json:"listenerTimeout"`
	MaxQueueSize    settings.Positive `json:"maxQueueSize"`
	MaxConcurrency  settings.Positive `json:"maxConcurrency"`
}
