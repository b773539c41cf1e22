package app

import (
	"context"
	"reflect"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/config"
)

// watch follows the configuration file until ctx ends. Most sections take
// effect with the next message; this is for what has to be done at once:
// channel accounts that changed are restarted, and a change of the port or of
// who may come in asks for a new process.
func (g *daemon) watch(ctx context.Context) {
	g.watcher = &config.Watcher{Paths: g.opts.Paths, Log: g.log, Load: config.LoadOptions{LastGood: true}}
	err := g.watcher.Watch(ctx, g.cfg, func(old, now *config.Config) {
		override(now, g.opts)
		g.log.InfoContext(ctx, "configuration changed")
		g.channels.apply(ctx, now)
		g.bus.Publish(event.ConfigChanged{})
		g.bus.Publish(event.HealthChanged{})
		if restarts(old.Gateway, now.Gateway) && now.Gateway.Reload.Mode != "off" {
			g.log.WarnContext(ctx, "gateway settings changed, restarting")
			g.restart("config", 0)
		}
	}, func(ps []config.Problem) {
		for _, p := range ps {
			g.log.ErrorContext(ctx, "the configuration file is invalid and not in force", "problem", p.String())
		}
		g.bus.Publish(event.HealthChanged{})
	})
	if err != nil && ctx.Err() == nil {
		g.log.ErrorContext(ctx, "configuration is not watched any more", "err", err)
	}
}

// restarts reports whether a listener has to be opened anew.
func restarts(old, now config.Gateway) bool {
	return old.Port != now.Port || old.Bind != now.Bind || old.CustomBindHost != now.CustomBindHost || !reflect.DeepEqual(old.Auth, now.Auth)
}
