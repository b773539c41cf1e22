// Package model turns a model reference into what to try: models with their
// providers and credentials, in order, without those that must rest.
//
// [Resolver] is the whole of it. catalog.go knows which models there are,
// pick.go what a reference means and which model an agent has, keys.go the
// credentials, cooldown.go who rests how long, local.go what answers on
// loopback, and known.go the services that need no configuration.
package model

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// Secrets resolves a secret as it stands in the configuration: a string or a
// reference to one.
type Secrets interface {
	Resolve(ctx context.Context, raw json.RawMessage) (string, error)
}

// Attempt is one model with one credential to try. Hand it back to Report.
type Attempt struct {
	Model    llm.Model
	Provider provider.Provider

	rest restKey
	key  cacheKey
}

// Resolver knows the models. It is safe for use by several goroutines.
type Resolver struct {
	kinds   map[string]provider.Kind
	client  *http.Client
	cfg     func() *config.Config
	secrets Secrets
	rests   rests

	cur   atomic.Pointer[generation]
	build sync.Mutex // one generation is built at a time

	local local
}

// New returns a resolver for the models of cfg. Kinds are the wire formats in
// the binary; store keeps cooldowns and may be nil, as may secrets when the
// configuration holds plain strings only.
func New(kinds []provider.Kind, client *http.Client, cfg func() *config.Config, secrets Secrets, store Store) *Resolver {
	r := &Resolver{kinds: map[string]provider.Kind{}, client: client, cfg: cfg, secrets: secrets}
	for _, k := range kinds {
		r.kinds[k.ID] = k
	}
	r.rests.store = store
	r.local.places = places()
	return r
}

// Attempts yields what to try for ref, or for the agent's own model when ref
// is empty: the model with each of its credentials, then the fallbacks. What
// rests is skipped. When all rest, the one that rests shortest is tried all the
// same; when the others fail, so is the one of those skipped that waiting helps. There is always at least one attempt: when nothing can be tried,
// its provider answers with an error that says what to do.
func (r *Resolver) Attempts(ctx context.Context, a id.Agent, ref string) iter.Seq[Attempt] {
	return func(yield func(Attempt) bool) {
		r.rests.load(ctx)
		if ref == "" {
			r.probeIfNeeded(ctx, a)
		}
		g := r.generation()
		var resting []Attempt
		var problem error
		tried := false
		for _, m := range g.chain(r, a, ref, &problem) {
			keys, err := r.credentials(ctx, g, a, m.Provider)
			if err != nil && problem == nil {
				problem = err
			}
			for _, k := range keys {
				at, err := r.attempt(ctx, g, m, k)
				if err != nil {
					if problem == nil {
						problem = err
					}
					continue
				}
				if r.rests.resting(at.rest) {
					resting = append(resting, at)
					continue
				}
				tried = true
				if !yield(at) || ctx.Err() != nil {
					return
				}
			}
		}
		if tried {
			resting = slices.DeleteFunc(resting, func(a Attempt) bool { return !r.rests.passing(a.rest) })
		}
		switch {
		case tried && len(resting) == 0:
		case len(resting) > 0:
			yield(r.rests.least(resting))
		default:
			yield(Attempt{Model: g.named(r, a, ref), Provider: refusing{problem}})
		}
	}
}

// attempt makes the provider for m and k, or takes the one made before.
func (r *Resolver) attempt(ctx context.Context, g *generation, m llm.Model, k credential) (Attempt, error) {
	s := g.services[m.Provider]
	at := Attempt{Model: m, rest: restKey{m.Provider, k.hash, m.ID}, key: cacheKey{m.Provider, m.API, k.hash}}
	g.mu.Lock()
	at.Provider = g.made[at.key]
	g.mu.Unlock()
	if at.Provider != nil {
		return at, nil
	}
	p, err := r.make(ctx, g, s, m.API, k.value)
	if err != nil {
		return at, err
	}
	at.Provider = p
	g.mu.Lock()
	g.made[at.key] = p
	g.mu.Unlock()
	return at, nil
}

// Report tells what came of an attempt; nil is success. Failures that another
// credential or model may not have let this one rest.
func (r *Resolver) Report(ctx context.Context, a Attempt, err error) {
	if a.rest.provider == "" {
		return
	}
	if reason := r.rests.report(ctx, a.rest, err); reason == provider.ReasonAuth {
		// The secret may have changed where it is kept: read it anew next time.
		r.forget(a)
	}
}

// forget drops what was made with a's credential.
func (r *Resolver) forget(a Attempt) {
	g := r.cur.Load()
	if g == nil {
		return
	}
	g.mu.Lock()
	delete(g.made, a.key)
	delete(g.secrets, a.key.service)
	g.mu.Unlock()
}

// refusing is the provider of an attempt that can't be made.
type refusing struct{ err error }

func (f refusing) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) { yield(llm.Event{}, f.err) }
}
