package slack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
)

const (
	maxBlocks  = 50
	maxSection = 3000 // characters of one
	maxLabel   = 75   // of a button
	maxValue   = 2000
	maxRow     = 25
)

// nativeBlocks reads blocks that were made elsewhere: a list, or an object that
// has it under blocks.
func nativeBlocks(raw json.RawMessage) ([]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var list []any
	if json.Unmarshal(raw, &list) != nil {
		var o struct {
			Blocks []any `json:"blocks"`
		}
		if err := json.Unmarshal(raw, &o); err != nil || o.Blocks == nil {
			return nil, fault.New(fault.Invalid, "slack.Send", "blocks must be a list of Block Kit blocks")
		}
		list = o.Blocks
	}
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > maxBlocks {
		return nil, fault.New(fault.Invalid, "slack.Send", fmt.Sprintf("Slack takes at most %d blocks", maxBlocks))
	}
	for _, b := range list {
		if o, ok := b.(map[string]any); !ok || o["type"] == nil {
			return nil, fault.New(fault.Invalid, "slack.Send", "each block must be an object with a type")
		}
	}
	return list, nil
}

// buttons are the blocks of a text with buttons under it; nil without any.
func (b *bot) buttons(mrkdwn string, rows [][]msg.Button) []any {
	var actions []any
	n := 0
	for _, row := range rows {
		var elements []any
		for _, x := range row {
			if strings.TrimSpace(x.Text) == "" || len(elements) == maxRow || len(x.Data) > maxValue {
				continue
			}
			e := map[string]any{
				"type": "button", "action_id": pressPrefix + strconv.Itoa(n),
				"text": map[string]any{"type": "plain_text", "text": text.Fit(x.Text, maxLabel, text.UTF16), "emoji": true},
			}
			n++
			if x.Data != "" {
				e["value"] = x.Data
			}
			if x.URL != "" && webLink(x.URL) {
				e["url"] = x.URL
			}
			switch x.Style {
			case "primary", "success":
				e["style"] = "primary"
			case "danger":
				e["style"] = "danger"
			}
			elements = append(elements, e)
		}
		if len(elements) > 0 {
			actions = append(actions, map[string]any{"type": "actions", "elements": elements})
		}
	}
	if len(actions) == 0 {
		return nil
	}
	var blocks []any
	for _, s := range sections(mrkdwn) {
		blocks = append(blocks, map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": s}})
	}
	if len(blocks)+len(actions) > maxBlocks {
		return nil
	}
	return append(blocks, actions...)
}

// sections cuts mrkdwn that is one message into what one section takes, at ends
// of lines if there are any.
func sections(s string) (out []string) {
	for text.UTF16(s) > maxSection {
		head := text.Fit(s, maxSection, text.UTF16)
		if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
			head = head[:i]
		} else if i := strings.LastIndexByte(head, ' '); i > len(head)/2 {
			head = head[:i]
		}
		out = append(out, head)
		s = strings.TrimLeft(s[len(head):], "\n ")
	}
	if strings.TrimSpace(s) != "" {
		out = append(out, s)
	}
	return out
}
