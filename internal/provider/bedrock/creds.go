package bedrock

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/fault"
)

const (
	credOp   = "bedrock.credentials"
	early    = 5 * time.Minute // keys are renewed so long before their end
	keepFor  = time.Minute     // how long keys of a file serve before it is read again
	metaTime = 2 * time.Second // for each question to the machine
	maxMeta  = 64 << 10
)

// keys sign requests.
type keys struct {
	ID, Secret, Token string
	until             time.Time // when to get new ones
}

// chain finds keys in AWS's places, in AWS's order: the environment, the files
// of a profile, the container, the machine.
type chain struct {
	id  string // of the provider
	env func(name string) string

	turn chan struct{} // one looks at a time; a buffer of one is its lock
	kept keys
}

func newChain(id string, env func(string) string) *chain {
	return &chain{id: id, env: env, turn: make(chan struct{}, 1)}
}

// get returns keys.
func (c *chain) get(ctx context.Context) (keys, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return keys{}, &fault.Error{Kind: fault.KindOf(ctx.Err()), Op: credOp, Hint: "stopped", Err: ctx.Err()}
	}
	defer func() { <-c.turn }()
	if c.kept.ID != "" && time.Now().Before(c.kept.until) {
		return c.kept, nil
	}
	k, err := c.find(ctx)
	if err != nil {
		return keys{}, err
	}
	c.kept = k
	return k, nil
}

// forget lets the next call look anew.
func (c *chain) forget() {
	c.turn <- struct{}{}
	c.kept = keys{}
	<-c.turn
}

func (c *chain) find(ctx context.Context) (keys, error) {
	if id, secret := c.env("AWS_ACCESS_KEY_ID"), c.env("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return keys{id, secret, c.env("AWS_SESSION_TOKEN"), time.Now().Add(keepFor)}, nil
	}
	k, err := c.profile()
	if err != nil || k.ID != "" {
		return k, err
	}
	if k, ok, err := c.container(ctx); ok || err != nil {
		return k, err
	}
	if !strings.EqualFold(c.env("AWS_EC2_METADATA_DISABLED"), "true") {
		if k, ok := c.machine(ctx); ok {
			return k, nil
		}
	}
	if ctx.Err() != nil {
		return keys{}, &fault.Error{Kind: fault.KindOf(ctx.Err()), Op: credOp, Hint: "stopped", Err: ctx.Err()}
	}
	return keys{}, c.none("no AWS credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK")
}

func (c *chain) none(what string) error {
	return fault.New(fault.Unauthenticated, credOp, c.id+": "+what)
}

// document is how containers and machines hand out keys.
type document struct {
	ID      string    `json:"AccessKeyId"`
	Secret  string    `json:"SecretAccessKey"`
	Token   string    `json:"Token"`
	Expires time.Time `json:"Expiration"`
}

func (d document) keys() (keys, bool) {
	until := d.Expires.Add(-early)
	if soon := time.Now().Add(keepFor); until.Before(soon) {
		until = soon
	}
	return keys{d.ID, d.Secret, d.Token, until}, d.ID != "" && d.Secret != ""
}

// container asks where a container's environment says, which must be the
// machine itself or be encrypted.
func (c *chain) container(ctx context.Context) (k keys, there bool, err error) {
	address := c.env("AWS_CONTAINER_CREDENTIALS_FULL_URI")
	if rel := c.env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); rel != "" {
		address = "http://169.254.170.2/" + strings.TrimPrefix(rel, "/")
	}
	if address == "" {
		return keys{}, false, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !near(u.Hostname()) {
		return keys{}, false, c.none("AWS_CONTAINER_CREDENTIALS_FULL_URI isn't an address of this host")
	}
	header := http.Header{}
	token := c.env("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := c.env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		raw, err := readFile(file)
		if err != nil {
			return keys{}, false, c.none("the file that AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names can't be read")
		}
		token = strings.TrimSpace(string(raw))
	}
	if token != "" {
		header.Set("Authorization", token)
	}
	var d document
	raw, err := ask(ctx, http.MethodGet, address, header)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	k, ok := d.keys()
	if err != nil || !ok {
		return keys{}, false, c.none("the container hands out no AWS credentials")
	}
	return k, true, nil
}

// near tells whether host is this machine, or what a container's is given for
// it.
func near(host string) bool {
	if host == "localhost" || host == "169.254.170.2" || host == "169.254.170.23" || host == "fd00:ec2::23" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// machine asks the metadata service of a machine of Amazon's; ok is false on
// any other.
func (c *chain) machine(ctx context.Context) (k keys, ok bool) {
	base := strings.TrimRight(cmp.Or(c.env("AWS_EC2_METADATA_SERVICE_ENDPOINT"), "http://169.254.169.254"), "/")
	token, err := ask(ctx, http.MethodPut, base+"/latest/api/token", http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"21600"}})
	if err != nil {
		return keys{}, false
	}
	header := http.Header{"X-Aws-Ec2-Metadata-Token": {string(token)}}
	const path = "/latest/meta-data/iam/security-credentials/"
	roles, err := ask(ctx, http.MethodGet, base+path, header)
	if err != nil {
		return keys{}, false
	}
	role, _, _ := strings.Cut(strings.TrimSpace(string(roles)), "\n")
	raw, err := ask(ctx, http.MethodGet, base+path+url.PathEscape(role), header)
	var d document
	if err != nil || json.Unmarshal(raw, &d) != nil {
		return keys{}, false
	}
	return d.keys()
}

// ask sends one question, to this machine and so never through a proxy.
func ask(ctx context.Context, method, address string, header http.Header) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, metaTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header = header
	c := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // only read
	if res.StatusCode != http.StatusOK {
		return nil, fault.New(fault.NotFound, credOp, "the machine has nothing there")
	}
	return io.ReadAll(io.LimitReader(res.Body, maxMeta))
}
