package discord

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// interaction is a slash command, or a control of a message that somebody used.
type interaction struct {
	ID        string          `json:"id"`
	App       string          `json:"application_id"`
	Type      int             `json:"type"`
	Token     string          `json:"token"`
	GuildID   string          `json:"guild_id"`
	ChannelID string          `json:"channel_id"`
	Channel   room            `json:"channel"` // a part of it
	Member    *member         `json:"member"`
	User      *user           `json:"user"`
	Message   *message        `json:"message"`
	Data      interactionData `json:"data"`
}

type interactionData struct {
	Name     string      `json:"name"`
	Options  []option    `json:"options"`
	CustomID string      `json:"custom_id"`
	Kind     int         `json:"component_type"`
	Values   []string    `json:"values"`
	Parts    []submitted `json:"components"`
}

type option struct {
	Name    string          `json:"name"`
	Type    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Options []option        `json:"options"`
}

// Types of interactions, and of the answers to them.
const (
	typeSlash = 2
	typePress = 3
	typeForm  = 5

	answerNow   = 4
	answerLater = 5 // "thinking", until the answer takes its place
	answerNone  = 6 // a press is taken, nothing changes

	flagEphemeral = 1 << 6
)

// nativePrefix begins the ids of messages that Discord made of a command.
const nativePrefix = "int:"

// interaction hands x on, and only then tells Discord that it is taken: within
// three seconds, or Discord shows it as failed.
func (b *bot) interaction(ctx context.Context, x interaction, recv channel.Receiver) error {
	if x.Type != typeSlash && x.Type != typePress && x.Type != typeForm || !snowflake(x.ID) || !snowflake(x.ChannelID) || !urlSafe(x.Token) {
		return nil
	}
	u := x.User
	var roles []string
	nick := ""
	if x.Member != nil {
		roles, nick = roleIDs(x.Member.Roles), x.Member.Nick
		u = cmp.Or(x.Member.User, u)
	}
	if u == nil || !snowflake(u.ID) {
		return nil
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup/2)
	defer cancel()
	if x.GuildID == "" && x.Channel.Type == typeDM {
		b.world.room(room{ID: x.ChannelID, Type: typeDM})
	}
	at, where, ok := b.where(look, x.ChannelID, x.GuildID, id.Peer(u.ID))
	if !ok {
		return nil
	}
	where.Roles = roles
	in := msg.Inbound{
		ID: id.Message(nativePrefix + x.ID), At: at, Room: where, Native: true, Mentioned: true, Received: received(x.ID),
		From: msg.Sender{ID: id.Peer(u.ID), Name: clean(cmp.Or(nick, u.shown())), Username: clean(u.handle()), Bot: u.Bot},
	}
	callback := map[string]any{"type": answerNone}
	used := ""
	if x.Type == typeSlash {
		in.Text = commanded(x.Data)
		private := yes(b.cfg.SlashCommand.Ephemeral, true)
		callback = map[string]any{"type": answerLater}
		if private {
			callback["data"] = map[string]any{"flags": flagEphemeral}
		}
		// Known before it is stored: its answer may come at once.
		b.open.put(ctx, b, string(in.ID), answerTo{App: cmp.Or(x.App, b.known().App), Token: x.Token, User: u.ID, Private: private, At: in.Received.Unix()})
	} else if custom, ours := uiID(x); ours {
		said, instead := b.uiUsed(look, x, *u, custom)
		if instead != nil {
			if err := b.callback(ctx, x, instead); !refusedWith(err, codeAnswered) {
				return err
			}
			return nil // before a restart; Discord tells it again
		}
		in.Text, in.Native, used = said, false, custom
	} else if in.Text, in.Native = b.pressed(look, x); in.Text == "" {
		return nil
	}
	if x.Message != nil && snowflake(x.Message.ID) {
		in.ReplyTo = id.Message(x.Message.ID)
	}
	told := b.open.begin(string(in.ID))
	defer told()
	if err := b.store(ctx, in, x.ChannelID, recv); err != nil {
		return err
	}
	if err := b.panels.use(ctx, b, used); err != nil {
		b.log.WarnContext(ctx, "discord control can be used again", "channel", ID, "err", err)
	}
	err := b.callback(ctx, x, callback)
	if err != nil && !refusedWith(err, codeAnswered) && ctx.Err() == nil {
		b.log.WarnContext(ctx, "discord shows an interaction as failed", "channel", ID, "err", err)
		if refusedWith(err, codeUnknownAnswer, codeUnknownWebhook) {
			b.open.close(ctx, b, string(in.ID)) // the answer goes to the conversation
		}
	}
	return nil
}

