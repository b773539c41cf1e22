package logfile

import (
	"encoding/json"
	"strings"
)

// Entry is a line of a log as openclaw logs --json prints it. Type is log, raw
// or notice.
type Entry struct {
	Type      string `json:"type"`
	Time      string `json:"time,omitempty"`
	Level     string `json:"level,omitempty"`
	Subsystem string `json:"subsystem,omitempty"`
	Message   string `json:"message,omitempty"`
	Raw       string `json:"raw,omitempty"`
}

// Parse reads a line of a log, ours or one of OpenClaw's. ok is false for a
// line that is neither.
func Parse(raw string) (e Entry, ok bool) {
	var l struct {
		Zero json.RawMessage `json:"0"`
		One  json.RawMessage `json:"1"`
		Meta struct {
			Level string `json:"logLevelName"`
			Date  string `json:"date"`
		} `json:"_meta"`
		Time string `json:"time"`
	}
	if json.Unmarshal([]byte(raw), &l) != nil || l.Meta.Level == "" && l.Time == "" {
		return Entry{}, false
	}
	e = Entry{Type: "log", Time: l.Time, Level: strings.ToLower(l.Meta.Level), Raw: raw}
	if e.Time == "" {
		e.Time = l.Meta.Date
	}
	zero, one := plain(l.Zero), plain(l.One)
	var sub struct{ Subsystem string }
	if json.Unmarshal([]byte(zero), &sub) == nil && sub.Subsystem != "" {
		e.Subsystem, e.Message = sub.Subsystem, one
	} else {
		e.Message = strings.TrimSpace(zero + " " + one)
	}
	return e, true
}

// plain is the text of a JSON string, or the JSON of anything else.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
