package bedrock_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
	"github.com/openclaw-go/openclaw/internal/provider/bedrock"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

// clean hides what the host has of AWS's.
func clean(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		if k, _, _ := strings.Cut(kv, "="); strings.HasPrefix(k, "AWS_") {
			t.Setenv(k, "")
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// checked tells whether r carries the right signature of the keys.
func checked(t *testing.T, r *http.Request, body []byte, id, secret, token, region string) bool {
	t.Helper()
	auth := r.Header.Get("Authorization")
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || !strings.Contains(auth, "Credential="+id+"/") || !strings.Contains(auth, "/"+region+"/bedrock/aws4_request") {
		return false
	}
	_, names, _ := strings.Cut(auth, "SignedHeaders=")
	names, _, _ = strings.Cut(names, ",")
	again, err := http.NewRequestWithContext(t.Context(), r.Method, "http://"+r.Host+r.URL.RequestURI(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range r.Header {
		if slices.Contains(strings.Split(names, ";"), strings.ToLower(k)) {
			again.Header[k] = v
		}
	}
	again.ContentLength = int64(len(body))
	sum := sha256.Sum256(body)
	keys := aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: token}
	if err := v4.NewSigner().SignHTTP(t.Context(), keys, again, hex.EncodeToString(sum[:]), "bedrock", region, at); err != nil {
		t.Fatal(err)
	}
	return again.Header.Get("Authorization") == auth
}

// amazon checks who asks, and is the container's and the machine's metadata.
type amazon struct {
	t      *testing.T
	region string
	asked  []string
}

func (a *amazon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked = append(a.asked, r.URL.Path)
	doc := func(id string) {
		_, _ = fmt.Fprintf(w, `{"AccessKeyId":%q,"SecretAccessKey":"secret","Token":"token","Expiration":%q}`, id, time.Now().Add(time.Hour).Format(time.RFC3339))
	}
	switch r.URL.Path {
	case "/container":
		if r.Header.Get("Authorization") != "let-me-in" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		doc("CONTAINER")
	case "/latest/api/token":
		if r.Method != http.MethodPut || r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, "imds")
	case "/latest/meta-data/iam/security-credentials/", "/latest/meta-data/iam/security-credentials/role":
		if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "imds" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") {
			_, _ = io.WriteString(w, "role\n")
			return
		}
		doc("MACHINE")
	default:
		body, _ := io.ReadAll(r.Body)
		who := ""
		for id, k := range map[string][2]string{
			"ENVIRON": {"esecret", ""}, "SESSION": {"ssecret", "stoken"}, "PROFILE": {"psecret", "ptoken"}, "CONTAINER": {"secret", "token"}, "MACHINE": {"secret", "token"},
		} {
			if checked(a.t, r, body, id, k[0], k[1], a.region) {
				who = id
			}
		}
		if r.Header.Get("Authorization") == "Bearer bearer-key" {
			who = "BEARER"
		}
		if who == "" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"The request signature we calculated does not match"}`)
			return
		}
		w.Header().Set("Content-Type", streamType)
		_, _ = w.Write(frames(strings.Replace(answered, `"ok"`, `"`+who+`"`, 1)))
	}
}

func TestCredentials(t *testing.T) {
	profile := "[default]\nregion = eu-north-1\n\n[profile work]\nregion = eu-west-1 # here\ns3 =\n  region = wrong\n"
	secrets := "# mine\n[default]\naws_access_key_id = WRONG\naws_secret_access_key = wrong\n[work]\naws_access_key_id=PROFILE\naws_secret_access_key = psecret\naws_session_token = ptoken\n"
	for _, tt := range []struct {
		name, region, want string
		env                map[string]string
	}{
		{"environment", "us-west-2", "ENVIRON", map[string]string{"AWS_ACCESS_KEY_ID": "ENVIRON", "AWS_SECRET_ACCESS_KEY": "esecret", "AWS_REGION": "us-west-2"}},
		{"session", "ap-south-1", "SESSION", map[string]string{"AWS_ACCESS_KEY_ID": "SESSION", "AWS_SECRET_ACCESS_KEY": "ssecret", "AWS_SESSION_TOKEN": "stoken", "AWS_DEFAULT_REGION": "ap-south-1"}},
		{"profile", "eu-west-1", "PROFILE", map[string]string{"AWS_PROFILE": "work", "FILES": "yes"}},
		{"container", "us-east-1", "CONTAINER", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "URL/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "let-me-in"}},
		{"machine", "us-east-1", "MACHINE", map[string]string{"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "URL/"}},
		{"bearer", "us-east-1", "BEARER", map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "bearer-key", "AWS_ACCESS_KEY_ID": "ENVIRON", "AWS_SECRET_ACCESS_KEY": "esecret"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clean(t)
			url := providertest.Serve(t, (&amazon{t: t, region: tt.region}).ServeHTTP)
			if tt.env["FILES"] != "" {
				dir := t.TempDir()
				for name, text := range map[string]string{"config": profile, "credentials": secrets} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
				t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
			}
			for k, v := range tt.env {
				t.Setenv(k, strings.Replace(v, "URL", url, 1))
			}
			p := open(t, provider.Config{BaseURL: url, Raw: []byte(`{"auth":"aws-sdk"}`)})
			for range 2 {
				o := providertest.Collect(t.Context(), t, p, llm.Request{Model: model(claude), Messages: history()[1:2]})
				if o.Err != nil || o.Text != tt.want {
					t.Errorf("asked as %q, want %q (%v)", o.Text, tt.want, o.Err)
				}
			}
			if _, err := p.Models(t.Context()); tt.want != "BEARER" && fault.KindOf(err) == fault.Unauthenticated {
				t.Errorf("the list of models: %v", err)
			}
		})
	}
}

func TestNoCredentials(t *testing.T) {
	clean(t)
	o := providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: "http://127.0.0.1:1"}), llm.Request{Model: model(claude), Messages: history()[1:2]})
	if fault.KindOf(o.Err) != fault.Unauthenticated || !strings.Contains(fault.Hint(o.Err), "AWS_PROFILE") {
		t.Errorf("nothing there: %v", o.Err)
	}
	for env, want := range map[string]string{
		"http://evil.example/x":  "isn't an address of this host",
		"http://127.0.0.1:1/x":   "hands out no AWS credentials",
		"file:///etc/passwd":     "isn't an address of this host",
		"http://169.254.1.1/cfg": "isn't an address of this host",
	} {
		t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", env)
		o := providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: "http://127.0.0.1:1"}), llm.Request{Model: model(claude), Messages: history()[1:2]})
		if !strings.Contains(fault.Hint(o.Err), want) {
			t.Errorf("%s: %v, want %q", env, o.Err, want)
		}
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "")
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("[default]\nsso_session = x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONFIG_FILE", file)
	o = providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: "http://127.0.0.1:1"}), llm.Request{Model: model(claude), Messages: history()[1:2]})
	if !strings.Contains(fault.Hint(o.Err), "export-credentials") {
		t.Errorf("a login: %v", o.Err)
	}
	// The environment's key goes to its own service only.
	t.Setenv("AWS_CONFIG_FILE", "")
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer-key")
	o = providertest.Collect(t.Context(), t, open(t, provider.Config{BaseURL: "http://127.0.0.1:1"}), llm.Request{Model: model(claude), Messages: history()[1:2]})
	if fault.KindOf(o.Err) != fault.Unauthenticated {
		t.Errorf("another host was asked with the environment's key: %v", o.Err)
	}
	t.Setenv("AWS_REGION", "evil.example/")
	if _, err := bedrock.New(http.DefaultClient, provider.Config{ID: "test", Getenv: os.Getenv}); err == nil {
		t.Error("a region that is an address: no error")
	}
}
