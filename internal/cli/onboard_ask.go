package cli

import (
	"context"

	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
)

// interview asks what the flags don't say.
func (sh *shell) interview(_ context.Context, c *config.Config, f *onboardFlags) error {
	p, err := sh.prompt("openclaw onboard --non-interactive --accept-risk --skip-health")
	if err != nil {
		return err
	}
	if !f.acceptRisk {
		sh.note("An agent runs programs and changes files on this host, as you. It reads what others send it.\n" +
			"Keep the gateway on loopback, let in only whom you trust, and keep secrets out of its workspace.")
		if ok, err := p.Confirm("Do you understand the risk and want to go on?", false); err != nil || !ok {
			return orQuit(err)
		}
	}
	if f.mode == "" {
		n, err := p.Choose("Where does the gateway run?", []string{"on this host", "on another one that runs already"})
		if err != nil {
			return err
		}
		f.mode = []string{"local", "remote"}[n]
	}
	if f.mode == "remote" {
		return askRemote(p, f)
	}
	if f.workspace, err = p.Ask("Workspace", first(f.workspace, sh.short(c.Workspace(c.DefaultAgent())))); err != nil {
		return err
	}
	if choice, err := f.choice(); err != nil || choice != "skip" || f.authChoice != "" {
		return err
	}
	return sh.askModel(p, f)
}

func orQuit(err error) error {
	if err != nil {
		return err
	}
	return quiet{1}
}

func askRemote(p *term.Prompt, f *onboardFlags) (err error) {
	if f.remoteURL == "" {
		if f.remoteURL, err = p.Ask("Its address", "wss://"); err != nil {
			return err
		}
	}
	if f.remoteToken == "" {
		f.remoteToken, err = p.Secret("Its token")
	}
	return err
}

func (sh *shell) askModel(p *term.Prompt, f *onboardFlags) error {
	n, err := p.Choose("Which model?", []string{
		"decide later: a key in the environment, a local server, else the demo model",
		"Anthropic, with a key", "OpenAI, with a key", "OpenRouter, with a key", "another server that speaks one of their protocols",
	})
	if err != nil || n == 0 {
		f.authChoice = "skip"
		return err
	}
	if n < 4 {
		k := keyChoices()[n-1]
		f.authChoice = k.choice
		*f.keys[k.flag], err = p.Secret("Key of " + k.provider)
		return err
	}
	f.authChoice = "custom-api-key"
	if f.baseURL, err = p.Ask("Base address", "http://127.0.0.1:11434/v1"); err != nil {
		return err
	}
	if f.modelID, err = p.Ask("Model", ""); err != nil {
		return err
	}
	if f.customKey, err = p.Secret("Key, if it wants one"); err != nil {
		return err
	}
	i, err := p.Choose("Whose protocol does it speak?", []string{"OpenAI's", "Anthropic's"})
	f.compat = []string{"openai", "anthropic"}[i]
	return err
}
