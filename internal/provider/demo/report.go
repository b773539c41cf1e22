package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// report tells what came of the calls whose results end ms.
func report(ms []llm.Message) string {
	first := len(ms)
	for first > 0 && ms[first-1].Role == llm.ToolRole {
		first--
	}
	calls := map[string]llm.Call{}
	if first > 0 {
		for _, c := range ms[first-1].Calls() {
			calls[c.ID] = c
		}
	}
	parts := make([]string, 0, len(ms)-first)
	for _, m := range ms[first:] {
		parts = append(parts, tell(m, calls[m.CallID]))
	}
	return strings.Join(parts, "\n\n")
}

func tell(m llm.Message, c llm.Call) string {
	var args struct{ Path, Content, Command string }
	_ = json.Unmarshal(c.Args, &args) // ours, or another model's: then the fields stay empty
	out := strings.TrimRight(m.Text(), "\n ")
	if m.IsError {
		return fmt.Sprintf("That didn't work. %s says:\n%s", m.ToolName, fence(out))
	}
	switch m.ToolName {
	case "ls":
		where := "in your workspace"
		if args.Path != "" && args.Path != "." {
			where = "in " + args.Path
		}
		if out == "" {
			return "There are no files " + where + "."
		}
		return "These are the files " + where + ":\n" + fence(out)
	case "read":
		return "This is what " + args.Path + " holds:\n" + fence(out)
	case "write":
		return "Done: " + args.Path + " is written."
	case "exec":
		if out == "" {
			return "`" + args.Command + "` ran and printed nothing."
		}
		return "`" + args.Command + "` printed:\n" + fence(out)
	case "session_status":
		return out
	}
	return m.ToolName + " answered:\n" + fence(out)
}

// fence quotes out, cut to what a chat can hold; the fence is longer than any
// inside.
func fence(out string) string {
	const most = 3000
	if r := []rune(out); len(r) > most {
		out = string(r[:most]) + "\n…"
	}
	mark := "```"
	for strings.Contains(out, mark) {
		mark += "`"
	}
	return mark + "\n" + out + "\n" + mark
}
