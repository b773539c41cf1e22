package cli

import "github.com/spf13/cobra"

const (
	groupStart  = "start"
	groupTalk   = "talk"
	groupSetup  = "setup"
	groupUpkeep = "upkeep"
)

// tree is all commands. Making it touches neither disk nor configuration.
func (sh *shell) tree() *cobra.Command {
	root := sh.command(spec{
		name: "openclaw",
		example: `openclaw onboard
openclaw gateway run
openclaw agent -m "hello"`,
	})
	root.SuggestionsMinimumDistance = 2
	root.AddGroup(
		&cobra.Group{ID: groupStart, Title: "Start:"},
		&cobra.Group{ID: groupTalk, Title: "Talk and look:"},
		&cobra.Group{ID: groupSetup, Title: "Set up:"},
		&cobra.Group{ID: groupUpkeep, Title: "Keep well:"},
	)
	for _, g := range []struct {
		id   string
		cmds []*cobra.Command
	}{
		{groupStart, []*cobra.Command{sh.onboard(), sh.setup(), sh.gateway(), sh.daemon()}},
		{groupTalk, []*cobra.Command{sh.agent(), sh.messages(), sh.status(), sh.health("health"), sh.sessions(), sh.logs()}},
		{groupSetup, []*cobra.Command{sh.configs(), sh.models(), sh.agents(), sh.channels(), sh.pairing(), sh.devices(), sh.system()}},
		{groupUpkeep, []*cobra.Command{sh.doctor(), sh.export(), sh.reset(), sh.uninstall(), sh.completion()}},
	} {
		for _, c := range g.cmds {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	sh.root = root
	sh.dress(root)
	return root
}
