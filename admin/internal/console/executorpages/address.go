package executorpages

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	openHere   = 50  // runs that run at an address now, on its page
	recentHere = 20  // its last ones
	maxAddress = 255 // characters, as the columns hold
)

// releaseWords says what is known of the program at an address.
func (c *call) releaseWords(st *model.AddressState) string {
	r := st.Release
	switch {
	case r.Native || st.Native && !r.Known():
		return c.T("executor.native")
	case r.Odd:
		return c.T("executor.odd")
	case r.From == model.ReleaseMaster:
		return c.T("executor.master")
	case r.From != "" && r.From == r.To:
		return c.T("executor.release.one", r.From)
	case r.From != "":
		return c.T("executor.release", r.From, r.To)
	case st.Dialect == "trigger": // from a node that has spoken with it
		return c.T("executor.master")
	case st.Dialect != "":
		return c.T("executor.release", "2.2.0", "3.4.2")
	}
	return ""
}

// addressRow is an address of a group.
type addressRow struct {
	Address string
	Path    string
	model.AddressState

	Kind  string // what is known of the program there, in words; "" while nothing is
	Probe *probeView
}

// probeView is what a probe has found.
type probeView struct {
	OK       bool
	Took     string
	Fault    string // the first answer that is not as it should be
	Word     string // for that
	Kind     string
	Steps    []probeStep
	Evidence []parts.Said
}

// probeStep is a question and its answer in words.
type probeStep struct {
	Name string
	OK   bool
	Took string
	Text string // what follows from the answer
	Said string // the words of the executor
}

func (c *call) addressRow(group int32, address string, st *model.AddressState) addressRow {
	return addressRow{
		Address: address, Path: parts.AddressPath(group, address), AddressState: *st, Kind: c.releaseWords(st),
	}
}

// probed puts a probe into words.
func (c *call) probed(p *model.Probe) *probeView {
	v := &probeView{
		OK: p.OK(), Took: say.Took(c.Lang, p.Took()), Fault: p.Fault(),
		Kind: c.releaseWords(&model.AddressState{Release: p.Release}),
	}
	for _, s := range p.Steps {
		if !s.OK && v.Word == "" {
			if v.Word = c.T("executor.wrong"); s.Code == 0 {
				v.Word = c.T("executor.silent")
			}
		}
		step := probeStep{Name: c.T("probe." + s.Name), OK: s.OK, Took: say.Took(c.Lang, s.Took), Said: s.Text}
		switch {
		case s.Name == model.ProbeUnnamed && s.OK && s.Code != model.CodeSuccess:
			step.Text = c.T("probe.unnamed.wanted")
		case s.OK:
			step.Text = c.T("probe." + s.Name + ".ok")
		case s.Code != 0:
			step.Text = c.T("probe.refused", s.Code)
		default:
			step.Text = c.T("executor.silent")
		}
		v.Steps = append(v.Steps, step)
	}
	for _, e := range p.Evidence {
		v.Evidence = append(v.Evidence, parts.Said{Name: c.T("saw." + e.What), Value: e.Text})
	}
	return v
}

// probeRows asks the addresses of the rows, some at once.
func (c *call) probeRows(ctx context.Context, g *model.Group, rows []addressRow) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	slots := make(chan struct{}, probesAtOnce)
	var wg sync.WaitGroup
	for i := range rows {
		row := &rows[i]
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			p := c.Cfg.Executors.Probe(ctx, row.Address, g)
			row.Probe = c.probed(p)
			if row.Probe.Kind != "" {
				row.Kind = row.Probe.Kind
			}
		})
	}
	wg.Wait()
}

// addressPage is an address of a group.
type addressPage struct {
	addressRow

	Group    *ops.Group
	There    bool // an executor of the group is at it
	MayProbe bool
	Node     string // whose numbers these are, where there are several nodes
	Running  []hereRow
	More     bool // and others
	Recent   []parts.RunRow
	Searched bool // not everything was looked at for the last ones
	// What renews itself: all but the last runs, and those.
	Renew, RenewLast string

	Runs string // path of the list of its runs
	Open string // of those that run now
}

// hereRow is a run at an address, with the title of the group that it is of.
type hereRow struct {
	parts.RunRow

	Back string
	May  bool // kill it
}

// executorAddress shows an address of a group; with the parameter part what renews
// itself alone.
func (c *call) executorAddress(ctx context.Context) error {
	p, _, err := c.addressPage(ctx)
	if err != nil {
		return err
	}
	switch c.Str("part") {
	case "":
		return c.showAddress(ctx, p)
	case partLast:
		return c.Part("address", "addresslast", p)
	}
	return c.Part("address", "addressnow", p)
}

// partLast asks for the last runs of an address, which are dear to find.
const partLast = "last"

