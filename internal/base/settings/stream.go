package settings

// Chunks says how a streamed answer is cut into messages.
type Chunks struct {
	MinChars        Positive `json:"minChars"`
	MaxChars        Positive `json:"maxChars"`
	BreakPreference string   `json:"breakPreference" schema:"enum=paragraph|newline|sentence"`
}

// Coalesce says how the pieces of a streamed answer are put together again.
type Coalesce struct {
	MinChars Positive `json:"minChars"`
	MaxChars Positive `json:"maxChars"`
	IdleMs   Natural  `json:"idleMs"`
}
