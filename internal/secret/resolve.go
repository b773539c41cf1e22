package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

// Limits when the settings name none.
const (
	defaultTimeoutMs = 5000
	defaultBytes     = 1 << 20
	maxBytes         = 20 << 20
	maxTimeoutMs     = 120_000
)

// Resolver turns references into secrets. It remembers what it found for as
// long as it lives, which is one generation of the configuration: a changed
// secret is seen after a reload. It is safe for concurrent use.
type Resolver struct {
	settings Settings
	env      func(string) string
	expand   func(string) string // makes a path of the configuration absolute

	flight singleflight.Group
	mu     sync.Mutex
	found  map[Ref]String
	slots  chan struct{} // bounds programs running at once
}

// NewResolver returns a resolver. env looks up variables; expand makes paths
// absolute.
func NewResolver(s Settings, env, expand func(string) string) *Resolver {
	n := s.Resolution.MaxProviderConcurrency
	if n <= 0 {
		n = 4
	}
	return &Resolver{settings: s, env: env, expand: expand, found: map[Ref]String{}, slots: make(chan struct{}, n)}
}

// Value returns the secret that raw, the value of a key, is or refers to. An
// absent value is an empty secret. Errors name the reference, never a value.
func (r *Resolver) Value(ctx context.Context, raw json.RawMessage) (String, error) {
	ref, plain, ok, err := Parse(raw)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "secret.Value", err)
	}
	if !ok {
		return plain, nil
	}
	return r.Resolve(ctx, ref)
}

// Resolve returns the secret behind ref.
func (r *Resolver) Resolve(ctx context.Context, ref Ref) (String, error) {
	if field, message := ref.Check(); field != "" {
		return "", fail(fault.Invalid, ref, message)
	}
	r.mu.Lock()
	v, ok := r.found[ref]
	r.mu.Unlock()
	if ok {
		return v, nil
	}
	// One caller looks; the others wait for it, or for their own context.
	ch := r.flight.DoChan(ref.String(), func() (any, error) {
		v, err := r.look(context.WithoutCancel(ctx), ref) // each look-up has its own timeout
		if err == nil {
			r.mu.Lock()
			r.found[ref] = v
			r.mu.Unlock()
		}
		return v, err
	})
	select {
	case <-ctx.Done():
		return "", fail(fault.KindOf(ctx.Err()), ref, "stopped waiting for the secret")
	case res := <-ch:
		if res.Err != nil {
			return "", res.Err
		}
		v, _ := res.Val.(String)
		return v, nil
	}
}

func (r *Resolver) look(ctx context.Context, ref Ref) (String, error) {
	p, configured := r.settings.Providers[ref.Provider]
	if !configured && ref.Source == Env && (ref.Provider == "default" || ref.Provider == r.settings.Defaults.Env) {
		p, configured = Provider{Source: Env}, true
	}
	if !configured {
		return "", fail(fault.Invalid, ref, fmt.Sprintf("secret provider %q isn't configured; add secrets.providers.%s", ref.Provider, ref.Provider))
	}
	if p.Source != ref.Source {
		return "", fail(fault.Invalid, ref, fmt.Sprintf("secret provider %q has source %q but the reference asks for %q", ref.Provider, p.Source, ref.Source))
	}
	var v String
	var err error
	switch ref.Source {
	case Env:
		v, err = r.fromEnv(p, ref)
	case File:
		v, err = r.fromFile(ctx, p, ref)
	case Exec:
		select {
		case r.slots <- struct{}{}:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		v, err = r.fromExec(ctx, p, ref)
		<-r.slots
	}
	if err == nil && v == "" {
		err = fail(fault.NotFound, ref, "the secret is empty")
	}
	return v, err
}

func (r *Resolver) fromEnv(p Provider, ref Ref) (String, error) {
	if len(p.Allowlist) > 0 && !slices.Contains(p.Allowlist, ref.ID) {
		return "", fail(fault.Forbidden, ref, fmt.Sprintf("%s isn't in secrets.providers.%s.allowlist", ref.ID, ref.Provider))
	}
	v := r.env(ref.ID)
	if v == "" {
		return "", fail(fault.NotFound, ref, "set "+ref.ID+" in the environment or in .env of the state directory")
	}
	return String(v), nil
}

// Section returns raw, any JSON, with every reference in it replaced by its
// secret. It is for handing a section to the one extension that needs it.
// References that can't be resolved are left out and told in the error.
func (r *Resolver) Section(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	var errs []error
	out, err := r.section(ctx, raw, 0, &errs)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "secret.Section", err)
	}
	return out, errors.Join(errs...)
}

func (r *Resolver) section(ctx context.Context, raw json.RawMessage, depth int, errs *[]error) (json.RawMessage, error) {
	text := strings.TrimLeft(string(raw), " \t\r\n")
	if depth > 100 || text == "" || text[0] != '{' && text[0] != '[' || !strings.Contains(text, `"source"`) {
		return raw, nil
	}
	if text[0] == '[' {
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, errors.New("not JSON")
		}
		for i := range items {
			var err error
			if items[i], err = r.section(ctx, items[i], depth+1, errs); err != nil {
				return nil, err
			}
		}
		return json.Marshal(items)
	}
	if isRef(raw) {
		if ref, _, _, err := Parse(raw); err == nil && (ref.Source == Env || ref.Source == File || ref.Source == Exec) {
			v, err := r.Resolve(ctx, ref)
			if err != nil {
				*errs = append(*errs, err)
				return json.RawMessage("null"), nil
			}
			return json.Marshal(v.Reveal())
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, errors.New("not JSON")
	}
	for k, v := range members {
		v, err := r.section(ctx, v, depth+1, errs)
		if err != nil {
			return nil, err
		}
		members[k] = v
	}
	return json.Marshal(members)
}

// fail makes an error that names the reference and holds no value.
func fail(kind fault.Kind, ref Ref, hint string) error {
	return &fault.Error{Kind: kind, Op: "secret.Resolve " + ref.String(), Hint: hint}
}

func (r *Resolver) abs(path string) string {
	if r.expand != nil {
		return r.expand(path)
	}
	return filepath.Clean(path)
}

func pick(n, fallback, ceiling int64) int64 {
	if n <= 0 {
		n = fallback
	}
	return min(n, ceiling)
}

// Found lists the values found so far, so that they can be kept out of what
// others see.
func (r *Resolver) Found() []String {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]String, 0, len(r.found))
	for _, v := range r.found {
		out = append(out, v)
	}
	return out
}
