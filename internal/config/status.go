package config

import (
	"cmp"
	"strings"
	"time"
)

// StatusReactions is messages.statusReactions.
type StatusReactions struct {
	Enabled bool         `json:"enabled"`
	Emojis  StatusEmojis `json:"emojis"`
	Timing  statusMillis `json:"timing"`
}

// StatusEmojis are the reactions that show what a run does.
type StatusEmojis struct {
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

// OrUsual fills in what is empty.
func (e StatusEmojis) OrUsual() StatusEmojis {
	return StatusEmojis{
		Thinking: cmp.Or(e.Thinking, "🤔"), Tool: cmp.Or(e.Tool, "🔥"), Coding: cmp.Or(e.Coding, "👨‍💻"), Web: cmp.Or(e.Web, "⚡"),
		Done: cmp.Or(e.Done, "👍"), Error: cmp.Or(e.Error, "😱"), StallSoft: cmp.Or(e.StallSoft, "🥱"),
		StallHard: cmp.Or(e.StallHard, "😨"), Compacting: cmp.Or(e.Compacting, "✍"),
	}
}

// Of is the reaction for a call of a tool.
func (e StatusEmojis) Of(tool string) string {
	tool = strings.ToLower(tool)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(tool, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("web_search", "web-search", "web_fetch", "web-fetch", "browser"):
		return e.Web
	case has("exec", "process", "read", "write", "edit", "session_status", "bash"):
		return e.Coding
	}
	return e.Tool
}

type statusMillis struct {
	Debounce  *int `json:"debounceMs"`
	StallSoft *int `json:"stallSoftMs"`
	StallHard *int `json:"stallHardMs"`
	DoneHold  *int `json:"doneHoldMs"`
	ErrorHold *int `json:"errorHoldMs"`
}

// StatusTiming says when reactions change.
type StatusTiming struct {
	Debounce  time.Duration // how long a state must last to be shown
	StallSoft time.Duration // without a sign of life
	StallHard time.Duration
	DoneHold  time.Duration // how long the end is shown
	ErrorHold time.Duration
}

// OrUsual fills in what isn't set.
func (m statusMillis) OrUsual() StatusTiming {
	ms := func(v *int, usual int) time.Duration {
		if v != nil {
			usual = *v
		}
		return time.Duration(usual) * time.Millisecond
	}
	return StatusTiming{
		Debounce: ms(m.Debounce, 700), StallSoft: ms(m.StallSoft, 10_000), StallHard: ms(m.StallHard, 30_000),
		DoneHold: ms(m.DoneHold, 1500), ErrorHold: ms(m.ErrorHold, 2500),
	}
}
