package irc

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Section is channels.irc and each of its accounts: all that may stand
// there. What this package reads of it is [Config].
type Section struct {
	Name                         string                        `json:"name"`
	Enabled                      bool                          `json:"enabled"`
	DangerouslyAllowNameMatching bool                          `json:"dangerouslyAllowNameMatching"`
	Host                         string                        `json:"host"`
	Port                         int                           `json:"port" schema:"minimum=1,maximum=65535"`
	TLS                          bool                          `json:"tls"`
	Nick                         string                        `json:"nick"`
	Username                     string                        `json:"username"`
	Realname                     string                        `json:"realname"`
	Password                     string                        `json:"password"`
	PasswordFile                 string                        `json:"passwordFile"`
	NickServ                     SectionNickServ               `json:"nickserv"`
	DMPolicy                     string                        `json:"dmPolicy" schema:"values=pairing|allowlist|open|disabled,default=pairing"`
	AllowFrom                    []settings.ID                 `json:"allowFrom"`
	GroupPolicy                  string                        `json:"groupPolicy" schema:"values=open|disabled|allowlist,default=allowlist"`
	GroupAllowFrom               []settings.ID                 `json:"groupAllowFrom"`
	Groups                       map[string]SectionGroup       `json:"groups"`
	Channels                     []string                      `json:"channels"`
	MentionPatterns              []string                      `json:"mentionPatterns"`
	Markdown                     settings.Markdown             `json:"markdown"`
	HistoryLimit                 settings.Natural              `json:"historyLimit"`
	DMHistoryLimit               settings.Natural              `json:"dmHistoryLimit"`
	DMs                          map[string]settings.DMHistory `json:"dms"`
	TextChunkLimit               settings.Positive             `json:"textChunkLimit"`
	ChunkMode                    string                        `json:"chunkMode" schema:"values=length|newline"`
	BlockStreaming               bool                          `json:"blockStreaming"`
	BlockStreamingCoalesce       settings.Coalesce             `json:"blockStreamingCoalesce"`
	ResponsePrefix               string                        `json:"responsePrefix"`
	MediaMaxMB                   float64                       `json:"mediaMaxMb" schema:"exclusiveMinimum=0"`
}

// SectionNickServ is nickserv of channels.irc.
type SectionNickServ struct {
	Enabled       bool   `json:"enabled"`
	Service       string `json:"service"`
	Password      string `json:"password"`
	PasswordFile  string `json:"passwordFile"`
	Register      bool   `json:"register"`
	RegisterEmail string `json:"registerEmail"`
}

// SectionGroup is groups.<name> of channels.irc.
type SectionGroup struct {
	RequireMention bool                           `json:"requireMention"`
	Tools          settings.ToolPolicy            `json:"tools"`
	ToolsBySender  map[string]settings.ToolPolicy `json:"toolsBySender"`
	Skills         []string                       `json:"skills"`
	Enabled        bool                           `json:"enabled"`
	AllowFrom      []settings.ID                  `json:"allowFrom"`
	SystemPrompt   string                         `json:"systemPrompt"`
}
