package config

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Answering is the part of messages that says how answers look.
type Answering struct {
	MessagePrefix       string          `json:"messagePrefix"`
	ResponsePrefix      string          `json:"responsePrefix"`
	AckReaction         *string         `json:"ackReaction"`
	AckReactionScope    string          `json:"ackReactionScope"` // all, direct, group-all, group-mentions (default), off, none
	StatusReactions     StatusReactions `json:"statusReactions"`
	RemoveAckAfterReply bool            `json:"removeAckAfterReply"`
}

// Pacing is the part of agents.defaults that says when an answer is shown.
type Pacing struct {
	TypingMode            string     `json:"typingMode"` // never, instant, thinking, message
	TypingIntervalSeconds int        `json:"typingIntervalSeconds"`
	VerboseDefault        string     `json:"verboseDefault"`        // off, on, full
	BlockStreamingDefault string     `json:"blockStreamingDefault"` // on, off
	BlockStreamingBreak   string     `json:"blockStreamingBreak"`   // text_end, message_end
	BlockStreamingChunk   Chunking   `json:"blockStreamingChunk"`
	BlockStreaming        Coalescing `json:"blockStreamingCoalesce"`
	HumanDelay            HumanDelay `json:"humanDelay"`
	MediaMaxMB            float64    `json:"mediaMaxMb"`
}

// Chunking bounds the pieces of a streamed text, in characters.
type Chunking struct {
	MinChars        int    `json:"minChars"`
	MaxChars        int    `json:"maxChars"`
	BreakPreference string `json:"breakPreference"` // paragraph, newline, sentence
}

// Coalescing says when pieces that follow each other are sent as one.
type Coalescing struct {
	MinChars int  `json:"minChars"`
	MaxChars int  `json:"maxChars"`
	IdleMs   *int `json:"idleMs"`
}

// HumanDelay is the pause between the pieces of an answer.
type HumanDelay struct {
	Mode  string `json:"mode"` // off, natural, custom
	MinMs *int   `json:"minMs"`
	MaxMs *int   `json:"maxMs"`
}

// ChannelAnswer is what a channel's section, or an account's, says about
// answers.
type ChannelAnswer struct {
	ResponsePrefix    *string           `json:"responsePrefix"`
	MessagePrefix     *string           `json:"messagePrefix"`
	ReplyToMode       string            `json:"replyToMode"` // off, first, all
	ReplyToByChatType map[string]string `json:"replyToModeByChatType"`
	// Streaming, StreamMode and AckReaction take more than one shape; read them
	// with Preview and Ack.
	Streaming      json.RawMessage `json:"streaming"`
	StreamMode     string          `json:"streamMode"`
	NativeStream   *bool           `json:"nativeStreaming"`
	DraftChunk     Chunking        `json:"draftChunk"`
	BlockStreaming *bool           `json:"blockStreaming"`
	Coalesce       *Coalescing     `json:"blockStreamingCoalesce"`
	ChunkMode      string          `json:"chunkMode"` // length, newline
	Markdown       struct {
		Tables string `json:"tables"` // off, bullets, code
	} `json:"markdown"`
	MediaMaxMB       float64         `json:"mediaMaxMb"`
	AckReaction      json.RawMessage `json:"ackReaction"`
	AckReactionScope string          `json:"ackReactionScope"`
}

// Preview is how answers are shown while they are made: off, partial, block,
// progress, or "" when the section doesn't say.
func (c ChannelAnswer) Preview() string {
	var mode string
	if json.Unmarshal(c.Streaming, &mode) == nil && mode != "" {
		return mode
	}
	var on bool
	said := json.Unmarshal(c.Streaming, &on) == nil && len(c.Streaming) > 0
	switch {
	case said && !on:
		return "off"
	case c.StreamMode != "":
		switch c.StreamMode { // the names of older files
		case "replace":
			return "partial"
		case "status_final":
			return "progress"
		case "append":
			return "block"
		}
		return c.StreamMode
	case said:
		return "partial"
	}
	return ""
}

// AckRule is a section's reaction to a message that is being worked at.
type AckRule struct {
	Emoji string
	Said  bool // the section has one, "" is none; otherwise the general one counts
	// Own says that Direct and Group tell where it is shown (WhatsApp).
	Own    bool
	Direct bool
	Group  string // always, mentions, never
}

// Ack reads the section's reaction.
func (c ChannelAnswer) Ack() AckRule {
	raw := bytes.TrimSpace(c.AckReaction)
	if len(raw) == 0 || string(raw) == "null" {
		return AckRule{}
	}
	var emoji string
	if json.Unmarshal(raw, &emoji) == nil {
		return AckRule{Emoji: emoji, Said: true}
	}
	o := struct {
		Emoji  string `json:"emoji"`
		Direct *bool  `json:"direct"`
		Group  string `json:"group"`
	}{Group: "mentions"}
	if json.Unmarshal(raw, &o) != nil {
		return AckRule{}
	}
	return AckRule{Emoji: o.Emoji, Said: true, Own: true, Direct: o.Direct == nil || *o.Direct, Group: o.Group}
}

// Account is the section of one account: the channel's with the account's own
// values on top. An account that isn't listed has the channel's.
func (c *Config) Account(ch id.Channel, acc id.Account) ChannelSection {
	as := c.Accounts(ch)
	if i := slices.IndexFunc(as, func(a Account) bool { return a.ID == acc }); i >= 0 {
		return as[i].Common
	}
	return c.Channel(ch)
}
