package google

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// vertex is the address and the credential of Vertex AI.
type vertex struct {
	id       string // of the provider
	base     string // ends before /v1, or holds a project
	location string
	project  string // "" until the credential tells it
	key      string // of express mode, or a token; then nothing below is used
	tokens   *tokens
}

// newVertex finds out where Vertex AI is. The location is in the address or in
// the environment, the project in the environment or in the credential.
func newVertex(c *http.Client, cfg provider.Config) (*vertex, error) {
	v := &vertex{id: cfg.ID, base: strings.TrimSuffix(strings.TrimRight(cfg.BaseURL, "/"), "/v1")}
	host := provider.Host(cfg.BaseURL)
	v.location = strings.TrimSuffix(strings.TrimSuffix(host, "aiplatform.googleapis.com"), "-")
	if v.location == host || v.location == "" {
		v.location = cmp.Or(cfg.Env("GOOGLE_CLOUD_LOCATION"), cfg.Env("GOOGLE_CLOUD_REGION"), "global")
	}
	if strings.Trim(v.location, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil, fault.New(fault.Invalid, "google.New", cfg.ID+": GOOGLE_CLOUD_LOCATION isn't the name of a location, like us-central1")
	}
	if host == "" || host == "aiplatform.googleapis.com" && v.location != "global" {
		v.base = "https://aiplatform.googleapis.com"
		if v.location != "global" {
			v.base = "https://" + v.location + "-aiplatform.googleapis.com"
		}
	}
	v.project = cmp.Or(cfg.Env("GOOGLE_CLOUD_PROJECT"), cfg.Env("GCLOUD_PROJECT"))
	switch key := strings.TrimSpace(cfg.APIKey); {
	case strings.HasPrefix(key, "{"): // the file of a service account, in place
		v.tokens = newTokens(c, cfg, []byte(key))
	case isMark(key):
		v.tokens = newTokens(c, cfg, nil)
	default:
		v.key = key
	}
	return v, nil
}

// isMark tells whether key only says that the credential is elsewhere.
func isMark(key string) bool {
	return key == "" || strings.HasPrefix(key, "<") || key == "gcp-vertex-credentials"
}

func (v *vertex) forget() {
	if v.tokens != nil {
		v.tokens.forget()
	}
}

// address is where method of a model is called, and with what header.
func (v *vertex) address(ctx context.Context, header http.Header, model, method string) (string, http.Header, error) {
	path := "/publishers/google/models/" + escaped(strings.TrimPrefix(model, "google/")) + ":" + method
	if strings.Contains(model, "publishers/") {
		path = "/" + escaped(model) + ":" + method
	}
	project := v.project
	if v.tokens != nil {
		token, own, err := v.tokens.get(ctx)
		if err != nil {
			return "", nil, err
		}
		project = cmp.Or(project, own)
		header = header.Clone()
		header.Set("Authorization", "Bearer "+token)
	}
	switch {
	case strings.Contains(v.base, "/projects/"):
		return provider.Join(v.base, path), header, nil
	case v.key != "" && header.Get("X-Goog-Api-Key") != "": // express mode knows the project by the key
		return provider.Join(v.base, "/v1"+path), header, nil
	case project == "":
		return "", nil, fault.New(fault.Invalid, op, v.id+": the project isn't known; set GOOGLE_CLOUD_PROJECT")
	}
	return provider.Join(v.base, "/v1/projects/"+url.PathEscape(project)+"/locations/"+v.location+path), header, nil
}
