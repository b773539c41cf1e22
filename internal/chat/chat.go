// Package chat is the path of a message. [Handler.Handle] takes it from the
// inbox to the queue and run from the queue to the outbox; nothing else calls
// from one to the other.
package chat

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/agent"
	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/settings"
	"github.com/openclaw-go/openclaw/internal/chat/access"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
	"github.com/openclaw-go/openclaw/internal/chat/outbox"
	"github.com/openclaw-go/openclaw/internal/chat/queue"
	"github.com/openclaw-go/openclaw/internal/chat/reply"
	"github.com/openclaw-go/openclaw/internal/chat/route"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/media"
)

// Work is what waits in the queue: messages to answer in one run.
type Work struct {
	Session   id.SessionKey
	Run       id.Run
	In        []msg.Inbound
	Keys      []string // their inbox entries
	Dropped   []string // entries that there was no room for and that the run is told about
	Owner     bool
	Once      command.Once          // what directives set for it
	Lane      string                // whose bound it counts against: main (or empty), cron, subagent
	Recovered bool                  // an earlier process may have begun it
	Prompt    string                // what its room adds to the system prompt
	Tools     []settings.ToolPolicy // what its room takes away of the tools
	Skills    []string              // those that its room has; nil is all
	History   int                   // how much of what was said beside the agent it is told
	Told      inbox.Told            // what of that it was told
	Next      []msg.Inbound         // for the agents behind those that were dropped
	Reply     msg.Outbound          // template; without an address nobody is written to
}

// Events keeps system events that wait for the next turn of a session.
type Events interface {
	// PeekSystemEvents returns what waits; DropSystemEvents removes those up to
	// an ID.
	PeekSystemEvents(ctx context.Context, key id.SessionKey) ([]Line, error)
	DropSystemEvents(ctx context.Context, key id.SessionKey, upTo int64) error
}

// Handler takes messages through the system.
type Handler struct {
	Access   *access.Gate
	Commands *command.Table
	Hooks    *hook.Set
	Agent    *agent.Runner
	Inbox    *inbox.Inbox
	Outbox   *outbox.Outbox
	Events   Events
	Bus      *event.Bus
	Config   func() *config.Config
	Log      *slog.Logger
	// Patience is how long a run may be silent; zero fields have defaults.
	Patience Patience
	// Children stops what the runs of a session have started beside them and
	// returns how many it stopped; may be nil.
	Children func(ctx context.Context, key id.SessionKey) int

	// Marks keeps which messages are previews; nil shows none.
	Marks Marks
	// Files are what agents may send and what people sent; may be nil.
	Files *media.Store
	// PreviewEvery is the least time between changes of a preview; 0 is usual.
	PreviewEvery time.Duration

	queue   *queue.Queue[Work]
	submit  sync.Mutex // held until a submitted run is known to wait or not
	results results
	talks   talks
	side    sync.WaitGroup // of what nobody waits for but the end
	doing   doing
	router  route.Router
	names   names
}

// Start makes the handler ready.
func (h *Handler) Start() {
	h.queue = queue.New(h.bound, joins, h.run)
}

// Close ends the work: what runs gets until ctx ends, what waits stays stored.
func (h *Handler) Close(ctx context.Context) {
	h.queue.Close(ctx)
	h.side.Wait()
}

