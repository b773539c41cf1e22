package control

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

// limiter bounds how often one client may change the configuration. The
// methods that share it also share the count, and calls that fail count too.
type limiter struct {
	most   int
	window time.Duration

	mu   sync.Mutex
	seen map[string]span
}

type span struct {
	start time.Time
	calls int
}

// take counts a call of who. When there were too many it returns how long to
// wait.
func (l *limiter) take(who string, now time.Time) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, s := range l.seen {
		if now.Sub(s.start) >= l.window {
			delete(l.seen, k)
		}
	}
	s, known := l.seen[who]
	switch {
	case !known:
		s = span{start: now}
	case s.calls >= l.most:
		return l.window - now.Sub(s.start), false
	}
	s.calls++
	if l.seen == nil {
		l.seen = map[string]span{}
	}
	l.seen[who] = s
	return 0, true
}

// limited puts the limit before a method, its validation included.
func (c *Control) limited(m rpc.Method) rpc.Method {
	call := m.Call
	m.Call = func(ctx context.Context, who *rpc.Caller, raw rpc.Any) (any, error) {
		if wait, ok := c.writes.take(actor(who), c.Now()); !ok {
			c.Log.WarnContext(ctx, "configuration change refused: too many", "method", m.Name, "client", actor(who))
			secs := (wait + time.Second - 1) / time.Second
			return nil, &rpc.Error{
				Code: "UNAVAILABLE", Message: fmt.Sprintf("rate limit exceeded for %s; retry after %ds", m.Name, secs),
				Retryable: true, RetryAfter: wait,
				Details: map[string]any{"method": m.Name, "limit": fmt.Sprintf("%d per %ds", c.writes.most, int(c.writes.window.Seconds()))},
			}
		}
		return call(ctx, who, raw)
	}
	return m
}

// actor is by what a client is counted: its device, else its connection.
func actor(who *rpc.Caller) string {
	switch {
	case who == nil:
		return "unknown"
	case who.Device != "":
		return "device:" + string(who.Device)
	case who.Conn != "":
		return "conn:" + string(who.Conn)
	}
	return "client:" + who.Client.ID
}
