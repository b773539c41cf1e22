// Package bedrock speaks Amazon Bedrock's Converse format
// ("bedrock-converse-stream"): one format for the models of several makers.
//
// Requests are written in request.go, streams read in stream.go and answers
// put together in answer.go. Credentials come from a bearer key or from AWS's
// own places (creds.go); the list of models is in models.go.
package bedrock

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/openclaw-go/openclaw/internal/base/dialect"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/llm"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// API is the wire format's name in models.providers.<id>.api.
const API = "bedrock-converse-stream"

const (
	op            = "bedrock.Stream"
	defaultRegion = "us-east-1"
	streamType    = "application/vnd.amazon.eventstream"
)

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Lister   = (*Provider)(nil)
)

// Kind makes providers of this format.
func Kind() provider.Kind {
	return provider.Kind{ID: API, New: func(c *http.Client, cfg provider.Config) (provider.Provider, error) {
		return New(c, cfg)
	}}
}

// Provider is one account in one region.
type Provider struct {
	client  *http.Client
	cfg     provider.Config
	base    string
	region  string
	header  http.Header
	chain   *chain // nil with a bearer key
	signer  *v4.Signer
	schemas *dialect.Adapter
}

// New returns a provider for cfg. Without an address the region comes from
// where AWS's tools have it.
func New(c *http.Client, cfg provider.Config) (*Provider, error) {
	host := provider.Host(cfg.BaseURL)
	if host == "" && cfg.BaseURL != "" {
		return nil, fault.New(fault.Invalid, "bedrock.New", cfg.ID+": set models.providers."+cfg.ID+".baseUrl to an address like https://bedrock-runtime.us-east-1.amazonaws.com")
	}
	var section struct {
		Auth string `json:"auth"`
	}
	if len(cfg.Raw) > 0 {
		if err := json.Unmarshal(cfg.Raw, &section); err != nil {
			return nil, &fault.Error{Kind: fault.Invalid, Op: "bedrock.New", Hint: "models.providers." + cfg.ID + " isn't as expected; run: openclaw config validate", Err: err}
		}
	}
	p := &Provider{client: c, cfg: cfg, base: cfg.BaseURL, header: http.Header{}, schemas: dialect.For(dialect.Bedrock)}
	p.region = regionOf(host)
	if p.region == "" {
		p.region = cmp.Or(cfg.Env("AWS_REGION"), cfg.Env("AWS_DEFAULT_REGION"), readProfile(cfg.Env)["region"], defaultRegion)
	}
	if strings.Trim(p.region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil, fault.New(fault.Invalid, "bedrock.New", cfg.ID+": AWS_REGION isn't the name of a region, like us-east-1")
	}
	if p.base == "" {
		p.base = "https://bedrock-runtime." + p.region + ".amazonaws.com"
		if strings.HasPrefix(p.region, "cn-") {
			p.base += ".cn"
		}
	}
	p.header.Set("Content-Type", "application/json")
	p.header.Set("Accept", streamType+", application/json")
	p.header.Set("User-Agent", "openclaw")
	for k, v := range cfg.Headers {
		p.header.Set(k, v)
	}
	key := cfg.APIKey
	if isMark(key, cfg.Env) {
		key = ""
		// The key of the environment goes to its own service only.
		if host == "" || strings.Contains(host, ".amazonaws.com") || section.Auth == "aws-sdk" {
			key = strings.TrimSpace(cfg.Env("AWS_BEARER_TOKEN_BEDROCK"))
		}
	}
	if key != "" {
		p.header.Set("Authorization", "Bearer "+key)
		p.cfg.APIKey = key // for what must not appear in errors
		return p, nil
	}
	p.chain = newChain(cfg.ID, cfg.Env)
	p.signer = v4.NewSigner()
	return p, nil
}

// isMark tells whether key only says that the credential is AWS's own: it is
// then the name of a variable, or the value of one that isn't a secret.
func isMark(key string, env func(string) string) bool {
	switch {
	case key == "", strings.HasPrefix(key, "<"), strings.HasPrefix(key, "AWS_"):
		return true
	}
	return key == env("AWS_PROFILE") || key == env("AWS_ACCESS_KEY_ID")
}

// regionOf reads the region in the name of a host of AWS's.
func regionOf(host string) string {
	rest, ok := strings.CutPrefix(host, "bedrock-runtime")
	if !ok {
		return ""
	}
	parts := strings.Split(strings.TrimPrefix(rest, "-fips"), ".") // "", region, amazonaws, com
	if len(parts) < 4 || parts[2] != "amazonaws" {
		return ""
	}
	return parts[1]
}

// escaped is a model's name in an address; those of profiles hold slashes and
// colons.
func escaped(model string) string {
	return strings.ReplaceAll(url.PathEscape(model), ":", "%3A")
}

// signed returns the header for a request, with its signature.
func (p *Provider) signed(ctx context.Context, method, address string, body []byte) (http.Header, error) {
	if p.chain == nil {
		return p.header, nil
	}
	keys, err := p.chain.get(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, p.cfg.ID+": the baseUrl isn't a valid address")
	}
	req.Header = p.header.Clone()
	req.ContentLength = int64(len(body))
	sum := sha256.Sum256(body)
	if err := p.signer.SignHTTP(ctx, aws.Credentials{
		AccessKeyID: keys.ID, SecretAccessKey: keys.Secret, SessionToken: keys.Token,
	}, req, hex.EncodeToString(sum[:]), "bedrock", p.region, time.Now()); err != nil {
		return nil, fault.Wrap(fault.Internal, op, err)
	}
	return req.Header, nil
}

// Stream asks for one answer.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		address := provider.Join(p.base, "/model/"+escaped(req.Model.ID)+"/converse-stream")
		body := p.encode(make([]byte, 0, provider.Room(&req)), &req)
		call, err := p.open(ctx, op, http.MethodPost, address, body)
		if err != nil {
			yield(llm.Event{}, err)
			return
		}
		defer call.Close()
		a := &answer{req: &req, call: call, yield: yield}
		if msg, err := a.read(); !a.stopped {
			call.Finish(msg, err, yield)
		}
	}
}

func (p *Provider) open(ctx context.Context, op, method, address string, body []byte) (*provider.Call, error) {
	header, err := p.signed(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	call, err := provider.Open(ctx, p.client, op, p.cfg, address, header, body)
	if err != nil && p.chain != nil && fault.KindOf(err) == fault.Unauthenticated {
		p.chain.forget()
	}
	return call, err
}
