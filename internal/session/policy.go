package session

import (
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// stale reports whether the policy asks for a fresh transcript: the session
// was last used before the latest daily hour, or has been idle for too long.
func stale(c config.Session, s Session, now time.Time) bool {
	p := policy(c, s)
	last := time.UnixMilli(s.Updated)
	if p.idle > 0 && now.Sub(last) > p.idle {
		return true
	}
	if !p.daily {
		return false
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), p.hour, 0, 0, 0, now.Location())
	if at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()-1, p.hour, 0, 0, 0, now.Location())
	}
	return last.Before(at)
}

// rule is a resolved policy.
type rule struct {
	daily bool
	hour  int
	idle  time.Duration
}

const (
	defaultHour = 4
	defaultIdle = 60 // minutes, in idle mode
)

// policy picks the section for s: its channel's, else its type's, else the
// general one; what a section leaves out, the general one fills in.
func policy(c config.Session, s Session) rule {
	base, mode := c.Reset, c.Reset.Mode
	explicit := mode != "" || base.AtHour != nil || base.IdleMinutes > 0
	special, has := config.Reset{}, false
	for _, t := range types(s) {
		if r, ok := c.ResetByType[t]; ok {
			special, has = r, true
			break
		}
	}
	if r, ok := c.ResetByChannel[channelOf(s)]; ok {
		special, has = r, true
	}
	if has {
		explicit = true
		if special.Mode != "" {
			mode = special.Mode
		}
		if special.AtHour != nil {
			base.AtHour = special.AtHour
		}
		if special.IdleMinutes > 0 {
			base.IdleMinutes = special.IdleMinutes
		}
	}
	minutes := base.IdleMinutes
	if minutes == 0 {
		minutes = c.IdleMinutes
	}
	if mode == "" {
		mode = "daily"
		if !explicit && c.IdleMinutes > 0 {
			mode = "idle" // the old key alone
		}
	}
	r := rule{daily: mode == "daily", hour: defaultHour}
	if base.AtHour != nil {
		r.hour = *base.AtHour
	}
	if mode == "idle" && minutes == 0 {
		minutes = defaultIdle
	}
	r.idle = time.Duration(minutes) * time.Minute
	return r
}

// types lists the names under which resetByType may hold s, best first.
func types(s Session) []string {
	rest := s.Key.Rest()
	switch {
	case strings.Contains(rest, ":topic:") || strings.Contains(rest, ":thread:"):
		return []string{"thread"}
	case s.ChatType == "group" || s.ChatType == "channel" || strings.Contains(rest, ":group:") || strings.Contains(rest, ":channel:"):
		return []string{"group"}
	}
	return []string{"direct", "dm"}
}

// channelOf is the channel that s belongs to.
func channelOf(s Session) id.Channel {
	for _, c := range []string{s.LastChannel, s.Channel} {
		if c != "" {
			return id.Channel(c)
		}
	}
	if c, _, found := strings.Cut(s.Key.Rest(), ":"); found {
		return id.Channel(c)
	}
	return ""
}
