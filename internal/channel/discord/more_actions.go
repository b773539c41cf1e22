package discord

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

const (
	categoryKeys = `,"name":{"type":"string"},"position":{"type":"integer","minimum":0}`
	eventKeys    = `,"eventName":{"type":"string"},"startTime":{"type":"string","description":"As 2026-01-31T12:00:00Z."},"endTime":{"type":"string","description":"Needed for an event elsewhere."},"desc":{"type":"string"},"channelId":{"type":"string","description":"Of the voice or stage channel."},"location":{"type":"string","description":"Where it is, when it isn't in a channel."},"eventType":{"type":"string","enum":["stage","voice","external"]}`
)

// several are one string or more.
type several []string

// UnmarshalJSON takes both.
func (w *several) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*w = several{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(w))
}

func (b *bot) categoryCreate(ctx context.Context, a arguments) (any, error) {
	const category = 4
	a.Type, a.Topic, a.Parent = category, nil, ""
	return b.channelCreate(ctx, a)
}

// sticker sends stickers of the server, or of Discord.
func (b *bot) sticker(ctx context.Context, a arguments) (any, error) {
	const op, most = "discord.sticker", 3
	if len(a.Stickers) == 0 || len(a.Stickers) > most {
		return nil, fault.New(fault.Invalid, op, "stickerId must be one to three ids of stickers")
	}
	for _, s := range a.Stickers {
		if !snowflake(s) {
			return nil, fault.New(fault.Invalid, op, "stickerId must be an id, a number of about 18 digits as a string")
		}
	}
	body := map[string]any{"sticker_ids": []string(a.Stickers), "allowed_mentions": map[string]any{"parse": []string{"users"}}}
	if s := strings.TrimSpace(a.Text); s != "" {
		shown := b.shown(s)
		if text.UTF16(shown) > maxText {
			return nil, fault.New(fault.Invalid, op, "the text is too long: Discord shows 2000 characters in one message")
		}
		body["content"] = shown
	}
	var m message
	if err := b.api.do(ctx, call{method: "POST", path: "/channels/" + a.Channel + "/messages", body: body, into: &m}); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "messageId": m.ID}, nil
}

// eventCreate makes an event of a channel, or of a place elsewhere.
func (b *bot) eventCreate(ctx context.Context, a arguments) (any, error) {
	const op, mostName, mostAbout, membersOnly = "discord.event-create", 100, 1000, 2
	bad := func(hint string) (any, error) { return nil, fault.New(fault.Invalid, op, hint) }
	kinds := map[string]int{"stage": 1, "voice": 2, "external": 3}
	if a.Kind == "" {
		a.Kind = "external"
		if a.Channel != "" {
			a.Kind = "voice"
		}
	}
	start, err := time.Parse(time.RFC3339, a.Start)
	switch {
	case strings.TrimSpace(a.Event) == "":
		return bad("eventName is missing")
	case err != nil:
		return bad("startTime must be a time, as 2026-01-31T12:00:00Z")
	case kinds[a.Kind] == 0:
		return bad("eventType must be stage, voice or external")
	case a.Kind != "external" && !snowflake(a.Channel):
		return bad("channelId must be the id of the channel where it is")
	case a.Kind == "external" && (strings.TrimSpace(a.Location) == "" || a.End == ""):
		return bad("an event elsewhere needs location and endTime")
	}
	body := map[string]any{
		"name": text.Fit(clean(a.Event), mostName, text.UTF16), "privacy_level": membersOnly, "entity_type": kinds[a.Kind],
		"scheduled_start_time": start.UTC().Format(time.RFC3339),
	}
	if a.End != "" {
		end, err := time.Parse(time.RFC3339, a.End)
		if err != nil || !end.After(start) {
			return bad("endTime must be a time after startTime")
		}
		body["scheduled_end_time"] = end.UTC().Format(time.RFC3339)
	}
	if s := strings.TrimSpace(a.About); s != "" {
		body["description"] = text.Fit(text.Valid(s), mostAbout, text.UTF16)
	}
	if a.Kind == "external" {
		body["entity_metadata"] = map[string]any{"location": text.Fit(clean(a.Location), mostName, text.UTF16)}
	} else {
		body["channel_id"] = a.Channel
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := b.api.do(ctx, call{method: "POST", path: "/guilds/" + a.Guild + "/scheduled-events", body: body, into: &made, reason: clean(a.Reason)}); err != nil {
		return nil, err
	}
	return map[string]any{"ok": true, "id": made.ID}, nil
}
