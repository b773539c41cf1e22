package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Report says what a prompt is made of, for /context and, as JSON, for the
// systemPromptReport of a session. Lengths are in characters.
type Report struct {
	MaxFile    int         `json:"bootstrapMaxChars"`
	MaxTotal   int         `json:"bootstrapTotalMaxChars"`
	Truncation Truncation  `json:"bootstrapTruncation"`
	Prompt     Sizes       `json:"systemPrompt"`
	Files      []FileShare `json:"injectedWorkspaceFiles"`
	Tools      ToolShares  `json:"tools"`
	Sections   []Section   `json:"-"`
}

// Truncation sums up what was shortened.
type Truncation struct {
	Shown     bool `json:"warningShown"`
	Truncated int  `json:"truncatedFiles"`
	NearLimit int  `json:"nearLimitFiles"`
	TotalNear bool `json:"totalNearLimit"`
	// Signature is the same for the same files shortened in the same way; ""
	// when none was.
	Signature string `json:"-"`

	lines []string
}

// Sizes are lengths of the prompt.
type Sizes struct {
	Chars   int `json:"chars"`
	Project int `json:"projectContextChars"`
	Other   int `json:"nonProjectContextChars"`
}

// FileShare is one file's part.
type FileShare struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Missing   bool   `json:"missing"`
	Raw       int    `json:"rawChars"`
	Injected  int    `json:"injectedChars"`
	Truncated bool   `json:"truncated"`
}

// ToolShares is what the tools take, in the prompt and beside it.
type ToolShares struct {
	List    int         `json:"listChars"`
	Schemas int         `json:"schemaChars"`
	Entries []ToolShare `json:"entries"`
}

// ToolShare is one tool's part.
type ToolShare struct {
	Name       string `json:"name"`
	Summary    int    `json:"summaryChars"`
	Schema     int    `json:"schemaChars"`
	Properties int    `json:"propertiesCount"`
}

// Section is one section's part.
type Section struct {
	Name  string
	Chars int
}

func newReport(in Input) Report {
	l := in.Limits.filled()
	r := Report{MaxFile: l.File, MaxTotal: l.Total, Files: []FileShare{}}
	r.Tools.Entries = make([]ToolShare, 0, len(in.Tools))
	for _, t := range in.Tools {
		e := ToolShare{Name: t.Name, Summary: utf8.RuneCountInString(t.Description), Schema: utf8.RuneCount(t.Schema), Properties: properties(t)}
		if in.Mode != None {
			r.Tools.List += utf8.RuneCountInString(toolLine(t))
		}
		r.Tools.Schemas += e.Schema
		r.Tools.Entries = append(r.Tools.Entries, e)
	}
	return r
}

func properties(t llm.ToolSpec) int {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &s)
	return len(s.Properties)
}

func (r *Report) noteFile(f File, injected, raw int, truncated bool, cause string) {
	r.Files = append(r.Files, FileShare{Name: f.Name, Path: f.Path, Missing: f.Missing, Raw: raw, Injected: injected, Truncated: truncated})
	if !truncated {
		return
	}
	r.Truncation.Truncated++
	r.Truncation.lines = append(r.Truncation.lines, fmt.Sprintf("%s: %d of %d characters (%s)", f.Name, injected, raw, cause))
	r.Truncation.Signature = fmt.Sprintf("%d/%d ", r.MaxFile, r.MaxTotal) + strings.Join(r.Truncation.lines, "; ")
}

// warning tells the model which files it sees in part only.
func (r *Report) warning() string {
	lines := r.Truncation.lines
	if len(lines) == 0 {
		return ""
	}
	r.Truncation.Shown = true
	var b strings.Builder
	b.WriteString("Some are too long to be loaded whole; read them when you need the rest, and keep them short:\n")
	for i, l := range lines {
		if i == 3 {
			fmt.Fprintf(&b, "- +%d more\n", len(lines)-3)
			break
		}
		b.WriteString("- " + l + "\n")
	}
	return b.String()
}
