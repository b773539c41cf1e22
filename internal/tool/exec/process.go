package exec

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/tool"
)

const (
	maxPoll  = 120 * time.Second
	logLines = 200
	maxInput = 64 << 10
)

type processArgs struct {
	Action    string   `json:"action" doc:"list, poll, log, write, send-keys, submit, paste, kill, clear or remove"`
	SessionID string   `json:"sessionId,omitempty" doc:"Session, as exec or list named it; not needed for list"`
	Data      string   `json:"data,omitempty" doc:"write: text to type"`
	Keys      []string `json:"keys,omitempty" doc:"send-keys: key names such as Enter, C-c, Up"`
	Hex       []string `json:"hex,omitempty" doc:"send-keys: bytes in hexadecimal"`
	Literal   string   `json:"literal,omitempty" doc:"send-keys: text before the keys"`
	Text      string   `json:"text,omitempty" doc:"paste: text"`
	Bracketed *bool    `json:"bracketed,omitempty" doc:"paste: mark it as pasted, on by default"`
	EOF       bool     `json:"eof,omitempty" doc:"write: end the input afterwards"`
	Offset    *float64 `json:"offset,omitempty" doc:"log: first line, from 0"`
	Limit     float64  `json:"limit,omitempty" doc:"log: most lines"`
	Timeout   float64  `json:"timeout,omitempty" schema:"minimum=0" doc:"poll: milliseconds to wait for output or the end"`
}

func (r *Runner) process(ctx context.Context, call tool.Call, a processArgs) (tool.Result, error) {
	r.sweep()
	if a.Action == "list" {
		return tool.Result{Content: tool.Text(r.list(call.Scope)).Content, Meta: "list background commands"}, nil
	}
	if a.SessionID == "" {
		return tool.Errorf("sessionId is required for %s; list shows the sessions", text.Preview(a.Action, 40)), nil
	}
	s, err := r.find(call.Scope, a.SessionID)
	if err != nil {
		return tool.Errorf("There is no session %s here. It was cleaned up, belongs to another chat, or ended when the gateway restarted. Now: %s", text.Preview(a.SessionID, 40), r.list(call.Scope)), nil
	}
	res := r.act(ctx, s, a)
	res.Meta = a.Action + " " + s.id
	return res, nil
}

func (r *Runner) act(ctx context.Context, s *session, a processArgs) tool.Result {
	switch a.Action {
	case "poll":
		return s.poll(ctx, between(time.Duration(min(a.Timeout, 1e9))*time.Millisecond, 0, 0, maxPoll))
	case "log":
		return tool.Text(s.log(a.Offset, a.Limit))
	case "write":
		if a.Data == "" && !a.EOF {
			return tool.Errorf("data is required")
		}
		return s.write(a.Data, a.EOF)
	case "submit":
		return s.write("\r", false)
	case "paste":
		if a.Text == "" {
			return tool.Errorf("text is required")
		}
		if a.Bracketed == nil || *a.Bracketed {
			return s.write("\x1b[200~"+a.Text+"\x1b[201~", false)
		}
		return s.write(a.Text, false)
	case "send-keys":
		keys, err := typed(a.Keys, a.Hex, a.Literal)
		if err != nil {
			return tool.Errorf("%v", err)
		}
		if keys == "" {
			return tool.Errorf("keys, hex or literal is required")
		}
		return s.write(keys, false)
	case "kill":
		if s.done() {
			return tool.Text(s.id + " had already " + s.state())
		}
		s.stop(stopKill)
		<-s.over
		return tool.Text(s.id + " was killed")
	case "clear":
		if !s.done() {
			return tool.Errorf("%s is still running; kill it first, or use remove", s.id)
		}
		r.forget(s)
		return tool.Text(s.id + " was cleared")
	case "remove":
		s.stop(stopKill)
		<-s.over
		r.forget(s)
		return tool.Text(s.id + " was removed")
	}
	return tool.Errorf("action %q is unknown; it is one of list, poll, log, write, send-keys, submit, paste, kill, clear, remove", text.Preview(a.Action, 40))
}

// find returns a background session of the caller's chat.
func (r *Runner) find(sc tool.Scope, id string) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sessions[strings.ToLower(strings.TrimSpace(id))]
	if !ok || s.chat != chatOf(sc) {
		return nil, errGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.background {
		return nil, errGone
	}
	return s, nil
}

