package console

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	openHere   = 50  // runs that run at an address now, on its page
	recentHere = 20  // its last ones
	maxAddress = 255 // characters, as the columns hold
)

// addressPath is the page of an address of a group.
func addressPath(group int32, address string) string {
	return executorPath(group) + "/address" + query("at", address)
}

// wherePath is addressPath of where a run was sent; "" for one that was sent
// nowhere.
func wherePath(l *model.Log) string {
	if l.Address.S == "" {
		return ""
	}
	return addressPath(l.GroupID, l.Address.S)
}

// releaseWords says what is known of the program at an address.
func (c *call) releaseWords(st *model.AddressState) string {
	r := st.Release
	switch {
	case r.Native || st.Native && !r.Known():
		return c.t("executor.native")
	case r.Odd:
		return c.t("executor.odd")
	case r.From == model.ReleaseMaster:
		return c.t("executor.master")
	case r.From != "" && r.From == r.To:
		return c.t("executor.release.one", r.From)
	case r.From != "":
		return c.t("executor.release", r.From, r.To)
	case st.Dialect == "trigger": // from a node that has spoken with it
		return c.t("executor.master")
	case st.Dialect != "":
		return c.t("executor.release", "2.2.0", "3.4.2")
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
	Evidence []said
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
		Address: address, Path: addressPath(group, address), AddressState: *st, Kind: c.releaseWords(st),
	}
}

