package guard

import (
	"context"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Mask keeps secrets out of transcripts and model requests: where the text of a
// result holds one of words(), the mark stands instead. It asks words for each
// call, so a new secret counts at once.
func Mask(words func() []string, mark string) tool.Middleware {
	return func(t tool.Tool) tool.Tool {
		return around(t, func(ctx context.Context, c tool.Call) (tool.Result, error) {
			if update := c.Update; update != nil {
				c.Update = func(partial string) { update(Masked(partial, words(), mark)) }
			}
			res, err := t.Run(ctx, c)
			ws := words()
			for i, b := range res.Content {
				if b.Type != llm.TextBlock {
					continue
				}
				if s := Masked(b.Text, ws, mark); s != b.Text {
					res.Content[i].Text = s
				}
			}
			res.Meta = Masked(res.Meta, ws, mark)
			return res, err
		})
	}
}

// Masked is s with the mark in place of each of words.
func Masked(s string, words []string, mark string) string {
	for _, w := range words {
		if strings.Contains(s, w) {
			s = strings.ReplaceAll(s, w, mark)
		}
	}
	return s
}
