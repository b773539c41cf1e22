package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openclaw-go/openclaw/internal/cli/term"
)

// verb is one command under openclaw message that does an action on a channel.
// Flags are written as "name" or "name!" (must be given), then ":" and how its
// value is called; no value is a switch, "..." repeats.
type verb struct {
	path   string // "thread create"
	action string
	short  string
	flags  []string
	args   bool // the flags are arguments of an action of one network's own
}

// verbs are the recorded commands (reference: cli/commands.json), in the order
// of the help.
func verbs() []verb {
	const target, id, text = "target!:dest", "message-id!:id", "message!:text"
	return []verb{
		{"broadcast", "broadcast", "Send a message to many", []string{"targets!...:target", "message:text", "media:url"}, false},
		{"poll", "poll", "Make a poll", []string{
			target, "poll-question!:text", "poll-option...:choice", "poll-multi", "poll-duration-hours:n", "poll-duration-seconds:n",
			"poll-anonymous", "poll-public", "message:text", "silent", "thread-id:id",
		}, false},
		{"react", "react", "React to a message, or take it back", []string{
			target, id, "emoji:emoji", "remove", "participant:id", "from-me", "target-author:id", "target-author-uuid:uuid",
		}, false},
		{"reactions", "reactions", "Who reacted to a message", []string{target, id, "limit:n"}, false},
		{"read", "read", "Read what was written", []string{target, "limit:n", "before:id", "after:id", "around:id", "include-thread"}, false},
		{"edit", "edit", "Change a message that was sent", []string{id, text, target, "thread-id:id"}, false},
		{"delete", "delete", "Delete a message", []string{id, target}, false},
		{"pin", "pin", "Pin a message", []string{target, id}, false},
		{"unpin", "unpin", "Unpin a message", []string{target, id}, false},
		{"pins", "list-pins", "List pinned messages", []string{target, "limit:n"}, false},
		{"permissions", "permissions", "What the account may do there", []string{target}, true},
		{"search", "search", "Find messages", []string{
			"guild-id!:id", "query!:text", "channel-id:id", "channel-ids...:id", "author-id:id", "author-ids...:id", "limit:n",
		}, false},
		{"thread create", "thread-create", "Begin a thread", []string{"thread-name!:name", target, "message-id:id", "message:text", "auto-archive-min:n"}, false},
		{"thread list", "thread-list", "List threads", []string{"guild-id!:id", "channel-id:id", "include-archived", "before:id", "limit:n"}, true},
		{"thread reply", "thread-reply", "Write in a thread", []string{text, target, "media:path-or-url", "reply-to:id"}, false},
		{"emoji list", "emoji-list", "List emojis", []string{"guild-id:id"}, true},
		{"emoji upload", "emoji-upload", "Add an emoji", []string{"guild-id!:id", "emoji-name!:name", "media!:path-or-url", "role-ids...:id"}, true},
		{"sticker send", "sticker", "Send stickers", []string{target, "sticker-id!...:id", "message:text"}, true},
		{"sticker upload", "sticker-upload", "Add a sticker", []string{
			"guild-id!:id", "sticker-name!:name", "sticker-desc!:text", "sticker-tags!:tags", "media!:path-or-url",
		}, true},
		{"role info", "role-info", "List roles", []string{"guild-id!:id"}, true},
		{"role add", "role-add", "Give a role", []string{"guild-id!:id", "user-id!:id", "role-id!:id"}, true},
		{"role remove", "role-remove", "Take a role", []string{"guild-id!:id", "user-id!:id", "role-id!:id"}, true},
		{"channel info", "channel-info", "About a room", []string{target}, true},
		{"channel list", "channel-list", "List rooms", []string{"guild-id!:id"}, false},
		{"member info", "member-info", "About a member", []string{"user-id!:id", "guild-id:id"}, true},
		{"voice status", "voice-status", "Who is in a voice room", []string{"guild-id!:id", "user-id!:id"}, true},
		{"event list", "event-list", "List events", []string{"guild-id!:id"}, true},
		{"event create", "event-create", "Make an event", []string{
			"guild-id!:id", "event-name!:name", "start-time!:iso", "end-time:iso", "desc:text", "channel-id:id", "location:text",
			"event-type:stage|external|voice",
		}, true},
		{"timeout", "timeout", "Silence a member for a while", []string{"guild-id!:id", "user-id!:id", "duration-min:n", "until:iso", "reason:text"}, true},
		{"kick", "kick", "Remove a member", []string{"guild-id!:id", "user-id!:id", "reason:text"}, true},
		{"ban", "ban", "Ban a member", []string{"guild-id!:id", "user-id!:id", "reason:text", "delete-days:n"}, true},
	}
}

// messageActions are the commands of verbs, those of two words in groups.
func (sh *shell) messageActions() []*cobra.Command {
	var out []*cobra.Command
	groups := map[string][]*cobra.Command{}
	var order []string
	for _, v := range verbs() {
		first, second, nested := strings.Cut(v.path, " ")
		if !nested {
			out = append(out, sh.messageAction(v, first))
			continue
		}
		if groups[first] == nil {
			order = append(order, first)
		}
		groups[first] = append(groups[first], sh.messageAction(v, second))
	}
	for _, g := range order {
		out = append(out, sh.command(spec{name: g, short: groupShort(g), subs: groups[g]}))
	}
	return out
}

