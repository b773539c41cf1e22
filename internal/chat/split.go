package chat

import (
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/markdown"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// split cuts a text into messages for to, tables as its account
// wants them: at blank lines where the account asks
// for it (chunkMode newline), then by what the network takes.
func (h *Handler) split(to msg.Address, text string) []string {
	sec := h.Config().Account(to.Channel, to.Account)
	mode := sec.Markdown.Tables
	if mode == "" && (to.Channel == "whatsapp" || to.Channel == "signal") {
		mode = "bullets" // their screens are too narrow for columns
	}
	text = markdown.Tables(text, mode)
	if sec.ChunkMode != "newline" {
		return h.Outbox.Split(to, text)
	}
	var parts []string
	for _, p := range paragraphs(text) {
		parts = append(parts, h.Outbox.Split(to, p)...)
	}
	return parts
}

// paragraphs cuts text at blank lines outside code.
func paragraphs(text string) []string {
	var out, cur []string
	fence := false
	flush := func() {
		if p := strings.Trim(strings.Join(cur, "\n"), "\n"); strings.TrimSpace(p) != "" {
			out = append(out, p)
		}
		cur = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if l := strings.TrimSpace(line); strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			fence = !fence
		}
		if !fence && strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		cur = append(cur, line)
	}
	flush()
	return out
}
