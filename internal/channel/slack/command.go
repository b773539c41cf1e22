package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/base/text"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// command is a slash command that somebody typed.
type command struct {
	Command  string `json:"command"`
	Text     string `json:"text"`
	UserID   string `json:"user_id"`
	UserName string `json:"user_name"`
	Channel  string `json:"channel_id"`
	RoomName string `json:"channel_name"` // "directmessage", "privategroup", or a name
	TeamID   string `json:"team_id"`
	Trigger  string `json:"trigger_id"`
	Response string `json:"response_url"`
}

// responder is where the answer to a slash command goes: for half an hour and
// five times Slack takes it at url.
type responder struct {
	url     string
	user    string
	private bool
}

const responderFor = 29 * time.Minute

// slash hands a slash command on.
func (b *bot) slash(ctx context.Context, payload json.RawMessage, recv channel.Receiver) (answer any, err error) {
	var c command
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, errUnread(err)
	}
	if !idLike(c.UserID) || !idLike(c.Channel) || c.Trigger == "" {
		return nil, errUnread(errNoEvent)
	}
	said, ok := b.commanded(c)
	if !ok {
		return map[string]any{"response_type": "ephemeral", "text": "This command isn't set up: see channels.slack.slashCommand and commands.native."}, nil
	}
	if said == "" {
		said = "/help"
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup)
	defer cancel()
	at, where := b.place(look, "", c.Channel, "", c.UserID)
	if at.Kind == msg.Direct && !on(b.cfg.DM.Enabled) {
		return nil, nil
	}
	where.Team = c.TeamID
	u := b.people.user(look, c.UserID)
	in := msg.Inbound{
		ID: id.Message("slash:" + c.UserID + ":" + text.Cut(printable(c.Trigger), 120)), At: at, Room: where, Text: said,
		From:   msg.Sender{ID: id.Peer(c.UserID), Name: clean(cmp.Or(u.shown(), c.UserName)), Username: clean(cmp.Or(u.Name, c.UserName)), Bot: u.IsBot},
		Native: true, Mentioned: true, Received: time.Now(),
	}
	if b.slackHost(c.Response) {
		b.slashes.Put(string(in.ID), responder{url: c.Response, user: c.UserID, private: on(b.cfg.Slash.Ephemeral)})
	}
	return nil, b.store(ctx, in, recv)
}

// commanded is the text that a slash command stands for: what follows the one
// command of slashCommand, or a command of ours.
func (b *bot) commanded(c command) (said string, ok bool) {
	name := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(c.Command), "/"))
	args := strings.TrimSpace(strings.ToValidUTF8(unescape(c.Text), "\uFFFD"))
	own := strings.ToLower(strings.Trim(cmp.Or(strings.TrimSpace(b.cfg.Slash.Name), "openclaw"), "/"))
	if b.cfg.Slash.Enabled && name == own {
		return args, true
	}
	if name == "agentstatus" {
		name = "status" // Slack keeps /status for itself
	}
	b.mu.Lock()
	known := b.menu[name]
	b.mu.Unlock()
	if native, _ := b.cfg.Commands.Native.(bool); !native && !known || name == "" {
		return "", false
	}
	return strings.TrimSpace("/" + name + " " + args), true
}

// SetMenu implements [channel.Menu]. Slack's menu is part of the app's manifest;
// this says which of its commands are ours.
func (b *bot) SetMenu(_ context.Context, items []channel.MenuItem) error {
	menu := make(map[string]bool, len(items))
	for _, it := range items {
		menu[strings.ToLower(it.Name)] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.menu = menu
	return nil
}

// slackHost tells addresses of Slack, or of the server that apiRoot names.
func (b *bot) slackHost(address string) bool {
	u, err := url.Parse(address)
	return err == nil && b.trusted(u)
}

func (b *bot) trusted(u *url.URL) bool {
	if u.User != nil {
		return false
	}
	if b.cfg.APIRoot != officialRoot && strings.EqualFold(u.Host, b.api.root.Host) && u.Scheme == b.api.root.Scheme {
		return true
	}
	host := strings.ToLower(u.Hostname())
	if u.Scheme != "https" || u.Port() != "" {
		return false
	}
	for _, d := range []string{"slack.com", "slack-edge.com", "slack-files.com", "slack-gov.com"} {
		if host == d || strings.HasSuffix(host, "."+d) {
			return true
		}
	}
	return false
}

// interaction is a press of a button, or a choice, in a message of ours.
type interaction struct {
	Type string `json:"type"`
	User struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Name     string `json:"name"`
	} `json:"user"`
	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Message struct {
		TS     string `json:"ts"`
		Thread string `json:"thread_ts"`
	} `json:"message"`
	Actions []action `json:"actions"`
}

