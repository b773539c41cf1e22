package session

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/jsonw"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// isoTime is how the transcript writes times.
const isoTime = "2006-01-02T15:04:05.000Z"

func iso(t time.Time) string { return t.UTC().Format(isoTime) }

// fileTime is how archive names write times.
func fileTime(t time.Time) string { return t.UTC().Format("2006-01-02T15-04-05.000Z") }

// appendMessage appends m in the recorded shape and order of keys.
func appendMessage(b []byte, m llm.Message) ([]byte, error) {
	b = append(b, `{"role":`...)
	b = jsonw.String(b, string(m.Role))
	if m.Role == llm.ToolRole {
		b = member(b, "toolCallId", m.CallID)
		b = member(b, "toolName", m.ToolName)
	}
	b = append(b, `,"content":[`...)
	for i, x := range m.Content {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendBlock(b, x)
	}
	b = append(b, ']')
	if m.Role == llm.ToolRole {
		b = append(b, `,"isError":`...)
		b = strconv.AppendBool(b, m.IsError)
	}
	if m.Role == llm.Assistant {
		b = member(b, "api", m.API)
		b = member(b, "provider", m.Provider)
		b = member(b, "model", m.Model)
		if m.Usage != nil {
			raw, err := json.Marshal(m.Usage)
			if err != nil {
				return nil, err
			}
			b = append(append(b, `,"usage":`...), raw...)
		}
	}
	if m.Stop != "" {
		b = member(b, "stopReason", string(m.Stop))
	}
	b = append(b, `,"timestamp":`...)
	b = strconv.AppendInt(b, m.Time, 10)
	if m.Error != "" {
		b = member(b, "errorMessage", m.Error)
	}
	if m.Key != "" {
		b = member(b, "idempotencyKey", m.Key)
	}
	if m.Abort != nil {
		raw, err := json.Marshal(m.Abort)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"openclawAbort":`...), raw...)
	}
	return append(b, '}'), nil
}

func appendBlock(b []byte, x llm.Block) []byte {
	b = append(b, `{"type":`...)
	b = jsonw.String(b, string(x.Type))
	switch x.Type {
	case llm.TextBlock:
		b = member(b, "text", x.Text)
	case llm.ThinkingBlock:
		b = member(b, "thinking", x.Text)
		if x.Signature != "" {
			b = member(b, "thinkingSignature", x.Signature)
		}
	case llm.ImageBlock:
		b = append(b, `,"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, x.Data)
		b = append(b, '"')
		b = member(b, "mimeType", x.MIME)
	case llm.CallBlock:
		if x.Call == nil {
			break
		}
		b = member(b, "id", x.Call.ID)
		b = member(b, "name", x.Call.Name)
		b = append(b, `,"arguments":`...)
		b = appendRaw(b, x.Call.Args, "{}")
		if len(x.Call.Extra) > 0 {
			b = append(b, `,"extra":`...)
			b = appendRaw(b, x.Call.Extra, "null")
		}
	}
	return append(b, '}')
}

// appendRaw appends JSON that others made: on one line, and valid, or else as
// a string.
func appendRaw(b []byte, raw json.RawMessage, empty string) []byte {
	if len(raw) == 0 {
		return append(b, empty...)
	}
	line, err := marshal(raw) // checks it and takes line ends out
	if err != nil {
		return jsonw.String(b, string(raw)) // kept as the text it is
	}
	return append(b, line...)
}

// member appends a member whose value is a string.
func member(b []byte, key, value string) []byte {
	return jsonw.String(jsonw.Key(b, key), value)
}

// parent appends a parentId, null for "".
func parent(b []byte, p string) []byte {
	if p == "" {
		return append(b, `,"parentId":null`...)
	}
	return member(b, "parentId", p)
}
