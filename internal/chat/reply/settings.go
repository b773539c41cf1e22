package reply

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/session"
)

// Settings say how the answers of a run look and when they are shown.
type Settings struct {
	Prefix   string // as configured: auto, variables
	Identity config.Identity
	ReplyTo  string // off, first, all

	Blocks   bool
	AtEnd    bool // blocks are cut when a message is complete, not before
	Chunk    Chunk
	Coalesce Chunk
	Idle     time.Duration
	DelayMin time.Duration // between blocks; both 0 is none
	DelayMax time.Duration

	Preview string // off, partial, block, progress
	Draft   Chunk

	Reasoning string // off, on, stream
	Verbose   string // off, on, full
	Notify    bool   // the person is told when the conversation was summed up
	Usage     string // off, tokens, full
}

// For reads the settings of an agent's answers to a place.
func For(cfg *config.Config, s session.Session, a id.Agent, to msg.Address) Settings {
	sec, def := cfg.Account(to.Channel, to.Account), cfg.Agents.Defaults
	agent, _ := cfg.Agent(a)
	out := Settings{
		Prefix: Prefix(cfg, sec), Identity: agent.Identity, ReplyTo: replyTo(sec, to.Kind),
		AtEnd:     def.BlockStreamingBreak == "message_end",
		Reasoning: s.ReasoningLevel, Usage: s.ResponseUsage,
		Verbose: cmp.Or(s.VerboseLevel, def.VerboseDefault),
		Preview: preview(sec, to.Channel),
		Draft:   Chunk{Min: cmp.Or(sec.DraftChunk.MinChars, 200), Max: cmp.Or(sec.DraftChunk.MaxChars, 800), Break: sec.DraftChunk.BreakPreference},
	}
	out.Notify = def.Compaction.NotifyUser || out.Verbose == "on" || out.Verbose == "full"
	if to.Kind != msg.Direct {
		out.Verbose = "off" // calls are nobody's business in a group
	}
	out.Blocks = to.Channel == "telegram" && def.BlockStreamingDefault == "on"
	if sec.BlockStreaming != nil {
		out.Blocks = *sec.BlockStreaming
	}
	if out.Blocks {
		out.Preview = "off"
	}
	out.chunks(def.Pacing, sec, to.Channel)
	out.delay(def.HumanDelay)
	if agent.HumanDelay != nil {
		out.delay(*agent.HumanDelay)
	}
	return out
}

func (s *Settings) chunks(p config.Pacing, sec config.ChannelSection, ch id.Channel) {
	s.Chunk = Chunk{Min: cmp.Or(p.BlockStreamingChunk.MinChars, 800), Max: cmp.Or(p.BlockStreamingChunk.MaxChars, 1200), Break: p.BlockStreamingChunk.BreakPreference}
	if l := sec.TextChunkLimit; l > 0 {
		s.Chunk.Max = min(s.Chunk.Max, l)
	}
	s.Chunk.Min = min(s.Chunk.Min, s.Chunk.Max)
	s.Coalesce, s.Idle = Chunk{Min: s.Chunk.Min, Max: s.Chunk.Max}, time.Second
	switch ch {
	case "signal", "slack", "discord", "googlechat":
		s.Coalesce.Min = 1500
	}
	for _, c := range []*config.Coalescing{&p.BlockStreaming, sec.Coalesce} {
		if c == nil {
			continue
		}
		s.Coalesce.Min, s.Coalesce.Max = cmp.Or(c.MinChars, s.Coalesce.Min), cmp.Or(c.MaxChars, s.Coalesce.Max)
		if c.IdleMs != nil {
			s.Idle = time.Duration(*c.IdleMs) * time.Millisecond
		}
	}
	s.Coalesce.Max = max(s.Coalesce.Max, s.Coalesce.Min)
}

func (s *Settings) delay(d config.HumanDelay) {
	const least, most = 800, 2500 // what is natural
	ms := func(p *int, usual int) time.Duration {
		if p != nil {
			usual = *p
		}
		return time.Duration(usual) * time.Millisecond
	}
	switch d.Mode {
	case "natural":
		s.DelayMin, s.DelayMax = least*time.Millisecond, most*time.Millisecond
	case "custom":
		s.DelayMin, s.DelayMax = ms(d.MinMs, least), ms(d.MaxMs, most)
		s.DelayMax = max(s.DelayMin, s.DelayMax)
	case "off":
		s.DelayMin, s.DelayMax = 0, 0
	}
}

// preview is how a place is shown an answer that is being made (recorded
// defaults).
func preview(sec config.ChannelSection, ch id.Channel) string {
	mode := sec.Preview()
	if mode == "" {
		mode = "off"
		switch ch {
		case "telegram", "slack":
			mode = "partial"
		}
	}
	if mode == "progress" && ch != "slack" {
		mode = "partial"
	}
	return mode
}

func replyTo(sec config.ChannelSection, k msg.PeerKind) string {
	return cmp.Or(sec.ReplyToByChatType[string(k)], sec.ReplyToMode, "off")
}

// Prefix is what the section, or else the configuration, puts before answers.
func Prefix(cfg *config.Config, sec config.ChannelSection) string {
	if p := sec.ResponsePrefix; p != nil {
		return *p
	}
	return cfg.Messages.ResponsePrefix
}

var variable = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a lazily compiled constant
	return regexp.MustCompile(`\{[A-Za-z.]{1,30}\}`)
})

// Filled is a prefix with its variables filled in; one that isn't known yet, or
// isn't one, stays as it is.
func Filled(prefix string, who config.Identity, m llm.Model, thinking string) string {
	if prefix == "auto" {
		if who.Name == "" {
			return ""
		}
		return "[" + who.Name + "]"
	}
	if !strings.Contains(prefix, "{") {
		return prefix
	}
	return variable().ReplaceAllStringFunc(prefix, func(v string) string {
		is := ""
		switch strings.ToLower(v[1 : len(v)-1]) {
		case "model":
			is = m.ID[strings.LastIndexByte(m.ID, '/')+1:]
		case "modelfull":
			if m.ID != "" {
				is = m.String()
			}
		case "provider":
			is = m.Provider
		case "thinkinglevel", "think":
			is = thinking
		case "identity.name", "identityname":
			is = who.Name
		}
		return cmp.Or(is, v)
	})
}
