// Package status has session_status, the tool by which a model learns the time
// (its prompt holds no clock), its model and what the session has used. The
// same [Card] answers /status.
package status

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Info is what a card shows; empty fields are left out.
type Info struct {
	Version     string
	Session     id.SessionKey
	Updated     time.Time
	Model       string
	Credential  string // "api-key (env)", never the key
	Usage       llm.Usage
	Context     int // tokens in use
	Window      int // tokens that the model takes
	Compactions int
	Runtime     string // direct, docker
	Thinking    string
	Queue       string // collect
	Depth       int    // messages waiting
	Activation  string // of a group: mention, always
	Zone        string // the user's time zone; "" is the host's
	Clock12     bool   // hours as the user reads them
}

// Source is what the tool asks. Info and Choose answer with kind
// fault.NotFound for a session that isn't there.
type Source struct {
	Info func(ctx context.Context, s tool.Scope, key id.SessionKey) (Info, error)
	// Choose sets the session's model; "" goes back to the default. Nil is a
	// place where it can't be chosen.
	Choose func(ctx context.Context, s tool.Scope, key id.SessionKey, model string) error
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

//go:embed status.md
var description string

type args struct {
	SessionKey string `json:"sessionKey,omitempty" doc:"Session to show; this one when left out"`
	Model      string `json:"model,omitempty" doc:"Model for the session from now on: provider/model, or default"`
}

// New returns the tool.
func New(src Source) tool.Tool {
	if src.Now == nil {
		src.Now = time.Now
	}
	return face{tool.New("session_status", strings.TrimSpace(description), src.run)}
}

type face struct{ tool.Tool }

var _ tool.Grouped = face{}

func (face) Group() string { return "sessions" }

func (src Source) run(ctx context.Context, call tool.Call, a args) (tool.Result, error) {
	key := call.Scope.Session
	if a.SessionKey != "" {
		key = id.CanonicalKey(call.Scope.Agent, a.SessionKey)
	}
	if !visible(call.Scope, key) {
		return missing(cmp.Or(a.SessionKey, string(key))), nil
	}
	note := ""
	if a.Model != "" {
		if reason := src.choose(ctx, call.Scope, key, a.Model); reason != "" {
			return tool.Errorf("%s", reason), nil
		}
		note = "The model was changed; it answers from the next message on.\n\n"
	}
	in, err := src.Info(ctx, call.Scope, key)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return missing(cmp.Or(a.SessionKey, string(key))), nil
	case err != nil:
		return tool.Result{}, err
	}
	in.Session = key
	return tool.Result{Content: []llm.Block{llm.Text(note + Card(in, src.Now()))}, Meta: "show the status"}, nil
}

// visible reports whether s may see key: its own session, and for an owner the
// other sessions of the same agent. What may not be seen isn't there.
func visible(s tool.Scope, key id.SessionKey) bool {
	return key == s.Session || s.Owner && key.Agent() == s.Agent
}

func missing(key string) tool.Result {
	return tool.Errorf("session %s not found", text.Preview(key, 100))
}

func (src Source) choose(ctx context.Context, s tool.Scope, key id.SessionKey, model string) (reason string) {
	if src.Choose == nil || !s.Owner {
		return "The model can't be chosen here; the owner can with /model."
	}
	if model == "default" {
		model = ""
	}
	if err := src.Choose(ctx, s, key, model); err != nil {
		return "The model was not changed: " + fault.Hint(err)
	}
	return ""
}

// Card writes what is known about a session in a few lines. The first says the
// time.
func Card(in Info, now time.Time) string {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	if in.Version != "" {
		line("🦞 OpenClaw %s", in.Version)
	}
	line("🕒 Time: %s", clock(in, now))
	if in.Model != "" {
		s := "🧠 Model: " + in.Model
		if in.Credential != "" {
			s += " · 🔑 " + in.Credential
		}
		line("%s", s)
	}
	line("🧮 Tokens: %s in / %s out · 💵 Cost: $%.4f", count(in.Usage.Input), count(in.Usage.Output), in.Usage.Cost.Total)
	if in.Window > 0 {
		line("📚 Context: %s/%s (%d%%) · 🧹 Compactions: %d", count(int64(in.Context)), count(int64(in.Window)), in.Context*100/in.Window, in.Compactions)
	}
	if in.Session != "" {
		s := "🧵 Session: " + string(in.Session)
		if !in.Updated.IsZero() {
			s += " • updated " + ago(now.Sub(in.Updated))
		}
		line("%s", s)
	}
	if in.Runtime != "" {
		line("⚙️ Runtime: %s · Think: %s", in.Runtime, orOff(in.Thinking))
	}
	queue := ""
	if in.Queue != "" {
		queue = fmt.Sprintf("🪢 Queue: %s (depth %d)", in.Queue, in.Depth)
	}
	if in.Activation != "" {
		queue = strings.TrimSuffix("👥 Activation: "+in.Activation+" · "+queue, " · ")
	}
	if queue != "" {
		line("%s", queue)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// clock is the time where the user is. A zone that isn't known is said so and
// replaced by UTC.
func clock(in Info, now time.Time) string {
	zone, loc := in.Zone, now.Location()
	if zone != "" {
		l, err := time.LoadLocation(zone)
		if err != nil {
			l, zone = time.UTC, fmt.Sprintf("UTC; the time zone %q is unknown", text.Preview(zone, 40))
		}
		loc = l
	}
	now = now.In(loc)
	if zone == "" || zone == "Local" {
		zone, _ = now.Zone()
	}
	hours := "15:04"
	if in.Clock12 {
		hours = "3:04 PM"
	}
	return now.Format("Monday, 2 January 2006, "+hours) + " (" + zone + ") · " + now.UTC().Format("2006-01-02T15:04Z")
}

func count(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1000), ".0") + "k"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + "M"
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours()/24))
}

func orOff(s string) string {
	if s == "" {
		return "off"
	}
	return s
}
