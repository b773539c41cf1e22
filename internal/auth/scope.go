package auth

import (
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/rpc"
)

// allScopes are the scopes that the holder of the shared secret has over HTTP.
func allScopes() map[rpc.Scope]bool {
	return map[rpc.Scope]bool{rpc.Admin: true, rpc.Read: true, rpc.Write: true, rpc.Approvals: true, rpc.Pairing: true}
}

// Has reports whether held satisfies want: admin implies every operator scope,
// write implies read.
func Has(held map[rpc.Scope]bool, want rpc.Scope) bool {
	switch {
	case want == "" || held[want]:
		return true
	case held[rpc.Admin] && strings.HasPrefix(string(want), "operator."):
		return true
	}
	return want == rpc.Read && held[rpc.Write]
}

func scopeSet(list []string) map[rpc.Scope]bool {
	set := make(map[rpc.Scope]bool, len(list))
	for _, s := range list {
		set[rpc.Scope(s)] = true
	}
	return set
}

// covers reports whether all of want is in held or implied by it, and what
// isn't.
func covers(held, want []string) (missing string, ok bool) {
	set := scopeSet(held)
	for _, s := range want {
		if !Has(set, rpc.Scope(s)) {
			return s, false
		}
	}
	return "", true
}

// merge appends what is new in more, keeping the order.
func merge(list []string, more ...string) []string {
	out := slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// sorted is the form in which a token keeps its scopes.
func sorted(list []string) []string {
	out := merge([]string{}, list...)
	slices.Sort(out)
	return out
}
