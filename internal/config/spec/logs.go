package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Diagnostics is diagnostics.
type Diagnostics struct {
	Enabled            bool                  `json:"enabled"`
	Flags              []string              `json:"flags"`
	StuckSessionWarnMs settings.Positive     `json:"stuckSessionWarnMs"`
	OTel               DiagnosticsOTel       `json:"otel"`
	CacheTrace         DiagnosticsCacheTrace `json:"cacheTrace"`
}

// DiagnosticsOTel is diagnostics.otel.
type DiagnosticsOTel struct {
	Enabled         bool              `json:"enabled"`
	Endpoint        string            `json:"endpoint"`
	Protocol        string            `json:"protocol" schema:"enum=http/protobuf|grpc"`
	Headers         map[string]string `json:"headers"`
	ServiceName     string            `json:"serviceName"`
	Traces          bool              `json:"traces"`
	Metrics         bool              `json:"metrics"`
	Logs            bool              `json:"logs"`
	SampleRate      float64           `json:"sampleRate" schema:"minimum=0,maximum=1"`
	FlushIntervalMs settings.Natural  `json:"flushIntervalMs"`
}

// DiagnosticsCacheTrace is diagnostics.cacheTrace.
type DiagnosticsCacheTrace struct {
	Enabled         bool   `json:"enabled"`
	FilePath        string `json:"filePath"`
	IncludeMessages bool   `json:"includeMessages"`
	IncludePrompt   bool   `json:"includePrompt"`
	IncludeSystem   bool   `json:"includeSystem"`
}

// Logging is logging.
type Logging struct {
	Level           string            `json:"level" schema:"enum=silent|fatal|error|warn|info|debug|trace"`
	File            string            `json:"file"`
	MaxFileBytes    settings.Positive `json:"maxFileBytes"`
	ConsoleLevel    string            `json:"consoleLevel" schema:"enum=silent|fatal|error|warn|info|debug|trace"`
	ConsoleStyle    string            `json:"consoleStyle" schema:"enum=pretty|compact|json"`
	RedactSensitive string            `json:"redactSensitive" schema:"enum=off|tools"`
	RedactPatterns  []string          `json:"redactPatterns"`
}
