package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Audio is audio.
type Audio struct {
	Transcription AudioTranscription `json:"transcription"`
}

// AudioTranscription is audio.transcription.
type AudioTranscription struct {
	Command        []string          `json:"command" schema:"required"`
	TimeoutSeconds settings.Positive `json:"timeoutSeconds"`
}

// Media is media.
type Media struct {
	PreserveFilenames bool `json:"preserveFilenames"`
	TTLHours          int  `json:"ttlHours" schema:"minimum=1,maximum=168"`
}
