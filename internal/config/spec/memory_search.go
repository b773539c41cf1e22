package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// AgentsMemorySearch is agents.defaults.memorySearch.
type AgentsMemorySearch struct {
	Enabled              bool               `json:"enabled"`
	Sources              []string           `json:"sources" schema:"items.enum=memory|sessions"`
	ExtraPaths           []string           `json:"extraPaths"`
	Multimodal           AgentsMultimodal   `json:"multimodal"`
	Experimental         AgentsExperimental `json:"experimental"`
	Provider             string             `json:"provider" schema:"enum=openai|local|gemini|voyage|mistral|ollama"`
	Remote               AgentsRemote       `json:"remote"`
	Fallback             string             `json:"fallback" schema:"enum=openai|gemini|local|voyage|mistral|ollama|none"`
	Model                string             `json:"model"`
	OutputDimensionality settings.Positive  `json:"outputDimensionality"`
	Local                AgentsLocal        `json:"local"`
	Store                AgentsStore        `json:"store"`
	Chunking             AgentsChunking     `json:"chunking"`
	Sync                 AgentsSync         `json:"sync"`
	Query                AgentsQuery        `json:"query"`
	Cache                AgentsCache        `json:"cache"`
}

// AgentsMultimodal is agents.defaults.memorySearch.multimodal.
type AgentsMultimodal struct {
	Enabled      bool              `json:"enabled"`
	Modalities   []string          `json:"modalities" schema:"items.enum=image|audio|all"`
	MaxFileBytes settings.Positive `json:"maxFileBytes"`
}

// AgentsExperimental is agents.defaults.memorySearch.experimental.
type AgentsExperimental struct {
	SessionMemory bool `json:"sessionMemory"`
}

// AgentsRemote is agents.defaults.memorySearch.remote.
type AgentsRemote struct {
	BaseURL string            `json:"baseUrl"`
	APIKey  settings.Secret   `json:"apiKey"`
	Headers map[string]string `json:"headers"`
	Batch   AgentsBatch       `json:"batch"`
}

// AgentsLocal is agents.defaults.memorySearch.local.
type AgentsLocal struct {
	ModelPath     string `json:"modelPath"`
	ModelCacheDir string `json:"modelCacheDir"`
}

// AgentsStore is agents.defaults.memorySearch.store.
type AgentsStore struct {
	Driver string       `json:"driver" schema:"const=sqlite"`
	Path   string       `json:"path"`
	Vector AgentsVector `json:"vector"`
}

// AgentsChunking is agents.defaults.memorySearch.chunking.
type AgentsChunking struct {
	Tokens  settings.Positive `json:"tokens"`
	Overlap settings.Natural  `json:"overlap"`
}

// AgentsSync is agents.defaults.memorySearch.sync.
type AgentsSync struct {
	OnSessionStart  bool             `json:"onSessionStart"`
	OnSearch        bool             `json:"onSearch"`
	Watch           bool             `json:"watch"`
	WatchDebounceMs settings.Natural `json:"watchDebounceMs"`
	IntervalMinutes settings.Natural `json:"intervalMinutes"`
	Sessions        AgentsSessions   `json:"sessions"`
}

// AgentsQuery is agents.defaults.memorySearch.query.
type AgentsQuery struct {
	MaxResults settings.Positive `json:"maxResults"`
	MinScore   float64           `json:"minScore" schema:"minimum=0,maximum=1"`
	Hybrid     AgentsHybrid      `json:"hybrid"`
}

// AgentsCache is agents.defaults.memorySearch.cache.
type AgentsCache struct {
	Enabled    bool              `json:"enabled"`
	MaxEntries settings.Positive `json:"maxEntries"`
}

// AgentsBatch is agents.defaults.memorySearch.remote.batch.
type AgentsBatch struct {
	Enabled        bool              `json:"enabled"`
	Wait           bool              `json:"wait"`
	Concurrency    settings.Positive `json:"concurrency"`
	PollIntervalMs settings.Natural  `json:"pollIntervalMs"`
	TimeoutMinutes settings.Positive `json:"timeoutMinutes"`
}

// AgentsVector is agents.defaults.memorySearch.store.vector.
type AgentsVector struct {
	Enabled       bool   `json:"enabled"`
	ExtensionPath string `json:"extensionPath"`
}

// AgentsSessions is agents.defaults.memorySearch.sync.sessions.
type AgentsSessions struct {
	DeltaBytes          settings.Natural `json:"deltaBytes"`
	DeltaMessages       settings.Natural `json:"deltaMessages"`
	PostCompactionForce bool             `json:"postCompactionForce"`
}

// AgentsHybrid is agents.defaults.memorySearch.query.hybrid.
type AgentsHybrid struct {
	Enabled             bool                `json:"enabled"`
	VectorWeight        float64             `json:"vectorWeight" schema:"minimum=0,maximum=1"`
	TextWeight          float64             `json:"textWeight" schema:"minimum=0,maximum=1"`
	CandidateMultiplier settings.Positive   `json:"candidateMultiplier"`
	MMR                 AgentsMMR           `json:"mmr"`
	TemporalDecay       AgentsTemporalDecay `json:"temporalDecay"`
}

// AgentsMMR is agents.defaults.memorySearch.query.hybrid.mmr.
type AgentsMMR struct {
	Enabled bool    `json:"enabled"`
	Lambda  float64 `json:"lambda" schema:"minimum=0,maximum=1"`
}

// AgentsTemporalDecay is agents.defaults.memorySearch.query.hybrid.temporalDecay.
type AgentsTemporalDecay struct {
	Enabled      bool              `json:"enabled"`
	HalfLifeDays settings.Positive `json:"halfLifeDays"`
}
