package store_test

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/openclaw-go/openclaw/internal/base/id"
	"github.com/openclaw-go/openclaw/internal/base/msg"
	"github.com/openclaw-go/openclaw/internal/chat/inbox"
)

// BenchmarkPut stores messages durably, from 1, 10 and 100 callers at once.
func BenchmarkPut(b *testing.B) {
	for _, callers := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			d := open(b, b.TempDir())
			var n atomic.Int64
			b.SetParallelism((callers + 1) / 2) // times GOMAXPROCS
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					m := msg.Inbound{ID: id.Message(strconv.FormatInt(n.Add(1), 10)), Text: "a message of the usual length, more or less"}
					if _, err := d.PutInbound(b.Context(), m); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkMessage is what the store does for one message: put, finish with an
// answer, sending, sent.
func BenchmarkMessage(b *testing.B) {
	for _, callers := range []int{1, 100} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			d := open(b, b.TempDir())
			var n atomic.Int64
			b.SetParallelism((callers + 1) / 2)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					m := msg.Inbound{ID: id.Message(strconv.FormatInt(n.Add(1), 10)), Text: "a message"}
					o := msg.Outbound{ID: id.NewDelivery(), Text: "an answer", To: msg.Address{Channel: "irc", Peer: "p"}}
					_, err := d.PutInbound(b.Context(), m)
					if err == nil {
						err = d.Finish(b.Context(), inbox.Finished{Keys: []string{m.DedupeKey()}, Outs: []msg.Outbound{o}})
					}
					if err == nil {
						err = d.SendingOutbound(b.Context(), o.ID)
					}
					if err == nil {
						err = d.SentOutbound(b.Context(), o.ID, msg.Receipt{})
					}
					if err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
