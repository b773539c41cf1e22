package model

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/compat"
)

// probeFor bounds the look at loopback.
const probeFor = 400 * time.Millisecond

// place is where a model server may listen.
type place struct{ id, baseURL string }

// places lists them, the preferred first. OLLAMA_HOST is Ollama's own variable.
func places() []place {
	ollama := "http://127.0.0.1:11434"
	if h := strings.TrimSpace(os.Getenv("OLLAMA_HOST")); h != "" && !strings.Contains(h, "0.0.0.0") {
		if !strings.Contains(h, "://") {
			h = "http://" + h
		}
		ollama = strings.TrimRight(h, "/")
	}
	return []place{{"ollama", ollama + "/v1"}, {"lmstudio", "http://127.0.0.1:1234/v1"}}
}

// found is a server that answered.
type found struct {
	id     string
	row    compat.Row
	models []llm.Model
}

// local is what answers on loopback.
type local struct {
	places []place
	once   sync.Once

	mu    sync.Mutex
	found []found
}

func (l *local) answers() []found {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// Probe looks once for model servers on loopback, unless a model is configured
// or a key is set. Call it at the start, beside other work; without it the
// first run does.
func (r *Resolver) Probe(ctx context.Context) { r.probeIfNeeded(ctx, r.cfg().DefaultAgent()) }

func (r *Resolver) probeIfNeeded(ctx context.Context, a id.Agent) {
	if g := r.generation(); g.preferred(r, a) != demoID+"/"+demoID {
		return
	}
	r.local.once.Do(func() { r.probe(ctx) })
}

func (r *Resolver) probe(ctx context.Context) {
	// The look serves later runs too, so the end of this one doesn't cut it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeFor)
	defer cancel()
	all := make([]found, len(r.local.places))
	var wg sync.WaitGroup
	for i, p := range r.local.places {
		wg.Go(func() {
			kind, ok := r.kinds[p.id] // its own format
			if !ok {
				kind, ok = r.kinds["openai-completions"]
			}
			if !ok {
				return
			}
			x, err := kind.New(r.client, provider.Config{ID: p.id, BaseURL: p.baseURL})
			if err != nil {
				return
			}
			l, ok := x.(provider.Lister)
			if !ok {
				return
			}
			models, err := l.Models(ctx)
			if err != nil {
				return // nothing listens there
			}
			f := found{id: p.id, row: compat.Row{ID: p.id, BaseURL: p.baseURL, API: kind.ID, Keyless: true}}
			for _, m := range models {
				if !strings.Contains(strings.ToLower(m.ID), "embed") {
					f.models = append(f.models, filled(m))
				}
			}
			all[i] = f
		})
	}
	wg.Wait()
	r.local.mu.Lock()
	for _, f := range all {
		if len(f.models) > 0 {
			r.local.found = append(r.local.found, f)
		}
	}
	n := len(r.local.found)
	r.local.mu.Unlock()
	if n > 0 {
		r.cur.Store(nil) // the next look builds a generation that has them
	}
}
