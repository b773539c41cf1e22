package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/base/jsonc"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/store"
)

// configs is openclaw config.
func (sh *shell) configs() *cobra.Command {
	return sh.command(spec{name: "config", short: "Read, change and check the config file", subs: []*cobra.Command{
		sh.configGet(), sh.configSet(), sh.configUnset(), sh.configPatch(), sh.configFile(), sh.configPath(), sh.configSchema(), sh.configValidate(),
	}})
}

func (sh *shell) configGet() *cobra.Command {
	cmd := sh.command(spec{
		name: "get", short: "Print a value; secrets are not shown", args: []string{"path"}, loose: true,
		example: "openclaw config get gateway.port\nopenclaw config get agents.list[0].id",
		run: func(ctx context.Context, args []string) error {
			l, err := sh.load(ctx)
			if err != nil {
				return err
			}
			p, err := config.ParseKeyPath(args[0])
			if err != nil {
				return err
			}
			var n *jsonc.Node
			if l.Doc != nil && l.Resolved != nil {
				n = p.At(config.Redact(l.Resolved))
			}
			if n == nil {
				return say("Config path not found: %s", args[0])
			}
			sh.printNode(n)
			return nil
		},
	})
	sh.jsonFlag(cmd)
	return cmd
}

// printNode prints a scalar bare and anything else as JSON.
func (sh *shell) printNode(n *jsonc.Node) {
	if !sh.json && n.Kind == jsonc.String {
		sh.line("%s", n.Text)
		return
	}
	sh.printJSON(json.RawMessage(n.JSON()))
}

// takesEffect says when a change of the file does.
func (sh *shell) takesEffect(ctx context.Context) string {
	l, err := config.Load(ctx, sh.paths(), config.LoadOptions{Env: sh.Getenv})
	if err == nil && l.Config != nil && l.Config.Gateway.Reload.Mode != "off" {
		if _, held, err := store.Holder(l.Config.Paths.State); err == nil && held {
			return "The running gateway takes it up."
		}
	}
	return "Restart the gateway to apply."
}

func (sh *shell) configSet() *cobra.Command {
	var strict bool
	cmd := sh.command(spec{
		name: "set", short: "Set a value; comments and the rest of the file stay", args: []string{"path", "value"},
		example: "openclaw config set gateway.port 18790\nopenclaw config set agents.defaults.model.primary anthropic/claude-sonnet-4-5",
		run: func(ctx context.Context, args []string) error {
			if _, err := sh.load(ctx); err != nil {
				return err
			}
			raw := []byte(args[1])
			if _, err := jsonc.Parse("the value", raw); err != nil {
				if strict {
					return say("the value isn't JSON5: %v", err)
				}
				if raw, err = json.Marshal(args[1]); err != nil {
					return err
				}
			}
			if _, err := sh.saved(sh.file().Set(ctx, args[0], raw)); err != nil {
				return err
			}
			sh.line("Updated %s. %s", args[0], sh.takesEffect(ctx))
			return nil
		},
	})
	cmd.Flags().BoolVar(&strict, "strict-json", false, "the value must be JSON5, not bare text")
	cmd.Flags().BoolVar(&strict, "json", false, "the same as --strict-json")
	return cmd
}

func (sh *shell) configUnset() *cobra.Command {
	cmd := sh.command(spec{name: "unset", short: "Take a value out", args: []string{"path"}, loose: true, run: func(ctx context.Context, args []string) error {
		if _, err := sh.load(ctx); err != nil {
			return err
		}
		if _, err := sh.saved(sh.file().Unset(ctx, args[0])); err != nil {
			return err
		}
		if sh.json {
			sh.printJSON(map[string]any{"ok": true, "path": args[0]})
			return nil
		}
		sh.line("Removed %s. %s", args[0], sh.takesEffect(ctx))
		return nil
	}})
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) configPatch() *cobra.Command {
	cmd := sh.command(spec{
		name: "patch", short: "Merge an object into the file; null takes a key out", args: []string{"json?"},
		example: `openclaw config patch '{gateway: {port: 18790}, logging: null}'
openclaw config patch < changes.json5`,
		run: func(ctx context.Context, args []string) error {
			if _, err := sh.load(ctx); err != nil {
				return err
			}
			raw, err := sh.argOrStdin(args)
			if err != nil {
				return err
			}
			if _, err := sh.saved(sh.file().Patch(ctx, raw)); err != nil {
				return err
			}
			if sh.json {
				sh.printJSON(map[string]any{"ok": true, "path": sh.paths().Config})
				return nil
			}
			sh.line("Updated %s. %s", sh.short(sh.paths().Config), sh.takesEffect(ctx))
			return nil
		},
	})
	sh.jsonFlag(cmd)
	return cmd
}

