package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A channel may be listed by its name. Whose channel that is, is asked once and
// kept: a name that somebody gives to another channel later opens nothing.

const aliasKey = "channels"

// listedNames are the keys of channels that are names.
func (c *Config) listedNames() []string {
	var out []string
	for _, k := range slices.Sorted(mapKeys(c.Channels)) {
		if k != "*" && !channelID(k) {
			out = append(out, k)
		}
	}
	return out
}

// channelID tells whether a key of channels is an id.
func channelID(key string) bool {
	peer := strings.ToUpper(roomKey(key))
	return idLike(peer) && (peer[0] == 'C' || peer[0] == 'G') && strings.ContainsAny(peer, "0123456789")
}

// resolveNames finds the channels that the section lists by name. What can't be
// found is told, and lets nothing in.
func (b *bot) resolveNames(ctx context.Context) {
	names := b.cfg.listedNames()
	if len(names) == 0 {
		return
	}
	known := b.keptNames(ctx)
	found := map[string]string{} // conversations by key
	var open []string
	for _, k := range names {
		if known[k] == "" {
			open = append(open, k)
			continue
		}
		found[k] = known[k]
	}
	if len(open) > 0 {
		hits := map[string][]string{}
		err := b.rooms(ctx, func(r room) bool {
			if idLike(r.ID) && !r.IsMPIM && !r.Archived && r.Name != "" {
				hits[strings.ToLower(r.Name)] = append(hits[strings.ToLower(r.Name)], r.ID)
			}
			return true
		})
		if err != nil {
			b.log.WarnContext(ctx, "slack channels can't be listed, so names of channels mean nothing yet", "channel", ID, "err", err)
		}
		for _, k := range open {
			switch ids := hits[strings.ToLower(roomKey(k))]; {
			case err != nil:
			case len(ids) == 1:
				found[k] = ids[0]
				b.log.InfoContext(ctx, "slack channel found by its name", "channel", ID, "name", k, "id", ids[0])
			default:
				b.log.WarnContext(ctx, "slack channel not found by its name; its entry lets nothing in", "channel", ID, "name", k, "found", len(ids))
			}
		}
	}
	b.mu.Lock()
	b.aliases = found
	b.mu.Unlock()
	if b.env.SetState == nil || maps.Equal(found, known) {
		return
	}
	raw, err := json.Marshal(found)
	if err == nil {
		err = b.env.SetState(ctx, aliasKey, string(raw))
	}
	if err != nil {
		b.log.WarnContext(ctx, "slack channels found by name aren't kept", "channel", ID, "err", err)
	}
}

// keptNames are the conversations found before, by key.
func (b *bot) keptNames(ctx context.Context) map[string]string {
	out := map[string]string{}
	if b.env.State == nil {
		return out
	}
	raw, err := b.env.State(ctx, aliasKey)
	if err != nil || json.Unmarshal([]byte(cmp.Or(raw, "{}")), &out) != nil {
		return map[string]string{}
	}
	return out
}

// aliasOf is the key by which the section lists a conversation, if it is a name.
func (b *bot) aliasOf(conversation string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, c := range b.aliases {
		if c == conversation {
			return k
		}
	}
	return ""
}

// meant is the conversation that a key means, or "".
func (b *bot) meant(key string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.aliases[key]
}
