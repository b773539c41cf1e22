package discord

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/backoff"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// rates holds calls back that Discord would refuse: it bans who asks again too
// often. A limit is of one route (the method, and the path with the ids of what
// it is about), or of everything.
type rates struct {
	mu     sync.Mutex
	until  map[string]time.Time
	global time.Time
}

const (
	mostRoutes = 2000
	maxWait    = time.Hour
)

// wait waits while a route rests, no longer than hold; beyond, it says for how
// long.
func (r *rates) wait(ctx context.Context, op, route string, hold time.Duration, anonymous bool) error {
	for {
		r.mu.Lock()
		at := r.until[route]
		if !anonymous && r.global.After(at) { // answers to interactions are exempt from the global limit
			at = r.global
		}
		r.mu.Unlock()
		d := time.Until(at)
		if d <= 0 {
			return nil
		}
		if d > hold {
			return &fault.Error{Kind: fault.RateLimited, Op: op, Hint: "Discord asks to slow down", Err: channel.RetryAfter{After: d}}
		}
		if err := backoff.Sleep(ctx, d); err != nil {
			return err
		}
	}
}

// note reads what an answer says about its route.
func (r *rates) note(route string, h http.Header) {
	if h.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	if d, ok := seconds(h.Get("X-RateLimit-Reset-After")); ok {
		r.rest(route, d, false)
	}
}

// limited notes a refusal and returns how long to wait.
func (r *rates) limited(route string, h http.Header, after float64, global bool) time.Duration {
	d, ok := seconds(strconv.FormatFloat(after, 'f', -1, 64))
	if header, said := seconds(h.Get("Retry-After")); (!ok || d == 0) && said {
		d = header
	}
	d = max(d, 100*time.Millisecond)
	r.rest(route, d, global || h.Get("X-RateLimit-Global") == "true" || h.Get("X-RateLimit-Scope") == "global")
	return d
}

func (r *rates) rest(route string, d time.Duration, global bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Now().Add(d)
	if global {
		r.global = at
		return
	}
	if r.until == nil {
		r.until = map[string]time.Time{}
	}
	if len(r.until) >= mostRoutes {
		now := time.Now()
		maps.DeleteFunc(r.until, func(_ string, t time.Time) bool { return t.Before(now) })
	}
	if len(r.until) < mostRoutes {
		r.until[route] = at
	}
}

// seconds reads a delay, which has a fraction.
func seconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f != f {
		return 0, false
	}
	return time.Duration(min(f, maxWait.Seconds()) * float64(time.Second)), true
}

// bucketName is a path without the ids that don't count for its limit: the
// first does, of a channel, guild or webhook.
func bucketName(path string) string { return named(path, true) }

// routeName is a path without ids and tokens, for people.
func routeName(path string) string { return named(path, false) }

func named(path string, keep bool) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, p := range parts {
		switch {
		case i == 1 && keep && snowflake(p):
		case snowflake(p):
			parts[i] = ":id"
		case i == 2 && (parts[0] == "webhooks" || parts[0] == "interactions"):
			parts[i] = ":token"
		case i > 1 && parts[i-1] == "reactions":
			parts[i] = ":emoji"
		}
	}
	return strings.Join(parts, "/")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// clean makes text of others fit for one line of a log or an error.
func clean(s string) string {
	const most = 200
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return text.Ellipsis(strings.TrimSpace(s), most)
}
