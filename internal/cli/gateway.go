package cli

import "github.com/spf13/cobra"

// gateway is openclaw gateway; alone it runs one, as gateway run does.
func (sh *shell) gateway() *cobra.Command {
	return sh.gatewayRun("gateway",
		sh.gatewayRun("run"), sh.gatewayStatus(), sh.gatewayCall(), sh.health("gateway"), sh.gatewayProbe(),
		sh.serviceInstall(), sh.serviceUninstall(), sh.serviceDo("start"), sh.serviceDo("stop"), sh.serviceDo("restart"))
}

// daemon is the old name of the part of gateway that is about the service.
func (sh *shell) daemon() *cobra.Command {
	return sh.command(spec{name: "daemon", short: "The gateway's service (an old name for gateway)", hidden: true, subs: []*cobra.Command{
		sh.gatewayStatus(), sh.serviceInstall(), sh.serviceUninstall(), sh.serviceDo("start"), sh.serviceDo("stop"), sh.serviceDo("restart"),
	}})
}
