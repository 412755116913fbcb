package rest

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// releaseView is what is known of the program at an address.
type releaseView struct {
	Native      bool   `json:"native"`
	VersionFrom string `json:"version_from"` // of Java's executor; "" while it is not known
	VersionTo   string `json:"version_to"`
}

func viewRelease(r model.Release) releaseView { return releaseView{r.Native, r.From, r.To} }

type addressView struct {
	Address string `json:"address"`
	releaseView

	LastBeat        *string `json:"last_beat"`
	RegisteredSince *string `json:"registered_since"`
	Dialect         string  `json:"dialect"`
	OpenRuns        int     `json:"open_runs"`
	InFlight        int     `json:"in_flight"`
	Queued          int     `json:"queued"`
	Connections     int     `json:"connections"`
	DeadSince       *string `json:"dead_since"`
	Node            string  `json:"node"`
}

func (c *call) viewAddress(address string, st *model.AddressState, open int) addressView {
	v := addressView{
		OpenRuns: open,
		Address:  address, releaseView: viewRelease(st.Release), LastBeat: atOrNull(st.LastBeat), Dialect: st.Dialect,
		InFlight: st.InFlight, Queued: st.Queued, Connections: st.Conns, DeadSince: atOrNull(st.DeadSince),
		Node: c.s.cfg.Parts.Node,
	}
	if v.Native = st.Native || st.Release.Native; !st.Before {
		v.RegisteredSince = atOrNull(st.Since)
	}
	return v
}

func listAddresses(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	g, addresses, err := c.s.cfg.Ops.Addresses(ctx, c.who, id)
	if err != nil {
		return err
	}
	states, err := c.s.cfg.Parts.Addresses(ctx, g.AppName, addresses)
	if err != nil {
		return err
	}
	open, err := c.s.cfg.Ops.OpenAt(ctx, c.who, id)
	if err != nil {
		return err
	}
	answer := items[addressView]{Items: make([]addressView, 0, len(addresses))}
	for _, a := range addresses {
		st := states[a]
		answer.Items = append(answer.Items, c.viewAddress(a, &st, open(a)))
	}
	return c.json(http.StatusOK, answer)
}

type addressFaultView struct {
	Message string  `json:"message"`
	Path    string  `json:"path"`
	Count   int     `json:"count"`
	First   *string `json:"first"`
	Last    *string `json:"last"`
}

// addressDetail is an address with what runs there.
type addressDetail struct {
	addressView

	GroupID int32              `json:"group_id"`
	Present bool               `json:"present"`
	Faults  []addressFaultView `json:"faults"`
	Running []runView          `json:"running"`
	Recent  []runView          `json:"recent"`
}

// Runs in the detail of an address.
const (
	runningHere = 50
	recentHere  = 20
)

func getAddress(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	g, addresses, err := c.s.cfg.Ops.Addresses(ctx, c.who, id)
	if err != nil {
		return err
	}
	at, err := c.short("address", 255)
	if err != nil {
		return err
	}
	if at == "" {
		return badParam("address", "an address such as http://10.0.0.5:9999/")
	}
	d := addressDetail{GroupID: id}
	if known, err := ops.PickAddress(at, addresses); err == nil {
		at, d.Present = known, true
	}
	runs := func(f model.RunFilter) ([]runView, error) {
		f.At = at
		page, err := c.s.cfg.Ops.Runs(ctx, c.who, f)
		if err != nil {
			return nil, err
		}
		list := make([]runView, 0, len(page.Runs))
		for _, l := range page.Runs {
			list = append(list, viewRun(l))
		}
		return list, nil
	}
	if d.Running, err = runs(model.RunFilter{Result: model.RunRunning, Limit: runningHere}); err != nil {
		return err
	}
	if d.Recent, err = runs(model.RunFilter{Limit: recentHere}); err != nil {
		return err
	}
	if !d.Present && len(d.Running)+len(d.Recent) == 0 {
		return &ops.Error{
			Kind: ops.NotFound, Detail: "the group has no such address, and no run was there lately",
		}
	}
	states, err := c.s.cfg.Parts.Addresses(ctx, g.AppName, []string{at})
	if err != nil {
		return err
	}
	open, err := c.s.cfg.Ops.OpenAt(ctx, c.who, id)
	if err != nil {
		return err
	}
	st := states[at]
	d.addressView, d.Faults = c.viewAddress(at, &st, open(at)), make([]addressFaultView, 0, len(st.Faults))
	for _, f := range st.Faults {
		d.Faults = append(d.Faults, addressFaultView{f.Text, f.Path, f.Count, atOrNull(f.First), atOrNull(f.Last)})
	}
	return c.json(http.StatusOK, d)
}

type probeStepView struct {
	Name       string `json:"name"`
	OK         bool   `json:"ok"`
	Code       int32  `json:"code"`
	Message    string `json:"message"`
	DurationMs int64  `json:"duration_ms"`
}

type evidenceView struct {
	What string `json:"what"`
	Text string `json:"text"`
	Said string `json:"said"`
}

type probeView struct {
	Address    string `json:"address"`
	OK         bool   `json:"ok"`
	Message    string `json:"message"`
	DurationMs int64  `json:"duration_ms"`
	releaseView

	Steps    []probeStepView `json:"steps"`
	Evidence []evidenceView  `json:"evidence"`
}

func viewProbe(address string, p *model.Probe, lang i18n.Lang) probeView {
	v := probeView{
		Address: address, OK: p.OK(), Message: p.Fault(), DurationMs: p.Took().Milliseconds(),
		releaseView: viewRelease(p.Release), Steps: make([]probeStepView, 0, len(p.Steps)),
		Evidence: make([]evidenceView, 0, len(p.Evidence)),
	}
	for _, s := range p.Steps {
		v.Steps = append(v.Steps, probeStepView{s.Name, s.OK, s.Code, s.Text, s.Took.Milliseconds()})
	}
	for _, e := range p.Evidence {
		v.Evidence = append(v.Evidence, evidenceView{e.What, lang.Console("saw." + e.What), e.Text})
	}
	return v
}

const (
	parallelProbes = 16               // addresses that are asked at once
	probeLimit     = 20 * time.Second // of all of them: callers wait for 30 s
)

func probeGroup(ctx context.Context, c *call) error {
	id, err := c.id32("group_id")
	if err != nil {
		return err
	}
	var in struct {
		Address string `json:"address"`
	}
	if err := c.decodeIf(&in); err != nil {
		return err
	}
	g, addresses, err := c.s.cfg.Ops.Probing(ctx, c.who, id)
	if err != nil {
		return err
	}
	if in.Address != "" {
		one, err := ops.PickAddress(in.Address, addresses)
		if err != nil {
			return err
		}
		addresses = []string{one}
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	answer := items[probeView]{Items: make([]probeView, len(addresses))}
	lang := c.s.language(c.r)
	slots := make(chan struct{}, parallelProbes)
	var wg sync.WaitGroup
	for i, address := range addresses {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			answer.Items[i] = viewProbe(address, c.s.cfg.Parts.Probe(ctx, address, g), lang)
		})
	}
	wg.Wait()
	return c.json(http.StatusOK, answer)
}
