package reply

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Summary is one line about a call, for people: what it is and its first
// argument.
func Summary(c llm.Call) string {
	s := "🛠️ " + c.Name
	if arg := argument(c.Args); arg != "" {
		s += ": " + arg
	}
	return s
}

// argument is what best tells one call of a tool from another.
func argument(raw json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return ""
	}
	for _, k := range []string{"command", "path", "file_path", "url", "query", "pattern", "action", "sessionKey"} {
		if s, ok := args[k].(string); ok && s != "" {
			const most = 120
			return "`" + strings.ReplaceAll(text.Ellipsis(strings.Join(strings.Fields(filepath.ToSlash(s)), " "), most), "`", "'") + "`"
		}
	}
	return ""
}

// outcome is what a call returned, cut to what is worth reading.
func outcome(c llm.Call, r tool.Result) string {
	var b strings.Builder
	for _, x := range r.Content {
		if x.Type == llm.TextBlock {
			b.WriteString(x.Text)
		}
	}
	const most = 2000
	out := strings.TrimSpace(text.Ellipsis(b.String(), most))
	if out == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(out, fence) {
		fence += "`"
	}
	return fmt.Sprintf("🛠️ %s\n%s\n%s\n%s", c.Name, fence, out, fence)
}

// reasoned is what a message that shows thoughts looks like, as recorded.
func reasoned(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			lines[i] = "_" + l + "_"
		}
	}
	return "Reasoning:\n" + strings.Join(lines, "\n")
}

// usage is the line about what an answer cost, as recorded; "" is none.
func usage(mode string, u llm.Usage, session string) string {
	if mode != "tokens" && mode != "full" || u.Input == 0 && u.Output == 0 {
		return ""
	}
	s := fmt.Sprintf("Usage: %s in / %s out", tokens(u.Input), tokens(u.Output))
	if mode == "full" {
		if c := u.Cost.Total; c > 0 {
			s += " · est " + dollars(c)
		}
		s += " · session `" + session + "`"
	}
	return s
}

func tokens(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fm", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

func dollars(f float64) string {
	if f >= 0.01 {
		return fmt.Sprintf("$%.2f", f)
	}
	return fmt.Sprintf("$%.4f", f)
}
