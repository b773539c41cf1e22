package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// Texts that clients know.
const (
	textHash    = "config base hash required; re-run config.get and retry"
	textChanged = "config changed since last load; re-run config.get and retry"
	textBroken  = "invalid config; fix before patching"
	textNoPath  = "config schema path not found"
)

// maxRaw is the largest configuration that a client may send.
const maxRaw = 4 << 20

type configSnapshot struct {
	Path     string           `json:"path"`
	Exists   bool             `json:"exists"`
	Raw      *string          `json:"raw"`
	Parsed   json.RawMessage  `json:"parsed"`
	Resolved json.RawMessage  `json:"resolved"`
	Valid    bool             `json:"valid"`
	Config   json.RawMessage  `json:"config"`
	Hash     string           `json:"hash"`
	Issues   []config.Problem `json:"issues"`
	Warnings []config.Problem `json:"warnings"`
	Legacy   []config.Problem `json:"legacyIssues"`
}

// configGet shows the file as it stands on disk, without its secrets. A file
// that can't be parsed isn't shown: nothing tells where its secrets are.
func (c *Control) configGet(ctx context.Context, _ *rpc.Caller, _ struct{}) (configSnapshot, error) {
	l, err := c.load(ctx)
	if err != nil {
		return configSnapshot{}, err
	}
	s := configSnapshot{
		Path: l.Path, Exists: l.Exists, Valid: l.Valid(), Hash: l.Hash,
		Parsed: json.RawMessage("null"), Resolved: shown(l.Resolved), Config: shown(l.Filled),
		Issues: list(l.Problems), Warnings: list(l.Warnings), Legacy: []config.Problem{},
	}
	switch {
	case !l.Exists:
		s.Parsed = json.RawMessage("{}")
	case l.Doc != nil:
		raw, err := config.RedactSource(l.Doc)
		if err != nil {
			return configSnapshot{}, err
		}
		s.Raw, s.Parsed = new(string(raw)), shown(l.Doc.Root)
	}
	return s, nil
}

// load reads the file; an invalid one is no error.
func (c *Control) load(ctx context.Context) (*config.Loaded, error) {
	opts := c.File.Load
	opts.LastGood, opts.Strict = false, false
	l, err := config.Load(ctx, c.File.Paths, opts)
	if _, invalid := errors.AsType[*config.Invalid](err); err != nil && !invalid {
		return nil, refusal(err)
	}
	return l, nil
}

