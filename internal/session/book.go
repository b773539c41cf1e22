package session

import (
	"context"
	"errors"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/config"
)

// Book opens sessions and keeps their transcripts.
type Book struct {
	Store  Store
	Config func() *config.Config
	Now    func() time.Time
}

var errStub = errors.New("not built yet")

// Open returns the session of key, making it, or giving it a fresh transcript
// when the reset policy says so. fresh is true when the transcript is new.
func (b *Book) Open(ctx context.Context, key id.SessionKey) (s Session, fresh bool, err error) {
	return Session{}, false, errStub
}

// Get returns the session of key without making or resetting it.
func (b *Book) Get(ctx context.Context, key id.SessionKey) (s Session, ok bool, err error) {
	return Session{}, false, errStub
}

// ByID returns the key whose current transcript is sid.
func (b *Book) ByID(ctx context.Context, sid id.Session) (key id.SessionKey, ok bool, err error) {
	return "", false, errStub
}

// List returns index entries, newest first.
func (b *Book) List(ctx context.Context, f Filter) ([]Session, error) { return nil, errStub }

// Update changes the index entry of key under a lock of that key and stores it.
func (b *Book) Update(ctx context.Context, key id.SessionKey, change func(*Session) error) (Session, error) {
	return Session{}, errStub
}

// History returns the messages of s that the model should see, repaired: every
// call has exactly one result right behind its turn, torn lines are set aside.
// The caller must not change them. A cache keeps its cost independent of the
// length of the file on disk.
func (b *Book) History(ctx context.Context, s Session) ([]llm.Message, error) { return nil, errStub }

// Entries returns the last n lines of the transcript (all when n is 0).
func (b *Book) Entries(ctx context.Context, s Session, n int) ([]Entry, error) { return nil, errStub }

// Append adds messages to the transcript of s, one write each, in order. A
// message whose Key is already in the transcript is left out.
func (b *Book) Append(ctx context.Context, s Session, ms ...llm.Message) error { return errStub }

// AppendCustom adds a custom entry (customType, data).
func (b *Book) AppendCustom(ctx context.Context, s Session, customType string, data any) error {
	return errStub
}

// SetModel notes in the transcript which model and thinking level answer next,
// when they differ from what it says last (model_change,
// thinking_level_change, custom model-snapshot).
func (b *Book) SetModel(ctx context.Context, s Session, m llm.Model, thinking string) error {
	return errStub
}

// Reset gives key a fresh transcript and archives the old one as
// <id>.jsonl.reset.<time>. Settings that belong to the person stay.
func (b *Book) Reset(ctx context.Context, key id.SessionKey, reason string) (Session, error) {
	return Session{}, errStub
}

// Delete removes the session; with transcript, its file is archived as
// <id>.jsonl.deleted.<time>.
func (b *Book) Delete(ctx context.Context, key id.SessionKey, transcript bool) (deleted bool, archived []string, err error) {
	return false, nil, errStub
}
