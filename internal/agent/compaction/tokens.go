package compaction

import "github.com/openclaw-go/openclaw/internal/base/llm"

const (
	perToken     = 4    // bytes
	imageTokens  = 1500 // of one picture at the largest side that is sent
	blockTokens  = 4    // around each block
	schemaTokens = 8    // around each tool
)

// Tokens is about how many tokens s is.
func Tokens(s string) int { return (len(s) + perToken - 1) / perToken }

// Cost is about how many tokens m is.
func Cost(m llm.Message) (n int) {
	for _, b := range m.Content {
		n += blockTokens + len(b.Text)/perToken
		if b.Call != nil {
			n += (len(b.Call.Args)+len(b.Call.Name))/perToken + 8
		}
		if b.Type == llm.ImageBlock {
			n += imageTokens
		}
	}
	return n
}

// Size is about how many tokens ms are.
func Size(ms []llm.Message) (n int) {
	for i := range ms {
		n += Cost(ms[i])
	}
	return n
}

// Schemas is about how many tokens the descriptions of tools are.
func Schemas(specs []llm.ToolSpec) (n int) {
	for _, s := range specs {
		n += (len(s.Schema)+len(s.Description)+len(s.Name))/perToken + schemaTokens
	}
	return n
}

// Used is about how many tokens the next request of a conversation is: what
// its model counted last, and what came since. Fixed is an estimate of what
// stands before the messages; it counts only while no model has counted.
func Used(ms []llm.Message, fixed int) int {
	for i := len(ms) - 1; i >= 0; i-- {
		m := &ms[i]
		if m.Role == llm.Assistant && m.Usage != nil && m.Stop != llm.StopError && m.Stop != llm.StopAborted {
			if n := m.Usage.Input + m.Usage.CacheRead + m.Usage.CacheWrite + m.Usage.Output; n > 0 && !summedSince(ms[:i], m) {
				return int(n) + Size(ms[i+1:])
			}
		}
	}
	return fixed + Size(ms)
}

// summedSince tells whether before m there is a summary that is younger: what m
// counted was more then.
func summedSince(before []llm.Message, m *llm.Message) bool {
	for i := range before {
		if isSummary(before[i]) && before[i].Time >= m.Time {
			return true
		}
	}
	return false
}
