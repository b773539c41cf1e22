package control

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
)

// AllowStore is the stored allow lists, which pairing fills; *store.DB is one.
type AllowStore interface {
	Allowed(ctx context.Context, c id.Channel, a id.Account) ([]id.Peer, error)
	Allow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (added bool, err error)
	Disallow(ctx context.Context, c id.Channel, a id.Account, p id.Peer) (removed bool, err error)
}

const allowUsage = "Usage: /allowlist list|add|remove [dm|group] [entry] [--account <id>] [--config|--store]"

// allowRequest is what /allowlist says.
type allowRequest struct {
	action, entry string
	group         bool
	account       id.Account
	file, store   bool // where it is written
}

func parseAllow(args string, account id.Account) (r allowRequest, ok bool) {
	r = allowRequest{action: "list", account: accountOf(account), file: true, store: true}
	words := strings.Fields(args)
	var rest []string
	for i := 0; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		switch name {
		case "--config":
			r.store = false
		case "--store":
			r.file = false
		case "--resolve": // names are shown as they stand
		case "--account":
			if !given && i+1 < len(words) {
				i++
				value = words[i]
			}
			if value == "" {
				return r, false
			}
			r.account = id.Account(strings.ToLower(value))
		default:
			if strings.HasPrefix(name, "--") {
				return r, false
			}
			rest = append(rest, words[i])
		}
	}
	if len(rest) > 0 {
		r.action, rest = strings.ToLower(rest[0]), rest[1:]
	}
	if len(rest) > 0 && (strings.EqualFold(rest[0], "dm") || strings.EqualFold(rest[0], "group")) {
		r.group, rest = strings.EqualFold(rest[0], "group"), rest[1:]
	}
	if r.group {
		r.store = false // pairing opens direct chats only
	}
	r.entry = strings.Join(rest, " ")
	switch r.action {
	case "list":
		return r, r.entry == ""
	case "add", "remove":
		return r, r.entry != "" && (r.file || r.store)
	}
	return r, false
}

// cmdAllowlist shows who may write on the channel that it comes from, and lets
// the owner change that.
func (c *Control) cmdAllowlist(ctx context.Context, env command.Env, args string) (string, error) {
	ch := env.In.At.Channel
	if c.Kind == nil || c.Allowed == nil {
		return "", fault.New(fault.Unavailable, "command.allowlist", "there are no channels here")
	}
	kind, known := c.Kind(ch)
	if !known {
		return "⚠️ /allowlist is for chats of a channel. On the gateway's host: openclaw config get channels", nil
	}
	r, ok := parseAllow(args, env.In.At.Account)
	if !ok {
		return allowUsage, nil
	}
	if r.action == "list" {
		return c.allowShown(ctx, ch, r)
	}
	if !env.Owner {
		return "⚠️ Only the owner may change who may write.", nil
	}
	if !c.Config().Commands.Config {
		return "⚠️ /allowlist edits are disabled. Set commands.config=true to enable.", nil
	}
	entry := r.entry
	if kind.Normalize != nil {
		if entry = kind.Normalize(r.entry); entry == "" {
			return "⚠️ " + text.Ellipsis(r.entry, 80) + " can't be anybody on " + string(ch) + ".", nil
		}
	}
	return c.allowChange(ctx, env, ch, r, entry)
}

// allowPath is where the list stands in the file.
func allowPath(l *config.Loaded, ch id.Channel, r allowRequest) []string {
	at := []string{"channels", string(ch)}
	if l.Resolved != nil && l.Resolved.Find("channels", string(ch), "accounts", string(r.account)) != nil {
		at = append(at, "accounts", string(r.account))
	}
	if r.group {
		return append(at, "groupAllowFrom")
	}
	return append(at, "allowFrom")
}