func (r *Runner) list(sc tool.Scope) string {
	r.mu.Lock()
	var mine []*session
	for _, s := range r.sessions {
		s.mu.Lock()
		if s.background && s.chat == chatOf(sc) {
			mine = append(mine, s)
		}
		s.mu.Unlock()
	}
	r.mu.Unlock()
	if len(mine) == 0 {
		return "no background commands"
	}
	slices.SortFunc(mine, func(a, b *session) int { return a.started.Compare(b.started) })
	var b strings.Builder
	for _, s := range mine {
		fmt.Fprintf(&b, "%s  %s  `%s`\n", s.id, s.state(), text.Preview(s.command, 100))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sweep forgets sessions that ended long ago.
func (r *Runner) sweep() {
	keep := between(time.Duration(r.config().CleanupMs)*time.Millisecond, defaultCleanup, minCleanup, maxCleanup)
	r.mu.Lock()
	defer r.mu.Unlock()
	type old struct {
		id string
		at time.Time
	}
	var ended []old
	for id, s := range r.sessions {
		s.mu.Lock()
		at, background := s.ended, s.background
		s.mu.Unlock()
		switch {
		case at.IsZero() || !background:
		case time.Since(at) > keep:
			delete(r.sessions, id)
		default:
			ended = append(ended, old{id, at})
		}
	}
	slices.SortFunc(ended, func(a, b old) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.id, b.id)) })
	for _, o := range ended[min(len(ended), maxFinished):] {
		delete(r.sessions, o.id)
	}
}

// poll returns what is new, waiting for it if asked to.
func (s *session) poll(ctx context.Context, wait time.Duration) tool.Result {
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	if wait > 0 && s.ring.Total() == seen {
		end := time.NewTimer(wait)
		defer end.Stop()
		tick := time.NewTicker(updateEvery / 2)
		defer tick.Stop()
		for waiting := true; waiting; {
			select {
			case <-s.over:
				waiting = false
			case <-end.C:
				waiting = false
			case <-ctx.Done():
				waiting = false
			case <-tick.C:
				waiting = s.ring.Total() == seen
			}
		}
	}
	over := s.done() // before the output, so that none is missed
	out, next := s.since(seen, keepBytes)
	s.mu.Lock()
	s.seen = next
	s.mu.Unlock()
	if out == "" {
		out = "(no new output)"
	}
	if !over {
		return tool.Text(out + "\n\n(" + s.state() + ")")
	}
	note, failed := s.end()
	if note == "" {
		note = "(" + s.state() + ")"
	}
	res := tool.Text(out + "\n\n" + note)
	res.IsError = failed
	return res
}

// log returns lines of the output that is kept.
func (s *session) log(offset *float64, limit float64) string {
	lines := strings.Split(s.text(keepBytes), "\n")
	n := len(lines)
	count := logLines
	if limit >= 1 {
		count = int(min(limit, 1e6))
	}
	first := max(n-count, 0)
	if offset != nil {
		first = min(max(int(min(*offset, 1e9)), 0), n)
	}
	last := min(first+count, n)
	out := strings.Join(lines[first:last], "\n")
	if out == "" {
		out = "(no output)"
	}
	if first > 0 || last < n {
		out += fmt.Sprintf("\n\n[Lines %d-%d of %d, from 0. Use offset and limit for others.]", first, last-1, n)
	}
	return out + "\n\n(" + s.state() + ")"
}

func (s *session) write(data string, eof bool) tool.Result {
	switch {
	case s.done():
		return tool.Errorf("%s has already %s", s.id, s.state())
	case !s.pty:
		return tool.Errorf("%s has no input: only commands started with pty can be typed into", s.id)
	case len(data) > maxInput:
		return tool.Errorf("that is too much to type at once (%s at most)", text.Size(maxInput))
	}
	if data != "" {
		if _, err := s.p.Write([]byte(data)); err != nil {
			return tool.Errorf("nothing was typed: %s", fault.Hint(err))
		}
	}
	if eof {
		if err := s.p.CloseStdin(); err != nil {
			return tool.Errorf("the input could not be ended: %s", fault.Hint(err))
		}
	}
	return tool.Text("Sent. Use poll to see what it does.")
}
