package spec

// Plugins is plugins.
type Plugins struct {
	Enabled  bool                      `json:"enabled"`
	Allow    []string                  `json:"allow"`
	Deny     []string                  `json:"deny"`
	Load     PluginsLoad               `json:"load"`
	Slots    PluginsSlots              `json:"slots"`
	Entries  map[string]PluginEntry    `json:"entries"`
	Installs map[string]PluginsInstall `json:"installs"`
}

// PluginsLoad is plugins.load.
type PluginsLoad struct {
	Paths []string `json:"paths"`
}

// PluginsSlots is plugins.slots.
type PluginsSlots struct {
	Memory        string `json:"memory"`
	ContextEngine string `json:"contextEngine"`
}

// PluginEntry is plugins.entries.<name>.
type PluginEntry struct {
	Enabled bool           `json:"enabled"`
	Hooks   PluginsHooks   `json:"hooks"`
	Config  map[string]any `json:"config"`
}

// PluginsInstall is plugins.installs.<name>.
type PluginsInstall struct {
	Source          string `json:"source" schema:"required,enum=npm|archive|path"`
	Spec            string `json:"spec"`
	SourcePath      string `json:"sourcePath"`
	InstallPath     string `json:"installPath"`
	Version         string `json:"version"`
	ResolvedName    string `json:"resolvedName"`
	ResolvedVersion string `json:"resolvedVersion"`
	ResolvedSpec    string `json:"resolvedSpec"`
	Integrity       string `json:"integrity"`
	Shasum          string `json:"shasum"`
	ResolvedAt      string `json:"resolvedAt"`
	InstalledAt     string `json:"installedAt"`
}

// PluginsHooks is plugins.entries.<name>.hooks.
type PluginsHooks struct {
	AllowPromptInjection bool `json:"allowPromptInjection"`
}
