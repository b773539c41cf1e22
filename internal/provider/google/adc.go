package google

import (
	"cmp"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/provider"
)

const (
	tokenOp      = "google.token"
	scope        = "https://www.googleapis.com/auth/cloud-platform"
	tokenURL     = "https://oauth2.googleapis.com/token"
	maxFile      = 64 << 10
	tokenTime    = 20 * time.Second
	metadataTime = 3 * time.Second
	early        = 5 * time.Minute // a token is renewed so long before its end
)

// account is Google's file of a credential.
type account struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	QuotaProject string `json:"quota_project_id"`
	KeyID        string `json:"private_key_id"`
	Key          string `json:"private_key"`
	Email        string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
}

// tokens fetches access tokens and keeps the latest: from the file of a
// service account or of a person's login, else from the machine's metadata.
type tokens struct {
	client *http.Client
	id     string // of the provider
	inline []byte // a file given in place
	env    func(name string) string

	turn    chan struct{} // one fetches at a time; a buffer of one is its lock
	token   string
	project string
	expires time.Time
}

func newTokens(c *http.Client, cfg provider.Config, inline []byte) *tokens {
	return &tokens{client: c, id: cfg.ID, inline: inline, env: cfg.Env, turn: make(chan struct{}, 1)}
}

// get returns a token and the project that it belongs to, if known.
func (t *tokens) get(ctx context.Context) (token, project string, err error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return "", "", &fault.Error{Kind: fault.KindOf(ctx.Err()), Op: tokenOp, Hint: "stopped", Err: ctx.Err()}
	}
	defer func() { <-t.turn }()
	if t.token != "" && time.Until(t.expires) > early {
		return t.token, t.project, nil
	}
	if err := t.fetch(ctx); err != nil {
		return "", "", err
	}
	return t.token, t.project, nil
}

// forget lets the next call fetch anew.
func (t *tokens) forget() {
	t.turn <- struct{}{}
	t.token = ""
	<-t.turn
}