// probed puts a probe into words.
func (c *call) probed(p *model.Probe) *probeView {
	v := &probeView{
		OK: p.OK(), Took: say.Took(c.lang, p.Took()), Fault: p.Fault(),
		Kind: c.releaseWords(&model.AddressState{Release: p.Release}),
	}
	for _, s := range p.Steps {
		if !s.OK && v.Word == "" {
			if v.Word = c.t("executor.wrong"); s.Code == 0 {
				v.Word = c.t("executor.silent")
			}
		}
		step := probeStep{Name: c.t("probe." + s.Name), OK: s.OK, Took: say.Took(c.lang, s.Took), Said: s.Text}
		switch {
		case s.Name == model.ProbeUnnamed && s.OK && s.Code != model.CodeSuccess:
			step.Text = c.t("probe.unnamed.wanted")
		case s.OK:
			step.Text = c.t("probe." + s.Name + ".ok")
		case s.Code != 0:
			step.Text = c.t("probe.refused", s.Code)
		default:
			step.Text = c.t("executor.silent")
		}
		v.Steps = append(v.Steps, step)
	}
	for _, e := range p.Evidence {
		v.Evidence = append(v.Evidence, said{Name: c.t("saw." + e.What), Value: e.Text})
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
			p := c.s.cfg.Executors.Probe(ctx, row.Address, g)
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
	Recent   []runRow
	Searched bool // not everything was looked at for the last ones
	// What renews itself: all but the last runs, and those.
	Renew, RenewLast string

	Runs string // path of the list of its runs
	Open string // of those that run now
}

// hereRow is a run at an address, with the title of the group that it is of.
type hereRow struct {
	runRow

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
	switch c.str("part") {
	case "":
		return c.showAddress(ctx, p)
	case partLast:
		return c.part("address", "addresslast", p)
	}
	return c.part("address", "addressnow", p)
}

// partLast asks for the last runs of an address, which are dear to find.
const partLast = "last"

func (c *call) showAddress(ctx context.Context, p *addressPage) error {
	return c.render(ctx, "address", head{
		Title: p.Address, Section: "executors", Script: "renew.js",
		Crumbs: []crumb{{c.t("nav.executors"), "/executors"}, {p.Group.Title, executorPath(p.Group.ID)}},
	}, p)
}

// probeAddress asks an address of a group, and shows its page with the answers.
func (c *call) probeAddress(ctx context.Context) error {
	if _, _, err := c.s.cfg.Ops.Probing(ctx, c.who, c.id32("id")); err != nil {
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
	id, at := c.id32("id"), c.str("at")
	shown, err := c.s.cfg.Ops.Group(ctx, c.who, id)
	if err != nil {
		return nil, nil, err
	}
	group, list, err := c.s.cfg.Ops.Addresses(ctx, c.who, id)
	if err != nil {
		return nil, nil, err
	}
	p := &addressPage{Group: shown, Node: c.oneOfNodes(ctx)}
	unknown := &httpx.Error{Status: http.StatusNotFound, Msg: c.t("address.unknown")}
	if at == "" || len(at) > 4*maxAddress {
		return nil, nil, unknown
	}
	i := slices.IndexFunc(list, func(a string) bool { return laneKey(a) == laneKey(at) })
	if p.There = i >= 0; p.There {
		at = list[i]
	}
	part := c.str("part")
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
	if c.s.cfg.Executors.Addresses != nil {
		if states, err = c.s.cfg.Executors.Addresses(ctx, group.AppName, []string{at}); err != nil {
			return nil, nil, err
		}
	}
	st := states[at]
	p.addressRow = c.addressRow(id, at, &st)
	p.MayProbe = p.There && c.s.cfg.Executors.Probe != nil && c.rightsIn(id).Run
	p.Renew, p.RenewLast = p.Path+"&part=1", p.Path+"&part="+partLast
	p.Runs, p.Open = "/runs"+query("address", at), "/runs?"+url.Values{"address": {at}, "result": {"running"}}.Encode()
	for i := range p.Running {
		p.Running[i].Back = p.Path
	}
	return p, group, nil
}

// runsHere adds what runs at the address now, of all groups that the user may see.
func (c *call) runsHere(ctx context.Context, at string, p *addressPage) error {
	open, err := c.s.cfg.Ops.Runs(ctx, c.who, model.RunFilter{At: at, Result: model.RunRunning, Limit: openHere})
	if err != nil {
		return err
	}
	rows, err := c.runRows(ctx, open.Runs)
	if err != nil {
		return err
	}
	for i, r := range rows {
		p.Running = append(p.Running, hereRow{runRow: r, May: c.rightsIn(open.Runs[i].GroupID).Run})
	}
	p.More = open.Next.ID != 0 && len(rows) == openHere
	return nil
}

// lastRunsHere adds the last runs that were sent there.
func (c *call) lastRunsHere(ctx context.Context, at string, p *addressPage) error {
	recent, err := c.s.cfg.Ops.Runs(ctx, c.who, model.RunFilter{At: at, Limit: recentHere})
	if err != nil {
		return err
	}
	p.Searched = recent.Next.ID != 0 && len(recent.Runs) < recentHere
	p.Recent, err = c.runRows(ctx, recent.Runs)
	return err
}

// oneOfNodes is the name of this node where there are several, else "".
func (c *call) oneOfNodes(ctx context.Context) string {
	if cl := c.s.cfg.Cluster(ctx); len(cl.Nodes) > 1 {
		return cl.Node
	}
	return ""
}

// sumLanes adds up how the addresses of a group stand, as far as this node knows.
func sumLanes(lanes map[string]model.AddressState, addresses []string) (sum model.AddressState, dead int) {
	for _, a := range addresses {
		lane := lanes[laneKey(a)]
		sum.Queued += lane.Queued
		sum.InFlight += lane.InFlight
		if !lane.DeadSince.IsZero() {
			dead++
		}
	}
	return sum, dead
}

// byNeed orders the list of executors: those with started jobs and without an
// address first, then those of which some do not answer; last those with neither
// an address nor started jobs.
func byNeed(a, b executorRow) int {
	none := func(r executorRow) int {
		if r.Count == 0 && r.Started == 0 {
			return 2 // nobody misses them
		}
		return min(r.Count, 1)
	}
	alive := func(r executorRow) int { return 1 - min(r.Dead, 1) }
	return cmp.Or(cmp.Compare(none(a), none(b)), cmp.Compare(alive(a), alive(b)))
}
