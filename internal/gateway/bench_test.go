package gateway_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/event"
	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/gateway"
	"github.com/openclaw-go/openclaw/internal/rpc"
)

// BenchmarkDispatch is one request and its answer over a loopback socket.
func BenchmarkDispatch(b *testing.B) {
	r := newRig(b, rigOptions{methods: []rpc.Method{rpc.Handle("echo", rpc.Read, func(_ context.Context, _ *rpc.Caller, p struct {
		Text string `json:"text" schema:"minLength=1"`
	},
	) (map[string]string, error) {
		return map[string]string{"text": p.Text}, nil
	})}})
	c := r.open(operator())
	b.ReportAllocs()
	for b.Loop() {
		if f := c.call("echo", `{"text":"hello"}`); !f.OK {
			b.Fatal(f.raw)
		}
	}
}

// BenchmarkFanOut is one text delta to n clients: it is encoded once.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{0, 1, 100} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			f := gateway.NewFan(n)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				f.Delta(event.RunDelta{Run: id.Run(fmt.Sprint(i / 200)), Session: session, Text: "word ", Fresh: i%200 == 0})
			}
		})
	}
}
