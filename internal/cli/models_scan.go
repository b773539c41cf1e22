package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/openclaw-go/openclaw/internal/agent/ability"
	"github.com/openclaw-go/openclaw/internal/base/fault"
	"github.com/openclaw-go/openclaw/internal/cli/term"
	"github.com/openclaw-go/openclaw/internal/config"
	"github.com/openclaw-go/openclaw/internal/provider"
)

// scanned is a free model of OpenRouter's as models scan prints it.
type scanned struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Provider   string       `json:"provider"`
	Ref        string       `json:"modelRef"`
	Context    *int         `json:"contextLength"`
	Answer     *int         `json:"maxCompletionTokens"`
	Parameters int          `json:"supportedParametersCount"`
	SaysTools  bool         `json:"supportsToolsMeta"`
	Modality   *string      `json:"modality"`
	Billions   *float64     `json:"inferredParamB"`
	Created    *int64       `json:"createdAtMs"`
	Pricing    *scanPricing `json:"pricing"`
	Free       bool         `json:"isFree"`
	Tool       scanProbe    `json:"tool"`
	Image      scanProbe    `json:"image"`
}

type scanPricing struct {
	Prompt     float64 `json:"prompt"`
	Completion float64 `json:"completion"`
	Request    float64 `json:"request"`
	Image      float64 `json:"image"`
	WebSearch  float64 `json:"webSearch"`
	Reasoning  float64 `json:"internalReasoning"`
}

type scanProbe struct {
	OK      bool   `json:"ok"`
	Took    *int64 `json:"latencyMs"`
	Error   string `json:"error,omitempty"`
	Skipped bool   `json:"skipped,omitempty"`
}

// scanOptions are the flags of models scan.
type scanOptions struct {
	minParams, maxAge, candidates, timeout, concurrency string
	provider                                            string
	noProbe, yes, noInput, setDefault, setImage         bool
}

// modelsScan is openclaw models scan.
func (sh *shell) modelsScan() *cobra.Command {
	var o scanOptions
	cmd := sh.command(spec{name: "scan", short: "Find OpenRouter's free models that call tools and see images", run: func(ctx context.Context, _ []string) error {
		return sh.scan(ctx, o)
	}})
	f := cmd.Flags()
	f.StringVar(&o.minParams, "min-params", "", "at least so many billions of parameters (`b`)")
	f.StringVar(&o.maxAge, "max-age-days", "", "not older than so many `days`")
	f.StringVar(&o.provider, "provider", "", "only models of this maker (`name`)")
	f.StringVar(&o.candidates, "max-candidates", "6", "take at most `n` as fallbacks")
	f.StringVar(&o.timeout, "timeout", "", "for each question (`ms`, default: 12000)")
	f.StringVar(&o.concurrency, "concurrency", "", "ask `n` at a time (default: 3)")
	f.BoolVar(&o.noProbe, "no-probe", false, "list them, ask none")
	f.BoolVar(&o.yes, "yes", false, "take what is suggested")
	f.BoolVar(&o.noInput, "no-input", false, "ask nothing, take what is suggested")
	f.BoolVar(&o.setDefault, "set-default", false, "make the first one the default model")
	f.BoolVar(&o.setImage, "set-image", false, "make the first one that sees the image model")
	sh.jsonFlag(cmd)
	return cmd
}

// number reads a flag that is a number, zero when it wasn't given.
func number(flag, s string, least float64) (float64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || n < least {
		if least > 0 {
			return 0, say("%s must be > 0", flag)
		}
		return 0, say("%s must be >= 0", flag)
	}
	return n, nil
}