// callback tells Discord what comes of an interaction.
func (b *bot) callback(ctx context.Context, x interaction, body map[string]any) error {
	return b.api.do(ctx, call{method: "POST", path: "/interactions/" + x.ID + "/" + x.Token + "/callback", body: body, anonymous: true})
}

// uiID is the custom id of an agent's control or form, without what begins it.
func uiID(x interaction) (custom string, ours bool) {
	if x.Type == typeForm {
		custom, ours = strings.CutPrefix(x.Data.CustomID, formPrefix)
		return custom, ours
	}
	return strings.CutPrefix(x.Data.CustomID, uiPrefix)
}

// uiUsed is what the use of an agent's control says, or what Discord is told
// instead: that it has expired, isn't for this person, or opens a form.
func (b *bot) uiUsed(ctx context.Context, x interaction, u user, custom string) (said string, instead map[string]any) {
	only := func(s string) map[string]any {
		return map[string]any{"type": answerNow, "data": map[string]any{"content": s, "flags": flagEphemeral}}
	}
	c, ok := b.panels.get(ctx, b, custom)
	switch {
	case !yes(b.cfg.AgentComponents.Enabled, true):
		return "", only("Buttons, menus and forms are turned off.")
	case !ok && x.Type == typeForm:
		return "", only("This form has expired.")
	case !ok:
		return "", only("This component has expired.")
	case !b.mayUse(c, u):
		return "", only("You are not authorized to use this button.")
	case x.Type == typeForm && c.Form != nil:
		return c.Form.filled(x.Data.Parts), nil
	case c.Form != nil:
		return "", c.Form.open(custom)
	}
	return chosen(c.Label, x.Data.Values), nil
}

// chosen is what the use of a control says.
func chosen(name string, values []string) string {
	const most, mostValues = 4000, 25
	name = cmp.Or(strings.TrimSpace(name), "a control")
	v := text.Cut(text.Valid(strings.Join(values[:min(len(values), mostValues)], ", ")), most)
	if v == "" {
		return "[pressed " + name + "]"
	}
	return "[chose " + name + ": " + v + "]"
}

// commanded is the text that a slash command stands for.
func commanded(d interactionData) string {
	parts := []string{"/" + clean(strings.ToLower(d.Name))}
	var walk func(os []option, depth int)
	walk = func(os []option, depth int) {
		const most, deep = 25, 3
		for _, o := range os[:min(len(os), most)] {
			if len(o.Value) == 0 {
				if parts = append(parts, clean(o.Name)); depth < deep {
					walk(o.Options, depth+1)
				}
				continue
			}
			var s string
			if json.Unmarshal(o.Value, &s) != nil {
				s = string(o.Value) // a number, true
			}
			if s = strings.TrimSpace(text.Valid(s)); s != "" {
				const longest = 6000
				parts = append(parts, text.Cut(s, longest))
			}
		}
	}
	walk(d.Options, 0)
	return strings.Join(parts, " ")
}

// pressPrefix begins the custom ids of our buttons, and keyPrefix those whose
// data is too long to be one.
const (
	pressPrefix = "oc:"
	keyPrefix   = "oc#"
	maxCustom   = 100
)

// customID is what Discord gives back when a button is pressed.
func (b *bot) customID(ctx context.Context, data string) (string, error) {
	if len(pressPrefix)+len(data) <= maxCustom {
		return pressPrefix + data, nil
	}
	sum := sha256.Sum256([]byte(data))
	key := hex.EncodeToString(sum[:16])
	if b.env.SetState == nil {
		return "", fault.New(fault.Invalid, "discord.Send", "the data of a button is too long: the limit is 97 characters")
	}
	return keyPrefix + key, b.env.SetState(ctx, "button/"+key, data)
}

// pressed is what a control stands for. native says that it is one of ours,
// whose data is what its user says.
func (b *bot) pressed(ctx context.Context, x interaction) (said string, native bool) {
	const most = 4000
	values := text.Cut(text.Valid(strings.Join(x.Data.Values[:min(len(x.Data.Values), 25)], ", ")), most)
	if data, ok := strings.CutPrefix(x.Data.CustomID, pressPrefix); ok {
		return strings.TrimSpace(text.Valid(data) + " " + values), true
	}
	if key, ok := strings.CutPrefix(x.Data.CustomID, keyPrefix); ok && b.env.State != nil {
		if data, err := b.env.State(ctx, "button/"+key); err == nil && data != "" {
			return strings.TrimSpace(data + " " + values), true
		}
	}
	if x.Type == typePress && clean(x.Data.CustomID) != "" {
		return chosen(clean(x.Data.CustomID), x.Data.Values), false
	}
	return "", false
}

// urlSafe tells what may stand in a path as a token.
func urlSafe(s string) bool {
	const most = 1024
	return s != "" && len(s) <= most && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.=~", r)
	}) < 0
}
