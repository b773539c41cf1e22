package store

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// OpenClaw's command line lets a sender in by writing the files about who may
// write, whether a gateway runs or not, and people edit them. So these are
// followed while we run; everything else of OpenClaw's goes through the gateway.

// followEvery is how soon a change by someone else counts.
const followEvery = 2 * time.Second

// settled is how long a file must have stood before it is read: not everybody
// writes a file in one go.
const settled = 300 * time.Millisecond

// followAccess takes in what others wrote about who may write.
func (d *DB) followAccess(ctx context.Context) {
	if !d.project.follow.Load() {
		return
	}
	fs, err := d.accessFiles()
	if err != nil {
		d.log.WarnContext(ctx, "the files about who may write are not followed", "err", err)
		return
	}
	for _, f := range fs {
		if _, err := d.takeFirst(ctx, f, d.project.marked(f)); err != nil {
			d.log.WarnContext(ctx, "a file that another program wrote could not be taken in; it is tried again", "file", f.path(), "err", err)
		}
	}
}

// takeFirst takes in f, if it is one that is followed and someone else wrote
// it. Early says that it is still being written; f is looked at again. With
// merge, changes of ours that it doesn't show yet stay. A process that only
// looks in beside the gateway takes in what it is about to write over.
func (d *DB) takeFirst(ctx context.Context, f file, merge bool) (early bool, err error) {
	follows := d.project.follow.Load()
	if !follows && !merge || f.kind != "pairing" && f.kind != "allow" || f.path() == "" {
		return false, nil
	}
	path := filepath.Join(d.dir, filepath.FromSlash(f.path()))
	st, err := os.Stat(path)
	if err != nil {
		return false, nil //nolint:nilerr // there is none
	}
	last, _, err := d.lastWritten(ctx, f.path())
	if err != nil || last.unchanged(path) {
		return false, err
	}
	if age := d.now().Sub(st.ModTime()); age >= 0 && age < settled {
		if follows {
			d.project.put(merge, f)
			return true, nil
		}
		wait := time.NewTimer(settled - age)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	return false, d.take(ctx, f, merge)
}
