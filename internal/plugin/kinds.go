package plugin

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Options are what the plugins get to run in.
type Options struct {
	// Data is the directory below which each account of a plugin has one of its
	// own for what it must keep.
	Data string
	// Version is the host's own, told to the plugin.
	Version string
	// Timing bounds things; zero values are the usual ones.
	Timing Timing
}

// Timing is how long things may take.
type Timing struct {
	Start time.Duration // to answer initialize and channel.start; 1 m
	Call  time.Duration // to answer another request; 2 m
	Stop  time.Duration // to end, before it is killed; 5 s
	Retry backoff.Policy
}

func (t Timing) usual() Timing {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.Start, time.Minute)
	set(&t.Call, 2*time.Minute)
	set(&t.Stop, 5*time.Second)
	return t
}

// Kinds makes networks of the channels that plugins bring. A name that is in
// taken stays with the program, and is a problem of the plugin.
func Kinds(plugins []Manifest, taken []id.Channel, o Options) (kinds []channel.Kind, problems []Problem) {
	o.Timing = o.Timing.usual()
	taken = slices.Clone(taken)
	for _, m := range plugins {
		for _, c := range m.Channels {
			if slices.Contains(taken, c.ID) {
				problems = append(problems, Problem{m.Dir, fault.New(fault.Conflict, "plugin.Kinds", "the channel "+string(c.ID)+" is there already; the plugin's is left out")})
				continue
			}
			taken = append(taken, c.ID)
			kinds = append(kinds, kind(m, c, o))
		}
	}
	return kinds, problems
}

func kind(m Manifest, c Channel, o Options) channel.Kind {
	k := channel.Kind{ID: c.ID, Label: c.Label, Config: struct{}{}}
	if c.IDs == "whatsapp" {
		k.Normalize, k.Target = WhatsApp, whatsAppTarget(c.ID)
	}
	section, _ := parseSchema(c.ConfigSchema)
	k.New = func(env channel.Env, raw json.RawMessage) (channel.Channel, error) {
		if err := section.check("channels."+string(c.ID), raw); err != nil {
			return nil, err
		}
		a := &account{
			plugin: m, about: c, env: env, config: slices.Clone(raw), opts: o, log: env.Log,
			data: filepath.Join(o.Data, m.ID, string(c.ID), string(env.Account)),
		}
		if a.log == nil {
			a.log = slog.New(slog.DiscardHandler)
		}
		a.dialect, _ = dialect(c.Format)
		return able(a, c.Can), nil
	}
	return k
}

// Absent is a network whose plugin isn't there: its accounts say how to get it.
func Absent(ch id.Channel, label, hint string) channel.Kind {
	k := channel.Kind{ID: ch, Label: label, Config: absent{}, New: func(channel.Env, json.RawMessage) (channel.Channel, error) {
		return nil, fault.New(fault.Unavailable, "plugin.Absent", hint)
	}}
	if ch == "whatsapp" {
		k.Normalize, k.Target = WhatsApp, whatsAppTarget(ch)
	}
	return k
}

// absent marks a Kind of [Absent].
type absent struct{}

// IsAbsent tells whether k stands for a network whose plugin isn't there.
func IsAbsent(k channel.Kind) bool {
	_, ok := k.Config.(absent)
	return ok
}