func (t *tokens) fetch(ctx context.Context) error {
	raw := t.inline
	if raw == nil {
		var err error
		if raw, err = credentialFile(t.env); err != nil {
			return t.bad(err.Error())
		}
	}
	if raw == nil {
		return t.metadata(ctx)
	}
	var a account
	if json.Unmarshal(raw, &a) != nil {
		return t.bad("the file of Google credentials can't be read")
	}
	form := url.Values{}
	switch a.Type {
	case "service_account":
		signed, err := assertion(&a, time.Now())
		if err != nil {
			return t.bad("the private key of the service account can't be used")
		}
		form.Set("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
		form.Set("assertion", signed)
	case "authorized_user":
		form.Set("grant_type", "refresh_token")
		form.Set("client_id", a.ClientID)
		form.Set("client_secret", a.ClientSecret)
		form.Set("refresh_token", a.RefreshToken)
	default:
		return t.bad("Google credentials of this type aren't supported; use a service account's key file")
	}
	t.project = cmp.Or(a.ProjectID, a.QuotaProject)
	at := cmp.Or(a.TokenURI, tokenURL)
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "https" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
		return t.bad("token_uri in the Google credentials isn't an https address")
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
	if err != nil {
		return t.bad("token_uri in the Google credentials isn't an address")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return t.ask(ctx, t.client, req, a.RefreshToken, form.Get("assertion"))
}

func (t *tokens) bad(what string) error {
	return fault.New(fault.Unauthenticated, tokenOp, t.id+": "+what)
}

// ask sends req and keeps the token of the answer.
func (t *tokens) ask(ctx context.Context, c *http.Client, req *http.Request, secrets ...string) error {
	res, err := c.Do(req)
	if err != nil {
		return provider.Unreachable(ctx, tokenOp, t.id, err)
	}
	defer func() { _ = res.Body.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxFile))
	if err != nil {
		return provider.Unreachable(ctx, tokenOp, t.id, err)
	}
	if res.StatusCode >= 400 && res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests {
		f := &provider.Failure{Provider: t.id, Reason: provider.ReasonAuth, Status: res.StatusCode, Message: provider.Redact(refusal(raw), secrets...)}
		return &fault.Error{Kind: fault.Unauthenticated, Op: tokenOp, Hint: t.id + ": Google refused the credential; run: gcloud auth application-default login", Err: f}
	}
	if res.StatusCode != http.StatusOK {
		return provider.Refused(tokenOp, t.id, res.StatusCode, res.Header, raw, secrets...)
	}
	var out struct {
		Token   string  `json:"access_token"`
		Expires float64 `json:"expires_in"`
	}
	if json.Unmarshal(raw, &out) != nil || out.Token == "" {
		return provider.Garbled(tokenOp, t.id, "Google's answer holds no token")
	}
	t.token = out.Token
	t.expires = time.Now().Add(time.Duration(min(max(out.Expires, 60), 86_400)) * time.Second)
	return nil
}

func refusal(raw []byte) string {
	var e struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(raw, &e) // not JSON: nothing to tell
	return strings.TrimSpace(e.Error + " " + e.Description)
}

// metadata asks the machine that we run on, when it is one of Google's.
func (t *tokens) metadata(ctx context.Context) error {
	base := "http://" + cmp.Or(t.env("GCE_METADATA_HOST"), "metadata.google.internal") + "/computeMetadata/v1/"
	ctx, cancel := context.WithTimeout(ctx, metadataTime)
	defer cancel()
	// Of this machine only: never through a proxy.
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err == nil {
			req.Header.Set("Metadata-Flavor", "Google")
		}
		return req, err
	}
	req, err := get("instance/service-accounts/default/token")
	if err == nil {
		err = t.ask(ctx, c, req)
	}
	if err != nil {
		return &fault.Error{Kind: fault.Unauthenticated, Op: tokenOp, Err: err, Hint: t.id +
			": no Google credentials; set GOOGLE_APPLICATION_CREDENTIALS to a service account's key file, or run: gcloud auth application-default login"}
	}
	if req, err = get("project/project-id"); err != nil {
		return nil // the project may be known otherwise
	}
	if res, err := c.Do(req); err == nil {
		raw, _ := io.ReadAll(io.LimitReader(res.Body, 256)) // none: known otherwise
		_ = res.Body.Close()                                // only read
		if res.StatusCode == http.StatusOK {
			t.project = strings.TrimSpace(string(raw))
		}
	}
	return nil
}

// credentialFile reads the file where Google's tools keep a credential; nil
// when there is none.
func credentialFile(env func(string) string) ([]byte, error) {
	if name := env("GOOGLE_APPLICATION_CREDENTIALS"); name != "" {
		raw, err := readFile(name)
		if err != nil {
			return nil, errors.New("the file that GOOGLE_APPLICATION_CREDENTIALS names can't be read")
		}
		return raw, nil
	}
	dir := env("CLOUDSDK_CONFIG")
	if dir == "" {
		if runtime.GOOS == "windows" {
			dir = filepath.Join(env("APPDATA"), "gcloud")
		} else if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, ".config", "gcloud")
		}
	}
	raw, err := readFile(filepath.Join(dir, "application_default_credentials.json"))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // none there: the machine's metadata is next
	}
	return raw, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// assertion is what a service account signs to get a token.
func assertion(a *account, now time.Time) (string, error) {
	block, _ := pem.Decode([]byte(a.Key))
	if block == nil {
		return "", errors.New("no PEM block")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		if parsed, err = x509.ParsePKCS1PrivateKey(block.Bytes); err != nil {
			return "", err
		}
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return "", errors.New("not an RSA key")
	}
	header, err := json.Marshal(map[string]string{"alg": "RS256", "typ": "JWT", "kid": a.KeyID})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": a.Email, "scope": scope, "aud": cmp.Or(a.TokenURI, tokenURL), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
	if err != nil {
		return "", err
	}
	enc := base64.RawURLEncoding
	body := enc.EncodeToString(header) + "." + enc.EncodeToString(claims)
	sum := sha256.Sum256([]byte(body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	return body + "." + enc.EncodeToString(signature), nil
}