// argOrStdin is the argument, or the input up to two megabytes.
func (sh *shell) argOrStdin(args []string) ([]byte, error) {
	if len(args) > 0 && args[0] != "-" {
		return []byte(args[0]), nil
	}
	const most = 2 << 20
	raw, err := io.ReadAll(io.LimitReader(sh.Stdin, most+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > most:
		return nil, say("the input is larger than %d MB", most>>20)
	case strings.TrimSpace(string(raw)) == "":
		return nil, usage(1, "missing required argument 'json'")
	}
	return raw, nil
}

func (sh *shell) configFile() *cobra.Command {
	return sh.command(spec{name: "file", short: "Print where the file is", run: func(context.Context, []string) error {
		sh.line("%s", sh.short(sh.paths().Config))
		return nil
	}})
}

// configPath is file for scripts: nothing shortened.
func (sh *shell) configPath() *cobra.Command {
	return sh.command(spec{name: "path", short: "Print where the file is, in full", run: func(context.Context, []string) error {
		sh.line("%s", sh.paths().Config)
		return nil
	}})
}

func (sh *shell) configSchema() *cobra.Command {
	return sh.command(spec{
		name: "schema", short: "Print the JSON Schema of the file, or of a part of it", args: []string{"path?"},
		run: func(_ context.Context, args []string) error {
			if len(args) == 0 {
				sh.printJSON(config.Schema().Schema)
				return nil
			}
			found, err := config.Lookup(args[0])
			if err != nil {
				return err
			}
			sh.printJSON(found)
			return nil
		},
	})
}

type validateReply struct {
	Valid  bool             `json:"valid"`
	Path   string           `json:"path"`
	Error  string           `json:"error,omitempty"`
	Issues []config.Problem `json:"issues,omitempty"`
}

// configValidate is openclaw config validate.
func (sh *shell) configValidate() *cobra.Command {
	cmd := sh.command(spec{name: "validate", short: "Check the file and list every problem", run: func(ctx context.Context, _ []string) error {
		l, err := sh.load(ctx)
		r := validateReply{Valid: err == nil, Path: sh.paths().Config}
		inv, ok := isInvalid(err)
		switch {
		case ok:
			r.Issues = slices.Clone(inv.Problems)
			for i := range r.Issues { // as recorded
				r.Issues[i].Path = cmp.Or(r.Issues[i].Path, "<root>")
			}
		case err != nil:
			return err
		case !l.Exists:
			r.Valid, r.Error = false, "file not found"
		}
		sh.showValidity(r)
		if err == nil && !sh.json {
			for _, w := range l.Warnings {
				sh.note("%s %s", sh.err.Warn("!"), w.String())
			}
		}
		if !r.Valid {
			return quiet{1}
		}
		return nil
	}})
	sh.jsonFlag(cmd)
	return cmd
}

func (sh *shell) showValidity(r validateReply) {
	switch {
	case sh.json:
		enc := json.NewEncoder(sh.Stdout) // one line, as recorded
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			sh.note("Error: %v", err)
		}
	case r.Valid:
		sh.line("Config valid: %s", sh.short(r.Path))
	case r.Error != "":
		sh.note("Config file not found: %s\nMake one: openclaw onboard", sh.short(r.Path))
	default:
		sh.note("Config invalid at %s", sh.short(r.Path))
		for _, p := range r.Issues {
			sh.note("  %s %s", sh.err.Bad("×"), p.String())
		}
		sh.note("\nRun: openclaw doctor --fix")
	}
}

// exists reports whether path is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
