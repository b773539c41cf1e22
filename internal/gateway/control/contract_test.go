package control_test

import (
	"github.com/openclaw-go/openclaw/internal/agent/guard"
	"github.com/openclaw-go/openclaw/internal/agent/model"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/gateway/control"
	"github.com/openclaw-go/openclaw/internal/session"
	"github.com/openclaw-go/openclaw/internal/tool/status"
)

// What the gateway is made of fits together.
var (
	_ control.Sessions = (*session.Book)(nil)
	_ control.Models   = (*model.Resolver)(nil)

	_ = control.Deps{Profiles: guard.Profiles}
	_ = func(c *control.Control) gateway.Options { return gateway.Options{Health: c.Health, Queue: c.Queue} }
	_ = func(c *control.Control) status.Source {
		return status.Source{Info: c.SessionInfo, Choose: c.ChooseModel}
	}
)
