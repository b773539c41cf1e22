package google_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/google"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

func ask(t *testing.T, cfg provider.Config) providertest.Outcome {
	t.Helper()
	cfg.Getenv = os.Getenv
	c := provider.NewClient()
	t.Cleanup(c.CloseIdleConnections)
	p, err := google.Vertex().New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return providertest.Collect(t.Context(), t, p, llm.Request{Model: model("gemini-1"), Messages: []llm.Message{{Role: llm.User, Content: llm.Content{llm.Text("x")}}}})
}

// cloud is Vertex AI, the token endpoint and the metadata server.
type cloud struct {
	t      *testing.T
	key    *rsa.PublicKey
	tokens atomic.Int32
	refuse bool
	path   atomic.Value
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/token":
		n := c.tokens.Add(1)
		body, _ := io.ReadAll(r.Body)
		if c.refuse {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`)
			return
		}
		if c.key != nil && !c.signed(string(body)) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, `{"access_token":"t%d","expires_in":3600}`, n)
	case "/computeMetadata/v1/instance/service-accounts/default/token":
		if r.Header.Get("Metadata-Flavor") != "Google" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"access_token":"t1","expires_in":3600}`)
	case "/computeMetadata/v1/project/project-id":
		_, _ = io.WriteString(w, "machine-project")
	default:
		if r.Header.Get("Authorization") != "Bearer t1" && r.Header.Get("X-Goog-Api-Key") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		c.path.Store(r.URL.Path)
		_, _ = io.WriteString(w, `{"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
	}
}

func (c *cloud) signed(form string) bool {
	_, jwt, _ := strings.Cut(form, "assertion=")
	jwt, _, _ = strings.Cut(jwt, "&")
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return false
	}
	sig, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	return rsa.VerifyPKCS1v15(c.key, crypto.SHA256, sum[:], sig) == nil && strings.Contains(string(claims), `"iss":"robot@example.com"`)
}

// clean hides what the host has of Google's.
func clean(t *testing.T) {
	t.Helper()
	for _, k := range []string{"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION", "GCE_METADATA_HOST"} {
		t.Setenv(k, "")
	}
	t.Setenv("CLOUDSDK_CONFIG", t.TempDir())
}

func TestServiceAccount(t *testing.T) {
	clean(t)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	c := &cloud{t: t, key: &key.PublicKey}
	url := providertest.Serve(t, c.ServeHTTP)
	file, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "own-project", "client_email": "robot@example.com", "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": url + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", name)
	const path = "/v1/projects/own-project/locations/global/publishers/google/models/gemini-1:streamGenerateContent"
	if o := ask(t, provider.Config{ID: "test", BaseURL: url}); o.Err != nil || c.path.Load() != path {
		t.Errorf("by file: %v, asked %v", o.Err, c.path.Load())
	}
	c.tokens.Store(0)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "named")
	t.Setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")
	if o := ask(t, provider.Config{ID: "test", BaseURL: url, APIKey: string(file)}); o.Err != nil || c.path.Load() != "/v1/projects/named/locations/europe-west4/publishers/google/models/gemini-1:streamGenerateContent" {
		t.Errorf("in place: %v, asked %v", o.Err, c.path.Load())
	}
}

func TestLogin(t *testing.T) {
	clean(t)
	c := &cloud{t: t}
	url := providertest.Serve(t, c.ServeHTTP)
	dir := t.TempDir()
	t.Setenv("CLOUDSDK_CONFIG", dir)
	file := `{"type":"authorized_user","client_id":"i","client_secret":"s","refresh_token":"rrrrrrrr","quota_project_id":"mine","token_uri":"` + url + `/token"}`
	if err := os.WriteFile(filepath.Join(dir, "application_default_credentials.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := ask(t, provider.Config{ID: "test", BaseURL: url}); o.Err != nil || !strings.Contains(fmt.Sprint(c.path.Load()), "/projects/mine/") {
		t.Errorf("a person's login: %v, asked %v", o.Err, c.path.Load())
	}
	c.refuse = true
	o := ask(t, provider.Config{ID: "test", BaseURL: url})
	if fault.KindOf(o.Err) != fault.Unauthenticated || !strings.Contains(fault.Hint(o.Err), "gcloud auth application-default login") || strings.Contains(o.Err.Error(), "rrrrrrrr") {
		t.Errorf("a login that ended: %v", o.Err)
	}
}

func TestMetadata(t *testing.T) {
	clean(t)
	c := &cloud{t: t}
	url := providertest.Serve(t, c.ServeHTTP)
	t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(url, "http://"))
	if o := ask(t, provider.Config{ID: "test", BaseURL: url, APIKey: "<authenticated>"}); o.Err != nil || !strings.Contains(fmt.Sprint(c.path.Load()), "/projects/machine-project/") {
		t.Errorf("metadata: %v, asked %v", o.Err, c.path.Load())
	}
	t.Setenv("GCE_METADATA_HOST", "127.0.0.1:1")
	o := ask(t, provider.Config{ID: "test", BaseURL: url})
	if fault.KindOf(o.Err) != fault.Unauthenticated || !strings.Contains(fault.Hint(o.Err), "GOOGLE_APPLICATION_CREDENTIALS") {
		t.Errorf("no credential: %v", o.Err)
	}
}

func TestExpress(t *testing.T) {
	clean(t)
	c := &cloud{t: t}
	url := providertest.Serve(t, c.ServeHTTP)
	if o := ask(t, provider.Config{ID: "test", BaseURL: url, APIKey: "AIza-express"}); o.Err != nil || c.path.Load() != "/v1/publishers/google/models/gemini-1:streamGenerateContent" {
		t.Errorf("express: %v, asked %v", o.Err, c.path.Load())
	}
	bad := fmt.Sprintf(`{"type":"service_account","client_email":"r","private_key":"x","token_uri":"%s"}`, "http://evil.example/token")
	if o := ask(t, provider.Config{ID: "test", BaseURL: url, APIKey: bad}); fault.KindOf(o.Err) != fault.Unauthenticated {
		t.Errorf("a broken key: %v", o.Err)
	}
	t.Setenv("GOOGLE_CLOUD_LOCATION", "evil.example/")
	if _, err := google.Vertex().New(http.DefaultClient, provider.Config{ID: "test", Getenv: os.Getenv}); err == nil {
		t.Error("a location that is an address: no error")
	}
}
