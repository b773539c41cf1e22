package config

import (
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// GroupChat is groupChat of messages or of an agent.
type GroupChat struct {
	MentionPatterns []string `json:"mentionPatterns"`
	HistoryLimit    *int     `json:"historyLimit"`
}

// Session is session.
type Session struct {
	Scope          string               `json:"scope"`   // per-sender, or global: one session for all that would be main
	DMScope        string               `json:"dmScope"` // main, per-peer, per-channel-peer, per-account-channel-peer
	MainKey        string               `json:"mainKey"`
	IdentityLinks  map[string][]string  `json:"identityLinks"`
	Reset          Reset                `json:"reset"`
	ResetByType    map[string]Reset     `json:"resetByType"`
	ResetByChannel map[id.Channel]Reset `json:"resetByChannel"`
	ResetTriggers  []string             `json:"resetTriggers"`
	IdleMinutes    int                  `json:"idleMinutes"`
	SendPolicy     SendPolicy           `json:"sendPolicy"`
	Maintenance    Maintenance          `json:"maintenance"`
	TypingMode     string               `json:"typingMode"`
	TypingSeconds  int                  `json:"typingIntervalSeconds"`
}

// SendPolicy is session.sendPolicy: where answers may go.
type SendPolicy struct {
	Default string     `json:"default"` // allow (or empty), deny
	Rules   []SendRule `json:"rules"`
}

// SendRule is one rule of it; a deny that matches wins.
type SendRule struct {
	Action string    `json:"action"` // allow, deny
	Match  SendMatch `json:"match"`
}

// SendMatch is what a rule is about; an empty field matches anything.
type SendMatch struct {
	Channel      id.Channel `json:"channel"`
	ChatType     string     `json:"chatType"` // direct, group, channel
	KeyPrefix    string     `json:"keyPrefix"`
	RawKeyPrefix string     `json:"rawKeyPrefix"` // with agent:<id>:
}

// Maintenance is session.maintenance. Sizes and times are numbers (bytes, days)
// or text with a unit.
type Maintenance struct {
	Mode                  string          `json:"mode"` // warn (or empty), enforce
	PruneAfter            json.RawMessage `json:"pruneAfter"`
	PruneDays             int             `json:"pruneDays"`
	MaxEntries            int             `json:"maxEntries"`
	RotateBytes           json.RawMessage `json:"rotateBytes"`
	ResetArchiveRetention json.RawMessage `json:"resetArchiveRetention"` // false keeps them
	MaxDiskBytes          json.RawMessage `json:"maxDiskBytes"`
	HighWaterBytes        json.RawMessage `json:"highWaterBytes"`
}

// Reset says when a session starts anew.
type Reset struct {
	Mode        string `json:"mode"` // daily, idle or "" (daily)
	AtHour      *int   `json:"atHour"`
	IdleMinutes int    `json:"idleMinutes"`
}

// Messages is messages.
type Messages struct {
	Queue     Queue     `json:"queue"`
	Inbound   Debounce  `json:"inbound"`
	GroupChat GroupChat `json:"groupChat"`
	Answering
}

// Queue is messages.queue.
type Queue struct {
	Mode       string                `json:"mode"` // collect, followup, steer, steer-backlog, interrupt, queue
	DebounceMs *int                  `json:"debounceMs"`
	Cap        int                   `json:"cap"`
	Drop       string                `json:"drop"` // summarize, old, new
	ByChannel  map[id.Channel]string `json:"byChannel"`
	// DebounceMsByChannel goes before DebounceMs.
	DebounceMsByChannel map[id.Channel]int `json:"debounceMsByChannel"`
}

// Debounce is messages.inbound.
type Debounce struct {
	DebounceMs int                `json:"debounceMs"`
	ByChannel  map[id.Channel]int `json:"byChannel"`
}

// Commands is commands.
type Commands struct {
	Text            *bool               `json:"text"`
	Native          json.RawMessage     `json:"native"` // true, false, "auto"
	Bash            bool                `json:"bash"`
	Config          bool                `json:"config"`
	Debug           bool                `json:"debug"`
	Restart         *bool               `json:"restart"`
	UseAccessGroups *bool               `json:"useAccessGroups"`
	OwnerAllowFrom  []string            `json:"ownerAllowFrom"`
	AllowFrom       map[string][]string `json:"allowFrom"`
}

// ChannelSection is the part of channels.<id> and of its accounts that the
// path of a message reads, whatever the channel; the rest is the channel's.
type ChannelSection struct {
	Enabled        *bool            `json:"enabled"`
	DMPolicy       string           `json:"dmPolicy"`    // pairing, allowlist, open, disabled
	GroupPolicy    string           `json:"groupPolicy"` // allowlist, open, disabled
	AllowFrom      []string         `json:"allowFrom"`   // numbers keep their digits
	GroupAllowFrom []string         `json:"groupAllowFrom"`
	Groups         map[string]Group `json:"groups"`
	// Direct are direct chats with settings of their own; "*" is the default of
	// the others.
	Direct         map[string]DirectChat `json:"direct"`
	TextChunkLimit int                   `json:"textChunkLimit"`
	ChannelAnswer
	AllowBots    Bots `json:"allowBots"`
	HistoryLimit *int `json:"historyLimit"` // of what was said beside the agent; 0 is none
	// DangerouslyAllowNameMatching lets allow lists name people by what others
	// could call themselves too: a nick, a user name.
	DangerouslyAllowNameMatching bool `json:"dangerouslyAllowNameMatching"`
}

// UnmarshalJSON takes what some networks call a number: a fraction is dropped.
func (s *ChannelSection) UnmarshalJSON(raw []byte) error {
	type plain ChannelSection
	with := struct {
		*plain
		TextChunkLimit float64 `json:"textChunkLimit"`
	}{plain: (*plain)(s), TextChunkLimit: float64(s.TextChunkLimit)}
	if err := json.Unmarshal(raw, &with); err != nil {
		return err
	}
	s.TextChunkLimit = whole(with.TextChunkLimit)
	return nil
}

// Group is one of channels.<id>.groups; "*" is the default of the others.
type Group struct {
	Enabled        *bool    `json:"enabled"`
	RequireMention *bool    `json:"requireMention"`
	AllowFrom      []string `json:"allowFrom"`
	GroupPolicy    string   `json:"groupPolicy"`
	SystemPrompt   string   `json:"systemPrompt"`
	Skills         []string `json:"skills"`
	// Tools narrows what the agent may use there; ToolsBySender, for the senders
	// it names, stands instead of it. A topic has its group's.
	Tools         *settings.ToolPolicy           `json:"tools"`
	ToolsBySender map[string]settings.ToolPolicy `json:"toolsBySender"`
	// Topics are the threads of a group with settings of their own.
	Topics map[string]Group `json:"topics"`
}

// DirectChat is one of channels.<id>.direct.
type DirectChat struct {
	Group
	DMPolicy     string `json:"dmPolicy"`
	RequireTopic *bool  `json:"requireTopic"` // only what stands in a topic is heard
}

// Account is one login of a channel, section and account values merged.
type Account struct {
	ID      id.Account
	Enabled bool
	Common  ChannelSection
	Raw     json.RawMessage
}

// Bots is allowBots: "" where nothing is said, else off, mentions or on.
type Bots string

// UnmarshalJSON reads a boolean or "mentions"; anything else lets no bot in.
func (b *Bots) UnmarshalJSON(raw []byte) error {
	switch strings.Trim(string(raw), `"`) {
	case "null":
	case "true", "on":
		*b = "on"
	case "mentions":
		*b = "mentions"
	default:
		*b = "off"
	}
	return nil
}
