package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Messages is messages.
type Messages struct {
	MessagePrefix       string                  `json:"messagePrefix"`
	ResponsePrefix      string                  `json:"responsePrefix"`
	GroupChat           MessagesGroupChat       `json:"groupChat"`
	Queue               MessagesQueue           `json:"queue"`
	Inbound             MessagesInbound         `json:"inbound"`
	AckReaction         string                  `json:"ackReaction"`
	AckReactionScope    string                  `json:"ackReactionScope" schema:"values=group-mentions|group-all|direct|all|off|none"`
	RemoveAckAfterReply bool                    `json:"removeAckAfterReply"`
	StatusReactions     MessagesStatusReactions `json:"statusReactions"`
	SuppressToolErrors  bool                    `json:"suppressToolErrors"`
	TTS                 settings.TTS            `json:"tts"`
}

// MessagesGroupChat is messages.groupChat.
type MessagesGroupChat struct {
	MentionPatterns []string          `json:"mentionPatterns"`
	HistoryLimit    settings.Positive `json:"historyLimit"`
}

// MessagesQueue is messages.queue.
type MessagesQueue struct {
	Mode                string                      `json:"mode" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	ByChannel           MessagesByChannel           `json:"byChannel"`
	DebounceMs          settings.Natural            `json:"debounceMs"`
	DebounceMsByChannel map[string]settings.Natural `json:"debounceMsByChannel"`
	Cap                 settings.Positive           `json:"cap"`
	Drop                string                      `json:"drop" schema:"enum=old|new|summarize"`
}

// MessagesInbound is messages.inbound.
type MessagesInbound struct {
	DebounceMs settings.Natural            `json:"debounceMs"`
	ByChannel  map[string]settings.Natural `json:"byChannel"`
}

// MessagesStatusReactions is messages.statusReactions.
type MessagesStatusReactions struct {
	Enabled bool           `json:"enabled"`
	Emojis  MessagesEmojis `json:"emojis"`
	Timing  MessagesTiming `json:"timing"`
}

// MessagesByChannel is messages.queue.byChannel.
type MessagesByChannel struct {
	WhatsApp   string `json:"whatsapp" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Telegram   string `json:"telegram" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Discord    string `json:"discord" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	IRC        string `json:"irc" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Slack      string `json:"slack" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Mattermost string `json:"mattermost" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Signal     string `json:"signal" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	IMessage   string `json:"imessage" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	MSTeams    string `json:"msteams" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
	Webchat    string `json:"webchat" schema:"enum=steer|followup|collect|steer-backlog|steer+backlog|queue|interrupt"`
}

// MessagesEmojis is messages.statusReactions.emojis.
type MessagesEmojis struct {
	Thinking   string `json:"thinking"`
	Tool       string `json:"tool"`
	Coding     string `json:"coding"`
	Web        string `json:"web"`
	Done       string `json:"done"`
	Error      string `json:"error"`
	StallSoft  string `json:"stallSoft"`
	StallHard  string `json:"stallHard"`
	Compacting string `json:"compacting"`
}

// MessagesTiming is messages.statusReactions.timing.
type MessagesTiming struct {
	DebounceMs  settings.Natural `json:"debounceMs"`
	StallSoftMs settings.Natural `json:"stallSoftMs"`
	StallHardMs settings.Natural `json:"stallHardMs"`
	DoneHoldMs  settings.Natural `json:"doneHoldMs"`
	ErrorHoldMs settings.Natural `json:"errorHoldMs"`
}

// Commands is commands.
type Commands struct {
	Native             settings.Auto            `json:"native" schema:"default=auto"`
	NativeSkills       settings.Auto            `json:"nativeSkills" schema:"default=auto"`
	Text               bool                     `json:"text"`
	Bash               bool                     `json:"bash"`
	BashForegroundMs   int                      `json:"bashForegroundMs" schema:"minimum=0,maximum=30000"`
	Config             bool                     `json:"config"`
	Debug              bool                     `json:"debug"`
	Restart            bool                     `json:"restart" schema:"default=true"`
	UseAccessGroups    bool                     `json:"useAccessGroups"`
	OwnerAllowFrom     []settings.ID            `json:"ownerAllowFrom"`
	OwnerDisplay       string                   `json:"ownerDisplay" schema:"values=raw|hash,default=raw"`
	OwnerDisplaySecret string                   `json:"ownerDisplaySecret"`
	AllowFrom          map[string][]settings.ID `json:"allowFrom"`
}
