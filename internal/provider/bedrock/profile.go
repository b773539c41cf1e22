package bedrock

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const maxFile = 1 << 20

// profile reads keys of the chosen profile; without keys there is no error,
// unless the profile was named or gets them in a way that isn't supported.
func (c *chain) profile() (keys, error) {
	p := readProfile(c.env)
	switch {
	case p["aws_access_key_id"] != "" && p["aws_secret_access_key"] != "":
		return keys{p["aws_access_key_id"], p["aws_secret_access_key"], p["aws_session_token"], time.Now().Add(keepFor)}, nil
	case p["sso_session"] != "", p["sso_start_url"] != "", p["role_arn"] != "", p["credential_process"] != "":
		return keys{}, c.none("the AWS profile gets its keys by login, role or program; put them into the environment with: aws configure export-credentials --format env")
	}
	return keys{}, nil // the machine may have a role
}

// readProfile joins what both files say about the profile; the one of
// credentials comes first.
func readProfile(env func(string) string) map[string]string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	name := cmp.Or(env("AWS_PROFILE"), env("AWS_DEFAULT_PROFILE"), "default")
	out := map[string]string{}
	section := "profile " + name
	if name == "default" {
		section = name
	}
	for _, f := range []struct{ file, section string }{
		{cmp.Or(env("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")), section},
		{cmp.Or(env("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")), name},
	} {
		raw, err := readFile(f.file)
		if err != nil {
			continue // none there
		}
		readSection(string(raw), f.section, out)
	}
	return out
}

// readSection adds the settings of one section; a name with white space before
// it belongs to a setting with parts of its own, which we have no use for.
func readSection(text, section string, out map[string]string) {
	in := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if trimmed[0] == '[' {
			in = strings.Join(strings.Fields(strings.Trim(trimmed, "[]")), " ") == section
			continue
		}
		key, value, ok := strings.Cut(trimmed, "=")
		if !in || !ok || line[0] == ' ' || line[0] == '\t' {
			continue
		}
		value, _, _ = strings.Cut(value, " #")
		out[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, maxFile))
}
