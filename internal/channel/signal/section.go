package signal

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Section is channels.signal and each of its accounts: all that may stand
// there. What this package reads of it is [Config].
type Section struct {
	Name                   string                        `json:"name"`
	Capabilities           []string                      `json:"capabilities"`
	Markdown               settings.Markdown             `json:"markdown"`
	Enabled                bool                          `json:"enabled"`
	ConfigWrites           bool                          `json:"configWrites"`
	Account                string                        `json:"account"`
	AccountUUID            string                        `json:"accountUuid"`
	HTTPURL                string                        `json:"httpUrl"`
	HTTPHost               string                        `json:"httpHost"`
	HTTPPort               settings.Positive             `json:"httpPort"`
	CLIPath                string                        `json:"cliPath"`
	AutoStart              bool                          `json:"autoStart"`
	StartupTimeoutMs       int                           `json:"startupTimeoutMs" schema:"minimum=1000,maximum=120000"`
	ReceiveMode            string                        `json:"receiveMode" schema:"enum=on-start|manual"`
	IgnoreAttachments      bool                          `json:"ignoreAttachments"`
	IgnoreStories          bool                          `json:"ignoreStories"`
	SendReadReceipts       bool                          `json:"sendReadReceipts"`
	DMPolicy               string                        `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled,default=pairing"`
	AllowFrom              []settings.ID                 `json:"allowFrom"`
	DefaultTo              string                        `json:"defaultTo"`
	GroupAllowFrom         []settings.ID                 `json:"groupAllowFrom"`
	GroupPolicy            string                        `json:"groupPolicy" schema:"values=open|disabled|allowlist,default=allowlist"`
	Groups                 map[string]SectionGroup       `json:"groups"`
	HistoryLimit           settings.Natural              `json:"historyLimit"`
	DMHistoryLimit         settings.Natural              `json:"dmHistoryLimit"`
	DMs                    map[string]settings.DMHistory `json:"dms"`
	TextChunkLimit         settings.Positive             `json:"textChunkLimit"`
	ChunkMode              string                        `json:"chunkMode" schema:"values=length|newline"`
	BlockStreaming         bool                          `json:"blockStreaming"`
	BlockStreamingCoalesce settings.Coalesce             `json:"blockStreamingCoalesce"`
	MediaMaxMB             settings.Positive             `json:"mediaMaxMb"`
	ReactionNotifications  string                        `json:"reactionNotifications" schema:"values=off|own|all|allowlist"`
	ReactionAllowlist      []settings.ID                 `json:"reactionAllowlist"`
	Actions                SectionActions                `json:"actions"`
	ReactionLevel          string                        `json:"reactionLevel" schema:"values=off|ack|minimal|extensive"`
	Heartbeat              settings.HeartbeatView        `json:"heartbeat"`
	ResponsePrefix         string                        `json:"responsePrefix"`
}

// SectionActions is actions of channels.signal.
type SectionActions struct {
	Reactions bool `json:"reactions"`
}

// SectionGroup is groups.<name> of channels.signal.
type SectionGroup struct {
	RequireMention bool                           `json:"requireMention"`
	Tools          settings.ToolPolicy            `json:"tools"`
	ToolsBySender  map[string]settings.ToolPolicy `json:"toolsBySender"`
}
