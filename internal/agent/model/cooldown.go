package model

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// Cooldown says that a credential, or a model with it, rests.
type Cooldown struct {
	Key    string // provider, hash of the credential and model or *, joined by |
	Reason string
	Until  time.Time // the zero time: no longer
	Count  int       // failures in a row
}

// Store keeps cooldowns over a restart.
type Store interface {
	// Cooldowns returns what was put and hasn't been ended.
	Cooldowns(ctx context.Context) ([]Cooldown, error)
	// PutCooldown stores c under its key; one with a zero Until is deleted.
	PutCooldown(ctx context.Context, c Cooldown) error
}

type restKey struct{ provider, hash, model string }

func (k restKey) String() string { return k.provider + "|" + k.hash + "|" + k.model }

func (k restKey) all() restKey { return restKey{k.provider, k.hash, "*"} }

// rests knows who rests.
type rests struct {
	store Store

	mu     sync.Mutex
	loaded bool
	by     map[restKey]Cooldown
}

// load reads the store, once. A store that fails is as an empty one: resting
// saves requests, and nothing is lost without it.
func (r *rests) load(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loaded {
		return
	}
	r.loaded, r.by = true, map[restKey]Cooldown{}
	if r.store == nil {
		return
	}
	list, err := r.store.Cooldowns(ctx)
	if err != nil {
		return
	}
	for _, c := range list {
		if p := strings.SplitN(c.Key, "|", 3); len(p) == 3 {
			r.by[restKey{p[0], p[1], p[2]}] = c
		}
	}
}

// until is when k may be used again.
func (r *rests) until(k restKey) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, b := r.by[k].Until, r.by[k.all()].Until
	if a.After(b) {
		return a
	}
	return b
}

func (r *rests) resting(k restKey) bool { return r.until(k).After(time.Now()) }

// passing reports whether k rests for something that passes by itself.
func (r *rests) passing(k restKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by[k.all()].Until.After(time.Now()) {
		return false
	}
	switch provider.Reason(r.by[k].Reason) {
	case provider.ReasonRateLimit, provider.ReasonOverloaded, provider.ReasonTimeout, provider.ReasonNetwork:
		return true
	case provider.ReasonAuth, provider.ReasonBilling, provider.ReasonPermission, provider.ReasonNoModel, provider.ReasonFormat, provider.ReasonOverflow:
	}
	return false
}

// least is the attempt that rests shortest.
func (r *rests) least(as []Attempt) Attempt {
	best := as[0]
	for _, a := range as[1:] {
		if r.until(a.rest).Before(r.until(best.rest)) {
			best = a
		}
	}
	return best
}

// rule is how long a reason lets rest: base, times factor with each failure in
// a row, at most most.
type rule struct {
	base, most time.Duration
	factor     int
	wide       bool // the credential rests, not just its model
}

func ruleOf(reason provider.Reason) (rule, bool) {
	switch reason {
	case provider.ReasonRateLimit:
		return rule{time.Minute, time.Hour, 5, false}, true
	case provider.ReasonOverloaded, provider.ReasonTimeout, provider.ReasonNetwork:
		return rule{10 * time.Second, 5 * time.Minute, 2, false}, true
	case provider.ReasonAuth:
		return rule{time.Minute, time.Hour, 5, true}, true
	case provider.ReasonBilling:
		return rule{5 * time.Hour, 24 * time.Hour, 2, true}, true
	case provider.ReasonPermission:
		return rule{time.Hour, 24 * time.Hour, 2, false}, true
	case provider.ReasonNoModel:
		return rule{time.Hour, time.Hour, 1, false}, true
	case provider.ReasonFormat, provider.ReasonOverflow:
	}
	return rule{}, false // the request is at fault: nobody rests
}

// reasonOf finds why an attempt failed; "" when it isn't the service's doing.
func reasonOf(err error) provider.Reason {
	if r := provider.ReasonOf(err); r != "" {
		return r
	}
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		return provider.ReasonAuth
	case fault.RateLimited:
		return provider.ReasonRateLimit
	case fault.Unavailable:
		return provider.ReasonOverloaded
	case fault.Internal, fault.Invalid, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Timeout, fault.Canceled:
	}
	return ""
}

// forgetAfter is how long after its end a cooldown still counts as the
// beginning of a row of failures.
const forgetAfter = 24 * time.Hour

func (r *rests) report(ctx context.Context, k restKey, err error) provider.Reason {
	if err == nil {
		r.clear(ctx, k)
		return ""
	}
	reason := reasonOf(err)
	rule, ok := ruleOf(reason)
	if !ok || fault.KindOf(err) == fault.Canceled {
		return ""
	}
	if rule.wide {
		k = k.all()
	}
	now := time.Now()
	r.mu.Lock()
	if r.by == nil {
		r.by = map[restKey]Cooldown{}
	}
	c := r.by[k]
	if c.Until.After(now) && c.Reason == string(reason) {
		c.Count-- // several runs met the same failure: one in the row
	}
	if now.Sub(c.Until) > forgetAfter || c.Count < 0 {
		c.Count = 0
	}
	d := rule.base
	for range c.Count {
		d = min(d*time.Duration(rule.factor), rule.most)
	}
	if ra, ok := errors.AsType[provider.RetryAfter](err); ok {
		d = max(ra.After, time.Second)
	}
	c = Cooldown{Key: k.String(), Reason: string(reason), Until: now.Add(d), Count: c.Count + 1}
	r.by[k] = c
	r.mu.Unlock()
	r.put(ctx, c)
	return reason
}

// clear ends the rest of k and of its credential.
func (r *rests) clear(ctx context.Context, k restKey) {
	var ended []Cooldown
	r.mu.Lock()
	for _, k := range []restKey{k, k.all()} {
		if _, ok := r.by[k]; ok {
			delete(r.by, k)
			ended = append(ended, Cooldown{Key: k.String()})
		}
	}
	r.mu.Unlock()
	for _, c := range ended {
		r.put(ctx, c)
	}
}

func (r *rests) put(ctx context.Context, c Cooldown) {
	if r.store != nil {
		// Kept even when the run was stopped; a failure costs a try after a restart.
		_ = r.store.PutCooldown(context.WithoutCancel(ctx), c)
	}
}
