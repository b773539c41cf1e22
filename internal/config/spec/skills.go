package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Skills is skills.
type Skills struct {
	AllowBundled []string               `json:"allowBundled"`
	Load         SkillsLoad             `json:"load"`
	Install      SkillsInstall          `json:"install"`
	Limits       SkillsLimits           `json:"limits"`
	Entries      map[string]SkillsEntry `json:"entries"`
}

// SkillsLoad is skills.load.
type SkillsLoad struct {
	ExtraDirs       []string         `json:"extraDirs"`
	Watch           bool             `json:"watch"`
	WatchDebounceMs settings.Natural `json:"watchDebounceMs"`
}

// SkillsInstall is skills.install.
type SkillsInstall struct {
	PreferBrew  bool   `json:"preferBrew"`
	NodeManager string `json:"nodeManager" schema:"enum=npm|pnpm|yarn|bun"`
}

// SkillsLimits is skills.limits.
type SkillsLimits struct {
	MaxCandidatesPerRoot     int              `json:"maxCandidatesPerRoot" schema:"minimum=1,maximum=9007199254740991"`
	MaxSkillsLoadedPerSource int              `json:"maxSkillsLoadedPerSource" schema:"minimum=1,maximum=9007199254740991"`
	MaxSkillsInPrompt        settings.Natural `json:"maxSkillsInPrompt"`
	MaxSkillsPromptChars     settings.Natural `json:"maxSkillsPromptChars"`
	MaxSkillFileBytes        settings.Natural `json:"maxSkillFileBytes"`
}

// SkillsEntry is skills.entries.<name>.
type SkillsEntry struct {
	Enabled bool              `json:"enabled"`
	APIKey  settings.Secret   `json:"apiKey"`
	Env     map[string]string `json:"env"`
	Config  map[string]any    `json:"config"`
}
