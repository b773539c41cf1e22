package app

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/chat"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/store"
)

// Checks are what doctor looks at beside the configuration file itself.
func Checks(_ context.Context, cfg *config.Config) []feature.Check {
	kinds, problems := kindsOf(cfg)
	checks := append(session.Checks(cfg.Paths.State, held(cfg.Paths.State)), store.Checks(cfg.Paths.State)...)
	return append(checks, []feature.Check{
		{Name: "Plugins", Run: func(context.Context) []feature.Finding { return pluginFindings(cfg, kinds, problems) }},
		{Name: "Who may write", Run: func(context.Context) []feature.Finding {
			var out []feature.Finding
			for _, k := range kinds {
				if _, ok := cfg.Channels[k.ID]; !ok {
					continue
				}
				for _, a := range cfg.Accounts(k.ID) {
					out = append(out, access.Findings(k.ID, a, k)...)
				}
			}
			return out
		}},
	}...)
}

// held tells whether a gateway is using a state directory.
func held(state string) func() bool {
	return func() bool {
		_, held, err := store.Holder(state)
		return held || err != nil
	}
}

// Models lists the models that cfg knows, those that it has no key for, too.
func Models(ctx context.Context, cfg *config.Config) []llm.Model {
	r := Resolver(cfg)
	r.Probe(ctx)
	return r.All()
}

// Resolver finds the ways to ask the models of cfg.
func Resolver(cfg *config.Config) *model.Resolver {
	now := func() *config.Config { return cfg }
	return model.New(Providers(), provider.NewClient(), now, &secrets{config: now}, nil)
}

// Meta is what the command line tells about a turn, in the shape of the agent
// method's result.
func Meta(r chat.Result) any { return chat.MetaOf(r) }
