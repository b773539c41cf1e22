package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// place finds where an action goes and the channel that does it.
func (h *Handler) place(ctx context.Context, by Asker, a Action) (msg.Address, channel.Channel, error) {
	ch := a.Channel
	if ch == "" && by.At.Channel != "webchat" {
		ch = by.At.Channel
	}
	if ch == "" || a.Channel != "" && a.Channel != by.At.Channel {
		picked, err := h.sendChannel(string(ch))
		if e, ok := errors.AsType[*rpc.Error](err); ok {
			return msg.Address{}, nil, fault.New(fault.Invalid, "chat.Act", e.Message)
		}
		ch = picked
	}
	acc := a.Account
	if acc == "" && ch == by.At.Channel {
		acc = by.At.Account
	}
	acc = cmp.Or(acc, id.DefaultAccount)
	c, ok := h.Outbox.Channel(ch, acc)
	if !ok {
		return msg.Address{}, nil, fault.New(fault.NotFound, "chat.Act", fmt.Sprintf("channel %s has no running account %s; see openclaw channels status", ch, acc))
	}
	to := by.At
	if a.Target != "" {
		var err error
		if to, err = h.address(ctx, c, ch, acc, a.Target); err != nil {
			return msg.Address{}, nil, err
		}
	} else if by.At.Channel != ch || by.At.Peer == "" {
		if !slices.Contains(everywhere(), a.Do) { // one of the network's own says itself what about
			return msg.Address{Channel: ch, Account: acc}, c, nil
		}
		return msg.Address{}, nil, fault.New(fault.Invalid, "chat.Act", "target is missing: say whom or where to")
	}
	if a.Thread != "" {
		to.Thread = a.Thread
	}
	return to, c, nil
}

// address reads a target as people write it: the channel's own forms first,
// then a name in its directory.
func (h *Handler) address(ctx context.Context, c channel.Channel, ch id.Channel, acc id.Account, target string) (msg.Address, error) {
	to := msg.Address{Kind: msg.Direct, Peer: id.Peer(strings.TrimSpace(target))}
	var err error
	if k, ok := h.kind(ch); ok && k.Target != nil {
		to, err = k.Target(target)
	}
	if d, ok := channel.As[channel.Directory](c); ok && err != nil {
		if found, ok := named(ctx, d, target); ok {
			to, err = found, nil
		}
	}
	if err != nil {
		return msg.Address{}, err
	}
	to.Channel, to.Account = ch, acc
	return to, nil
}

// named looks a name up: one that means several is none.
func named(ctx context.Context, d channel.Directory, name string) (msg.Address, bool) {
	plain := strings.TrimLeft(strings.TrimSpace(name), "#@")
	var hits []channel.Entry
	for _, list := range []func(context.Context, string, int) ([]channel.Entry, error){d.Groups, d.Peers} {
		es, err := list(ctx, plain, 20)
		if err != nil {
			continue // one of the two lists may need rights that the account lacks
		}
		for _, e := range es {
			if strings.EqualFold(e.Name, plain) || strings.EqualFold(e.Handle, plain) {
				hits = append(hits, e)
			}
		}
	}
	if len(hits) != 1 {
		return msg.Address{}, false
	}
	return msg.Address{Kind: hits[0].Kind, Peer: hits[0].ID}, true
}

func (h *Handler) kind(ch id.Channel) (channel.Kind, bool) {
	if h.Access == nil || h.Access.Kind == nil {
		return channel.Kind{}, false
	}
	return h.Access.Kind(ch)
}
