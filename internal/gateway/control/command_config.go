package control

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/config"
)

// mostShown bounds what of the configuration is shown in a chat, in bytes.
const mostShown = 3000

// cmdConfig shows and changes the configuration file: show [path], get path,
// set path=value, unset path. Secrets are never shown.
func (c *Control) cmdConfig(ctx context.Context, env command.Env, args string) (string, error) {
	if !c.Config().Commands.Config {
		return "⚠️ /config is disabled. Set commands.config=true to enable.", nil
	}
	action, rest, _ := strings.Cut(args, " ")
	rest = strings.TrimSpace(rest)
	c.edit.Lock()
	defer c.edit.Unlock()
	before, err := c.load(ctx)
	if err != nil {
		return "", err
	}
	switch action = strings.ToLower(action); {
	case action == "" || action == "show" || action == "get":
		return c.configShown(before, rest)
	case action != "set" && action != "unset" || rest == "":
		return "Usage: /config show [path], /config get <path>, /config set <path>=<value>, /config unset <path>", nil
	case !before.Valid():
		return "", fault.New(fault.Invalid, "command.config", "The configuration file is invalid. On the gateway's host: openclaw doctor")
	}
	if denied := mayWrite(before, env, pathScope(rest)); denied != "" {
		return denied, nil
	}
	f := c.File
	if before.Exists {
		f.BaseHash = before.Hash
	}
	path, value := rest, ""
	var saved config.Saved
	if action == "unset" {
		saved, err = f.Unset(ctx, path)
	} else {
		if i := strings.IndexAny(rest, "= "); i > 0 {
			path, value = rest[:i], strings.TrimSpace(rest[i+1:])
		}
		if value == "" {
			return "Usage: /config set <path>=<value>", nil
		}
		saved, err = f.Set(ctx, path, literal(value))
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "command.config", "Nothing was changed: "+refusal(err).Error())
	}
	c.saved(ctx, nil, "/config "+action, before, saved)
	if action == "unset" {
		return "⚙️ Config updated: " + path + " removed.", nil
	}
	return "⚙️ Config updated: " + path + ".", nil
}

// configShown is the file, or what stands at a path in it, without secrets.
func (c *Control) configShown(l *config.Loaded, path string) (string, error) {
	if l.Doc == nil || l.Doc.Root == nil {
		return "The configuration file is empty.", nil
	}
	n := config.Redact(l.Doc.Root)
	if path != "" {
		p, err := config.ParseKeyPath(path)
		if err != nil {
			return "", err
		}
		if n = p.At(n); n == nil {
			return "⚙️ No config value at " + text.Ellipsis(path, 80) + ".", nil
		}
	}
	return "⚙️ Config " + path + "\n```json\n" + text.Ellipsis(string(n.Indented()), mostShown) + "\n```", nil
}

// literal is a value as people type it: JSON5, or else a string.
func literal(s string) []byte {
	if _, err := jsonc.Parse("value", []byte(s)); err == nil {
		return []byte(s)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return []byte(s)
	}
	return raw
}
