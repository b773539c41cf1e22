package compaction

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// maxNames is how many identifiers and files are looked after.
const maxNames = 24

// identifier matches what stands for one thing only and can't be said in other
// words: ticket ids, hashes, addresses, files, long numbers.
var identifier = regexp.MustCompile(`https?://[^\s"'<>)\]]{4,200}|\b[A-Z][A-Z0-9]{1,9}-\d{1,10}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{6,62}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|(?:^|[\s"'(])(/[\w.@-]+(?:/[\w.@-]+)+)|#\d{2,9}\b|\b\d{6,20}\b`)

// missing lists the identifiers of what people said in ms, and those that were
// missing before, that summary hasn't; the newest first.
func missing(ms []llm.Message, before []string, summary string) (out []string) {
	for i := len(ms) - 1; i >= 0 && len(out) < maxNames; i-- {
		if ms[i].Role != llm.User || isSummary(ms[i]) {
			continue
		}
		for _, found := range identifier.FindAllStringSubmatch(ms[i].Text(), 2*maxNames) {
			name := strings.TrimRight(found[0], ".,;:")
			if found[1] != "" {
				name = strings.TrimRight(found[1], ".,;:")
			}
			if len(out) < maxNames && !slices.Contains(out, name) && !strings.Contains(summary, name) {
				out = append(out, name)
			}
		}
	}
	for _, name := range before {
		if len(out) < maxNames && !slices.Contains(out, name) && !strings.Contains(summary, name) {
			out = append(out, name)
		}
	}
	return out
}

// files lists what the calls in ms read and changed.
func files(ms []llm.Message) (read, modified []string) {
	for i := range ms {
		for _, c := range ms[i].Calls() {
			var args struct {
				Path string `json:"path"`
				File string `json:"file_path"`
			}
			if json.Unmarshal(c.Args, &args) != nil {
				continue
			}
			name := args.Path
			if name == "" {
				name = args.File
			}
			switch {
			case name == "" || len(name) > 500:
			case c.Name == "read":
				read = add(read, name)
			case c.Name == "write", c.Name == "edit", c.Name == "apply_patch":
				modified = add(modified, name)
			}
		}
	}
	read = slices.DeleteFunc(read, func(s string) bool { return slices.Contains(modified, s) })
	return read, modified
}

// add puts name at the end of list, which keeps the newest.
func add(list []string, name string) []string {
	list = append(slices.DeleteFunc(list, func(s string) bool { return s == name }), name)
	if len(list) > maxNames {
		list = list[len(list)-maxNames:]
	}
	return list
}
