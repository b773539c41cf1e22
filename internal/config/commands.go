package config

import (
	"encoding/json"

	"github.com/openclaw-go/openclaw/internal/base/id"
)

// NativeCommands reports whether the commands are in the network's own menu for
// an account: what the account says, else commands.native, else yes on networks
// where it takes nothing more (Discord, Telegram).
func (c *Config) NativeCommands(ch id.Channel, account id.Account) bool {
	if ch != "discord" && ch != "telegram" && ch != "slack" {
		return false
	}
	said := c.Commands.Native
	for _, a := range c.Accounts(ch) {
		if a.ID != account && (account != "" || a.ID != id.DefaultAccount) {
			continue
		}
		var own struct {
			Commands struct {
				Native json.RawMessage `json:"native"`
			} `json:"commands"`
		}
		if json.Unmarshal(a.Raw, &own) == nil && len(own.Commands.Native) > 0 {
			said = own.Commands.Native
		}
	}
	switch string(said) {
	case "true":
		return true
	case "false":
		return false
	}
	return ch != "slack"
}
