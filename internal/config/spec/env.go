package spec

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
	"github.com/openclaw-go/openclaw/internal/base/settings"
)

// Env is env.
type Env struct {
	ShellEnv EnvShellEnv       `json:"shellEnv"`
	Vars     map[string]string `json:"vars"`

	Rest map[string]string `json:"-" schema:"rest"`
}

// EnvShellEnv is env.shellEnv.
type EnvShellEnv struct {
	Enabled   bool             `json:"enabled"`
	TimeoutMs settings.Natural `json:"timeoutMs"`
}

// Secrets is secrets.
type Secrets struct {
	Providers  map[string]jsonschema.OneOf3[EnvSecrets, FileSecrets, ExecSecrets] `json:"providers"`
	Defaults   SecretsDefaults                                                    `json:"defaults"`
	Resolution SecretsResolution                                                  `json:"resolution"`
}

// SecretsDefaults is secrets.defaults.
type SecretsDefaults struct {
	Env  string `json:"env" schema:"pattern=^[a-z][a-z0-9_-]{0,63}$"`
	File string `json:"file" schema:"pattern=^[a-z][a-z0-9_-]{0,63}$"`
	Exec string `json:"exec" schema:"pattern=^[a-z][a-z0-9_-]{0,63}$"`
}

// SecretsResolution is secrets.resolution.
type SecretsResolution struct {
	MaxProviderConcurrency int `json:"maxProviderConcurrency" schema:"exclusiveMinimum=0,maximum=16"`
	MaxRefsPerProvider     int `json:"maxRefsPerProvider" schema:"exclusiveMinimum=0,maximum=4096"`
	MaxBatchBytes          int `json:"maxBatchBytes" schema:"exclusiveMinimum=0,maximum=5242880"`
}

// EnvSecrets is secrets.providers.<name> for secrets in environment variables.
type EnvSecrets struct {
	Source    string   `json:"source" schema:"required,const=env"`
	Allowlist []string `json:"allowlist" schema:"maxItems=256,items.pattern=^[A-Z][A-Z0-9_]{0,127}$"`
}

// FileSecrets is secrets.providers.<name> for secrets in a file.
type FileSecrets struct {
	Source    string `json:"source" schema:"required,const=file"`
	Path      string `json:"path" schema:"required,minLength=1"`
	Mode      string `json:"mode" schema:"enum=singleValue|json"`
	TimeoutMs int    `json:"timeoutMs" schema:"exclusiveMinimum=0,maximum=120000"`
	MaxBytes  int    `json:"maxBytes" schema:"exclusiveMinimum=0,maximum=20971520"`
}

// ExecSecrets is secrets.providers.<name> for secrets that a program tells.
type ExecSecrets struct {
	Source              string            `json:"source" schema:"required,const=exec"`
	Command             string            `json:"command" schema:"required,minLength=1"`
	Args                []string          `json:"args" schema:"maxItems=128,items.maxLength=1024"`
	TimeoutMs           int               `json:"timeoutMs" schema:"exclusiveMinimum=0,maximum=120000"`
	NoOutputTimeoutMs   int               `json:"noOutputTimeoutMs" schema:"exclusiveMinimum=0,maximum=120000"`
	MaxOutputBytes      int               `json:"maxOutputBytes" schema:"exclusiveMinimum=0,maximum=20971520"`
	JSONOnly            bool              `json:"jsonOnly"`
	Env                 map[string]string `json:"env"`
	PassEnv             []string          `json:"passEnv" schema:"maxItems=128,items.pattern=^[A-Z][A-Z0-9_]{0,127}$"`
	TrustedDirs         []string          `json:"trustedDirs" schema:"maxItems=64,items.minLength=1"`
	AllowInsecurePath   bool              `json:"allowInsecurePath"`
	AllowSymlinkCommand bool              `json:"allowSymlinkCommand"`
}

// Auth is auth.
type Auth struct {
	Profiles  map[string]AuthProfile `json:"profiles"`
	Order     map[string][]string    `json:"order"`
	Cooldowns AuthCooldowns          `json:"cooldowns"`
}

// AuthCooldowns is auth.cooldowns.
type AuthCooldowns struct {
	BillingBackoffHours           float64            `json:"billingBackoffHours" schema:"exclusiveMinimum=0"`
	BillingBackoffHoursByProvider map[string]float64 `json:"billingBackoffHoursByProvider" schema:"each.exclusiveMinimum=0"`
	BillingMaxHours               float64            `json:"billingMaxHours" schema:"exclusiveMinimum=0"`
	FailureWindowHours            float64            `json:"failureWindowHours" schema:"exclusiveMinimum=0"`
}

// AuthProfile is auth.profiles.<name>.
type AuthProfile struct {
	Provider string `json:"provider" schema:"required"`
	Mode     string `json:"mode" schema:"required,enum=api_key|oauth|token"`
	Email    string `json:"email"`
}
