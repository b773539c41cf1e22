package settings

import (
	"github.com/openclaw-go/openclaw/internal/base/jsonschema"
)

// Secret is a text that must not be seen: itself, or where to get it.
type Secret = jsonschema.AnyOf[string, SecretRef]

// SecretRef says where to get a secret.
type SecretRef = jsonschema.OneOf3[EnvRef, FileRef, ExecRef]

// EnvRef is the form of Secret that names an environment variable.
type EnvRef struct {
	Source   string `json:"source" schema:"required,const=env"`
	Provider string `json:"provider" schema:"required,pattern=^[a-z][a-z0-9_-]{0,63}$"`
	ID       string `json:"id" schema:"required,pattern=^[A-Z][A-Z0-9_]{0,127}$"`
}

// FileRef is the form of Secret that names a place in a file.
type FileRef struct {
	Source   string `json:"source" schema:"required,const=file"`
	Provider string `json:"provider" schema:"required,pattern=^[a-z][a-z0-9_-]{0,63}$"`
	ID       string `json:"id" schema:"required"`
}

// ExecRef is the form of Secret that asks a program.
type ExecRef struct {
	Source   string `json:"source" schema:"required,const=exec"`
	Provider string `json:"provider" schema:"required,pattern=^[a-z][a-z0-9_-]{0,63}$"`
	ID       string `json:"id" schema:"required"`
}
