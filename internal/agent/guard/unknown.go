package guard

import (
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Unknown answers a call of a tool that a run doesn't have. It names the tools
// that may have been meant.
func Unknown(name string, known []string) tool.Result {
	shown := text.Preview(name, 60)
	near := nearNames(name, known)
	if len(near) > 0 {
		return tool.Errorf("Tool %s not found. Did you mean %s?", shown, strings.Join(near, " or "))
	}
	return tool.Errorf("Tool %s not found", shown) // as recorded: wire/README.md
}

// nearNames returns up to three names close to name, nearest first.
func nearNames(name string, known []string) []string {
	type scored struct {
		name string
		d    int
	}
	name = strings.ToLower(name[:min(len(name), 64)])
	plain := strings.NewReplacer("-", "", "_", "", ".", "", " ", "")
	var near []scored
	for _, k := range known {
		low := strings.ToLower(k)
		d := distance(name, low)
		if plain.Replace(name) == plain.Replace(low) || strings.HasSuffix(name, "."+low) || strings.HasSuffix(name, "_"+low) || alias(name) == low {
			d = 0
		}
		if d <= 1+min(len(name), len(low))/4 {
			near = append(near, scored{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return a.d - b.d })
	var out []string
	for _, n := range near[:min(len(near), 3)] {
		out = append(out, n.name)
	}
	return out
}

// alias is what other agents call our tools.
func alias(name string) string {
	switch name {
	case "bash", "shell", "sh", "run", "run_command", "execute", "terminal", "system.run":
		return "exec"
	case "cat", "view", "open", "read_file":
		return "read"
	case "create", "write_file", "save":
		return "write"
	case "str_replace", "replace", "edit_file":
		return "edit"
	case "list", "list_dir", "list_files", "dir":
		return "ls"
	case "search", "rg", "search_files":
		return "grep"
	case "glob", "find_files":
		return "find"
	}
	return ""
}

// distance is the number of edits between two short strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