func groupShort(name string) string {
	return strings.ToUpper(name[:1]) + name[1:] + "s: see its commands"
}

func (sh *shell) messageAction(v verb, name string) *cobra.Command {
	var channel, account string
	var dry bool
	var cmd *cobra.Command
	cmd = sh.command(spec{name: name, short: v.short, run: func(ctx context.Context, _ []string) error {
		return sh.act(ctx, v, cmd.Flags(), channel, account, dry)
	}})
	fs := cmd.Flags()
	for _, f := range v.flags {
		addFlag(cmd, f)
	}
	fs.StringVar(&channel, "channel", "", "on this `channel` (default: the only one configured)")
	fs.StringVar(&account, "account", "", "as this account (`id`)")
	fs.BoolVar(&dry, "dry-run", false, "only show what would be done")
	fs.Bool("verbose", false, "more of it")
	sh.jsonFlag(cmd)
	return cmd
}

func addFlag(cmd *cobra.Command, f string) {
	name, value, _ := strings.Cut(f, ":")
	name, many := strings.CutSuffix(name, "...")
	name, must := strings.CutSuffix(name, "!")
	fs := cmd.Flags()
	short := map[string]string{"target": "t", "message": "m"}[name]
	switch {
	case many:
		fs.StringArrayP(name, short, nil, "`"+value+"`, can be repeated")
	case value == "":
		fs.BoolP(name, short, false, strings.ReplaceAll(name, "-", " "))
	case value == "n":
		fs.IntP(name, short, 0, "`n`")
	default:
		fs.StringP(name, short, "", "`"+value+"`")
	}
	if must {
		require(cmd, name)
	}
}

// param is the name of a flag in an action: camel case.
func param(flag string) string {
	parts := strings.Split(flag, "-")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

func (sh *shell) act(ctx context.Context, v verb, fs *pflag.FlagSet, channel, account string, dry bool) error {
	params, args := map[string]any{}, map[string]any{}
	fs.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"channel", "account", "dry-run", "verbose", "json"}, f.Name) {
			return
		}
		var value any = f.Value.String()
		switch f.Value.Type() {
		case "bool":
			value = f.Value.String() == "true"
		case "int":
			value, _ = strconv.Atoi(f.Value.String()) // pflag has read it
		case "stringArray":
			value, _ = fs.GetStringArray(f.Name)
		}
		if v.args && f.Name != "target" {
			args[param(f.Name)] = value
			return
		}
		params[param(f.Name)] = value
	})
	if len(args) > 0 {
		params["args"] = args
	}
	if dry {
		params["dryRun"] = true
	}
	call := map[string]any{"action": v.action, "params": params, "idempotencyKey": uuid.NewString()}
	if channel != "" {
		call["channel"] = strings.ToLower(channel)
	}
	if account != "" {
		call["accountId"] = account
	}
	r := sendReply{Action: v.action, Channel: channel, DryRun: dry, Handled: "core"}
	if err := sh.call(ctx, target{timeout: 30000}, "message.action", call, &r.Payload); err != nil {
		return err
	}
	if sh.json {
		sh.printJSON(r)
		return nil
	}
	return sh.showAction(v, r.Payload)
}

// showAction prints what came of an action for people.
func (sh *shell) showAction(v verb, payload json.RawMessage) error {
	var got struct {
		Messages []seenRow `json:"messages"`
		Pins     []seenRow `json:"pins"`
		Results  []struct {
			Channel, To, Error string
			OK                 bool
		} `json:"results"`
		Queued            bool
		Reason, MessageID string
	}
	if err := json.Unmarshal(payload, &got); err != nil || v.args {
		sh.line("%s", payload)
		return nil
	}
	rows := append(got.Messages, got.Pins...)
	switch {
	case len(rows) > 0:
		t := term.Table{Head: []string{"When", "From", "Text", "ID"}}
		for _, m := range rows {
			t.Rows = append(t.Rows, []string{orDash(m.Timestamp), orDash(m.From), m.Text, m.ID})
		}
		sh.table(t)
	case len(got.Results) > 0:
		failed := 0
		for _, r := range got.Results {
			if r.OK {
				sh.line("%s %s:%s", sh.out.Good("✓"), r.Channel, r.To)
				continue
			}
			failed++
			sh.line("%s %s:%s  %s", sh.out.Bad("✗"), r.Channel, r.To, r.Error)
		}
		if failed > 0 {
			return quiet{1}
		}
	case got.Queued:
		sh.line("%s Queued: %s", sh.out.Warn("!"), got.Reason)
	default:
		sh.line("%s %s", sh.out.Good("✓"), v.short+": done"+prefixed(". Message ID: ", got.MessageID))
	}
	return nil
}

type seenRow struct {
	ID, From, Text, Timestamp string
}
