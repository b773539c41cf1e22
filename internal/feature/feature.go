// Package feature is the shape of everything that plugs into the daemon. A
// built-in subsystem and an external plugin hand over the same value.
package feature

import (
	"context"
	"net/http"

	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/command"
	"github.com/openclaw-go/openclaw/internal/hook"
	"github.com/openclaw-go/openclaw/internal/rpc"
	"github.com/openclaw-go/openclaw/internal/tool"
)

// Feature is a bundle of faces. Any field may be empty.
type Feature struct {
	Name     string
	Methods  []rpc.Method
	Routes   []Route
	Tools    []tool.Tool
	Commands []command.Command
	Hooks    func(*hook.Set)
	Checks   []Check
	Run      func(context.Context) error // background work, until ctx ends
}

// Check is one thing that doctor looks at.
type Check struct {
	Name string
	Run  func(context.Context) []Finding
}

// Finding is one thing that doctor found wrong. Fix, when not nil, mends it;
// doctor asks first and backs up what Fix changes.
type Finding struct {
	Severity string // warning or error
	Text     string // what is wrong and where
	Mend     string // what to type or change
	Fix      func(context.Context) error
}

// Route is an HTTP route. Pattern is that of [http.ServeMux].
type Route struct {
	Pattern string
	Auth    Auth
	Handler http.Handler
}

// Auth says who checks the caller of a route.
type Auth int

const (
	ByGateway Auth = iota // a gateway token is required
	ByHandler             // the handler verifies the caller, as webhooks do
)

// Merge checks that no two features claim the same name and returns them
// joined.
func Merge(fs ...Feature) (Feature, error) {
	all := Feature{Name: "all"}
	owner := map[string]string{}
	claim := func(what, by string) error {
		if o, taken := owner[what]; taken {
			return fault.New(fault.Conflict, "feature.Merge", what+" is claimed by "+o+" and "+by)
		}
		owner[what] = by
		return nil
	}
	for _, f := range fs {
		for _, m := range f.Methods {
			if err := claim("method "+m.Name, f.Name); err != nil {
				return Feature{}, err
			}
		}
		for _, t := range f.Tools {
			if err := claim("tool "+t.Spec().Name, f.Name); err != nil {
				return Feature{}, err
			}
		}
		for _, r := range f.Routes {
			if err := claim("route "+r.Pattern, f.Name); err != nil {
				return Feature{}, err
			}
		}
		for _, c := range f.Commands {
			if err := claim("command /"+c.Name, f.Name); err != nil {
				return Feature{}, err
			}
		}
		all.Checks = append(all.Checks, f.Checks...)
		all.Methods = append(all.Methods, f.Methods...)
		all.Routes = append(all.Routes, f.Routes...)
		all.Tools = append(all.Tools, f.Tools...)
		all.Commands = append(all.Commands, f.Commands...)
	}
	return all, nil
}
