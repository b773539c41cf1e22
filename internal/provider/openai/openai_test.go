package openai_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/provider/openai"
	"github.com/openclaw-go/openclaw/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: openai.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: "data: {\"choices\":[]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n",
	})
}
