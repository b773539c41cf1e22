package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// ResultLimit is how many characters of one tool's result are kept.
const ResultLimit = 400_000

// headShare is the percentage of a shortened result that is its start.
const headShare = 70

// Clean makes calls and results fit to be sent and stored: missing arguments
// are an empty object, and the text of a result is valid UTF-8, never binary
// and at most limit characters, its middle left out if need be. A limit of 0
// is [ResultLimit].
func Clean(limit int) tool.Middleware {
	if limit <= 0 {
		limit = ResultLimit
	}
	return func(t tool.Tool) tool.Tool {
		return around(t, func(ctx context.Context, c tool.Call) (tool.Result, error) {
			c.Args = Arguments(c.Args)
			res, err := t.Run(ctx, c)
			res.Content = cleanBlocks(res.Content, limit)
			res.Meta = text.Preview(res.Meta, 300)
			return res, err
		})
	}
}

// Arguments returns the arguments of a call as an object where the model meant
// one: nothing, null and an empty string are {}, and an object sent as a
// string is taken out of it.
func Arguments(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			if in := bytes.TrimSpace([]byte(s)); len(in) == 0 || in[0] == '{' && json.Valid(in) {
				raw = in
			}
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

func cleanBlocks(blocks []llm.Block, limit int) []llm.Block {
	left := limit
	for i := range blocks {
		b := &blocks[i]
		if b.Type != llm.TextBlock {
			continue
		}
		if head := b.Text[:min(len(b.Text), 8<<10)]; text.Binary([]byte(head)) {
			b.Text = "[" + text.Describe([]byte(head), int64(len(b.Text))) + "]"
		}
		b.Text = text.Middle(b.Text, max(left, 0), headShare, func(dropped int) string {
			return fmt.Sprintf("\n\n[… %d characters left out of the middle; ask for less at once to see them …]\n\n", dropped)
		})
		left -= utf8.RuneCountInString(b.Text)
	}
	return blocks
}
