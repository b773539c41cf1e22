package cli

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/config"
)

// modelsAuth is openclaw models auth.
func (sh *shell) modelsAuth() *cobra.Command {
	return sh.command(spec{name: "auth", short: "Keys of the models' providers", subs: []*cobra.Command{sh.authAdd(), sh.authPaste(), sh.authOrder()}})
}

// authAdd asks for a provider and its key.
func (sh *shell) authAdd() *cobra.Command {
	return sh.command(spec{name: "add", short: "Ask for a provider and its key", run: func(ctx context.Context, _ []string) error {
		p, err := sh.prompt("openclaw models auth paste-token --provider <name> < key.txt")
		if err != nil {
			return err
		}
		provider, err := p.Ask("Provider", "anthropic")
		if err != nil {
			return err
		}
		key, err := p.Secret("Key")
		if err != nil {
			return err
		}
		return sh.keepKey(ctx, provider, provider+":default", profile{Type: "api_key", Provider: provider, Key: key})
	}})
}

// authPaste reads a key or token from the terminal or the input.
func (sh *shell) authPaste() *cobra.Command {
	var provider, name, expires string
	cmd := sh.command(spec{
		name: "paste-token", short: "Keep a provider's key, from the terminal or the input",
		example: "openclaw models auth paste-token --provider anthropic < key.txt",
		run: func(ctx context.Context, _ []string) error {
			p := profile{Type: "token", Provider: provider}
			if expires != "" {
				d, err := duration(expires)
				if err != nil {
					return err
				}
				p.Expires = time.Now().Add(d).UnixMilli()
			}
			var err error
			if p.Token, err = sh.readKey("Paste the key or token for " + provider); err != nil {
				return err
			}
			return sh.keepKey(ctx, provider, first(name, provider+":manual"), p)
		},
	})
	cmd.Flags().StringVar(&provider, "provider", "", "whose key it is (`name`)")
	cmd.Flags().StringVar(&name, "profile-id", "", "keep it under this `id` (default: <provider>:manual)")
	cmd.Flags().StringVar(&expires, "expires-in", "", "it ends after this `duration`, as in 365d or 12h")
	require(cmd, "provider")
	return cmd
}

func (sh *shell) readKey(question string) (string, error) {
	if p, err := sh.prompt(""); err == nil {
		return p.Secret(question)
	}
	raw, err := sh.argOrStdin(nil)
	if err != nil {
		return "", say("no key on the input: openclaw models auth paste-token --provider <name> < key.txt")
	}
	return strings.TrimSpace(string(raw)), nil
}

// duration is a number with a unit: 90m, 12h, 365d.
func duration(s string) (time.Duration, error) {
	if f := regexp.MustCompile(`^(\d{1,6})d$`).FindStringSubmatch(strings.TrimSpace(s)); f != nil {
		n, _ := strconv.Atoi(f[1]) // digits, by the expression
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d <= 0 {
		return 0, say("%q isn't a duration; write 90m, 12h or 365d", s)
	}
	return d, nil
}

// keepKey stores a key of the default agent and names it in the configuration.
func (sh *shell) keepKey(ctx context.Context, provider, name string, p profile) error {
	if !regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`).MatchString(provider) {
		return say("%q isn't the name of a provider, as in anthropic or openai", provider)
	}
	if p.Key == "" && p.Token == "" {
		return say("the key is empty")
	}
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	if err := writeProfile(c, c.DefaultAgent(), name, p); err != nil {
		return err
	}
	if _, err := sh.edit(ctx, change{authPath(name), map[string]string{"provider": provider, "mode": p.Type}, false}); err != nil {
		return err
	}
	sh.line("Auth profile: %s (%s)", name, sh.short(profilesPath(c, c.DefaultAgent())))
	return nil
}

func authPath(name string) string { return config.KeyPath{"auth", "profiles", name}.String() }

// writeProfile adds or replaces one profile; the others stay as they are.
func writeProfile(c *config.Config, a id.Agent, name string, p profile) error {
	path := profilesPath(c, a)
	ps, err := readProfiles(path)
	if err != nil {
		return err
	}
	ps.Profiles[name] = p
	out := map[string]any{}
	for k, v := range maps.All(ps.rest) {
		out[k] = v
	}
	out["version"], out["profiles"] = 1, ps.Profiles
	raw, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, "cli.writeProfile", err)
	}
	return writeFile(path, append(raw, '\n'))
}

// writeFile replaces a file at once, mode 0600, and makes its directory.
func writeFile(path string, raw []byte) error {
	fail := func(err error) error {
		return &fault.Error{Kind: fault.Unavailable, Op: "cli.writeFile", Err: err, Hint: "can't write " + path + ": " + cause(err)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fail(err)
	}
	_, err = f.Write(raw)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fail(err)
	}
	return nil
}
