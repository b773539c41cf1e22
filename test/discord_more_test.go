package test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// In every mode, on Discord: what waits when the process is killed is answered
// once, and so is what ran.
func TestDiscordKillInEachMode(t *testing.T) {
	t.Parallel()
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := newClub(t, nil)
			c.Edit(func(config map[string]any) {
				config["messages"] = object{"queue": object{"mode": mode, "debounceMs": 0}}
			})
			c.up(t)
			c.discord.Say("first !hold one")
			harness.Until(t, within, "a model call", func() bool { return len(c.model.Calls("first")) == 1 })
			c.discord.Say("second pear !hold two")
			harness.Until(t, within, "both to be confirmed", func() bool { return c.discord.Acked() == 2 })
			c.Kill()
			c.model.Release("one")
			c.model.Release("two")
			c.up(t)
			c.answered(t, discordtest.DM, "second pear")
			c.discord.Say("third")
			c.answered(t, discordtest.DM, "third")
			if n := len(c.answers("", "second pear")); n != 1 {
				t.Errorf("the second message was answered %d times", n)
			}
			if n := len(c.answers("", "echo: first")); n != 1 && mode != "interrupt" || n > 1 {
				t.Errorf("the first message was answered %d times", n)
			}
		})
	}
}

// openclaw message does on Discord what it can there.
func TestDiscordMessageCommands(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	do := func(args ...string) (int, string) {
		return run(t, c.Gateway, 30*time.Second, append([]string{"message"}, args...)...)
	}
	to := "channel:" + discordtest.General
	if code, out := do("send", "--channel", "discord", "--target", to, "-m", "one apple", "--json"); code != 0 || len(c.discord.Messages(discordtest.General)) != 1 {
		t.Fatalf("send: %d: %s", code, out)
	}
	m := c.discord.Messages(discordtest.General)[0].ID
	if code, out := do("send", "--channel", "discord", "--target", "user:"+discordtest.Person, "-m", "hello"); code != 0 || len(c.discord.Shown()) != 1 {
		t.Errorf("send to a person: %d: %s", code, out)
	}
	for args, method := range map[string]string{
		"edit --message-id " + m + " -m two-apples":                "PATCH /channels/",
		"react --message-id " + m + " --emoji 👍":                   "PUT /channels/" + discordtest.General + "/messages/" + m + "/reactions/",
		"pin --message-id " + m:                                    "PUT /channels/" + discordtest.General + "/messages/pins/",
		"read":                                                     "GET /channels/" + discordtest.General + "/messages",
		"thread create --message-id " + m + " --thread-name x":     "POST /channels/" + discordtest.General + "/messages/" + m + "/threads",
		"poll --poll-question why --poll-option a --poll-option b": "POST /channels/" + discordtest.General + "/messages",
	} {
		n := len(c.discord.Calls(method))
		code, out := do(append(strings.Fields(args), "--channel", "discord", "--target", to)...)
		if code != 0 || len(c.discord.Calls(method)) <= n {
			t.Errorf("%s: %d: %s", args, code, out)
		}
	}
	for args, want := range map[string]string{
		"role info --guild-id " + discordtest.Guild:                                        "Crew",
		"member info --guild-id " + discordtest.Guild + " --user-id " + discordtest.Person: `al`,
		"emoji list --guild-id " + discordtest.Guild:                                       "party",
		"channel list --guild-id " + discordtest.Guild:                                     "general",
	} {
		code, out := do(append(strings.Fields(args), "--channel", "discord", "--json")...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d: %s", args, code, out)
		}
	}
	for args, want := range map[string]string{
		"send --target " + discordtest.General + " -m x":                            "user:" + discordtest.General,
		"kick --guild-id " + discordtest.Guild + " --user-id " + discordtest.Person: "can't do",
		"send --target channel:" + discordtest.Elsewhere + " -m x":                  "View Channel",
	} {
		code, out := do(append(strings.Fields(args), "--channel", "discord")...)
		if code == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d: %s", args, code, out)
		}
	}
	if code, out := run(t, c.Gateway, 30*time.Second, "channels", "status", "--probe"); code != 0 || !strings.Contains(fmt.Sprint(out), "iscord") {
		t.Errorf("channels status: %d: %s", code, out)
	}
}

// What an agent puts under a message: a button that is for some, and a form,
// over a restart of the gateway.
func TestDiscordForm(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	const panel = `{"text":"Choose","blocks":[{"type":"actions","buttons":[{"label":"Apple"},{"label":"Secret","allowedUsers":["111111111111111111"]}]}],"modal":{"title":"Details","fields":[{"type":"text","label":"Fruit"}]}}`
	if code, out := run(t, c.Gateway, 30*time.Second, "message", "send", "--channel", "discord", "--target", "user:"+discordtest.Person, "-m", "A panel", "--components", panel); code != 0 {
		t.Fatalf("send: %s", out)
	}
	raw, _ := json.Marshal(c.discord.Messages(discordtest.DM)[0].Raw["components"])
	ids := regexp.MustCompile(`ui:[0-9a-f]+:[0-9.]+`).FindAllString(string(raw), -1)
	if len(ids) != 3 {
		t.Fatalf("controls: %s", raw)
	}
	press := func(id string) string {
		// By its own id: a restart has Discord tell earlier ones again.
		at := "POST /interactions/" + c.discord.Interact(object{"type": 3, "data": object{"custom_id": id, "component_type": 2}}) + "/"
		harness.Until(t, within, "an answer to Discord", func() bool { return len(c.discord.Calls(at)) > 0 })
		return fmt.Sprint(c.discord.Calls(at)[0].Body)
	}
	press(ids[0])
	c.answered(t, discordtest.DM, "[pressed Apple]")
	if got := press(ids[1]); !strings.Contains(got, "not authorized") {
		t.Errorf("a button of others: %s", got)
	}
	c.Kill()
	c.up(t)
	if got := press(ids[0]); !strings.Contains(got, "has expired") {
		t.Errorf("a button that was used: %s", got)
	}
	if got := press(ids[2]); !strings.Contains(got, "Fruit") {
		t.Errorf("the form: %s", got)
	}
	c.discord.Interact(object{"type": 5, "data": object{
		"custom_id":  strings.Replace(ids[2], "ui:", "uf:", 1),
		"components": []any{object{"type": 18, "component": object{"type": 4, "custom_id": "f0", "value": "quince"}}},
	}})
	c.answered(t, discordtest.DM, "Fruit: quince")
}

// The command line reaches what only Discord has, by target too.
func TestDiscordOwnActions(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	m := c.discord.Write(discordtest.Message{Channel: discordtest.General, Content: "hello"})
	to := "channel:" + discordtest.General
	for args, want := range map[string]string{
		"reactions --target " + to + " --message-id " + m:                  "reactions",
		"channel info --target " + to:                                      "general",
		"permissions --target " + to:                                       "view",
		"sticker send --target " + to + " --sticker-id 123456789012345678": "messageId",
		"event create --guild-id " + discordtest.Guild + " --event-name Party --start-time 2027-01-31T20:00:00Z --end-time 2027-01-31T22:00:00Z --location Roof": "id",
	} {
		code, out := run(t, c.Gateway, 30*time.Second, append(append([]string{"message"}, strings.Fields(args)...), "--channel", "discord", "--json")...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d: %s", args, code, out)
		}
	}
}
