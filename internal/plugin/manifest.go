// Package plugin runs channels that are programs of their own.
//
// A plugin is a directory with a manifest, openclaw.plugin.json, which is read
// and judged before any of its code runs. For each account the host starts the
// plugin's program and speaks JSON-RPC 2.0 with it, one object a line, over its
// standard input and output. So what happens in one program, a crash too, is a
// matter of that account alone. docs/plugins.md has the protocol.
//
// Start at [Kinds]: it turns what [Find] found into networks like those that
// are built in. account is one of them, process one life of its program, and
// conn the lines between.
package plugin

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// Manifest is openclaw.plugin.json.
type Manifest struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Protocol int      `json:"protocol"`
	Program  string   `json:"program"` // below the plugin's directory
	Args     []string `json:"args,omitempty"`

	Channels     []Channel       `json:"channels"`
	ConfigSchema json.RawMessage `json:"configSchema,omitempty"` // of plugins.entries.<id>.config

	Dir string `json:"-"` // where it was found
}

// Channel is one network that a plugin brings.
type Channel struct {
	ID     id.Channel `json:"id"`
	Label  string     `json:"label"`
	Format string     `json:"format,omitempty"` // how texts are rendered for it; see dialect
	IDs    string     `json:"ids,omitempty"`    // grammar of its allow lists: "" or "whatsapp"
	Limits Limits     `json:"limits,omitzero"`
	// Can lists what it does beside receiving and sending: typing, react, edit,
	// delete, fetch, login.
	Can          []string        `json:"can,omitempty"`
	ConfigSchema json.RawMessage `json:"configSchema,omitempty"` // of an account's section
}

// Limits are [channel.Limits] as a manifest says them.
type Limits struct {
	Text       int    `json:"text,omitempty"`
	Unit       string `json:"unit,omitempty"` // utf16, bytes, runes
	Idempotent bool   `json:"idempotent,omitempty"`
	Media      int64  `json:"media,omitempty"`
	Polls      bool   `json:"polls,omitempty"`
	Voice      bool   `json:"voice,omitempty"`
}

const (
	manifestName = "openclaw.plugin.json"
	protocol     = 1
	manifestMax  = 256 << 10
	channelsMax  = 16
	argsMax      = 64
)

var (
	goodID      = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	goodVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$`)
)

// Load reads the manifest of the plugin in dir. It runs nothing.
func Load(dir string) (Manifest, error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return Manifest{}, fault.Wrap(fault.NotFound, "plugin.Load", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, manifestMax+1))
	if err != nil {
		return Manifest{}, fault.Wrap(fault.Unavailable, "plugin.Load", err)
	}
	m, err := Parse(raw)
	m.Dir = dir
	return m, err
}

// Parse reads and judges a manifest.
func Parse(raw []byte) (Manifest, error) {
	var m Manifest
	if len(raw) > manifestMax {
		return m, bad("the manifest is larger than 256 KiB")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, &fault.Error{Kind: fault.Invalid, Op: "plugin.Parse", Hint: "the manifest can't be read", Err: err}
	}
	if _, err := dec.Token(); err != io.EOF {
		return m, bad("there is more than one value in the manifest")
	}
	return m, m.check()
}

func (m Manifest) check() error {
	switch {
	case !goodID.MatchString(m.ID):
		return bad("id must be lower-case letters, digits, - and _")
	case m.Name == "" || len(m.Name) > 100:
		return bad("name is missing or too long")
	case !goodVersion.MatchString(m.Version):
		return bad("version is missing or isn't one")
	case m.Protocol != protocol:
		return bad("it speaks another protocol than 1: get the plugin's version for this program")
	case !localPath(m.Program):
		return bad("program must be a path below the plugin's directory")
	case len(m.Args) > argsMax:
		return bad("too many args")
	case len(m.Channels) == 0 || len(m.Channels) > channelsMax:
		return bad("channels must list 1 to 16 networks")
	}
	for _, a := range m.Args {
		if len(a) > 4096 || strings.ContainsRune(a, 0) {
			return bad("one of args is too long or has a NUL in it")
		}
	}
	if _, err := parseSchema(m.ConfigSchema); err != nil {
		return err
	}
	seen := map[id.Channel]bool{}
	for _, c := range m.Channels {
		if seen[c.ID] {
			return bad("channels lists " + string(c.ID) + " twice")
		}
		seen[c.ID] = true
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Channel) check() error {
	if !goodID.MatchString(string(c.ID)) {
		return bad("a channel's id must be lower-case letters, digits, - and _")
	}
	if c.ID == "defaults" || c.ID == "modelbychannel" {
		return bad("a channel can't be named " + string(c.ID))
	}
	_, format := dialect(c.Format)
	_, unit := units(c.Limits.Unit)
	switch {
	case c.Label == "" || len(c.Label) > 100:
		return bad("a channel's label is missing or too long")
	case !format:
		return bad("a channel's format must be plain, markdown, whatsapp or irc")
	case !unit:
		return bad("a channel's limits.unit must be utf16, bytes or runes")
	case c.IDs != "" && c.IDs != "whatsapp":
		return bad(`a channel's ids must be "whatsapp" or left out`)
	case c.Limits.Text < 0 || c.Limits.Text > 0 && c.Limits.Text < 64 || c.Limits.Media < 0 || len(c.Can) > 32:
		return bad("a channel's limits or can are out of range")
	}
	_, err := parseSchema(c.ConfigSchema)
	return err
}

func units(s string) (channel.Unit, bool) {
	u, ok := map[string]channel.Unit{"": channel.UTF16, "utf16": channel.UTF16, "bytes": channel.Bytes, "runes": channel.Runes}[s]
	return u, ok
}

func localPath(p string) bool {
	return p != "" && filepath.IsLocal(filepath.FromSlash(p)) && !strings.ContainsRune(p, 0)
}

func bad(hint string) error { return fault.New(fault.Invalid, "plugin.manifest", hint) }
