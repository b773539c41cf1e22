package control

import (
	"context"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/session"
)

// cmdCompact has the older part of the conversation summed up; args say what
// matters. "undo" takes the latest summary back.
func (c *Control) cmdCompact(ctx context.Context, env command.Env, args string) (string, error) {
	if c.Compact == nil {
		return "", fault.New(fault.Unavailable, "compact", "there is nothing here that sums up conversations")
	}
	s, err := c.current(ctx, env.Session)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(args, "undo") {
		undone, err := c.Sessions.UndoCompaction(ctx, s)
		if err != nil || !undone {
			return "⚙️ There is no summary to take back.", err
		}
		_, err = c.Sessions.Update(ctx, env.Session, func(s *session.Session) error {
			s.CompactionCount, s.TotalTokensFresh = max(s.CompactionCount-1, 0), false
			return nil
		})
		return "⚙️ The latest summary is taken back: the agent sees again what it stood for.", err
	}
	m := c.modelOf(s)
	done, err := c.Compact(ctx, env.Session, m, args)
	switch {
	case err != nil:
		return "", err
	case !done.Compacted:
		return "⚙️ Compaction skipped: " + done.Reason + ".", nil
	}
	text := fmt.Sprintf("⚙️ Compacted (about %s → %s tokens).", count(int64(done.Before)), count(int64(done.After)))
	if window := contextOf(c.Config(), m); window > 0 {
		text += fmt.Sprintf(" The window of %s holds %s.", m, count(int64(window)))
	}
	return text + " /compact undo takes it back.", nil
}
