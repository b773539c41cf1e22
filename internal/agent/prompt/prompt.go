// Package prompt writes the system prompt of a run.
//
// It is pure: the same input gives the same bytes, on every turn and every
// machine, so that providers can reuse what they computed for the turn before.
// Nothing in the prompt moves by itself; there is no clock in it. What the
// text says is golden-tested under testdata.
package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Mode is how much a prompt says.
type Mode string

const (
	// Full is for an agent that talks to people; it is the zero value's meaning.
	Full Mode = "full"
	// Minimal is for sub-agents.
	Minimal Mode = "minimal"
	// None is one line.
	None Mode = "none"
)

// NoReply is the whole of an answer that is not to be sent, HeartbeatOK that
// of a heartbeat with nothing to tell.
const (
	NoReply     = "NO_REPLY"
	HeartbeatOK = "HEARTBEAT_OK"
)

// Input is everything that a prompt depends on.
type Input struct {
	Mode      Mode
	Tools     []llm.ToolSpec // in the order in which they are offered
	Workspace string
	Files     []File
	Only      []string // names of files to use; nil is all, or in Minimal AGENTS.md and TOOLS.md
	Limits    Limits
	Warn      bool   // tell the model about shortened files
	Zone      string // of the user, such as Europe/Berlin; "" is unknown
	Runtime   Runtime
	Heartbeat string // what a heartbeat asks; "" when there are none
	Extra     string // what the caller adds: about the group, or a sub-agent's task
}

// Runtime is where and as what the agent runs.
type Runtime struct {
	Agent        string
	Host         string
	OS           string // linux 6.1 (amd64)
	Version      string
	Model        string
	DefaultModel string
	Shell        string
	Channel      string
	Capabilities []string // of the channel
	Thinking     string
	Reasoning    string // off, on, stream: whether thinking is shown
	Repo         string // root of the repository that the workspace is in
}

const identity = "You are a personal assistant running inside OpenClaw."

// System writes a prompt and reports what it is made of.
func System(in Input) (string, Report) {
	if in.Mode == "" {
		in.Mode = Full
	}
	w := &writer{report: newReport(in)}
	w.section("Identity", identity+"\n")
	if in.Mode == None {
		return w.done()
	}
	full := in.Mode == Full
	w.section("Tooling", tooling(in.Tools))
	if full {
		w.section("Tool Use", style)
	}
	w.section("Safety", safety)
	w.section("Workspace", workspace(in.Workspace))
	if in.Zone != "" {
		w.section("Date & Time", "## Current Date & Time\n\nTime zone: "+one(in.Zone)+"\n"+clock(in.Tools))
	}
	if full {
		w.section("Silent Replies", silence)
		if in.Heartbeat != "" {
			w.section("Heartbeats", heartbeats(in.Heartbeat))
		}
	}
	w.section("Runtime", runtime(in.Runtime))
	if in.Extra != "" {
		title := "## Group Chat Context"
		if !full {
			title = "## Subagent Context"
		}
		w.section("Context", title+"\n\n"+strings.TrimSpace(in.Extra)+"\n")
	}
	w.files(in)
	return w.done()
}

// writer collects sections, an empty line between them.
type writer struct {
	b      strings.Builder
	report Report
}

func (w *writer) section(name, body string) {
	if body == "" {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString(body)
	w.report.Sections = append(w.report.Sections, Section{name, utf8.RuneCountInString(body)})
}

func (w *writer) done() (string, Report) {
	s := w.b.String()
	r := &w.report
	r.Prompt.Chars = utf8.RuneCountInString(s)
	r.Prompt.Other = r.Prompt.Chars - r.Prompt.Project
	return s, w.report
}
