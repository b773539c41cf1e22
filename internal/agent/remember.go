package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent/loop"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// What the model is told before the older part of a conversation is summed up.
const (
	rememberPrompt = "The beginning of this conversation will soon be replaced by a summary. Write down now what must be known later and isn't in your files yet: decisions, promises, preferences, open tasks, names and numbers. Add it to memory/YYYY-MM-DD.md with today's date, below what stands there; never replace a file that has something in it. When there is nothing to add, do nothing. Then answer with NO_REPLY only."
	rememberSystem = "This turn is for your memory alone. Nobody reads what you answer, so answer NO_REPLY."
	rememberTime   = 2 * time.Minute
	rememberCalls  = 8 // of the model
)

// remember has the model write its memory, once between two compactions. None
// of it is in the transcript, and nobody sees it.
func (w *work) remember(ctx context.Context, a model.Attempt, turn loop.Run, ms []llm.Message) {
	conf := w.Config().Agents.Defaults.Compaction.MemoryFlush
	if w.flushed || conf.Enabled != nil && !*conf.Enabled {
		return
	}
	w.flushed = true
	if extraInt(w.session, "memoryFlushCompactionCount", -1) == w.session.CompactionCount {
		return
	}
	tools := turn.Tools.Only("read", "write", "edit", "ls")
	if tools.Tool("write") == nil && tools.Tool("edit") == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, rememberTime)
	defer cancel()
	now := time.Now()
	prompt := strings.ReplaceAll(cmp.Or(conf.Prompt, rememberPrompt), "YYYY-MM-DD", now.Format(time.DateOnly))
	run := loop.Run{
		System: turn.System + "\n\n" + cmp.Or(conf.SystemPrompt, rememberSystem), Tools: tools, Scope: turn.Scope, Stream: w.stream(a), Max: rememberCalls,
		Messages: append(ms[:len(ms):len(ms)], llm.Message{Role: llm.User, Content: llm.Content{llm.Text(prompt)}, Time: now.UnixMilli()}),
	}
	if _, err := loop.Do(ctx, run, unseen{w}); err != nil {
		w.Log.WarnContext(ctx, "the memory wasn't written", "run", w.req.Run, "session", w.req.Session, "err", err)
	}
	_, err := w.Sessions.Update(context.WithoutCancel(ctx), w.req.Session, func(s *session.Session) error {
		if s.Extra == nil {
			s.Extra = map[string]json.RawMessage{}
		}
		s.Extra["memoryFlushAt"] = strconv.AppendInt(nil, now.UnixMilli(), 10)
		s.Extra["memoryFlushCompactionCount"] = strconv.AppendInt(nil, int64(s.CompactionCount), 10)
		return nil
	})
	if err != nil {
		w.Log.WarnContext(ctx, "the session can't be updated", "session", w.req.Session, "err", err)
	}
}

func extraInt(s session.Session, key string, none int) int {
	if n, err := strconv.Atoi(string(s.Extra[key])); err == nil {
		return n
	}
	return none
}

// unseen observes a turn that nobody sees; it only tells that the run goes on.
type unseen struct{ w *work }

func (u unseen) TurnStart()                                 {}
func (u unseen) Delta(string)                               { u.w.alive() }
func (u unseen) Thinking(string)                            { u.w.alive() }
func (u unseen) ToolStart(llm.Call)                         { u.w.alive() }
func (u unseen) ToolUpdate(llm.Call, string)                { u.w.alive() }
func (u unseen) ToolEnd(llm.Call, tool.Result)              { u.w.alive() }
func (u unseen) Message(context.Context, llm.Message) error { return nil }
func (u unseen) TurnEnd(llm.Message, []llm.Message)         {}
