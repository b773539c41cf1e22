package auth

import (
	"net/netip"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/config"
)

// maxBuckets bounds the memory of the limiter.
const maxBuckets = 4096

// limiter slows down guessing. Without gateway.auth.rateLimit it watches other
// hosts, and requests that a web page may have made: those it watches always,
// from loopback too, since a page can use its visitor's browser to guess.
type limiter struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	failures int
	since    time.Time // start of the window
	until    time.Time // locked out until
	warned   bool
}

type limit struct {
	attempts        int
	window, lockout time.Duration
}

// rule returns the limit for p; ok is false when there is none.
func rule(p Peer, rl *config.RateLimit) (l limit, ok bool) {
	l = limit{attempts: 10, window: time.Minute, lockout: 5 * time.Minute}
	if rl != nil {
		l.attempts = positive(rl.MaxAttempts, l.attempts)
		l.window = time.Duration(positive(rl.WindowMs, int(l.window/time.Millisecond))) * time.Millisecond
		l.lockout = time.Duration(positive(rl.LockoutMs, int(l.lockout/time.Millisecond))) * time.Millisecond
	}
	if p.Browser {
		return l, true
	}
	if rl == nil {
		return l, !p.Addr.IsLoopback()
	}
	exempt := rl.ExemptLoopback == nil || *rl.ExemptLoopback
	return l, !exempt || !p.Addr.IsLoopback() || !p.Local
}

func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// bucketKey is the unit that shares a limit: an IPv4 address or an IPv6 /64,
// pages apart from programs, so that a page can't lock its visitor's tools out.
func bucketKey(kind string, p Peer) string {
	unit := p.Addr.Unmap()
	key := kind + "|" + unit.String()
	if unit.Is6() {
		if net, err := netip.PrefixFrom(unit, 64).Addr().Prefix(64); err == nil {
			key = kind + "|" + net.String()
		}
	}
	if p.Browser {
		key += "|page"
	}
	return key
}

// locked reports how long key must still wait.
func (l *limiter) locked(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[key]
	if b == nil || !now.Before(b.until) {
		return 0
	}
	return b.until.Sub(now)
}

// fail counts a failure. first is true once in each burst, for the log.
func (l *limiter) fail(key string, r limit, now time.Time) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buckets == nil {
		l.buckets = map[string]*bucket{}
	}
	b := l.buckets[key]
	if b == nil || now.Sub(b.since) > r.window && !now.Before(b.until) {
		l.makeRoomLocked(now)
		b = &bucket{since: now}
		l.buckets[key] = b
	}
	b.failures++
	if r.attempts > 0 && b.failures >= r.attempts {
		b.until = now.Add(r.lockout)
	}
	first, b.warned = !b.warned, true
	return first
}

func (l *limiter) succeed(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.buckets, key)
}

// makeRoomLocked drops what has run out, else the oldest bucket.
func (l *limiter) makeRoomLocked(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	oldest := ""
	for k, b := range l.buckets {
		if now.Sub(b.since) > 10*time.Minute && !now.Before(b.until) {
			delete(l.buckets, k)
			continue
		}
		if oldest == "" || b.since.Before(l.buckets[oldest].since) {
			oldest = k
		}
	}
	if len(l.buckets) >= maxBuckets {
		delete(l.buckets, oldest)
	}
}
