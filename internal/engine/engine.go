// Package engine is the contract with what manages the context of
// conversations: what of a long conversation a model gets to see.
//
// One engine is chosen by plugins.slots.contextEngine. The transcript on disk
// is not the engine's: it is written whatever the engine does. [Engine] is what
// each has; an ability that not every engine needs is an interface of its own,
// found with a type assertion: [Bootstrapper], [BatchIngester], [TurnEnder],
// [Spawner], [Disposer].
package engine

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Info names an engine.
type Info struct {
	ID      string
	Name    string
	Version string
	// OwnsCompaction says that the engine decides when to compact. The run then
	// asks it only when a model refused the context as too long, or a person
	// asked for it.
	OwnsCompaction bool
}

// Session says which conversation a call is about.
type Session struct {
	Key  id.SessionKey
	ID   id.Session
	File string // the transcript
}

// Engine manages the context of conversations. Its methods are called for many
// sessions at once, but for one session one after the other.
type Engine interface {
	Info() Info
	// Ingest takes one message that was stored; it is called during a run by
	// hosts of engines without [BatchIngester]. It reports false for a message
	// that it had or doesn't want. An error is logged, not more.
	Ingest(ctx context.Context, m Ingest) (bool, error)
	// Assemble returns what the model is sent for one call, at most
	// budget tokens. With an error, all messages are sent.
	Assemble(ctx context.Context, a Assemble) (Assembled, error)
	// Compact makes the context of a session smaller. That there is nothing to
	// do is not an error.
	Compact(ctx context.Context, c Compact) (Compacted, error)
}

// Bootstrapper is told about a session when it is first seen.
type Bootstrapper interface {
	// Bootstrap prepares the engine for a session; it may import the transcript.
	// It is called once a session and process, before anything else.
	Bootstrap(ctx context.Context, s Session) error
}

// BatchIngester takes the messages of a run together, when it ended.
type BatchIngester interface {
	IngestBatch(ctx context.Context, b Batch) (taken int, err error)
}

// TurnEnder works after a run: it stores, or compacts in the background.
type TurnEnder interface {
	AfterTurn(ctx context.Context, t Turn) error
}

// Spawner keeps state of sub-agents.
type Spawner interface {
	// PrepareSubagentSpawn is called before a child runs. Rollback, when not
	// nil, is called when the child could not be started.
	PrepareSubagentSpawn(ctx context.Context, parent, child id.SessionKey) (rollback func(), err error)
	// OnSubagentEnded is called once when a child is over.
	OnSubagentEnded(ctx context.Context, child id.SessionKey, reason EndReason) error
}

// Disposer lets go of what it holds when the program ends or the engine is
// exchanged; not once a session.
type Disposer interface {
	Dispose(ctx context.Context) error
}

// EndReason is why a sub-agent is over.
type EndReason string

// The reasons.
const (
	Deleted   EndReason = "deleted"
	Completed EndReason = "completed"
	Swept     EndReason = "swept"
	Released  EndReason = "released"
)

// Ingest is one message.
type Ingest struct {
	Session   Session
	Message   llm.Message
	Heartbeat bool
}

// Batch is the messages of a run.
type Batch struct {
	Session   Session
	Messages  []llm.Message
	Heartbeat bool
}

// Assemble asks for the context of a model call.
type Assemble struct {
	Session  Session
	Model    llm.Model
	Messages []llm.Message // all that may be sent
	Budget   int           // tokens; 0 is unknown
}

// Assembled is the context of a model call.
type Assembled struct {
	Messages []llm.Message
	Tokens   int    // about
	System   string // put before the system prompt
}

// Compact asks for a smaller context.
type Compact struct {
	Session      Session
	Model        llm.Model // that answers in the session
	Budget       int       // tokens that the conversation may take; 0 is the engine's choice
	Tokens       int       // about what it takes now; 0 is unknown
	Force        bool      // also when it isn't near the budget
	Overflow     bool      // a model refused it as too long: it must get shorter, also without a good summary
	Instructions string    // what to keep, in the words of the person who asked
}

// Compacted is what came of it.
type Compacted struct {
	Compacted bool
	Reason    string // why not, or what had to be left out; for people
	Summary   string
	Before    int // tokens, about
	After     int
}

// Turn is a run that ended.
type Turn struct {
	Session   Session
	Messages  []llm.Message // of the whole session
	Before    int           // how many of them were there before the run
	Summary   string        // of a compaction during the run
	Heartbeat bool
	Budget    int
}
