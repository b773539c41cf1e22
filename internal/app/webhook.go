package app

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/channel"
)

// maxWebhook bounds what is read of a delivery; handlers bound it further.
const maxWebhook = 16 << 20

// webhook returns the handler of the running account that receives at path:
// under /channels/<kind>/<account>/, or where its configuration says. It is
// nil when there is none. The handler itself checks who calls.
func (c *channels) webhook(path string) http.Handler {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := make([]accountKey, 0, len(c.runs))
	for k, r := range c.runs {
		if r.status.Running && r.status.Channeler != nil {
			keys = append(keys, k)
		}
	}
	// Of two accounts with one path the default account has it.
	slices.SortFunc(keys, func(x, y accountKey) int {
		if (x.account == id.DefaultAccount) != (y.account == id.DefaultAccount) {
			if x.account == id.DefaultAccount {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.channel, y.channel), cmp.Compare(x.account, y.account))
	})
	for _, k := range keys {
		ch := c.runs[k].status.Channeler
		w, ok := channel.As[channel.Webhook](ch)
		if !ok {
			continue
		}
		mounted := "/channels/" + string(k.channel) + "/" + string(k.account)
		at := ""
		if p, ok := channel.As[channel.WebhookPath](ch); ok {
			at = p.WebhookPath()
		}
		if path == mounted || strings.HasPrefix(path, mounted+"/") || at != "" && path == at {
			return bounded(w.Handler(c.recv))
		}
	}
	return nil
}

func bounded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxWebhook)
		h.ServeHTTP(w, r)
	})
}
