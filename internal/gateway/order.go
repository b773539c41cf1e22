package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

// headStart is how long a request is waited for before one behind it is begun.
const headStart = 5 * time.Millisecond

// ahead are the requests of one connection that later ones may have to wait
// for. Only the read loop uses it.
type ahead struct {
	byLane map[string]started
	last   started // of those without a lane
}

// started is a request that was begun.
type started struct {
	settled <-chan struct{} // its first answer is queued
	begun   time.Time
}

// wait gives r what is left of its head start.
func (r started) wait() {
	if r.settled == nil {
		return
	}
	select {
	case <-r.settled:
		return
	default:
	}
	left := headStart - time.Since(r.begun)
	if left <= 0 {
		return
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-r.settled:
	case <-timer.C:
	}
}

// before waits for the requests that one in lane must not overtake: those of
// its lane, or all when it has none.
func (a *ahead) before(lane string) {
	a.last.wait()
	if lane != "" {
		a.byLane[lane].wait()
		return
	}
	for _, r := range a.byLane {
		r.wait()
	}
	clear(a.byLane)
}

// note puts r at the end of lane.
func (a *ahead) note(lane string, r started) {
	if lane == "" {
		a.last = r
		return
	}
	if a.byLane == nil {
		a.byLane = map[string]started{}
	}
	if len(a.byLane) >= maxInFlight {
		for name, old := range a.byLane {
			if time.Since(old.begun) >= headStart {
				delete(a.byLane, name)
			}
		}
	}
	if len(a.byLane) >= maxInFlight {
		a.before("")
	}
	a.byLane[lane] = r
}

// start serves req beside the read loop, but gives it a head start: quick
// requests that a client sends one behind the other take effect in that order,
// and a slow one doesn't hold up those behind it. Requests in different lanes
// don't wait for each other.
func (c *conn) start(ctx context.Context, m rpc.Method, req request) {
	lane := ""
	if m.Lane != nil {
		lane = m.Lane(req.Params)
	}
	c.ahead.before(lane)
	begun, settled := make(chan struct{}), make(chan struct{})
	c.work.Go(func() {
		defer c.inFlight.Add(-1)
		close(begun)
		c.run(ctx, m, req, sync.OnceFunc(func() { close(settled) }))
	})
	<-begun // on a busy machine that alone may take longer than the head start
	c.ahead.note(lane, started{settled, time.Now()})
}