func (sh *shell) scan(ctx context.Context, o scanOptions) error {
	minParams, err := number("--min-params", o.minParams, 0)
	if err != nil {
		return err
	}
	maxAge, err := number("--max-age-days", o.maxAge, 0)
	if err != nil {
		return err
	}
	candidates, err := number("--max-candidates", o.candidates, 1)
	if err != nil {
		return err
	}
	limit, err := milliseconds("--timeout", o.timeout, 12*time.Second)
	if err != nil {
		return err
	}
	width, err := number("--concurrency", o.concurrency, 1)
	if err != nil {
		return err
	}
	c, err := sh.config(ctx)
	if err != nil {
		return err
	}
	if !o.noProbe && sh.keySource(ctx, c, "openrouter").kind == "missing" {
		return say("Missing OpenRouter API key. Set OPENROUTER_API_KEY to run models scan, or add --no-probe.")
	}
	list, err := freeModels(ctx, c)
	if err != nil {
		return err
	}
	oldest := time.Now().Add(-time.Duration(min(maxAge, 36500)*24) * time.Hour)
	list = slices.DeleteFunc(list, func(s scanned) bool {
		maker, _, _ := strings.Cut(s.ID, "/")
		return o.provider != "" && !strings.EqualFold(maker, strings.TrimSpace(o.provider)) ||
			minParams > 0 && (s.Billions == nil || *s.Billions < math.Floor(minParams)) ||
			maxAge > 0 && s.Created != nil && time.UnixMilli(*s.Created).Before(oldest)
	})
	if o.noProbe {
		skip := scanProbe{Skipped: true}
		for i := range list {
			list[i].Tool, list[i].Image = skip, skip
		}
		slices.SortFunc(list, betterOnPaper)
		if sh.json {
			sh.printJSON(list)
			return nil
		}
		sh.line("Found %d OpenRouter free models (by their description; without --no-probe they are asked).", len(list))
		sh.showScan(list)
		return nil
	}
	sh.probeEach(ctx, c, list, limit, int(cmp.Or(width, 3)))
	return sh.chooseScanned(ctx, c, o, list, int(candidates))
}

// freeModels reads OpenRouter's list.
func freeModels(ctx context.Context, c *config.Config) ([]scanned, error) {
	cfg := provider.Config{ID: "openrouter", BaseURL: first(c.Models.Providers["openrouter"].BaseURL, "https://openrouter.ai/api/v1")}
	client := provider.NewClient()
	defer client.CloseIdleConnections()
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"openclaw"}}
	call, err := provider.Open(ctx, client, "cli.freeModels", cfg, provider.Join(cfg.BaseURL, "/models"), header, nil)
	if err != nil {
		return nil, err
	}
	defer call.Close()
	var doc struct {
		Data []struct {
			ID         string                     `json:"id"`
			Name       string                     `json:"name"`
			Context    *int                       `json:"context_length"`
			Answer     *int                       `json:"max_completion_tokens"`
			Parameters []string                   `json:"supported_parameters"`
			Created    *float64                   `json:"created_at"`
			Since      *float64                   `json:"created"`
			Modality   string                     `json:"modality"`
			Pricing    map[string]json.RawMessage `json:"pricing"`
			Arch       struct {
				Modality string `json:"modality"`
			} `json:"architecture"`
			Top struct {
				Answer *int `json:"max_completion_tokens"`
			} `json:"top_provider"`
		} `json:"data"`
	}
	if err := call.Decode(&doc, "the list of models"); err != nil {
		return nil, err
	}
	out := make([]scanned, 0, 64)
	for _, d := range doc.Data {
		s := scanned{
			ID: d.ID, Name: first(d.Name, d.ID), Provider: "openrouter", Ref: "openrouter/" + d.ID, Context: d.Context, Answer: cmp.Or(d.Answer, d.Top.Answer),
			Parameters: len(d.Parameters), SaysTools: slices.Contains(d.Parameters, "tools"), Billions: billions(d.ID + " " + d.Name), Pricing: pricing(d.Pricing),
		}
		s.Free = strings.HasSuffix(d.ID, ":free") || s.Pricing != nil && s.Pricing.Prompt == 0 && s.Pricing.Completion == 0
		if d.ID == "" || !s.Free {
			continue
		}
		if m := first(d.Modality, d.Arch.Modality); m != "" {
			s.Modality = &m
		}
		if at := cmp.Or(d.Created, d.Since); at != nil && *at > 0 {
			ms := int64(*at)
			if ms < 1e12 {
				ms *= 1000
			}
			s.Created = &ms
		}
		out = append(out, s)
	}
	return out, nil
}

