package signal

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// person is one as signal-cli lists people.
type person struct {
	Number   string `json:"number"`
	UUID     string `json:"uuid"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Blocked  bool   `json:"isBlocked"`
	Profile  struct {
		Given  string `json:"givenName"`
		Family string `json:"familyName"`
	} `json:"profile"`
}

func (p person) entry() channel.Entry {
	return channel.Entry{
		Kind: msg.Direct, ID: peer(p.Number, p.UUID), Handle: p.Username,
		Name: cmp.Or(p.Name, strings.TrimSpace(p.Profile.Given+" "+p.Profile.Family)),
	}
}

// group is one as signal-cli lists groups.
type group struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Member  *bool    `json:"isMember"` // left out by older daemons
	Blocked bool     `json:"isBlocked"`
	Members []person `json:"members"`
}

func (g group) joined() bool { return (g.Member == nil || *g.Member) && !g.Blocked }

func (b *bot) groups(ctx context.Context) (out []group, err error) {
	err = b.daemon.call(ctx, "listGroups", map[string]any{}, &out)
	return out, err
}

// Self implements [channel.Directory].
func (b *bot) Self(context.Context) (channel.Entry, error) {
	return channel.Entry{Kind: msg.Direct, ID: b.me(), Bot: true}, nil
}

// Peers implements [channel.Directory]: those whom the account knows.
func (b *bot) Peers(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	var people []person
	if err := b.daemon.call(ctx, "listContacts", map[string]any{}, &people); err != nil {
		return nil, err
	}
	var out []channel.Entry
	for _, p := range people {
		e := p.entry()
		if e.ID == "" || p.Blocked || b.self(p.Number, p.UUID) || !matches(e, query) {
			continue
		}
		out = append(out, e)
	}
	return first(out, limit), nil
}

// Groups implements [channel.Directory]: those in which the account is.
func (b *bot) Groups(ctx context.Context, query string, limit int) ([]channel.Entry, error) {
	gs, err := b.groups(ctx)
	if err != nil {
		return nil, err
	}
	var out []channel.Entry
	for _, g := range gs {
		e := channel.Entry{Kind: msg.Group, ID: id.Peer(g.ID), Name: g.Name}
		if g.joined() && matches(e, query) {
			out = append(out, e)
		}
	}
	return first(out, limit), nil
}

// Members implements [channel.Directory].
func (b *bot) Members(ctx context.Context, in id.Peer, limit int) ([]channel.Entry, error) {
	gs, err := b.groups(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(gs, func(g group) bool { return g.ID == string(in) })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "signal.Members", "the account isn't in that group; signal-cli listGroups shows those it is in")
	}
	var out []channel.Entry
	for _, p := range gs[i].Members {
		if e := p.entry(); e.ID != "" {
			out = append(out, e)
		}
	}
	return first(out, limit), nil
}

func matches(e channel.Entry, query string) bool {
	q := strings.ToLower(strings.TrimSpace(query))
	return q == "" || strings.Contains(strings.ToLower(e.Name), q) || strings.Contains(strings.ToLower(e.Handle), q) ||
		strings.Contains(strings.ToLower(string(e.ID)), q)
}

func first(es []channel.Entry, limit int) []channel.Entry {
	if limit > 0 && len(es) > limit {
		return es[:limit]
	}
	return es
}

// Audit implements [channel.Auditor].
func (b *bot) Audit(ctx context.Context) ([]channel.Issue, error) {
	var out []channel.Issue
	if len(b.cfg.Groups) == 0 {
		return nil, nil
	}
	gs, err := b.groups(ctx)
	if err != nil {
		return nil, err
	}
	for name := range b.cfg.Groups {
		switch i := slices.IndexFunc(gs, func(g group) bool { return g.ID == name }); {
		case name == "*":
		case !groupIDs().MatchString(name):
			out = append(out, channel.Issue{Kind: "config", Text: "groups." + name + " is not the id of a group", Mend: "use the id that signal-cli listGroups shows"})
		case i < 0 || !gs[i].joined():
			out = append(out, channel.Issue{Kind: "permissions", Text: "the account isn't in group " + name, Mend: "have somebody invite it, or take the group out of channels.signal.groups"})
		}
	}
	slices.SortFunc(out, func(x, y channel.Issue) int { return strings.Compare(x.Text, y.Text) })
	return out, nil
}
