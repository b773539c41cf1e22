package provider

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Pair returns messages such that each tool call is followed by exactly one
// result and each result follows its call: services refuse anything else, and
// a crash or a cut history can leave either alone. A call without a result
// gets one that says so; a result without its call goes. Usually nothing is
// wrong and messages itself comes back.
func Pair(messages []llm.Message) []llm.Message {
	if paired(messages) {
		return messages
	}
	out := make([]llm.Message, 0, len(messages)+2)
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == llm.ToolRole {
			continue // placed with its call, below
		}
		out = append(out, m)
		if m.Role != llm.Assistant {
			continue
		}
		for _, b := range m.Content {
			if b.Call != nil {
				out = append(out, resultOf(*b.Call, messages[i+1:]))
			}
		}
	}
	return out
}

// resultOf finds the result of c before the next assistant message, past user
// messages that came between.
func resultOf(c llm.Call, rest []llm.Message) llm.Message {
	for _, m := range rest {
		if m.Role == llm.Assistant {
			break
		}
		if m.Role == llm.ToolRole && m.CallID == c.ID {
			return m
		}
	}
	return llm.Message{
		Role: llm.ToolRole, CallID: c.ID, ToolName: c.Name, IsError: true,
		Content: llm.Content{llm.Text("No result was recorded for this call: it was interrupted, and whether it took effect is unknown.")},
	}
}

func paired(messages []llm.Message) bool {
	var open []string // calls of the latest assistant message without a result
	for i := range messages {
		m := &messages[i]
		if m.Role == llm.ToolRole {
			at := -1
			for j, id := range open {
				if id == m.CallID {
					at = j
					break
				}
			}
			if at < 0 {
				return false
			}
			open = append(open[:at], open[at+1:]...)
			continue
		}
		if len(open) > 0 {
			return false
		}
		if m.Role == llm.Assistant {
			for _, b := range m.Content {
				if b.Call != nil {
					open = append(open, b.Call.ID)
				}
			}
		}
	}
	return len(open) == 0
}

// CallID returns id as a service with its own rules accepts it: letters,
// digits, _ and -, at most limit bytes. What is fine comes back as it is; the
// rest keeps its readable part and gets a hash, so two never become one.
func CallID(id string, limit int) string {
	fine := id != "" && len(id) <= limit
	clean := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-' {
			return r
		}
		fine = false
		return '_'
	}, id)
	if fine {
		return id
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash never fails
	sum := strconv.FormatUint(uint64(h.Sum32()), 36)
	return clean[:min(len(clean), limit-len(sum)-1)] + "_" + sum
}

// Args makes an object of what a model sent as arguments. Nothing and null are
// {}; text after the object goes; a string holding JSON is unpacked. What
// can't be read comes back as a JSON string: no schema of an object accepts
// it, so the call fails with an error that the model sees and is never run.
func Args(raw []byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	if raw[0] == '{' && json.Valid(raw) {
		return bytes.Clone(raw)
	}
	var first json.RawMessage
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&first) == nil {
		switch first[0] {
		case '{':
			return first
		case '"':
			var inner string
			if json.Unmarshal(first, &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") {
				return Args([]byte(inner))
			}
		}
	}
	quoted, err := json.Marshal(string(raw))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return quoted
}

// UniqueIDs gives every call of answer an identifier that neither another of
// them nor one in history has: some services send none, or count from 0 in
// each answer.
func UniqueIDs(answer *llm.Message, history []llm.Message) {
	calls := 0
	for _, b := range answer.Content {
		if b.Call != nil {
			calls++
		}
	}
	if calls == 0 {
		return
	}
	used := map[string]bool{"": true}
	for _, m := range history {
		if m.Role != llm.Assistant {
			continue
		}
		for _, b := range m.Content {
			if b.Call != nil {
				used[b.Call.ID] = true
			}
		}
	}
	for _, b := range answer.Content {
		if b.Call == nil {
			continue
		}
		if used[b.Call.ID] {
			b.Call.ID = NewCallID()
		}
		used[b.Call.ID] = true
	}
}

// NewCallID mints the identifier of a call.
func NewCallID() string {
	return "call_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:24]
}

// Accepts tells whether m takes images in.
func Accepts(m llm.Model) bool {
	for _, in := range m.Input {
		if in == "image" {
			return true
		}
	}
	return false
}

// NoImage stands in for an image that the model can't see.
const NoImage = "[An image was here; this model can't see images.]"
