package channel

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
)

// The optional interfaces. Use [As] to ask for one.
type (
	// Typer shows that the agent is working.
	Typer interface {
		Typing(ctx context.Context, to msg.Address) error
	}
	// Editor changes a message that was sent; previews need it.
	Editor interface {
		Edit(ctx context.Context, to msg.Address, m id.Message, text string) error
	}
	// Reactor adds a reaction, or takes it back when on is false; then "" takes
	// back all of the account's own.
	Reactor interface {
		React(ctx context.Context, to msg.Address, m id.Message, emoji string, on bool) error
	}
	// AuthorReactor is a Reactor whose network names a message by its author too.
	// An empty author is whoever is remembered to have written it.
	AuthorReactor interface {
		ReactTo(ctx context.Context, to msg.Address, author id.Peer, m id.Message, emoji string, on bool) error
	}
	// Webhook receives over HTTP; the handler is mounted under
	// /channels/<kind>/<account>/.
	Webhook interface {
		Handler(recv Receiver) http.Handler
	}
	// WebhookPath is implemented by a Webhook whose configuration names a path of
	// its own beside that; "" is none.
	WebhookPath interface{ WebhookPath() string }
	// Splitter cuts a Markdown text into parts that each fit Limits after
	// rendering, and each valid alone. A channel whose rendering changes lengths
	// implements it; for the others the outbox splits by Limits.
	Splitter interface {
		Split(text string) []string
	}
	// Fetcher gets the bytes of an attachment that its message only described:
	// nothing is downloaded for a sender who isn't let in. A Ref of the channel's
	// own begins with its id and a colon. Reading past the channel's size limit
	// fails with kind fault.Invalid; its hint may be shown.
	Fetcher interface {
		Fetch(ctx context.Context, a msg.Attachment) (io.ReadCloser, error)
	}
	// Deleter takes a sent message back.
	Deleter interface {
		Delete(ctx context.Context, to msg.Address, m id.Message) error
	}
	// Pinner pins messages.
	Pinner interface {
		Pin(ctx context.Context, to msg.Address, m id.Message, on bool) error
		Pins(ctx context.Context, at msg.Address) ([]msg.Inbound, error)
	}
	// Threader begins a thread under message m, or one of its own when m is "".
	Threader interface {
		Thread(ctx context.Context, to msg.Address, m id.Message, name string) (msg.Address, error)
	}
	// Reader reads what was written in a conversation, newest first.
	Reader interface {
		Read(ctx context.Context, at msg.Address, page Page) ([]msg.Inbound, error)
	}
	// Searcher finds messages by their words.
	Searcher interface {
		Search(ctx context.Context, at msg.Address, query string, limit int) ([]msg.Inbound, error)
	}
	// Directory knows who and what is there.
	Directory interface {
		Self(ctx context.Context) (Entry, error)
		Peers(ctx context.Context, query string, limit int) ([]Entry, error)
		Groups(ctx context.Context, query string, limit int) ([]Entry, error)
		Members(ctx context.Context, group id.Peer, limit int) ([]Entry, error)
	}
	// Menu shows the commands in the network's own menu. It is called once the
	// account is connected, and again when they change.
	Menu interface {
		SetMenu(ctx context.Context, items []MenuItem) error
	}
	// Login links the account (a QR code, a code by SMS) and unlinks it.
	Login interface {
		Login(ctx context.Context, step func(LoginStep)) error
		Logout(ctx context.Context) error
	}
	// Auditor looks for what keeps the account from working as configured:
	// missing scopes, intents, membership of a listed room.
	Auditor interface {
		Audit(ctx context.Context) ([]Issue, error)
	}
	// Streamer writes a message while it is being made, where the network has a
	// way of its own for that; others are shown previews through Editor.
	Streamer interface {
		Stream(ctx context.Context, out msg.Outbound) (Stream, error)
	}
	// Actor has actions that only this network knows; each becomes a tool.
	Actor interface {
		Actions() []Action
	}
	// Gate says which actions the configuration leaves to those who ask for them
	// by name ("send", "react", "delete" …); what the gateway does of its own
	// accord doesn't ask.
	Gate interface{ Allows(action string) bool }
	// Prober checks the credentials without side effects.
	Prober interface {
		Probe(ctx context.Context) error
	}
	// Wrapper is implemented by decorators.
	Wrapper interface{ Unwrap() Channel }
)

// Page is a piece of a conversation.
type Page struct {
	Before, After id.Message // exclusive; "" is open
	Around        id.Message
	Limit         int // 0 is 20
}

// Entry is somebody or something in a directory.
type Entry struct {
	Kind   msg.PeerKind `json:"kind"`
	ID     id.Peer      `json:"id"`
	Name   string       `json:"name,omitempty"`
	Handle string       `json:"handle,omitempty"` // without @
	Bot    bool         `json:"bot,omitempty"`
}

// MenuItem is one command of a native menu.
type MenuItem struct {
	Name string // without the slash, lower case
	Help string
	Args []MenuArg // may be empty
}

// MenuArg is one argument of a native command.
type MenuArg struct {
	Name, Help string
	Choices    []string // empty is free text
	Required   bool
}

// LoginStep is what a person must do next, or that it is done.
type LoginStep struct {
	QR   string // text of a QR code to scan
	Code string // or a code to type in
	Text string // for people
	Done bool
}

// Issue is something that keeps an account from working as configured.
type Issue struct {
	Kind string `json:"kind"` // intent, permissions, config, auth, runtime
	Text string `json:"message"`
	Mend string `json:"fix,omitempty"`
}

// Stream is a message that is being written.
type Stream interface {
	Append(ctx context.Context, text string) error // Markdown, more of it
	Close(ctx context.Context) (msg.Receipt, error)
	// Drop takes the message back, as far as it was shown.
	Drop(ctx context.Context) error
}

// Action is something that only one network can do.
type Action struct {
	Name, Description string
	Schema            json.RawMessage // of the arguments
	Run               func(ctx context.Context, args json.RawMessage) (any, error)
}

// As returns c, or the first channel that c wraps, as a T.
func As[T any](c Channel) (T, bool) {
	for c != nil {
		if t, ok := c.(T); ok {
			return t, true
		}
		w, ok := c.(Wrapper)
		if !ok {
			break
		}
		c = w.Unwrap()
	}
	var zero T
	return zero, false
}