// shown is n without secrets, as JSON.
func shown(n *jsonc.Node) json.RawMessage {
	if n == nil {
		return json.RawMessage("{}")
	}
	return config.Redact(n).JSON()
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

type schemaResult struct {
	config.Description
	Generated string `json:"generatedAt"`
}

func (c *Control) configSchema(context.Context, *rpc.Caller, struct{}) (schemaResult, error) {
	return schemaResult{config.Schema(), c.started.UTC().Format("2006-01-02T15:04:05.000Z")}, nil
}

type lookupParams struct {
	Path string `json:"path" schema:"minLength=1,maxLength=1024,pattern=^[A-Za-z0-9_./\\[\\]\\-*]+$"`
}

func (c *Control) configLookup(_ context.Context, _ *rpc.Caller, p lookupParams) (config.Found, error) {
	f, err := config.Lookup(p.Path)
	if err != nil {
		return f, rpc.Invalid(textNoPath)
	}
	return f, nil
}

type setParams struct {
	Raw      string `json:"raw"`
	BaseHash string `json:"baseHash,omitempty" schema:"minLength=1"`
}

type changeParams struct {
	Raw      string `json:"raw" schema:"minLength=1"`
	BaseHash string `json:"baseHash,omitempty" schema:"minLength=1"`
	restartParams
}

type changeResult struct {
	OK       bool            `json:"ok"`
	Path     string          `json:"path"`
	Config   json.RawMessage `json:"config"`
	Restart  *restartPlan    `json:"restart,omitempty"`
	Sentinel *sentinelRef    `json:"sentinel,omitempty"`
}

// configSet replaces the file. It takes effect at once; where that takes a
// restart there is one, unless gateway.reload.mode is off.
func (c *Control) configSet(ctx context.Context, who *rpc.Caller, p setParams) (changeResult, error) {
	r, changed, err := c.write(ctx, who, "config.set", p.Raw, p.BaseHash, config.File.Replace)
	if err == nil && c.Restart != nil && NeedsRestart(changed) && c.Config().Gateway.Reload.Mode != "off" {
		c.Restart("config.set", restartWait)
	}
	return r, err
}

// configApply replaces the file and restarts when something needs it.
func (c *Control) configApply(ctx context.Context, who *rpc.Caller, p changeParams) (changeResult, error) {
	r, changed, err := c.write(ctx, who, "config.apply", p.Raw, p.BaseHash, config.File.Replace)
	if err != nil {
		return r, err
	}
	return c.restarting(ctx, r, "config.apply", p.restartParams, changed)
}

// configPatch merges an object into the file and restarts when something needs
// it.
func (c *Control) configPatch(ctx context.Context, who *rpc.Caller, p changeParams) (changeResult, error) {
	r, changed, err := c.write(ctx, who, "config.patch", p.Raw, p.BaseHash, config.File.Patch)
	if err != nil {
		return r, err
	}
	return c.restarting(ctx, r, "config.patch", p.restartParams, changed)
}

// write changes the file by one of its edits and makes the result current. The
// whole result is checked before anything is saved.
func (c *Control) write(ctx context.Context, who *rpc.Caller, method, raw, base string, edit func(config.File, context.Context, []byte) (config.Saved, error)) (changeResult, []string, error) {
	if len(raw) > maxRaw {
		return changeResult{}, nil, rpc.Invalid("raw is too large (%d bytes, at most %d)", len(raw), maxRaw)
	}
	c.edit.Lock()
	defer c.edit.Unlock()
	before, err := c.load(ctx)
	if err != nil {
		return changeResult{}, nil, err
	}
	switch {
	case before.Exists && base == "":
		return changeResult{}, nil, rpc.Invalid(textHash)
	case before.Exists && base != before.Hash:
		return changeResult{}, nil, rpc.Invalid(textChanged)
	case method == "config.patch" && !before.Valid():
		return changeResult{}, nil, rpc.Invalid(textBroken)
	}
	f := c.File
	if before.Exists {
		f.BaseHash = base // someone may write between the look and the edit
	}
	saved, err := edit(f, ctx, plain(before, []byte(raw)))
	if err != nil {
		return changeResult{}, nil, refusal(err)
	}
	changed := c.saved(ctx, who, method, before, saved)
	return changeResult{OK: true, Path: saved.Path, Config: shown(saved.Filled)}, changed, nil
}

// plain keeps a file that is JSON one that is JSON, since scripts may read it:
// JSON5 without comments is written as JSON. A file with comments, or a new
// one, stays as the client wrote it.
func plain(before *config.Loaded, raw []byte) []byte {
	if !json.Valid(before.Raw) || json.Valid(raw) {
		return raw
	}
	d, err := jsonc.Parse("raw", raw)
	if err != nil || commented(raw) {
		return raw // Parse complains again where it can say so
	}
	return d.Root.Indented()
}

// commented reports whether JSON5 text has a comment.
func commented(text []byte) bool {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '/':
			return true // it means nothing else outside strings
		}
	}
	return false
}

// saved makes what was saved current and returns the paths that changed.
func (c *Control) saved(ctx context.Context, who *rpc.Caller, method string, before *config.Loaded, s config.Saved) []string {
	changed := diff(before.Filled, s.Filled)
	c.Log.InfoContext(ctx, "configuration written", "method", method, "client", actor(who), "changed", short3(changed), "hash", s.Hash)
	if c.Apply != nil && s.Config != nil && s.Changed {
		c.Apply(s.Config, changed)
	}
	return changed
}

// short3 is a list for a log line.
func short3(paths []string) string {
	if len(paths) > 8 {
		return strings.Join(paths[:8], " ") + fmt.Sprintf(" and %d more", len(paths)-8)
	}
	return strings.Join(paths, " ")
}

// refusal is err in the words of the protocol.
func refusal(err error) error {
	if _, ok := errors.AsType[*rpc.Error](err); ok {
		return err
	}
	if invalid, ok := errors.AsType[*config.Invalid](err); ok {
		return refusedFor(invalid.Problems)
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound, fault.Forbidden:
		return rpc.Invalid("%s", fault.Hint(err))
	case fault.Conflict:
		return rpc.Invalid(textChanged)
	case fault.Unavailable, fault.Timeout:
		return rpc.Unavailable("%s", fault.Hint(err))
	}
	return err
}

// refusedFor names the first three problems and holds all of them.
func refusedFor(ps []config.Problem) *rpc.Error {
	const most = 3
	parts := make([]string, 0, most)
	for _, p := range ps[:min(len(ps), most)] {
		parts = append(parts, p.Where()+": "+p.Message)
	}
	e := rpc.Invalid("invalid config: %s", strings.Join(parts, "; "))
	switch more := len(ps) - most; {
	case len(ps) == 0:
		e.Message = "invalid config"
	case more == 1:
		e.Message += " (+1 more issue)"
	case more > 1:
		e.Message += fmt.Sprintf(" (+%d more issues)", more)
	}
	e.Details = struct {
		Issues []config.Problem `json:"issues"`
	}{list(ps)}
	return e
}
