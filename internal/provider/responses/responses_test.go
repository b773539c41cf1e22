package responses_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/openclaw-go/openclaw/internal/provider/providertest"
	"github.com/openclaw-go/openclaw/internal/provider/responses"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProvider(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Suite{
		Kind: responses.Kind(), Streams: os.DirFS("testdata/streams"), Plain: "plain",
		Noise: "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"response\":{\"status\":\"in_progress\",\"output\":[]}}\n\n",
	})
}
