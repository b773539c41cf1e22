package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/openclaw-go/openclaw/internal/channel"
	"github.com/openclaw-go/openclaw/internal/command"
)

// menuItems are the commands for the menu of a network.
func menuItems(cs []command.Command) []channel.MenuItem {
	out := make([]channel.MenuItem, 0, len(cs))
	for _, c := range cs {
		it := channel.MenuItem{Name: c.Name, Help: c.Help}
		for _, a := range c.Args {
			it.Args = append(it.Args, channel.MenuArg{Name: a.Name, Help: a.Name, Choices: a.Choices})
		}
		out = append(out, it)
	}
	return out
}

// keepMenu shows the commands in the menu of an account whenever asked to,
// until ctx ends. A menu that can't be shown is tried again at the next
// connection.
func keepMenu(ctx context.Context, log *slog.Logger, m channel.Menu, asked <-chan struct{}, items func() []channel.MenuItem) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		}
		one, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := m.SetMenu(one, items())
		cancel()
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the command menu can't be shown", "err", err)
		}
	}
}

// poke asks for something that is done once however often it is asked for.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