// pricing reads prices, which are numbers or strings of them.
func pricing(raw map[string]json.RawMessage) *scanPricing {
	get := func(key string) (float64, bool) {
		n, err := strconv.ParseFloat(strings.Trim(string(raw[key]), `" `), 64)
		return n, err == nil
	}
	var p scanPricing
	var ok1, ok2 bool
	p.Prompt, ok1 = get("prompt")
	p.Completion, ok2 = get("completion")
	p.Request, _ = get("request")
	p.Image, _ = get("image")
	p.WebSearch, _ = get("web_search")
	p.Reasoning, _ = get("internal_reasoning")
	if !ok1 || !ok2 {
		return nil
	}
	return &p
}

// billions is the largest size that a name tells, as in "70b" or "8x7b".
func billions(name string) *float64 {
	var most float64
	for _, f := range regexp.MustCompile(`(?:^|[^a-z0-9.])[a-z]?(\d{1,4}(?:\.\d+)?)b(?:[^a-z0-9]|$)`).FindAllStringSubmatch(strings.ToLower(name), -1) {
		if n, err := strconv.ParseFloat(f[1], 64); err == nil {
			most = max(most, n)
		}
	}
	if most == 0 {
		return nil
	}
	return &most
}

// probeEach asks every model of list, some at a time.
func (sh *shell) probeEach(ctx context.Context, c *config.Config, list []scanned, limit time.Duration, width int) {
	turns := make(chan struct{}, min(width, 32)) // how many are asked at a time
	var all sync.WaitGroup
	for i := range list {
		s := &list[i]
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			m, p, err := sh.endpoint(ctx, c, c.DefaultAgent(), s.Ref)
			if err != nil {
				s.Tool.Error, s.Image.Skipped = fault.Hint(err), true
				return
			}
			t := ability.Target{Model: m, Provider: p, Timeout: limit}
			tool, _ := t.Tools(ctx)
			s.Tool = scanResult(tool)
			if s.Image.Skipped = s.Modality == nil || !strings.Contains(*s.Modality, "image"); !s.Image.Skipped {
				s.Image = scanResult(t.Images(ctx))
			}
		})
	}
	all.Wait()
}

func scanResult(f ability.Finding) scanProbe {
	ms := f.Took.Milliseconds()
	p := scanProbe{OK: f.OK, Took: &ms}
	if !f.OK {
		p.Error = f.Detail
	}
	return p
}

