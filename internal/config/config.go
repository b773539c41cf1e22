// Package config is the configuration file: its core shape, its validation,
// its migrations and its watcher.
//
// Core sections are typed here, because the file is one public contract with
// one schema and one changelog. Sections that belong to an extension stay raw:
// channels.<id>, models.providers.<id> and plugins.entries.<id> are decoded by
// the package that owns them.
//
// What is decoded is what is read. All that may stand in the file is said by
// package spec, from whose types the schema here is generated; the sections of
// networks are described by the networks.
//
// Nobody keeps a *Config. A service takes a func returning its own section and
// calls it at the start of each piece of work, so an edit takes effect on the
// next message without a restart.
package config

import (
	"encoding/json"
	"sync/atomic"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/secret"
)

// Config is one immutable version of the file, includes and variables
// resolved, defaults filled in.
type Config struct {
	Agents    Agents                         `json:"agents"`
	Bindings  []Binding                      `json:"bindings"`
	Broadcast Broadcast                      `json:"broadcast"`
	Session   Session                        `json:"session"`
	Messages  Messages                       `json:"messages"`
	Commands  Commands                       `json:"commands"`
	Channels  map[id.Channel]json.RawMessage `json:"channels"`
	Models    Models                         `json:"models"`
	Gateway   Gateway                        `json:"gateway"`
	Tools     Tools                          `json:"tools"`
	Logging   Logging                        `json:"logging"`
	Cron      Cron                           `json:"cron"`
	Secrets   secret.Settings                `json:"secrets"`
	Plugins   json.RawMessage                `json:"plugins"`

	// Paths are where this configuration lives; they aren't part of the file.
	Paths Paths `json:"-"`

	lookup   func(string) string
	added    map[string]string
	source   []byte // resolved, before defaults
	resolver *secret.Resolver
}

// Cron is cron, as far as its lane is concerned.
type Cron struct {
	MaxConcurrentRuns int `json:"maxConcurrentRuns"`
}

// Paths are the places that the environment and --profile choose.
type Paths struct {
	Home   string // OPENCLAW_HOME, else the user's home
	State  string // OPENCLAW_STATE_DIR, else <home>/.openclaw
	Config string // OPENCLAW_CONFIG_PATH, else <state>/openclaw.json

	Profile string // --profile, --dev or OPENCLAW_PROFILE; empty for none
}

// Store holds the current version of the configuration.
type Store struct{ cur atomic.Pointer[Config] }

// NewStore returns a store whose current version is c.
func NewStore(c *Config) *Store {
	s := new(Store)
	s.cur.Store(c)
	return s
}

// Current returns the current version. The caller must not change it.
func (s *Store) Current() *Config { return s.cur.Load() }

// Replace makes c current.
func (s *Store) Replace(c *Config) { s.cur.Store(c) }
