package session

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// Upkeep is a wish for a clean-up of one agent's sessions.
type Upkeep struct {
	Agent   id.Agent
	Limits  Limits
	DryRun  bool
	Missing bool            // take away entries whose transcript is gone, too
	Keep    []id.SessionKey // never touched
}

// Cleanup is what a clean-up came to, or would, in the recorded shape.
type Cleanup struct {
	Agent   id.Agent `json:"agentId"`
	Path    string   `json:"storePath"`
	Mode    string   `json:"mode"`
	DryRun  bool     `json:"dryRun"`
	Before  int      `json:"beforeCount"`
	After   int      `json:"afterCount"`
	Missing int      `json:"missing"`
	Pruned  int      `json:"pruned"`
	Capped  int      `json:"capped"`
	Disk    *Disk    `json:"diskBudget"`
	Mutates bool     `json:"wouldMutate"`
	Applied bool     `json:"applied,omitempty"`
	Count   *int     `json:"appliedCount,omitempty"`
	// Gone are the sessions that go.
	Gone []id.SessionKey `json:"-"`
}

// Disk is what the budget for files came to.
type Disk struct {
	Before  int64 `json:"totalBytesBefore"`
	After   int64 `json:"totalBytesAfter"`
	Files   int   `json:"removedFiles"`
	Entries int   `json:"removedEntries"`
	Freed   int64 `json:"freedBytes"`
	Max     int64 `json:"maxBytes"`
	High    int64 `json:"highWaterBytes"`
	Over    bool  `json:"overBudget"`
}

// Maintain takes away what is beyond the limits: sessions unused for long, the
// oldest of too many, archives past their time, and what the disk has no room
// for. It never touches a session that is used, the main session of an agent or
// what u keeps; each goes by itself, so that no message waits. Without
// Limits.Enforce it only counts.
func (b *Book) Maintain(ctx context.Context, u Upkeep) (Cleanup, error) {
	all, err := b.Store.Sessions(ctx, Filter{Agent: u.Agent})
	if err != nil {
		return Cleanup{}, err
	}
	c := Cleanup{Agent: u.Agent, Path: b.indexPath(u.Agent), Mode: "warn", DryRun: u.DryRun, Before: len(all)}
	if u.Limits.Enforce {
		c.Mode = "enforce"
	}
	apply := u.Limits.Enforce && !u.DryRun
	kept := b.plan(&c, u, all)
	if apply {
		if kept, err = b.takeAway(ctx, u, c.Gone, kept); err != nil {
			return c, err
		}
	}
	if err := b.disk(ctx, &c, u, kept, apply); err != nil {
		return c, err
	}
	c.After = len(all) - len(c.Gone)
	c.Mutates = len(c.Gone) > 0 || c.Disk != nil && c.Disk.Files > 0
	if !u.DryRun {
		left, err := b.Store.Sessions(ctx, Filter{Agent: u.Agent})
		if err != nil {
			return c, err
		}
		n := len(left)
		c.Applied, c.Count = true, &n
		if apply {
			c.After = n
		}
	}
	return c, nil
}

