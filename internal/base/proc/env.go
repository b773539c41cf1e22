package proc

import (
	"slices"
	"strings"
)

// Clean returns env without what a child process has no business with: our
// own settings and anything that looks like a secret by its name or its value.
// What is left is an ordinary user's environment.
func Clean(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || hidden(strings.ToUpper(name), value) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

func hidden(name, value string) bool {
	switch {
	case name == MarkVar:
		return true
	case strings.HasPrefix(name, "OPENCLAW_"), strings.HasPrefix(name, "CLAWDBOT_"), strings.HasPrefix(name, "MOLTBOT_"):
		// What `openclaw status` in a command needs to find this gateway.
		return !slices.Contains([]string{"OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "OPENCLAW_PROFILE"}, name)
	case name == "BASH_ENV", name == "ENV":
		return true // files that a non-interactive shell would run
	}
	return secretName(name) || secretValue(value)
}

// secretName reports whether a variable's name says that it holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	switch name {
	case "SSH_AUTH_SOCK", "GPG_AGENT_INFO", "XAUTHORITY", "GNOME_KEYRING_CONTROL":
		return false // places, not secrets
	}
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		switch part {
		case "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD":
			if name != "PWD" && name != "OLDPWD" {
				return true
			}
		case "KEY", "KEYS", "APIKEY", "AUTH", "CREDENTIAL", "CREDENTIALS", "COOKIE", "COOKIES", "PAT", "DSN", "BEARER", "PRIVATE":
			return true
		}
	}
	for _, end := range []string{"APIKEY", "TOKEN", "SECRET", "PASSWORD", "ACCESSKEY", "SECRETKEY", "PRIVATEKEY", "DATABASE_URL", "CONNECTION_STRING"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// secretValue reports whether a value is a credential whatever its name says:
// a key with a well-known start, or a URL with a password in it.
func secretValue(v string) bool {
	for _, p := range []string{
		"sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-",
		"xoxb-", "xoxp-", "xapp-", "AIza", "AKIA", "ASIA", "eyJhbGciOi", "-----BEGIN ",
	} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	if _, rest, ok := strings.Cut(v, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		user, _, ok := strings.Cut(host, "@")
		return ok && strings.Contains(user, ":")
	}
	return false
}

// Settable reports whether a model may set a variable for a command of its
// own. Variables that make a loader, a shell or a well-known tool run or trust
// something else are refused, whatever their case; ordinary names are fine.
func Settable(name string) bool {
	if name == "" || strings.ContainsAny(name, "=\x00 \t\r\n") {
		return false
	}
	n := strings.ToUpper(name)
	switch n {
	case "NODE_ENV", "GOOS", "GOARCH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
		"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE":
		return true
	case "PATH", "HOME", "IFS", "ENV", "SHELL", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "FPATH", "ZDOTDIR",
		"USER", "LOGNAME", "USERPROFILE", "APPDATA", "COMSPEC", "SYSTEMROOT", "WINDIR", "PATHEXT", "PSMODULEPATH", "TMPDIR", "TEMP", "TMP",
		"HOSTALIASES", "RES_OPTIONS", "LOCALDOMAIN", "NLSPATH", "LOCPATH", "GCONV_PATH", "TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TZDIR",
		"EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "VIMINIT", "EXINIT", "GVIMINIT", "MYVIMRC", "LESSOPEN", "LESSCLOSE", "INPUTRC",
		"CC", "CXX", "LD", "AR", "MAKEFLAGS", "MAKEFILES", "GOFLAGS", "GOENV", "GOROOT", "GOPATH", "GOPROXY", "GOTOOLCHAIN", "GONOSUMDB", "GOINSECURE",
		"CLASSPATH", "_JAVA_OPTIONS", "JAVA_OPTS", "JAVA_HOME", "MAVEN_OPTS", "GRADLE_OPTS", "KUBECONFIG", "TAR_OPTIONS", "GZIP", "RSYNC_RSH",
		"WGETRC", "CURL_HOME", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NETRC", "ANSIBLE_CONFIG", "ALL_PROXY", "NO_PROXY":
		return false
	}
	for _, p := range []string{
		"LD_", "DYLD_", "BASH_", "ZSH_", "GIT_", "NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "PYTHON", "PIP_", "UV_", "PERL", "RUBY", "GEM_", "BUNDLE_",
		"LUA_", "JAVA_TOOL", "JDK_", "DOTNET_", "COMPLUS_", "CORECLR_", "PHP", "SSL_", "OPENSSL_", "SSH_", "SUDO_", "DOCKER_", "CONTAINER_", "AWS_", "GOOGLE_", "AZURE_",
		"CARGO_", "RUSTC", "RUSTUP_", "GLIBC_", "MALLOC_", "LIBC_", "GTK_", "QT_", "XDG_", "GNUPG", "GPG_", "OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "SYSTEMD_", "PKG_CONFIG",
	} {
		if strings.HasPrefix(n, p) {
			return false
		}
	}
	return !strings.HasSuffix(n, "_PROXY") && !strings.HasSuffix(n, "PAGER") && !strings.HasSuffix(n, "_EDITOR") && !strings.HasSuffix(n, "_PRELOAD")
}

// Set returns env with name set to value, in place of an older value.
func Set(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(env, name+"="+value)
}

// Lookup returns the value of name in env.
func Lookup(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
