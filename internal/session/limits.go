package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// Limits are session.maintenance with its defaults: how much is kept. What says
// nothing, or can't be read, never takes more away than the default does.
type Limits struct {
	Enforce    bool          // false only tells what there would be to do
	PruneAfter time.Duration // since a session was last used
	MaxEntries int           // of one agent
	Archives   time.Duration // how long archived transcripts stay; 0 is for ever
	MaxDisk    int64         // bytes of an agent's sessions; 0 is any
	HighWater  int64         // what is left when that was too much
}

// LimitsOf reads m.
func LimitsOf(m config.Maintenance) Limits {
	l := Limits{Enforce: m.Mode == "enforce", PruneAfter: 30 * 24 * time.Hour, MaxEntries: 500}
	if m.MaxEntries > 0 {
		l.MaxEntries = m.MaxEntries
	}
	if m.PruneDays > 0 {
		l.PruneAfter = time.Duration(m.PruneDays) * 24 * time.Hour
	}
	if d, err := config.ParseDuration(word(m.PruneAfter), 24*time.Hour); err == nil && d > 0 {
		l.PruneAfter = d
	}
	l.Archives = l.PruneAfter
	switch w := word(m.ResetArchiveRetention); w {
	case "false":
		l.Archives = 0
	default:
		if d, err := config.ParseDuration(w, 24*time.Hour); err == nil && d > 0 {
			l.Archives = d
		}
	}
	if n, err := config.ParseSize(word(m.MaxDiskBytes)); err == nil && n > 0 {
		l.MaxDisk, l.HighWater = n, n/10*8
		if h, err := config.ParseSize(word(m.HighWaterBytes)); err == nil && h > 0 {
			l.HighWater = min(h, n)
		}
	}
	return l
}

// word is a number or text of the file as text.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(raw))
}