// Handle takes stored messages that belong together, from the inbox to the
// queue. It finishes itself what needs no run.
func (h *Handler) Handle(ctx context.Context, items []inbox.Item) error {
	h.Log.DebugContext(ctx, "chat.Handle", "key", items[0].Key)
	ins := make([]msg.Inbound, len(items))
	for i, it := range items {
		ins[i] = it.In
		if err := h.Hooks.Inbound.Run(ctx, &ins[i]); err != nil {
			return err
		}
	}
	in := joined(ins) // as one message, for the gate and the commands
	in.Text = h.triggered(in.Text)
	w := Work{Run: id.NewRun(), In: ins, Keys: keys(items), Recovered: items[0].Tries > 0, Reply: msg.Outbound{To: in.At, ReplyTo: ins[len(ins)-1].ID}}

	may := true
	if c := in.Client; c != nil {
		w.Run, w.Session, w.Owner = c.Run, c.Session, c.Owner
		if !c.Deliver {
			w.Reply = msg.Outbound{}
		}
		if c.Lost && w.Recovered {
			return h.interrupted(ctx, w)
		}
	} else {
		var done bool
		var err error
		if may, done, err = h.admit(ctx, &w, in); done || err != nil {
			return err
		}
		for i := range ins {
			h.fetch(ctx, &ins[i])
		}
	}

	if in.Client != nil && in.Client.Plain && !resets(in.Text) {
		h.Submit(ctx, w)
		return nil
	}
	if words, ok := h.stops(in.Text); ok && may {
		return h.stop(ctx, w, words)
	}
	if answer, ok := bash(in.Text); ok && may {
		return h.answered(ctx, w, answer)
	}
	if h.readsText(in) {
		env := command.Env{In: in, Session: w.Session, Agent: w.Session.Agent(), Owner: w.Owner, May: may, Begun: h.begun(ctx, w)}
		said, err := h.Commands.Apply(ctx, env)
		if err != nil {
			h.Log.WarnContext(ctx, "command failed", "session", w.Session, "err", err)
			said.Replies = append(said.Replies, fault.Hint(err))
		}
		if said.Handled {
			return h.answered(ctx, w, strings.Join(said.Replies, "\n\n"))
		}
		if err := h.aside(ctx, w, said.Replies); err != nil {
			return err
		}
		if may {
			for i, text := range h.Commands.Cut(texts(ins)...) {
				ins[i].Text = text
			}
		}
		w.Once = said.Once
	}

	switch ok, err := h.maySend(ctx, w); {
	case err != nil:
		return err
	case !ok:
		h.Log.InfoContext(ctx, "no run: the send policy keeps answers back", "session", w.Session)
		return h.finish(ctx, w, "", nil)
	}
	h.ack(ctx, w, true)
	h.Submit(ctx, w)
	return nil
}

// Submit queues work on its session's lane and returns at once.
func (h *Handler) Submit(ctx context.Context, w Work) {
	h.Log.DebugContext(ctx, "queue.Submit", "session", w.Session)
	h.results.begin(w.Run, w.Session)
	if w.Recovered {
		h.Inbox.Spare(ctx, w.Keys)
	}
	how := h.waits(ctx, w)
	h.submit.Lock()
	got := h.queue.Submit(ctx, w.Session, w, how)
	if got.Behind && w.In[0].Client != nil && !w.In[0].Client.Lost {
		// As recorded: the client is told at once that its message waits; the
		// answer comes under the name of the run that takes it up.
		h.results.queued(w.Run)
		h.Bus.Publish(event.ChatEnded{Run: w.Run, Session: w.Session, State: "final"})
	}
	h.submit.Unlock()
	h.letGo(ctx, got)
}

// run does one batch: one run of the agent, one reply.
func (h *Handler) run(ctx context.Context, b queue.Batch[Work]) {
	w := h.merged(b.Items)
	h.Log.DebugContext(ctx, "chat.run", "session", w.Session, "n", len(b.Items))
	if w.Recovered && h.answeredBefore(ctx, b.Items) {
		return
	}
	h.doing.begin(w.Run, w.In[len(w.In)-1].ID)
	defer h.doing.end(w.Run)
	for _, x := range b.Items {
		h.results.started(x.Run, w.Run)
	}
	if w.Recovered {
		h.Inbox.Begin(ctx, w.Keys)
	}
	t, err := h.talk(ctx, w)
	up := &takenUp{h: h, by: w}
	var req agent.Request
	var lines []Line
	if err == nil {
		req, lines, err = h.request(ctx, &w, b.Dropped)
	}
	req.Steer = up.more
	var out agent.Outcome
	if err == nil {
		out, err = h.drive(ctx, req, t.output())
	}
	t.quiet()
	if errors.Is(context.Cause(ctx), queue.ErrShutdown) {
		t.leave()
		if w.Recovered {
			h.Inbox.Spare(context.WithoutCancel(ctx), w.Keys)
		}
		return // open in the inbox: the next process goes on with it
	}
	if err == nil && len(lines) > 0 {
		if derr := h.Events.DropSystemEvents(ctx, w.Session, lines[len(lines)-1].ID); derr != nil {
			h.Log.ErrorContext(ctx, "system events not removed", "session", w.Session, "err", derr)
		}
	}
	batch, w := up.joined(b, w, out)
	h.ended(ctx, batch, w, t, out, err)
}

