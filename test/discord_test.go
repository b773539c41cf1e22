package test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openclaw-go/openclaw/internal/channel/discord/discordtest"
	"github.com/openclaw-go/openclaw/test/harness"
)

// club is a gateway in a Discord server.
type club struct {
	*harness.Gateway
	model   *harness.Model
	discord *discordtest.Server
}

func newClub(t *testing.T, section object) *club {
	t.Helper()
	c := &club{model: harness.NewModel(t), discord: discordtest.New()}
	t.Cleanup(c.discord.Close)
	s := object{
		"enabled": true, "token": c.discord.Token, "apiRoot": c.discord.URL, "dmPolicy": "allowlist", "allowFrom": []any{"discord:" + discordtest.Person},
		"guilds": object{discordtest.Guild: object{"channels": object{discordtest.General: object{}}}}, "replyToMode": "all",
	}
	for k, v := range section {
		s[k] = v
	}
	c.Gateway = harness.New(t, c.model.URL, object{
		"channels": object{"discord": s},
		"messages": object{"queue": object{"mode": "followup", "cap": 1000}}, // each message has an answer of its own
	})
	return c
}

func (c *club) up(t *testing.T) *club {
	t.Helper()
	n := len(c.discord.Identified()) + c.discord.Resumed()
	c.Start()
	harness.Until(t, within, "the bot is connected", func() bool { return len(c.discord.Identified())+c.discord.Resumed() > n })
	return c
}

// answers are the bot's messages with word in them.
func (c *club) answers(channel, word string) (out []discordtest.Message) {
	for _, m := range c.discord.Messages(channel) {
		if strings.Contains(m.Shown, word) {
			out = append(out, m)
		}
	}
	return out
}

func (c *club) answered(t *testing.T, channel, word string) discordtest.Message {
	t.Helper()
	harness.Until(t, within, word+" is answered", func() bool { return len(c.answers(channel, word)) > 0 })
	return c.answers(channel, word)[0]
}

func (c *club) mention(channel, text string) string {
	return c.discord.Write(discordtest.Message{Channel: channel, Author: discordtest.Person, Content: "<@" + discordtest.BotID + "> " + text})
}

func TestDiscordMentionInAChannel(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	id := c.mention(discordtest.General, "plum")
	if m := c.answered(t, discordtest.General, "plum"); m.ReplyTo != id {
		t.Errorf("the answer replies to %q, want %q", m.ReplyTo, id)
	}
	c.discord.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "quince without a mention"})
	c.mention(discordtest.Random, "quince where it isn't listed")
	c.mention(discordtest.GroupDM, "quince in a group")
	// An answer to the bot is for the bot.
	c.discord.Write(discordtest.Message{Channel: discordtest.General, Author: discordtest.Person, Content: "and pear", ReplyTo: c.discord.Messages(discordtest.General)[0].ID})
	c.answered(t, discordtest.General, "pear")
	c.discord.Say("fig")
	c.answered(t, discordtest.DM, "fig")
	if n := len(c.model.Calls("quince where")) + len(c.model.Calls("quince in")); n != 0 {
		t.Errorf("what isn't for the bot reached the model %d times", n)
	}
}

func TestDiscordStrangersAreNobody(t *testing.T) {
	t.Parallel()
	c := newClub(t, object{"allowFrom": []any{discordtest.Person, "mallory", "user66"}}).up(t)
	const mallory = "2000000000000000066"
	c.discord.Write(discordtest.Message{Channel: discordtest.DM, Author: mallory, Content: "melon"})
	c.discord.Interact(object{"type": 2, "channel_id": discordtest.DM, "user": object{"id": mallory, "username": "mallory"}, "data": object{"name": "status", "options": []any{object{"name": "x", "type": 3, "value": "melon"}}}})
	c.discord.Say("fig")
	c.answered(t, discordtest.DM, "fig")
	if n := len(c.model.Calls("melon")); n != 0 {
		t.Errorf("%d model calls for strangers", n)
	}
}

// The answer to a slash command takes the place of "thinking".
func TestDiscordCommand(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	harness.Until(t, within, "the commands are there", func() bool { return len(c.discord.Commands()) > 0 })
	id := c.discord.Interact(object{"type": 2, "guild_id": discordtest.Guild, "channel_id": discordtest.General, "data": object{"name": "whoami"}})
	got := c.answered(t, "thinking", discordtest.Person)
	if !c.discord.Answered(id) || got.Edits != 1 {
		t.Errorf("answered with %+v", got)
	}
	if n := len(c.discord.Messages(discordtest.General)); n != 0 {
		t.Errorf("%d messages that everybody sees", n)
	}
}

