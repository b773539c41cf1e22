package app

import (
	"context"
	"reflect"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/config"
)

// watch follows the configuration file until ctx ends. Most sections take
// effect with the next message; [daemon.changed] is for what has to be done at
// once, and a change of the port or of who may come in asks for a new process.
func (g *daemon) watch(ctx context.Context) {
	g.watcher = &config.Watcher{Paths: g.opts.Paths, Log: g.log, Load: config.LoadOptions{LastGood: true}}
	err := g.watcher.Watch(ctx, g.cfg, func(old, now *config.Config) {
		now = g.current(ctx, now)
		g.cfg.Replace(now)
		g.changed(ctx, now, nil)
		if restarts(old.Gateway, now.Gateway) && now.Gateway.Reload.Mode != "off" {
			g.log.WarnContext(ctx, "gateway settings changed, restarting")
			g.restart("config", 0)
		}
	}, func([]config.Problem) { // the watcher logs them
		g.bus.Publish(event.HealthChanged{})
	})
	if err != nil && ctx.Err() == nil {
		g.log.ErrorContext(ctx, "configuration is not watched any more", "err", err)
	}
}

// apply makes a configuration current that a client just saved.
func (g *daemon) apply(now *config.Config, paths []string) {
	now = g.current(g.life, now)
	g.cfg.Replace(now)
	g.changed(g.life, now, paths)
}

// current is what holds when the file says file: the flags of the command line
// and the overrides of /debug stand over it. Overrides that the file has become
// unfit for hold no more.
func (g *daemon) current(ctx context.Context, file *config.Config) *config.Config {
	now := file
	if over := g.control.Overrides(); len(over) > 0 {
		with, err := file.With(over...)
		if err != nil {
			g.log.WarnContext(ctx, "the overrides of /debug don't fit the configuration any more and are left out", "err", err)
		} else {
			now = with
		}
	}
	override(now, g.opts)
	return now
}

// changed does what a new configuration asks for at once: channel accounts
// whose section changed are connected anew.
func (g *daemon) changed(ctx context.Context, now *config.Config, paths []string) {
	g.channels.apply(ctx, now)
	g.bus.Publish(event.ConfigChanged{Paths: paths})
	g.bus.Publish(event.HealthChanged{})
}

// restarts reports whether a listener has to be opened anew.
func restarts(old, now config.Gateway) bool {
	return old.Port != now.Port || old.Bind != now.Bind || old.CustomBindHost != now.CustomBindHost || !reflect.DeepEqual(old.Auth, now.Auth)
}
