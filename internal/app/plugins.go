package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/version"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/feature"
	"github.com/openclaw-go/openclaw/internal/plugin"
)

// noWhatsApp tells how to get the program that links a phone.
const noWhatsApp = "WhatsApp needs its plugin, a program of its own. Build it with 'make plugins' and put plugins/whatsapp beside the " +
	"openclaw program or below <state directory>/plugins; docs/channels/whatsapp.md tells more"

// kinds are the networks of this program and of its plugins.
func (c *core) kinds() []channel.Kind {
	kinds, problems := kindsOf(c.cfg.Current())
	for _, p := range problems {
		c.log.WarnContext(context.Background(), "plugin not used", "dir", p.Dir, "err", p.Err) //nolint:forbidigo // files on disk
	}
	return kinds
}

// kindsOf lists the networks of this program, then those of the plugins that
// cfg lets run, then those whose plugin isn't there.
func kindsOf(cfg *config.Config) ([]channel.Kind, []plugin.Problem) {
	var s plugin.Settings
	if len(cfg.Plugins) > 0 {
		_ = json.Unmarshal(cfg.Plugins, &s)
	}
	for i, p := range s.Load.Paths {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			s.Load.Paths[i] = filepath.Join(cfg.Paths.Home, rest)
		}
	}
	found, problems := plugin.Find(pluginPlaces(cfg), s)
	found = slices.DeleteFunc(found, func(m plugin.Manifest) bool { return !s.On(m.ID) })
	kinds := Channels()
	taken := make([]id.Channel, 0, len(kinds))
	for _, k := range kinds {
		taken = append(taken, k.ID)
	}
	more, refused := plugin.Kinds(found, taken, plugin.Options{Data: filepath.Join(cfg.Paths.State, "plugin-data"), Version: version.Protocol})
	kinds, problems = append(kinds, more...), append(problems, refused...)
	if !slices.ContainsFunc(kinds, func(k channel.Kind) bool { return k.ID == "whatsapp" }) {
		kinds = append(kinds, plugin.Absent("whatsapp", "WhatsApp", noWhatsApp))
	}
	return kinds, problems
}

// pluginPlaces are the directories that hold plugins.
func pluginPlaces(cfg *config.Config) []string {
	places := []string{filepath.Join(cfg.Paths.State, "plugins")}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		places = append(places, filepath.Join(filepath.Dir(self), "plugins"))
	}
	return places
}

// pluginFindings tells about plugins that can't be used, and a configured
// channel whose plugin isn't there.
func pluginFindings(cfg *config.Config, kinds []channel.Kind, problems []plugin.Problem) []feature.Finding {
	var out []feature.Finding
	for _, p := range problems {
		out = append(out, feature.Finding{Severity: "warning", Text: "The plugin in " + p.Dir + " isn't used: " + fault.Hint(p.Err), Mend: "mend its openclaw.plugin.json, or install it again"})
	}
	if _, ok := cfg.Channels["whatsapp"]; ok {
		for _, k := range kinds {
			if k.ID == "whatsapp" && plugin.IsAbsent(k) {
				out = append(out, feature.Finding{Severity: "warning", Text: "channels.whatsapp is configured, but its plugin isn't there.", Mend: noWhatsApp})
			}
		}
	}
	return out
}
