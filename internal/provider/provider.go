// Package provider is the contract with a service that runs language models.
//
// A service is one package under this directory, exporting func Kind() [Kind];
// one line in app/tables.go makes it part of the binary. Package providertest
// replays recorded streams against every provider.
package provider

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/llm"
)

// Provider streams answers of models.
type Provider interface {
	// Stream sends req and yields events as they come. The sequence ends after
	// an [llm.Done] event or after yielding a non-nil error, whose kind tells
	// whether to retry, to try another credential or to compact. Breaking out
	// of the loop or cancelling ctx stops the request.
	Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error]
}

// The optional interfaces.
type (
	// Lister lists the models that the credential can use.
	Lister interface {
		Models(ctx context.Context) ([]llm.Model, error)
	}
	// Embedder turns texts into vectors.
	Embedder interface {
		Embed(ctx context.Context, model string, texts []string) ([][]float32, error)
	}
)

// Config is what every provider needs: models.providers.<id> with its secrets
// resolved.
type Config struct {
	ID      string // the key under models.providers
	BaseURL string
	APIKey  string // "" where the service wants none
	Headers map[string]string
	Raw     json.RawMessage // the whole section, for keys of one wire format only
	Limits  Limits
	// Getenv reads a variable as the configuration sees it, for what a service
	// keeps only there; nil when there are none.
	Getenv func(name string) string
}

// Env is the value of a variable, or "".
func (c Config) Env(name string) string {
	if c.Getenv == nil {
		return ""
	}
	return c.Getenv(name)
}

// Limits bound a stream in time; zero fields take the defaults.
type Limits struct {
	Connect    time.Duration // until response headers; default 60 s
	FirstToken time.Duration // until the first real content; default 120 s
	Idle       time.Duration // between real content; default 90 s
}

// Kind describes a wire format and makes its providers. Errors of a provider
// carry a kind from package fault that tells what to do:
//
//	Unauthenticated  credential refused: next credential or model
//	Forbidden        billing or permission: next credential or model
//	RateLimited      slow down; RetryAfter in the chain when the service said
//	Unavailable      overload, 5xx, broken or stalled stream: retry, then next model
//	Timeout          a limit above passed: as Unavailable
//	Invalid          the request itself; ErrOverflow in the chain when it's too long
//	NotFound         no such model: next model
type Kind struct {
	ID  string // the value of models.providers.<id>.api: "openai-completions"
	New func(c *http.Client, cfg Config) (Provider, error)
}

// ErrOverflow is in the chain of an error that says the context is too long.
var ErrOverflow = errors.New("context window exceeded")

// RetryAfter is in the chain of a RateLimited or Unavailable error when the
// service named a delay.
type RetryAfter struct{ After time.Duration }

func (e RetryAfter) Error() string { return "retry after " + e.After.String() }

// Room is about how many bytes the body of req takes, rather more than less:
// a long one that outgrows its slice is copied again and again.
func Room(req *llm.Request) int {
	n := 2048 + len(req.System)
	for i := range req.Tools {
		t := &req.Tools[i]
		n += 96 + len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for i := range req.Messages {
		n += 64
		for j := range req.Messages[i].Content {
			b := &req.Messages[i].Content[j]
			n += 48 + len(b.Text) + len(b.Signature) + (len(b.Data)+2)/3*4
			if b.Call != nil {
				n += 96 + len(b.Call.ID) + len(b.Call.Name) + len(b.Call.Args)
			}
		}
	}
	return n + n/16 // escapes
}
