package settings

// TTS is tts of messages, and of voice channels.
type TTS struct {
	Auto           string            `json:"auto" schema:"values=off|always|inbound|tagged"`
	Enabled        bool              `json:"enabled"`
	Mode           string            `json:"mode" schema:"values=final|all"`
	Provider       string            `json:"provider" schema:"values=elevenlabs|openai|edge"`
	SummaryModel   string            `json:"summaryModel"`
	ModelOverrides TTSModelOverrides `json:"modelOverrides"`
	ElevenLabs     TTSElevenLabs     `json:"elevenlabs"`
	OpenAI         TTSOpenAI         `json:"openai"`
	Edge           TTSEdge           `json:"edge"`
	PrefsPath      string            `json:"prefsPath"`
	MaxTextLength  int               `json:"maxTextLength" schema:"minimum=1,maximum=9007199254740991"`
	TimeoutMs      int               `json:"timeoutMs" schema:"minimum=1000,maximum=120000"`
}

// TTSModelOverrides is modelOverrides of TTS.
type TTSModelOverrides struct {
	Enabled            bool `json:"enabled"`
	AllowText          bool `json:"allowText"`
	AllowProvider      bool `json:"allowProvider"`
	AllowVoice         bool `json:"allowVoice"`
	AllowModelID       bool `json:"allowModelId"`
	AllowVoiceSettings bool `json:"allowVoiceSettings"`
	AllowNormalization bool `json:"allowNormalization"`
	AllowSeed          bool `json:"allowSeed"`
}

// TTSElevenLabs is elevenlabs of TTS.
type TTSElevenLabs struct {
	APIKey                 Secret           `json:"apiKey"`
	BaseURL                string           `json:"baseUrl"`
	VoiceID                string           `json:"voiceId"`
	ModelID                string           `json:"modelId"`
	Seed                   int              `json:"seed" schema:"minimum=0,maximum=4294967295"`
	ApplyTextNormalization string           `json:"applyTextNormalization" schema:"values=auto|on|off"`
	LanguageCode           string           `json:"languageCode"`
	VoiceSettings          TTSVoiceSettings `json:"voiceSettings"`
}

// TTSOpenAI is openai of TTS.
type TTSOpenAI struct {
	APIKey       Secret  `json:"apiKey"`
	BaseURL      string  `json:"baseUrl"`
	Model        string  `json:"model"`
	Voice        string  `json:"voice"`
	Speed        float64 `json:"speed" schema:"minimum=0.25,maximum=4"`
	Instructions string  `json:"instructions"`
}

// TTSEdge is edge of TTS.
type TTSEdge struct {
	Enabled       bool   `json:"enabled"`
	Voice         string `json:"voice"`
	Lang          string `json:"lang"`
	OutputFormat  string `json:"outputFormat"`
	Pitch         string `json:"pitch"`
	Rate          string `json:"rate"`
	Volume        string `json:"volume"`
	SaveSubtitles bool   `json:"saveSubtitles"`
	Proxy         string `json:"proxy"`
	TimeoutMs     int    `json:"timeoutMs" schema:"minimum=1000,maximum=120000"`
}

// TTSVoiceSettings is elevenlabs.voiceSettings of TTS.
type TTSVoiceSettings struct {
	Stability       float64 `json:"stability" schema:"minimum=0,maximum=1"`
	SimilarityBoost float64 `json:"similarityBoost" schema:"minimum=0,maximum=1"`
	Style           float64 `json:"style" schema:"minimum=0,maximum=1"`
	UseSpeakerBoost bool    `json:"useSpeakerBoost"`
	Speed           float64 `json:"speed" schema:"minimum=0.5,maximum=2"`
}