func (c *call) showAddress(ctx context.Context, p *addressPage) error {
	return c.Render(ctx, "address", web.Head{
		Title: p.Address, Section: "executors", Script: "renew.js",
		Crumbs: append(c.Under("executors"), web.Crumb{Text: p.Group.Title, Path: parts.ExecutorPath(p.Group.ID)}),
	}, p)
}

// probeAddress asks an address of a group, and shows its page with the answers.
func (c *call) probeAddress(ctx context.Context) error {
	if _, _, err := c.Cfg.Ops.Probing(ctx, c.Who, c.ID32("id")); err != nil {
		return err
	}
	p, group, err := c.addressPage(ctx)
	if err != nil {
		return err
	}
	if p.MayProbe {
		rows := []addressRow{p.addressRow}
		c.probeRows(ctx, group, rows)
		if p, _, err = c.addressPage(ctx); err != nil { // how it stands after that
			return err
		}
		p.Probe = rows[0].Probe
		if p.Probe.Kind != "" {
			p.Kind = p.Probe.Kind
		}
	}
	return c.showAddress(ctx, p)
}

// addressPage reads what is known of the address in the parameter at: one at which
// an executor of the group is, or at which runs were.
func (c *call) addressPage(ctx context.Context) (*addressPage, *model.Group, error) {
	id, at := c.ID32("id"), c.Str("at")
	shown, err := c.Cfg.Ops.Group(ctx, c.Who, id)
	if err != nil {
		return nil, nil, err
	}
	group, list, err := c.Cfg.Ops.Addresses(ctx, c.Who, id)
	if err != nil {
		return nil, nil, err
	}
	p := &addressPage{Group: shown, Node: c.oneOfNodes(ctx)}
	unknown := &httpx.Error{Status: http.StatusNotFound, Msg: c.T("address.unknown")}
	if at == "" || len(at) > 4*maxAddress {
		return nil, nil, unknown
	}
	i := slices.IndexFunc(list, func(a string) bool { return parts.LaneKey(a) == parts.LaneKey(at) })
	if p.There = i >= 0; p.There {
		at = list[i]
	}
	part := c.Str("part")
	if part != partLast {
		if err := c.runsHere(ctx, at, p); err != nil {
			return nil, nil, err
		}
	}
	if part == "" || part == partLast {
		if err := c.lastRunsHere(ctx, at, p); err != nil {
			return nil, nil, err
		}
	}
	if part == "" && !p.There && len(p.Running)+len(p.Recent) == 0 {
		return nil, nil, unknown
	}
	states := map[string]model.AddressState{}
	if c.Cfg.Executors.Addresses != nil {
		if states, err = c.Cfg.Executors.Addresses(ctx, group.AppName, []string{at}); err != nil {
			return nil, nil, err
		}
	}
	st := states[at]
	p.addressRow = c.addressRow(id, at, &st)
	p.MayProbe = p.There && c.Cfg.Executors.Probe != nil && c.RightsIn(id).Run
	p.Renew, p.RenewLast = p.Path+"&part=1", p.Path+"&part="+partLast
	p.Runs = "/runs" + web.Query("address", at)
	p.Open = "/runs" + web.Query("address", at, "result", "running")
	for i := range p.Running {
		p.Running[i].Back = p.Path
	}
	return p, group, nil
}

// runsHere adds what runs at the address now, of all groups that the user may see.
func (c *call) runsHere(ctx context.Context, at string, p *addressPage) error {
	open, err := c.Cfg.Ops.Runs(ctx, c.Who, model.RunFilter{At: at, Result: model.RunRunning, Limit: openHere})
	if err != nil {
		return err
	}
	rows, err := c.RunRows(ctx, open.Runs)
	if err != nil {
		return err
	}
	for i, r := range rows {
		p.Running = append(p.Running, hereRow{RunRow: r, May: c.RightsIn(open.Runs[i].GroupID).Run})
	}
	p.More = open.Next.ID != 0 && len(rows) == openHere
	return nil
}

// lastRunsHere adds the last runs that were sent there.
func (c *call) lastRunsHere(ctx context.Context, at string, p *addressPage) error {
	recent, err := c.Cfg.Ops.Runs(ctx, c.Who, model.RunFilter{At: at, Limit: recentHere})
	if err != nil {
		return err
	}
	p.Searched = recent.Next.ID != 0 && len(recent.Runs) < recentHere
	p.Recent, err = c.RunRows(ctx, recent.Runs)
	return err
}

// oneOfNodes is the name of this node where there are several, else "".
func (c *call) oneOfNodes(ctx context.Context) string {
	if cl := c.Cfg.Cluster(ctx); len(cl.Nodes) > 1 {
		return cl.Node
	}
	return ""
}
