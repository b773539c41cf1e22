package telegram

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Section is channels.telegram and each of its accounts: all that may stand
// there. What this package reads of it is [Config].
type Section struct {
	Name                   string                                          `json:"name"`
	Capabilities           jsonschema.AnyOf[[]string, SectionCapabilities] `json:"capabilities"`
	ExecApprovals          SectionExecApprovals                            `json:"execApprovals"`
	Markdown               settings.Markdown                               `json:"markdown"`
	Enabled                bool                                            `json:"enabled"`
	Commands               settings.NativeCommands                         `json:"commands"`
	CustomCommands         []SectionCustomCommand                          `json:"customCommands"`
	ConfigWrites           bool                                            `json:"configWrites"`
	DMPolicy               string                                          `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled,default=pairing"`
	BotToken               settings.Secret                                 `json:"botToken"`
	TokenFile              string                                          `json:"tokenFile"`
	ReplyToMode            string                                          `json:"replyToMode" schema:"enum=off|first|all"`
	Groups                 map[string]SectionGroup                         `json:"groups"`
	AllowFrom              []settings.ID                                   `json:"allowFrom"`
	DefaultTo              settings.ID                                     `json:"defaultTo"`
	GroupAllowFrom         []settings.ID                                   `json:"groupAllowFrom"`
	GroupPolicy            string                                          `json:"groupPolicy" schema:"values=open|disabled|allowlist,default=allowlist"`
	HistoryLimit           settings.Natural                                `json:"historyLimit"`
	DMHistoryLimit         settings.Natural                                `json:"dmHistoryLimit"`
	DMs                    map[string]settings.DMHistory                   `json:"dms"`
	Direct                 map[string]SectionDirect                        `json:"direct"`
	TextChunkLimit         settings.Positive                               `json:"textChunkLimit"`
	ChunkMode              string                                          `json:"chunkMode" schema:"values=length|newline"`
	Streaming              any                                             `json:"streaming" schema:"is=boolean|values(off|partial|block|progress)"`
	BlockStreaming         bool                                            `json:"blockStreaming"`
	DraftChunk             settings.Chunks                                 `json:"draftChunk"`
	BlockStreamingCoalesce settings.Coalesce                               `json:"blockStreamingCoalesce"`
	StreamMode             string                                          `json:"streamMode" schema:"values=off|partial|block"`
	MediaMaxMB             float64                                         `json:"mediaMaxMb" schema:"exclusiveMinimum=0"`
	TimeoutSeconds         settings.Positive                               `json:"timeoutSeconds"`
	Retry                  settings.Retry                                  `json:"retry"`
	Network                SectionNetwork                                  `json:"network"`
	Proxy                  string                                          `json:"proxy"`
	WebhookURL             string                                          `json:"webhookUrl"`
	WebhookSecret          settings.Secret                                 `json:"webhookSecret"`
	WebhookPath            string                                          `json:"webhookPath"`
	WebhookHost            string                                          `json:"webhookHost"`
	WebhookPort            settings.Natural                                `json:"webhookPort"`
	WebhookCertPath        string                                          `json:"webhookCertPath"`
	Actions                SectionActions                                  `json:"actions"`
	ThreadBindings         settings.ThreadBindings                         `json:"threadBindings"`
	ReactionNotifications  string                                          `json:"reactionNotifications" schema:"values=off|own|all"`
	ReactionLevel          string                                          `json:"reactionLevel" schema:"values=off|ack|minimal|extensive"`
	Heartbeat              settings.HeartbeatView                          `json:"heartbeat"`
	LinkPreview            bool                                            `json:"linkPreview"`
	ResponsePrefix         string                                          `json:"responsePrefix"`
	AckReaction            string                                          `json:"ackReaction"`
	APIRoot                string                                          `json:"apiRoot"`
}

// SectionCapabilities is capabilities of channels.telegram.
type SectionCapabilities struct {
	InlineButtons string `json:"inlineButtons" schema:"values=off|dm|group|all|allowlist"`
}

// SectionExecApprovals is execApprovals of channels.telegram.
type SectionExecApprovals struct {
	Enabled       bool          `json:"enabled"`
	Approvers     []settings.ID `json:"approvers"`
	AgentFilter   []string      `json:"agentFilter"`
	SessionFilter []string      `json:"sessionFilter"`
	Target        string        `json:"target" schema:"values=dm|channel|both"`
}

// SectionCustomCommand is customCommands[] of channels.telegram.
type SectionCustomCommand struct {
	Command     string `json:"command" schema:"required"`
	Description string `json:"description" schema:"required"`
}

// SectionNetwork is network of channels.telegram.
type SectionNetwork struct {
	AutoSelectFamily bool   `json:"autoSelectFamily"`
	DNSResultOrder   string `json:"dnsResultOrder" schema:"values=ipv4first|verbatim"`
}

// SectionActions is actions of channels.telegram.
type SectionActions struct {
	Reactions        bool `json:"reactions"`
	SendMessage      bool `json:"sendMessage"`
	Poll             bool `json:"poll"`
	DeleteMessage    bool `json:"deleteMessage"`
	EditMessage      bool `json:"editMessage"`
	Sticker          bool `json:"sticker"`
	CreateForumTopic bool `json:"createForumTopic"`
}

// SectionGroup is groups.<name> of channels.telegram.
type SectionGroup struct {
	RequireMention        bool                           `json:"requireMention"`
	DisableAudioPreflight bool                           `json:"disableAudioPreflight"`
	GroupPolicy           string                         `json:"groupPolicy" schema:"values=open|disabled|allowlist"`
	Tools                 settings.ToolPolicy            `json:"tools"`
	ToolsBySender         map[string]settings.ToolPolicy `json:"toolsBySender"`
	Skills                []string                       `json:"skills"`
	Enabled               bool                           `json:"enabled"`
	AllowFrom             []settings.ID                  `json:"allowFrom"`
	SystemPrompt          string                         `json:"systemPrompt"`
	Topics                map[string]SectionTopic        `json:"topics"`
}

// SectionDirect is direct.<name> of channels.telegram.
type SectionDirect struct {
	DMPolicy      string                         `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled"`
	Tools         settings.ToolPolicy            `json:"tools"`
	ToolsBySender map[string]settings.ToolPolicy `json:"toolsBySender"`
	Skills        []string                       `json:"skills"`
	Enabled       bool                           `json:"enabled"`
	AllowFrom     []settings.ID                  `json:"allowFrom"`
	SystemPrompt  string                         `json:"systemPrompt"`
	Topics        map[string]SectionTopic        `json:"topics"`
	RequireTopic  bool                           `json:"requireTopic"`
}

// SectionTopic is groups.<name>.topics.<name> of channels.telegram.
type SectionTopic struct {
	RequireMention        bool          `json:"requireMention"`
	DisableAudioPreflight bool          `json:"disableAudioPreflight"`
	GroupPolicy           string        `json:"groupPolicy" schema:"values=open|disabled|allowlist"`
	Skills                []string      `json:"skills"`
	Enabled               bool          `json:"enabled"`
	AllowFrom             []settings.ID `json:"allowFrom"`
	SystemPrompt          string        `json:"systemPrompt"`
	AgentID               string        `json:"agentId"`
}
