package queue

import (
	"strings"
	"time"
)

// Mode is what becomes of an item while another of its lane runs.
type Mode string

// The modes. The zero value is Collect.
const (
	Collect   Mode = "collect"       // all that wait are one batch
	Followup  Mode = "followup"      // each is a batch of its own
	Steer     Mode = "steer"         // what runs takes it up
	Backlog   Mode = "steer-backlog" // what runs takes it up, and it is a batch of its own after it
	Interrupt Mode = "interrupt"     // what runs is stopped; all that wait are one batch
)

// ParseMode reads a mode as people write it; queue is an old word for steer.
func ParseMode(s string) (m Mode, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "collect", "coalesce":
		return Collect, true
	case "followup", "followups", "follow-ups":
		return Followup, true
	case "steer", "steering", "queue", "queued":
		return Steer, true
	case "steer-backlog", "steer+backlog", "steer_backlog":
		return Backlog, true
	case "interrupt", "interrupts", "abort":
		return Interrupt, true
	}
	return "", false
}

func (m Mode) steers() bool { return m == Steer || m == Backlog }
func (m Mode) merges() bool { return m == "" || m == Collect || m == Interrupt }

// DropPolicy is what goes when too many items wait.
type DropPolicy string

// The policies. The zero value is DropSummarize.
const (
	DropSummarize DropPolicy = "summarize" // the oldest; the next batch is told
	DropOld       DropPolicy = "old"
	DropNew       DropPolicy = "new"
)

// ParseDrop reads a policy as people write it.
func ParseDrop(s string) (p DropPolicy, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "summarize", "summary":
		return DropSummarize, true
	case "old", "oldest":
		return DropOld, true
	case "new", "newest":
		return DropNew, true
	}
	return "", false
}

// Wait says how an item waits behind another.
type Wait struct {
	Mode  Mode
	Quiet time.Duration // no further item may have come for this long
	Cap   int           // the most that wait in the lane; 0 is no bound
	Drop  DropPolicy
	Pool  string // the pool that it runs in
	// Interrupt, when not nil, is the cause with which what runs is stopped.
	Interrupt error
}

// patience is how many times its Quiet an item waits at most: somebody who
// never pauses is heard all the same.
const patience = 5

// told is the most dropped items that a batch is told about.
const told = 200

// room makes room for an item. It returns what is let go for good; fits is
// false when that is the item itself.
func (l *lane[T]) room(it T, how Wait) (fits bool, gone []T) {
	n := len(l.waiting) - how.Cap + 1
	if how.Cap <= 0 || n <= 0 {
		return true, nil
	}
	if how.Drop == DropNew {
		l.lost++
		return false, []T{it}
	}
	l.lost += n
	for _, e := range l.waiting[:n] {
		gone = append(gone, e.it)
	}
	l.waiting = append([]entry[T](nil), l.waiting[n:]...)
	if how.Drop == DropOld {
		return true, gone
	}
	l.dropped, gone = append(l.dropped, gone...), nil
	if more := len(l.dropped) - told; more > 0 {
		gone = l.dropped[:more:more]
		l.dropped = l.dropped[more:]
	}
	return true, gone
}

// quiet is how long the lane must still be quiet before it runs.
func (l *lane[T]) quiet(now time.Time) time.Duration {
	first, last := l.waiting[0], l.waiting[len(l.waiting)-1]
	if l.fresh || first.how.Quiet <= 0 || last.how.Quiet <= 0 {
		return 0
	}
	ripe := last.at.Add(last.how.Quiet)
	if latest := first.at.Add(patience * first.how.Quiet); ripe.After(latest) {
		ripe = latest
	}
	return ripe.Sub(now)
}

// next takes the next batch out of what waits.
func (l *lane[T]) next(joins func(a, b T) bool) Batch[T] {
	l.queued, l.fresh = false, false
	n := 1
	for n < len(l.waiting) && l.waiting[0].how.Mode.merges() && l.waiting[n].how.Mode.merges() && joins(l.waiting[0].it, l.waiting[n].it) {
		n++
	}
	items := make([]T, n)
	for i := range items {
		items[i] = l.waiting[i].it
	}
	l.waiting = l.waiting[n:]
	if len(l.waiting) == 0 {
		l.waiting, l.lost = nil, 0
	}
	b := Batch[T]{Items: items, Dropped: l.dropped}
	l.dropped, l.batch = nil, items
	return b
}