func (c *Control) allowShown(ctx context.Context, ch id.Channel, r allowRequest) (string, error) {
	sec := c.Config().Account(ch, r.account)
	stored, err := c.Allowed.Allowed(ctx, ch, r.account)
	if err != nil {
		return "", err
	}
	show := func(list []string) string {
		if len(list) == 0 {
			return "(none)"
		}
		return text.Ellipsis(strings.Join(list, ", "), mostShown)
	}
	var paired []string
	for _, p := range stored {
		paired = append(paired, string(p))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "🧾 Allowlist\nChannel: %s (account %s)\n", ch, r.account)
	fmt.Fprintf(&b, "DM policy: %s\nDM allowFrom (config): %s\nPaired allowFrom (store): %s\n", sec.DMPolicy, show(sec.AllowFrom), show(paired))
	fmt.Fprintf(&b, "Group policy: %s\nGroup allowFrom (config): %s", sec.GroupPolicy, show(sec.GroupAllowFrom))
	return b.String(), nil
}

func (c *Control) allowChange(ctx context.Context, env command.Env, ch id.Channel, r allowRequest, entry string) (string, error) {
	c.edit.Lock()
	defer c.edit.Unlock()
	before, err := c.load(ctx)
	switch {
	case err != nil:
		return "", err
	case r.file && !before.Valid():
		return "", fault.New(fault.Invalid, "command.allowlist", "The configuration file is invalid. On the gateway's host: openclaw doctor")
	}
	path := allowPath(before, ch, r)
	if denied := mayWrite(before, env, scope{channel: string(ch), account: string(r.account)}); denied != "" {
		return denied, nil
	}
	kind, _ := c.Kind(ch)
	same := func(have string) bool {
		return have == entry || kind.Normalize != nil && kind.Normalize(have) == entry
	}
	var where []string
	if r.file {
		changed, err := c.allowFile(ctx, before, path, r, entry, same)
		if err != nil {
			return "", fault.New(fault.Invalid, "command.allowlist", "Nothing was changed: "+refusal(err).Error())
		}
		if changed {
			where = append(where, "config")
		}
	}
	if r.store {
		change := c.Allowed.Allow
		if r.action == "remove" {
			change = c.Allowed.Disallow
		}
		changed, err := change(ctx, ch, r.account, id.Peer(entry))
		if err != nil {
			return "", err
		}
		if changed {
			where = append(where, "store")
		}
	}
	done := map[string]string{"add": "added to", "remove": "removed from"}[r.action]
	list := map[bool]string{true: "group", false: "DM"}[r.group] + " allowlist"
	if len(where) == 0 {
		return "✅ Nothing to change: " + text.Ellipsis(entry, 80) + map[string]string{"add": " is already on the ", "remove": " isn't on the "}[r.action] + list + ".", nil
	}
	return fmt.Sprintf("✅ %s %s the %s (%s).", text.Ellipsis(entry, 80), done, list, strings.Join(where, ", ")), nil
}

// allowFile changes the list of the file.
func (c *Control) allowFile(ctx context.Context, before *config.Loaded, path []string, r allowRequest, entry string, same func(string) bool) (changed bool, err error) {
	var have []json.RawMessage // ids may have more digits than a number keeps
	var root *jsonc.Node
	if before.Doc != nil {
		root = before.Doc.Root
	}
	if n := root.Find(path...); n != nil {
		if err := json.Unmarshal(n.JSON(), &have); err != nil {
			return false, fault.New(fault.Invalid, "command.allowlist", strings.Join(path, ".")+" isn't a list in the file itself; change it there")
		}
	}
	next := slices.DeleteFunc(slices.Clone(have), func(raw json.RawMessage) bool {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		return same(s)
	})
	if r.action == "add" {
		if len(next) < len(have) {
			return false, nil
		}
		raw, err := json.Marshal(entry)
		if err != nil {
			return false, err
		}
		next = append(next, raw)
	} else if len(next) == len(have) {
		return false, nil
	}
	raw, err := json.Marshal(next)
	if err != nil {
		return false, err
	}
	f := c.File
	if before.Exists {
		f.BaseHash = before.Hash
	}
	saved, err := f.Set(ctx, strings.Join(path, "."), raw)
	if err != nil {
		return false, err
	}
	c.saved(ctx, nil, "/allowlist "+r.action, before, saved)
	return true, nil
}
