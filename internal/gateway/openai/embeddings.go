package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/openclaw-go/openclaw/internal/gateway"
)

// The bounds of POST /v1/embeddings.
const (
	maxTexts     = 2048
	maxTextBytes = 32 << 10
	maxEmbedBody = 20 << 20
)

// Vectors is what became of some texts.
type Vectors struct {
	Model string
	Of    [][]float32 // in the order of the texts
	// Tokens is about how many the texts were.
	Tokens int64
}

type embedding struct {
	Object string `json:"object"`
	Index  int    `json:"index"`
	Vector any    `json:"embedding"`
}

type embeddingList struct {
	Object string      `json:"object"`
	Data   []embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  struct {
		Prompt int64 `json:"prompt_tokens"`
		Input  int64 `json:"input_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
}

// embeddings answers POST /v1/embeddings (OpenAI API reference, "Embeddings")
// with the vectors that an agent's memory uses. The model names an agent, as
// everywhere here; the header X-OpenClaw-Model another model for embeddings.
func (a *api) embeddings(w http.ResponseWriter, r *http.Request) {
	if !gateway.PostOnly(w, r) {
		return
	}
	conf := a.o.Config()
	if !anyEnabled(conf) || a.o.Embed == nil {
		turnedOff(w, "chatCompletions")
		return
	}
	body, ok := gateway.ReadBody(w, r, maxEmbedBody)
	if !ok {
		return
	}
	in, err := parseEmbeddings(body)
	if err != nil {
		gateway.WriteError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	agent, ours := agentOf(in.model)
	if !ours || agent == "" {
		agent = conf.DefaultAgent()
	}
	got, err := a.o.Embed(r.Context(), agent, strings.TrimSpace(r.Header.Get("X-OpenClaw-Model")), in.texts)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	out := embeddingList{Object: "list", Data: make([]embedding, len(got.Of)), Model: in.model}
	for i, v := range got.Of {
		out.Data[i] = embedding{"embedding", i, in.encoded(v)}
	}
	out.Usage.Prompt, out.Usage.Input, out.Usage.Total = got.Tokens, got.Tokens, got.Tokens
	gateway.WriteJSON(w, http.StatusOK, out)
}

// embedRequest is what a request says.
type embedRequest struct {
	model  string
	texts  []string
	base64 bool
}

func (in embedRequest) encoded(v []float32) any {
	if !in.base64 {
		return v
	}
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func parseEmbeddings(body []byte) (embedRequest, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil || o == nil {
		return embedRequest{}, problem("The body isn't valid JSON.")
	}
	in := embedRequest{model: o.string("model"), base64: o.string("encoding_format") == "base64"}
	if in.model == "" {
		return in, problem("Missing `model`.")
	}
	switch kindOf(o["input"]) {
	case "string":
		in.texts = []string{o.string("input")}
	case "array":
		if err := json.Unmarshal(o["input"], &in.texts); err != nil {
			return in, problem("`input` must be a text or a list of texts.")
		}
	default:
		return in, problem("Missing `input`: a text or a list of texts.")
	}
	if len(in.texts) == 0 || len(in.texts) > maxTexts {
		return in, problem(fmt.Sprintf("`input` must have 1 to %d texts.", maxTexts))
	}
	for i, t := range in.texts {
		if t == "" || len(t) > maxTextBytes {
			return in, problem(fmt.Sprintf("`input[%d]` must have 1 to %d bytes.", i, maxTextBytes))
		}
	}
	return in, nil
}
