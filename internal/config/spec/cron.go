package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Cron is cron.
type Cron struct {
	Enabled            bool                   `json:"enabled"`
	Store              string                 `json:"store"`
	MaxConcurrentRuns  settings.Positive      `json:"maxConcurrentRuns"`
	Retry              CronRetry              `json:"retry"`
	Webhook            string                 `json:"webhook" schema:"format=uri"`
	WebhookToken       settings.Secret        `json:"webhookToken"`
	SessionRetention   any                    `json:"sessionRetention" schema:"is=string|false"`
	RunLog             CronRunLog             `json:"runLog"`
	FailureAlert       CronFailureAlert       `json:"failureAlert"`
	FailureDestination CronFailureDestination `json:"failureDestination"`
}

// CronRetry is cron.retry.
type CronRetry struct {
	MaxAttempts int                `json:"maxAttempts" schema:"minimum=0,maximum=10"`
	BackoffMs   []settings.Natural `json:"backoffMs" schema:"minItems=1,maxItems=10"`
	RetryOn     []string           `json:"retryOn" schema:"minItems=1,items.values=rate_limit|overloaded|network|timeout|server_error"`
}

// CronRunLog is cron.runLog.
type CronRunLog struct {
	MaxBytes  settings.ID       `json:"maxBytes"`
	KeepLines settings.Positive `json:"keepLines"`
}

// CronFailureAlert is cron.failureAlert.
type CronFailureAlert struct {
	Enabled    bool             `json:"enabled"`
	After      int              `json:"after" schema:"minimum=1,maximum=9007199254740991"`
	CooldownMs settings.Natural `json:"cooldownMs"`
	Mode       string           `json:"mode" schema:"values=announce|webhook"`
	AccountID  string           `json:"accountId"`
}

// CronFailureDestination is cron.failureDestination.
type CronFailureDestination struct {
	Channel   string `json:"channel"`
	To        string `json:"to"`
	AccountID string `json:"accountId"`
	Mode      string `json:"mode" schema:"values=announce|webhook"`
}
