package session_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/session"
)

func TestResetPolicy(t *testing.T) {
	t.Parallel()
	day := func(d, h, m int) time.Time { return time.Date(2026, 11, d, h, m, 0, 0, time.Local) }
	group := id.GroupKey("main", "irc", "channel", "#x", "")
	thread := id.GroupKey("main", "telegram", "group", "-1", "7")
	for name, c := range map[string]struct {
		key      id.SessionKey
		config   string
		from, to time.Time
		fresh    bool
	}{
		"same day":                {mainKey, `{}`, day(10, 9, 0), day(10, 23, 0), false},
		"over midnight":           {mainKey, `{}`, day(10, 23, 0), day(11, 3, 59), false},
		"over four":               {mainKey, `{}`, day(10, 23, 0), day(11, 4, 1), true},
		"early":                   {mainKey, `{}`, day(10, 3, 0), day(10, 4, 1), true},
		"another hour":            {mainKey, `{"reset":{"atHour":9}}`, day(10, 8, 0), day(10, 9, 1), true},
		"midnight":                {mainKey, `{"reset":{"atHour":0}}`, day(10, 23, 0), day(11, 0, 1), true},
		"idle for an hour":        {mainKey, `{"reset":{"mode":"idle"}}`, day(10, 3, 30), day(10, 4, 29), false},
		"idle for longer":         {mainKey, `{"reset":{"mode":"idle"}}`, day(10, 3, 30), day(10, 4, 31), true},
		"idle in daily mode":      {mainKey, `{"reset":{"mode":"daily","idleMinutes":10}}`, day(10, 9, 0), day(10, 9, 11), true},
		"old key alone":           {mainKey, `{"idleMinutes":10}`, day(10, 9, 0), day(10, 9, 11), true},
		"old key, over four":      {mainKey, `{"idleMinutes":1000}`, day(10, 3, 0), day(10, 5, 0), false},
		"direct by type":          {mainKey, `{"resetByType":{"direct":{"mode":"idle","idleMinutes":5}}}`, day(10, 9, 0), day(10, 9, 6), true},
		"direct by its old name":  {mainKey, `{"resetByType":{"dm":{"mode":"idle","idleMinutes":5}}}`, day(10, 9, 0), day(10, 9, 6), true},
		"group by type":           {group, `{"resetByType":{"group":{"mode":"idle","idleMinutes":2000}}}`, day(10, 23, 0), day(11, 5, 0), false},
		"not of that type":        {mainKey, `{"resetByType":{"group":{"mode":"idle","idleMinutes":2000}}}`, day(10, 23, 0), day(11, 5, 0), true},
		"thread by type":          {thread, `{"resetByType":{"thread":{"mode":"idle","idleMinutes":5}}}`, day(10, 9, 0), day(10, 9, 6), true},
		"channel before the type": {group, `{"resetByType":{"group":{"idleMinutes":5}},"resetByChannel":{"irc":{"mode":"idle","idleMinutes":600}}}`, day(10, 9, 0), day(10, 9, 6), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			ok(t, json.Unmarshal([]byte(c.config), &r.conf.Session))
			r.now = c.from
			s, _, err := r.Open(t.Context(), c.key)
			ok(t, err)
			_, err = r.Update(t.Context(), c.key, func(s *session.Session) error {
				s.ThinkingLevel, s.ModelOverride, s.Label, s.InputTokens, s.SystemSent = "low", "m", "L", 5, true
				return nil
			})
			ok(t, err)
			ok(t, r.Append(t.Context(), s, user("x")))
			r.now = c.to
			now, fresh, err := r.Open(t.Context(), c.key)
			ok(t, err)
			if fresh != c.fresh || (now.ID != s.ID) != c.fresh {
				t.Fatalf("fresh = %v, want %v", fresh, c.fresh)
			}
			if now.ThinkingLevel != "low" || now.ModelOverride != "m" || now.Label != "L" {
				t.Errorf("settings are lost: %+v", now)
			}
			if !fresh {
				return
			}
			if now.InputTokens != 0 || now.SystemSent {
				t.Errorf("counts of the old transcript: %+v", now)
			}
			// A turn that began before the reset ends in the archive.
			ok(t, r.Append(t.Context(), s, says("late")))
			ok(t, r.Sync(t.Context(), s.ID))
			if l, err := filepath.Glob(filepath.Join(r.sessions(), string(s.ID)+".jsonl*")); err != nil || len(l) != 1 {
				t.Errorf("files of the old transcript: %v, %v", l, err)
			}
		})
	}
}