type action struct {
	ID       string   `json:"action_id"`
	Type     string   `json:"type"`
	Value    string   `json:"value"`
	TS       string   `json:"action_ts"`
	Date     string   `json:"selected_date"`
	Time     string   `json:"selected_time"`
	User     string   `json:"selected_user"`
	Room     string   `json:"selected_conversation"`
	Selected choice   `json:"selected_option"`
	Many     []choice `json:"selected_options"`
}

type choice struct {
	Value string `json:"value"`
}

// value is what a control was set to.
func (a action) value() string {
	if v := cmp.Or(a.Value, a.Selected.Value, a.Date, a.Time, a.User, a.Room); v != "" {
		return v
	}
	vs := make([]string, 0, len(a.Many))
	for _, c := range a.Many {
		vs = append(vs, c.Value)
	}
	return strings.Join(vs, ", ")
}

// pressPrefix begins the action ids of our buttons.
const pressPrefix = "oc_"

// interaction hands on what somebody pressed. The press of a button of ours is
// what its data says; any other control is told as a fact.
func (b *bot) interaction(ctx context.Context, payload json.RawMessage, recv channel.Receiver) error {
	var x interaction
	if err := json.Unmarshal(payload, &x); err != nil {
		return errUnread(err)
	}
	if x.Type != "block_actions" || len(x.Actions) == 0 || !idLike(x.User.ID) || !idLike(x.Channel.ID) {
		return nil
	}
	look, cancel := context.WithTimeout(ctx, b.time.lookup)
	defer cancel()
	thread := x.Message.Thread
	if thread == x.Message.TS || !stamp(thread) {
		thread = ""
	}
	at, where := b.place(look, "", x.Channel.ID, thread, "")
	if at.Kind == msg.Direct {
		if !on(b.cfg.DM.Enabled) {
			return nil
		}
		at.Peer = id.Peer(x.User.ID)
	}
	where.Team = x.Team.ID
	u := b.people.user(look, x.User.ID)
	const most = 10
	for _, a := range x.Actions[:min(len(x.Actions), most)] {
		const longest = 4000
		value := text.Cut(strings.ToValidUTF8(a.value(), "\uFFFD"), longest)
		if value == "" {
			continue // a button that opens an address
		}
		in := msg.Inbound{
			ID: id.Message("press:" + text.Cut(printable(a.TS+":"+a.ID), 120)), At: at, Room: where, Text: value, Native: true, Mentioned: true,
			From:     msg.Sender{ID: id.Peer(x.User.ID), Name: clean(cmp.Or(u.shown(), x.User.Name)), Username: clean(cmp.Or(u.Name, x.User.Username)), Bot: u.IsBot},
			Received: time.Now(),
		}
		if stamp(x.Message.TS) {
			in.ReplyTo = id.Message(x.Message.TS)
		}
		switch {
		case strings.HasPrefix(a.ID, pressPrefix):
		case strings.HasPrefix(a.ID, choosePrefix): // the agent's own controls: it is told, and goes on
			in.Text = "Slack interaction: " + called(in.From) + " chose " + value
		default:
			in.Native, in.Notice = false, true
			in.Text = "Slack interaction: " + called(in.From) + " set " + clean(cmp.Or(a.ID, a.Type)) + " of the message " + clean(x.Message.TS) + " to: " + value
		}
		if err := b.store(ctx, in, recv); err != nil {
			return err
		}
	}
	return nil
}
