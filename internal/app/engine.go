package app

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"sync/atomic"

	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/engine"
)

// chosen returns the engine that plugins.slots.contextEngine names, the first
// of all when it names none or one that isn't there, which is said once.
func chosen(all []engine.Engine, cfg func() *config.Config, log *slog.Logger) func() engine.Engine {
	var last atomic.Pointer[config.Config]
	var pick atomic.Pointer[engine.Engine]
	return func() engine.Engine {
		c := cfg()
		if e := pick.Load(); e != nil && last.Load() == c {
			return *e
		}
		e := all[0]
		want := cmp.Or(slot(c.Plugins), e.Info().ID)
		found := false
		for _, have := range all {
			if have.Info().ID == want {
				e, found = have, true
			}
		}
		if !found {
			log.Error("there is no such context engine; the built-in one serves. See plugins.slots.contextEngine", "engine", want)
		}
		pick.Store(&e)
		last.Store(c)
		return e
	}
}

func slot(plugins json.RawMessage) string {
	var p struct {
		Slots struct {
			ContextEngine string `json:"contextEngine"`
		} `json:"slots"`
	}
	if len(plugins) == 0 || json.Unmarshal(plugins, &p) != nil {
		return "" // validation has reported what can't be read
	}
	return p.Slots.ContextEngine
}