// ended stores what a run came to, tells it and lets the answer go out.
func (h *Handler) ended(lane context.Context, batch []Work, w Work, t *talk, out agent.Outcome, err error) {
	ctx := context.WithoutCancel(lane) // a stopped run has an end too
	text := reply.Clean(strings.Join(out.Texts, "\n\n"))
	if err != nil {
		text = reply.Text{Text: visible(err)}
	}
	if abort := asAborted(err); abort != nil {
		text = reply.Text{Silent: true}
		if words := abortedText(abort); words != "" {
			text = reply.Text{Text: words}
		}
	}
	res := resultOf(w, out, text, err)
	if serr := h.storeRun(lane, w, t, out, text, res); serr != nil {
		// The inbox entry is still open, so the answer is given again from the
		// transcript at the next start; the person is not told what isn't stored.
		h.Log.ErrorContext(ctx, "the end of a run can't be stored", "run", w.Run, "err", serr)
	}
	if t.mood == nil {
		h.ack(ctx, w, false)
	}
	t.mood.over(err != nil && asAborted(err) == nil)
	h.queue.Over(w.Session)
	h.results.done(batch, w.Run, res)
	h.Bus.Publish(chatEnded(w, out, err))
}

// finish ends work that needs no run; text, when not empty, is the answer.
func (h *Handler) finish(ctx context.Context, w Work, text string, err error) error {
	t := reply.Text{Text: text, Silent: text == ""}
	return h.store(ctx, w, t, resultOf(w, agent.Outcome{Started: time.Now(), Ended: time.Now()}, t, err))
}

// answered ends work that a command answered: the answer goes where the message
// came from and, for clients, into the transcript.
func (h *Handler) answered(ctx context.Context, w Work, answer string) error {
	m := injected(answer)
	m.Key = string(w.Run) + ":command"
	if w.In[0].Client != nil && answer != "" {
		s, _, err := h.Agent.Sessions.Open(ctx, w.Session)
		if err != nil {
			return err
		}
		if err := h.Agent.Sessions.Append(ctx, s, m); err != nil {
			return err
		}
	}
	if err := h.finish(ctx, w, answer, nil); err != nil {
		return err
	}
	h.results.begin(w.Run, w.Session)
	h.results.done([]Work{w}, w.Run, Result{Run: w.Run, Status: "ok", Text: answer, Started: time.Now().UnixMilli(), Ended: time.Now().UnixMilli()})
	h.Bus.Publish(event.ChatEnded{Run: w.Run, Session: w.Session, State: "final", Message: &m})
	return nil
}

// interrupted ends work whose asker is gone: an HTTP request that the restart
// cut. It isn't run again, since the asker will ask again.
func (h *Handler) interrupted(ctx context.Context, w Work) error {
	return h.finish(ctx, w, "", fault.New(fault.Canceled, "chat", "the gateway restarted before this request was answered"))
}

// request is what the agent is asked for w.
func (h *Handler) request(ctx context.Context, w *Work, dropped []Work) (agent.Request, []Line, error) {
	cfg := h.Config()
	zone := zoneOf(cfg)
	lines, err := h.Events.PeekSystemEvents(ctx, w.Session)
	if err != nil {
		return agent.Request{}, nil, err
	}
	said, told, err := h.overheard(ctx, *w)
	if err != nil {
		return agent.Request{}, nil, err
	}
	w.Told = told
	req := agent.Request{
		Run: w.Run, Session: w.Session, Origin: w.In[0].At, Owner: w.Owner, Resume: w.Recovered, System: w.Prompt, Tools: w.Tools, Skills: w.Skills,
	}
	if len(dropped) > 0 {
		req.Inputs = append(req.Inputs, agent.Input{Text: dropNote(dropped)})
	}
	for i, in := range w.In {
		ev := lines
		if i > 0 {
			ev = nil
		} else if said != nil {
			in.Before = said
		}
		req.Inputs = append(req.Inputs, agent.Input{Key: in.DedupeKey(), Text: envelope(h.called(in), ev, zone), Images: images(in)})
	}
	if c := w.In[len(w.In)-1].Client; c != nil {
		req.Conn, req.Model, req.Thinking, req.System, req.Timeout = c.Conn, c.Model, c.Thinking, c.System, c.Timeout
		req.Theirs, req.MaxTokens = c.Tools, c.MaxTokens
	}
	req.Model, req.Thinking = cmp.Or(w.Once.Model, req.Model), cmp.Or(w.Once.Thinking, req.Thinking)
	return req, lines, nil
}

func images(in msg.Inbound) []llm.Block {
	var out []llm.Block
	for _, a := range in.Attachments {
		if strings.HasPrefix(a.MIME, "image/") && len(a.Data) > 0 {
			out = append(out, llm.Block{Type: llm.ImageBlock, MIME: a.MIME, Data: a.Data})
		}
	}
	return out
}