// chooseScanned shows the results and makes the best ones fallbacks.
func (sh *shell) chooseScanned(ctx context.Context, c *config.Config, o scanOptions, list []scanned, most int) error {
	slices.SortFunc(list, better)
	able := slices.DeleteFunc(slices.Clone(list), func(s scanned) bool { return !s.Tool.OK })
	if len(able) == 0 {
		return say("No tool-capable OpenRouter free models found.")
	}
	if !sh.json {
		sh.showScan(list)
	}
	seeing := slices.DeleteFunc(slices.Clone(able), func(s scanned) bool { return !s.Image.OK })
	chosen := refs(able, most)
	if len(seeing) > 0 {
		chosen = refs(seeing, most)
	}
	images := slices.DeleteFunc(slices.Clone(list), func(s scanned) bool { return !s.Image.OK })
	slices.SortFunc(images, func(a, b scanned) int { return cmp.Or(cmp.Compare(*a.Image.Took, *b.Image.Took), betterOnPaper(a, b)) })
	chosenImages := refs(images, most)
	if o.setImage && len(chosenImages) == 0 {
		return say("No image-capable models selected for image model.")
	}
	if !o.yes && !o.noInput && !sh.json {
		p, err := sh.prompt("openclaw models scan --yes")
		if err != nil {
			return say("Non-interactive scan: pass --yes to apply defaults.")
		}
		said, err := p.Ask("Fallback models, in order", strings.Join(chosen, ", "))
		if err != nil {
			return err
		}
		chosen = strings.FieldsFunc(said, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if len(chosen) == 0 {
		return say("No models selected for fallbacks.")
	}
	if err := sh.keepScanned(ctx, c, o, chosen, chosenImages); err != nil {
		return err
	}
	if sh.json {
		sh.printJSON(map[string]any{
			"selected": chosen, "selectedImages": chosenImages, "setDefault": o.setDefault, "setImage": o.setImage, "results": list, "warnings": []string{},
		})
		return nil
	}
	sh.line("Fallbacks: %s", strings.Join(chosen, ", "))
	if len(chosenImages) > 0 {
		sh.line("Image fallbacks: %s", strings.Join(chosenImages, ", "))
	}
	if o.setDefault {
		sh.line("Default model: %s", chosen[0])
	}
	if o.setImage {
		sh.line("Image model: %s", chosenImages[0])
	}
	return nil
}

func refs(list []scanned, most int) []string {
	out := []string{}
	for _, s := range list[:min(len(list), most)] {
		out = append(out, s.Ref)
	}
	return out
}

// keepScanned writes the choice. A list of allowed models gets the chosen ones.
func (sh *shell) keepScanned(ctx context.Context, c *config.Config, o scanOptions, chosen, images []string) error {
	d := c.Agents.Defaults
	if o.setDefault {
		d.Model.Primary = chosen[0]
	}
	changes := []change{{"agents.defaults.model.fallbacks", chosen, false}}
	if d.Model.Primary != "" {
		changes = append(changes, change{"agents.defaults.model.primary", d.Model.Primary, false})
	}
	if len(images) > 0 {
		if o.setImage {
			d.ImageModel.Primary = images[0]
		}
		changes = append(changes, change{"agents.defaults.imageModel.fallbacks", images, false})
		if d.ImageModel.Primary != "" {
			changes = append(changes, change{"agents.defaults.imageModel.primary", d.ImageModel.Primary, false})
		}
	}
	if known := modelSettings(c); len(known) > 0 && !hasWildcard(c) {
		for _, ref := range slices.Concat(chosen, images) {
			if _, ok := known[ref]; !ok {
				if err := sh.allow(ctx, ref); err != nil {
					return err
				}
			}
		}
	}
	_, err := sh.edit(ctx, changes...)
	return err
}

// better puts those that see images first, then the quick ones.
func better(a, b scanned) int {
	sees := func(s scanned) int {
		if s.Image.OK {
			return 0
		}
		return 1
	}
	took := func(s scanned) int64 {
		if s.Tool.Took == nil || !s.Tool.OK {
			return math.MaxInt64
		}
		return *s.Tool.Took
	}
	return cmp.Or(cmp.Compare(sees(a), sees(b)), cmp.Compare(took(a), took(b)), betterOnPaper(a, b))
}

// betterOnPaper puts those first that take more, then the larger ones.
func betterOnPaper(a, b scanned) int {
	return cmp.Or(cmp.Compare(deref(b.Context), deref(a.Context)), cmp.Compare(deref(b.Billions), deref(a.Billions)), strings.Compare(a.Ref, b.Ref))
}

func (sh *shell) showScan(list []scanned) {
	tools, images, both := 0, 0, 0
	t := term.Table{Head: []string{"Model", "Tool", "Image", "Ctx", "Params", "Notes"}, Max: map[int]int{0: 60}}
	cell := func(p scanProbe) string {
		switch {
		case p.Skipped:
			return "skip"
		case p.OK:
			return fmt.Sprintf("%dms", deref(p.Took))
		}
		return "fail"
	}
	for _, s := range list {
		if s.Tool.OK {
			tools++
		}
		if s.Image.OK {
			images++
			if s.Tool.OK {
				both++
			}
		}
		window, size, notes := "-", "-", ""
		if s.Context != nil {
			window = fmt.Sprintf("%dk", *s.Context/1024)
		}
		if s.Billions != nil {
			size = strconv.FormatFloat(*s.Billions, 'g', -1, 64) + "b"
		}
		if s.Modality != nil {
			notes = "modality:" + *s.Modality
		}
		t.Rows = append(t.Rows, []string{sh.out.Accent(s.Ref), cell(s.Tool), cell(s.Image), window, size, notes})
	}
	if len(list) > 0 && !list[0].Tool.Skipped {
		sh.line("Scan results: tested %d, tool ok %d, image ok %d, tool+image ok %d, image only %d", len(list), tools, images, both, images-both)
	}
	sh.table(t)
}