// plan decides about the entries, newest first, and returns those that stay.
func (b *Book) plan(c *Cleanup, u Upkeep, all []Session) (kept []Session) {
	now := b.Now()
	for _, s := range all {
		switch {
		case b.inUse(u, s):
		case u.Missing && !b.hasFile(s):
			c.Missing++
			c.Gone = append(c.Gone, s.Key)
			continue
		case now.Sub(time.UnixMilli(s.Updated)) > u.Limits.PruneAfter:
			c.Pruned++
			c.Gone = append(c.Gone, s.Key)
			continue
		case len(kept) >= u.Limits.MaxEntries:
			c.Capped++
			c.Gone = append(c.Gone, s.Key)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// inUse tells whether a session must be left alone.
func (b *Book) inUse(u Upkeep, s Session) bool {
	return s.Key == b.Config().MainKey(s.Key.Agent()) || slices.Contains(u.Keep, s.Key) || b.Busy != nil && b.Busy(s.Key)
}

func (b *Book) hasFile(s Session) bool {
	path, err := b.path(s)
	if err != nil {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}

// takeAway deletes sessions, one by one. One that was used since it was looked
// at stays.
func (b *Book) takeAway(ctx context.Context, u Upkeep, keys []id.SessionKey, kept []Session) ([]Session, error) {
	for _, k := range keys {
		if err := ctx.Err(); err != nil {
			return kept, err
		}
		s, ok, err := b.Get(ctx, k)
		if err != nil {
			return kept, err
		}
		if !ok || b.inUse(u, s) {
			continue
		}
		if _, _, err := b.Delete(ctx, k, true); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// file is one file beside the transcripts.
type file struct {
	path string
	size int64
	time time.Time
	old  bool // an archive past its time
	kind string
}

// archived tells what an archive is, from its name:
// <id>.jsonl.<reset|deleted|bak|torn>.<time>.
func archived(name string) (kind string, at time.Time, ok bool) {
	_, rest, ok := strings.Cut(name, ".jsonl.")
	if !ok {
		return "", at, false
	}
	kind, stamp, ok := strings.Cut(rest, ".")
	if !ok {
		return "", at, false
	}
	at, err := time.Parse("2006-01-02T15-04-05.000Z", stamp)
	return kind, at, err == nil
}

// disk removes archives past their time and, when the files of the agent are
// too large together, the oldest archives and then the oldest sessions.
func (b *Book) disk(ctx context.Context, c *Cleanup, u Upkeep, kept []Session, apply bool) error {
	dir := filepath.Dir(c.Path)
	files, total, err := b.files(dir, u.Limits)
	if err != nil {
		return err
	}
	l := u.Limits
	d := &Disk{Before: total, Max: l.MaxDisk, High: l.HighWater, Over: l.MaxDisk > 0 && total > l.MaxDisk}
	remove := func(f file) {
		if apply {
			if err := os.Remove(f.path); err != nil {
				b.logger().WarnContext(ctx, "an old transcript isn't removed", "err", err)
				return
			}
		}
		total -= f.size
		d.Freed += f.size
		d.Files++
	}
	for _, f := range files {
		if f.kind != "" && (f.old || d.Over && total > l.HighWater) {
			remove(f)
		}
	}
	if d.Over {
		slices.SortStableFunc(kept, func(x, y Session) int { return cmp.Compare(x.Updated, y.Updated) })
		for _, s := range kept {
			if total <= l.HighWater || ctx.Err() != nil {
				break
			}
			path, err := b.path(s)
			if err != nil || b.inUse(u, s) {
				continue
			}
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			c.Gone = append(c.Gone, s.Key)
			d.Entries++
			f := file{path: path, size: info.Size()}
			if apply {
				_, moved, err := b.Delete(ctx, s.Key, true)
				if err != nil {
					return err
				}
				if len(moved) == 0 {
					continue
				}
				f.path = moved[0]
			}
			remove(f)
		}
	}
	d.After = total
	if l.MaxDisk > 0 || d.Files > 0 {
		c.Disk = d
	}
	return ctx.Err()
}

// files lists what lies beside the transcripts, the oldest archive first.
func (b *Book) files(dir string, l Limits) (out []file, total int64, err error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	now := b.Now()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeType != 0 {
			continue // gone meanwhile, or no file of ours
		}
		total += info.Size()
		kind, at, ok := archived(e.Name())
		if !ok || kind != "reset" && kind != "deleted" && kind != "bak" {
			continue
		}
		old := l.Archives > 0 && kind != "bak" && now.Sub(at) > l.Archives
		out = append(out, file{path: filepath.Join(dir, e.Name()), size: info.Size(), time: at, old: old, kind: kind})
	}
	slices.SortStableFunc(out, func(x, y file) int { return x.time.Compare(y.time) })
	return out, total, nil
}
