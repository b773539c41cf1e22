package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/chat/access"
)

// pairRequest is a pending request in the recorded shape.
type pairRequest struct {
	ID         string            `json:"id"`
	Code       string            `json:"code"`
	CreatedAt  string            `json:"createdAt"`
	LastSeenAt string            `json:"lastSeenAt"`
	Meta       map[string]string `json:"meta,omitempty"`
}

// pairStore is where requests are: the database while a gateway runs; else the
// files, which the next gateway takes in.
type pairStore interface {
	pending(ctx context.Context, ch id.Channel, a id.Account) ([]pairRequest, error)
	approve(ctx context.Context, ch id.Channel, a id.Account, code string) (pairRequest, bool, error)
}

// pairFiles are credentials/<channel>-pairing.json and -allowFrom.json.
type pairFiles struct{ dir string }

type pairFile struct {
	Version  int           `json:"version"`
	Requests []pairRequest `json:"requests"`
}

func (p pairFiles) path(ch id.Channel) (string, error) {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`).MatchString(string(ch)) {
		return "", say("%q isn't the name of a channel", ch)
	}
	return filepath.Join(p.dir, string(ch)+"-pairing.json"), nil
}

func (p pairFiles) pending(_ context.Context, ch id.Channel, a id.Account) ([]pairRequest, error) {
	path, err := p.path(ch)
	if err != nil {
		return nil, err
	}
	f := pairFile{}
	if err := readJSON(path, &f); err != nil {
		return nil, err
	}
	out := []pairRequest{}
	for _, r := range f.Requests {
		t, err := time.Parse(time.RFC3339Nano, r.CreatedAt)
		if err != nil || time.Since(t) > access.CodeLife || a != "" && first(r.Meta["accountId"], string(id.DefaultAccount)) != string(a) {
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func (p pairFiles) approve(ctx context.Context, ch id.Channel, a id.Account, code string) (pairRequest, bool, error) {
	open, err := p.pending(ctx, ch, a)
	if err != nil {
		return pairRequest{}, false, err
	}
	i := slices.IndexFunc(open, func(r pairRequest) bool { return r.Code == code })
	if i < 0 {
		return pairRequest{}, false, nil
	}
	r := open[i]
	account := first(r.Meta["accountId"], string(id.DefaultAccount))
	var list struct {
		Version   int      `json:"version"`
		AllowFrom []string `json:"allowFrom"`
	}
	path := filepath.Join(p.dir, string(ch)+"-"+filepath.Base(account)+"-allowFrom.json")
	if err := readJSON(path, &list); err != nil {
		return r, false, err
	}
	if list.Version = 1; !slices.Contains(list.AllowFrom, r.ID) {
		list.AllowFrom = append(list.AllowFrom, r.ID)
	}
	if err := writeJSON(path, list); err != nil {
		return r, false, err
	}
	file, err := p.path(ch)
	if err != nil {
		return r, false, err
	}
	all, err := p.pending(ctx, ch, "")
	if err != nil {
		return r, false, err
	}
	all = slices.DeleteFunc(all, func(x pairRequest) bool { return x.Code == code })
	return r, true, writeJSON(file, pairFile{Version: 1, Requests: all})
}

// readJSON reads a small file; a missing one leaves v as it is.
func readJSON(path string, v any) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Size() > 8<<20 {
		return say("%s is too large", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return say("can't read %s: %s", path, cause(err))
	}
	if json.Unmarshal(raw, v) != nil {
		return say("%s is damaged. Try: openclaw doctor", path)
	}
	return nil
}

func writeJSON(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(raw, '\n'))
}

// pairings opens the requests; call done when finished with them.
func (sh *shell) pairings(ctx context.Context) (p pairStore, done func(), err error) {
	db, err := sh.owned(ctx)
	if err != nil {
		return nil, nil, err
	}
	if db == nil {
		return pairFiles{first(sh.Getenv("OPENCLAW_OAUTH_DIR"), filepath.Join(sh.paths().State, "credentials"))}, func() {}, nil
	}
	return pairDB{&access.Gate{Store: db}}, func() { _ = db.Close() }, nil
}

// pairDB is the database of the running gateway, which reads it for each
// message.
type pairDB struct{ gate *access.Gate }

func (p pairDB) pending(ctx context.Context, ch id.Channel, a id.Account) ([]pairRequest, error) {
	rows, err := p.gate.Pending(ctx, ch)
	if err != nil {
		return nil, err
	}
	out := []pairRequest{}
	for _, r := range rows {
		if a == "" || r.Account == a {
			out = append(out, pairOf(r))
		}
	}
	return out, nil
}

func (p pairDB) approve(ctx context.Context, ch id.Channel, a id.Account, code string) (pairRequest, bool, error) {
	open, err := p.pending(ctx, ch, a)
	if err != nil || !slices.ContainsFunc(open, func(r pairRequest) bool { return r.Code == code }) {
		return pairRequest{}, false, err
	}
	r, err := p.gate.Approve(ctx, ch, code)
	if fault.KindOf(err) == fault.NotFound {
		return pairRequest{}, false, nil // let in or gone since
	}
	return pairOf(r), err == nil, err
}

func pairOf(r access.Request) pairRequest {
	const shape = "2006-01-02T15:04:05.000Z"
	out := pairRequest{
		ID: string(r.Peer), Code: r.Code, CreatedAt: r.Created.UTC().Format(shape), LastSeenAt: r.Seen.UTC().Format(shape),
		Meta: map[string]string{"accountId": string(r.Account)},
	}
	for k, v := range r.Meta {
		out.Meta[k] = v
	}
	return out
}
