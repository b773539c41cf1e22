package matrix

import (
	"context"
	"slices"

	"github.com/openclaw-go/openclaw/internal/channel"
)

// Probe implements [channel.Prober].
func (b *bot) Probe(ctx context.Context) error {
	if b.cli.AccessToken == "" {
		_, err := b.cli.Versions(ctx)
		return classify("matrix.Probe", err)
	}
	_, err := b.cli.Whoami(ctx)
	return classify("matrix.Probe", err)
}

// Audit implements [channel.Auditor].
func (b *bot) Audit(ctx context.Context) ([]channel.Issue, error) {
	var out []channel.Issue
	k := b.crypto()
	if b.cfg.Encryption && k == nil && !hasCrypto {
		out = append(out, channel.Issue{Kind: "config", Text: "this build can't read encrypted rooms", Mend: "build it with make, which sets the tag goolm"})
	}
	if k != nil {
		ok, err := k.verified(ctx)
		if err != nil {
			return out, classify("matrix.Audit", err)
		}
		if !ok {
			out = append(out, channel.Issue{
				Kind: "auth", Text: "this device isn't verified, so some people's clients may keep keys from it",
				Mend: "verify the session " + string(b.cli.DeviceID) + " in a client that is logged in as " + string(b.cli.UserID),
			})
		}
	}
	for _, name := range b.cfg.entries() {
		alias := sigiled(bare(name), '#')
		b.mu.Lock()
		known := slices.Contains(mapValues(b.aliases), alias)
		b.mu.Unlock()
		switch {
		case alias == "" && roomID(bare(name)) == "":
			out = append(out, channel.Issue{Kind: "config", Text: "groups." + name + " is neither the id of a room nor an alias, so it lets nothing in", Mend: "write !room:server or #alias:server"})
		case alias != "" && !known:
			out = append(out, channel.Issue{Kind: "config", Text: "the homeserver knows no room " + alias + ", so the entry lets nothing in", Mend: "check the alias in channels.matrix.groups, or write the room's id"})
		}
	}
	if !b.cfg.Encryption {
		b.mu.Lock()
		defer b.mu.Unlock()
		for r, x := range b.rooms {
			if x.encrypted {
				out = append(out, channel.Issue{Kind: "config", Text: "the room " + string(r) + " is encrypted and can't be read", Mend: "set channels.matrix.encryption to true"})
			}
		}
	}
	return out, nil
}
