package session

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// summaryKey begins the key of the message that stands for what a compaction
// summed up.
const summaryKey = "compaction:"

// IsSummary reports whether m stands for messages that were summed up.
func IsSummary(m llm.Message) bool { return strings.HasPrefix(m.Key, summaryKey) }

// Compaction is an entry that sums up what came before FirstKept. The model
// then sees the summary, the messages from FirstKept on and what came later;
// the file keeps everything.
type Compaction struct {
	Summary      string
	FirstKept    string // the id of the first entry that stays
	TokensBefore int
	Read         []string // files
	Modified     []string // files
}

// details is what an entry says beside its summary: the files as OpenClaw keeps
// them, and, of an entry that takes another one back, which. Whole says that
// nothing is left out any more.
type details struct {
	Read     []string `json:"readFiles"`
	Modified []string `json:"modifiedFiles"`
	Undo     string   `json:"undo,omitempty"`
	Whole    bool     `json:"whole,omitempty"`
}

// Located returns the messages of [Book.History] and, beside each, the id of
// the entry that it comes from; a message of two entries, or one that is made
// up, may have that of its neighbour. It is for compactions: it reads the file.
func (b *Book) Located(_ context.Context, s Session) (ms []llm.Message, entries []string, err error) {
	err = b.write(s, func(t *transcript, now time.Time) error {
		l, err := readTranscript(t.path)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "session.Located", err)
		}
		v := view{entries: &entries}
		history(l.path(), &v)
		v.close()
		ms = v.msgs
		return nil
	})
	return ms, entries, err
}

// AppendCompaction adds c to the transcript of s.
func (b *Book) AppendCompaction(_ context.Context, s Session, c Compaction) error {
	return b.write(s, func(t *transcript, now time.Time) error {
		return t.compacted(c, details{Read: c.Read, Modified: c.Modified}, now)
	})
}

// UndoCompaction takes the latest compaction of s back that still stands, by an
// entry that says so: the file is only appended to. It reports false when there
// is none.
func (b *Book) UndoCompaction(_ context.Context, s Session) (undone bool, err error) {
	err = b.write(s, func(t *transcript, now time.Time) error {
		l, err := readTranscript(t.path)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "session.UndoCompaction", err)
		}
		chain := l.path()
		standing := standing(chain)
		if len(standing) == 0 {
			return nil
		}
		last := standing[len(standing)-1]
		c, d := Compaction{}, detailsOf(last)
		d.Undo, d.Whole = last.id, len(standing) == 1
		if d.Whole {
			c.Summary, c.FirstKept = "(Nothing is left out: the conversation follows from its beginning.)", firstOf(chain)
		} else {
			before := standing[len(standing)-2]
			c.Summary, c.FirstKept = before.str("summary"), before.str("firstKeptEntryId")
			c.TokensBefore, _ = strconv.Atoi(before.raw("tokensBefore"))
			d.Read, d.Modified = detailsOf(before).Read, detailsOf(before).Modified
		}
		undone = true
		return t.compacted(c, d, now)
	})
	return undone, err
}

func (t *transcript) compacted(c Compaction, d details, now time.Time) error {
	if d.Read == nil {
		d.Read = []string{}
	}
	if d.Modified == nil {
		d.Modified = []string{}
	}
	raw, err := marshal(d)
	if err != nil {
		return err
	}
	line, next := t.begin("compaction", now)
	line = member(line, "summary", c.Summary)
	line = member(line, "firstKeptEntryId", c.FirstKept)
	line = strconv.AppendInt(append(line, `,"tokensBefore":`...), int64(c.TokensBefore), 10)
	line = append(append(append(line, `,"details":`...), raw...), `,"fromHook":false}`...)
	if err := t.write(append(line, '\n'), next); err != nil {
		return err
	}
	t.loaded = false // what the model sees starts elsewhere now
	return t.load()
}

// standing returns the compactions of chain that were not taken back.
func standing(chain []*record) (out []*record) {
	for _, r := range chain {
		switch {
		case r.typ != "compaction":
		case detailsOf(r).Undo == "":
			out = append(out, r)
		case len(out) > 0:
			out = out[:len(out)-1]
		}
	}
	return out
}

func firstOf(chain []*record) string {
	for _, r := range chain {
		if r.typ == "message" || r.typ == "custom_message" || r.typ == "branch_summary" {
			return r.id
		}
	}
	return ""
}

func detailsOf(r *record) (d details) {
	if raw := r.raw("details"); raw != "" {
		_ = json.Unmarshal([]byte(raw), &d) // of another program; without ours then
	}
	return d
}

// whole reports whether r says that nothing is left out.
func whole(r *record) bool { return detailsOf(r).Whole }

func summaryOf(r *record) llm.Message {
	m := note("Summary of the conversation before this point:\n\n"+r.str("summary"), r)
	m.Key = summaryKey + r.id
	return m
}

// Summary returns the summary that the model sees of what is left out, with the
// files that it names; "" when nothing is.
func (b *Book) Summary(_ context.Context, s Session) (c Compaction, err error) {
	err = b.write(s, func(t *transcript, _ time.Time) error {
		l, err := readTranscript(t.path)
		if err != nil {
			return fault.Wrap(fault.Unavailable, "session.Summary", err)
		}
		if all := standing(l.path()); len(all) > 0 {
			r := all[len(all)-1]
			d := detailsOf(r)
			c = Compaction{Summary: r.str("summary"), FirstKept: r.str("firstKeptEntryId"), Read: d.Read, Modified: d.Modified}
		}
		return nil
	})
	return c, err
}
