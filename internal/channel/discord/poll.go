package discord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

// pollOf is a poll as Discord wants it.
func pollOf(p *msg.Poll) (map[string]any, error) {
	const op, mostOptions, maxQuestion, maxOption, maxHours, usualHours = "discord.Send", 10, 300, 55, 768, 24
	if strings.TrimSpace(p.Question) == "" || len(p.Options) < 1 {
		return nil, fault.New(fault.Invalid, op, "a poll needs a question and options")
	}
	if len(p.Options) > mostOptions {
		return nil, fault.New(fault.Invalid, op, fmt.Sprintf("Discord takes at most %d options", mostOptions))
	}
	var answers []map[string]any
	for _, o := range p.Options {
		answers = append(answers, map[string]any{"poll_media": map[string]any{"text": text.Fit(o, maxOption, text.UTF16)}})
	}
	hours := usualHours
	if p.Open > 0 {
		hours = min(max(int((p.Open+time.Hour-1)/time.Hour), 1), maxHours)
	}
	return map[string]any{
		"question": map[string]any{"text": text.Fit(p.Question, maxQuestion, text.UTF16)}, "answers": answers,
		"duration": hours, "allow_multiselect": p.Multi, "layout_type": 1,
	}, nil
}

// isNull tells a JSON value that says nothing.
func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