// A Discord that limits, fails and breaks off loses nothing and shows nothing
// twice.
func TestDiscordMisbehaves(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	route := "POST /channels/" + discordtest.DM + "/messages"
	c.discord.Fail("GET /channels/", discordtest.Fault{Status: 500}, discordtest.Fault{Status: 429, Body: `{"retry_after":0.2,"global":false}`})
	c.discord.Fail(route,
		discordtest.Fault{Accept: true, Cut: true}, discordtest.Fault{}, discordtest.Fault{Accept: true, Status: 502}, discordtest.Fault{}, discordtest.Fault{Status: 429, Body: `{"message":"slow","retry_after":0.3,"global":true}`})
	for i := range 6 {
		c.discord.Say(fmt.Sprintf("berry%d", i))
		switch i {
		case 1:
			c.discord.Frame("<html>")
			c.discord.Event("MESSAGE_CREATE", object{"id": 7})
		case 2:
			c.discord.Cut()
		case 3:
			c.discord.Frame(`{"op":7,"d":null}`)
		case 4:
			c.discord.Deaf(true)
		}
	}
	c.discord.Deaf(false)
	for i := range 6 {
		c.answered(t, discordtest.DM, fmt.Sprintf("berry%d", i))
	}
	for i := range 6 {
		if n := len(c.answers("", fmt.Sprintf("berry%d", i))); n != 1 {
			t.Errorf("berry%d was answered %d times", i, n)
		}
	}
	if strings.Contains(c.Log(), c.discord.Token) {
		t.Error("the log holds the token")
	}
}

// What Discord refuses stops the account with a mend, and nothing else.
func TestDiscordRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code int
		mend string
	}{{4004, "make a new one under Bot"}, {4013, "remove channels.discord.intents"}, {4014, "turn on Message Content Intent"}} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			t.Parallel()
			c := newClub(t, nil)
			if tt.code == 4014 {
				c.discord.SetFlags(0)
			} else {
				c.discord.Refuse(tt.code)
			}
			c.Start()
			harness.Until(t, within, "the log names the mend", func() bool { return strings.Contains(c.Log(), tt.mend) })
			if code, _ := c.HTTP("GET", "/health", nil); code != http.StatusOK {
				t.Errorf("/health answers %d", code)
			}
			if n := len(c.discord.Identified()); n != 0 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

// The end of one account is its own: another bot, and another network, go on.
func TestDiscordAccountsApart(t *testing.T) {
	t.Parallel()
	other := discordtest.New()
	t.Cleanup(other.Close)
	other.SetFlags(0)
	c := newClub(t, object{"accounts": object{"default": object{}, "second": object{"token": other.Token, "apiRoot": other.URL}}}).up(t)
	harness.Until(t, within, "the second account is refused", func() bool { return strings.Contains(c.Log(), "turn on Message Content Intent") })
	other.SetFlags(1 << 19)
	c.discord.Cut()
	c.discord.Say("fig")
	c.answered(t, discordtest.DM, "fig")
	if n := len(other.Identified()); n != 0 {
		t.Errorf("the account that was refused tries again by itself: %d sessions", n)
	}
}

// Killed at any moment, the gateway loses nothing and says nothing twice.
func TestDiscordCrash(t *testing.T) {
	t.Parallel()
	c := newClub(t, nil).up(t)
	c.discord.Say("grape one !hold g")
	harness.Until(t, within, "a model call", func() bool { return len(c.model.Calls("grape one")) > 0 })
	c.Kill()
	c.discord.Say("grape two") // while nobody is there
	c.mention(discordtest.General, "grape three")
	c.model.Release("g")
	c.up(t)
	c.discord.Say("grape four")
	for _, w := range []string{"one", "two", "four"} {
		c.answered(t, discordtest.DM, "grape "+w)
	}
	c.answered(t, discordtest.General, "grape three")
	// And where the session can't be gone on with.
	c.Kill()
	c.discord.Say("grape five")
	c.discord.Drop()
	c.mention(discordtest.General, "grape six")
	c.up(t)
	c.answered(t, discordtest.DM, "grape five")
	c.answered(t, discordtest.General, "grape six")
	for _, w := range []string{"one", "two", "three", "four", "five", "six"} {
		if n := len(c.answers("", "grape "+w)); n != 1 {
			t.Errorf("grape %s was answered %d times", w, n)
		}
	}
}
