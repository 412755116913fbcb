package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Executors is what the pages of executors ask of the admin. Without its
// functions the pages say nothing of addresses, and nobody can be asked.
type Executors struct {
	// Addresses tells of addresses at which executors of the app are.
	Addresses func(ctx context.Context, appName string, addresses []string) (map[string]model.AddressState, error)
	// Lanes tells of every address that this node sends to, without what its
	// registration says. The keys are as laneKey returns them.
	Lanes func() map[string]model.AddressState
	// LastBeat is when an executor of the app was last heard of; zero is never.
	LastBeat func(appName string) time.Time
	// Probe asks the executor at an address of the group what harms nobody.
	Probe func(ctx context.Context, address string, group *model.Group) *model.Probe
	// A run that was triggered LostAfter ago or longer counts as lost once its
	// executor beats no more and did not answer twice, GoneTwice apart.
	LostAfter, GoneTwice time.Duration
}

// laneKey is an address without what makes no difference to the way there:
// blanks around it, and a slash at its end.
func laneKey(address string) string { return strings.TrimSuffix(strings.TrimSpace(address), "/") }

const (
	probesAtOnce = 16
	probeLimit   = 10 * time.Second
	fewAddresses = 3 // of a group in the list
	maxApp       = 64
)

// registerExecutors registers what is about executors.
func (s *Server) registerExecutors() {
	s.page("/executors", httpx.LoggedIn, (*call).executors)
	s.page("/executors/new", httpx.Admin, (*call).newExecutor)
	s.action("/executors/new", httpx.Admin, (*call).createExecutor)
	s.page("/executors/{id}", httpx.Viewer, (*call).executor)
	s.action("/executors/{id}/probe", httpx.Operator, (*call).probeExecutor)
	s.page("/executors/{id}/address", httpx.Viewer, (*call).executorAddress)
	s.action("/executors/{id}/address/probe", httpx.Operator, (*call).probeAddress)
	s.page("/executors/{id}/edit", httpx.GroupAdmin, (*call).editExecutor)
	s.action("/executors/{id}/edit", httpx.GroupAdmin, (*call).saveExecutor)
	s.registerMembers()
	s.action("/executors/{id}/delete", httpx.Admin, (*call).deleteExecutor)
	s.action("/executors/{id}/token", httpx.GroupAdmin, (*call).rotateToken)
	s.action("/executors/{id}/token/clear", httpx.GroupAdmin, (*call).clearToken)
	s.action("/executors/{id}/token/end", httpx.GroupAdmin, (*call).endOldToken)
}

// executorRow is a line of the list.
type executorRow struct {
	*ops.Group
	Addresses []addressLink // the first ones
	Count     int
	Dead      int // that do not answer this node
	LastBeat  time.Time
	Started   int // jobs
	InFlight  int
	Queued    int
}

// addressLink is an address and its page.
type addressLink struct{ Text, Path string }

// executorsPage is the list of executors.
type executorsPage struct {
	Rows   []executorRow
	Lonely int // groups without an address that have started jobs
	Node   string
	Renew  string

	Columns []column
	// Unknown are the executors whose app names no group has.
	Unknown     []model.UnknownApp
	MoreUnknown int // that are not in the list
}

// executors lists the groups, those without an address first.
func (c *call) executors(ctx context.Context) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	p := executorsPage{Node: c.oneOfNodes(ctx)}
	var lanes map[string]model.AddressState
	if c.s.cfg.Executors.Lanes != nil {
		lanes = c.s.cfg.Executors.Lanes()
	}
	started, err := c.s.cfg.Ops.StartedByGroup(ctx, c.who)
	if err != nil {
		return err
	}
	for _, g := range groups {
		list := g.Addresses()
		row := executorRow{Group: g, Count: len(list), Started: started[g.ID]}
		if row.Count == 0 && row.Started > 0 {
			p.Lonely++
		}
		for _, a := range list[:min(len(list), fewAddresses)] {
			row.Addresses = append(row.Addresses, addressLink{a, addressPath(g.ID, a)})
		}
		sum, dead := sumLanes(lanes, list)
		row.InFlight, row.Queued, row.Dead = sum.InFlight, sum.Queued, dead
		if c.s.cfg.Executors.LastBeat != nil {
			row.LastBeat = c.s.cfg.Executors.LastBeat(g.AppName)
		}
		p.Rows = append(p.Rows, row)
	}
	v := c.filter("sort")
	slices.SortStableFunc(p.Rows, executorOrder(v.Get("sort")))
	p.Columns, p.Renew = c.columns("/executors", v, "", executorColumns), pathWith("/executors", v, "part", "1")
	if err := c.unknown(ctx, &p); err != nil {
		return err
	}
	if c.str("part") != "" {
		return c.part("executors", "executorsnow", p)
	}
	return c.render(ctx, "executors", head{Title: c.t("nav.executors"), Section: "executors", Script: "renew.js"}, p)
}

// executorColumns are the columns of the list.
var executorColumns = []sortable{
	{"name", "executor.title", "", false},
	{"", "executor.how", "", false},
	{"addresses", "executor.addresses", "", true},
	{"beat", "executor.beat", "", true},
	{"inflight", "executor.inflight", "num fit", true},
	{"queued", "executor.queued", "num fit", true},
	{"", "executor.token", "", false},
}

// executorOrder is the order of the list that was chosen, or what needs a look
// first.
func executorOrder(sort string) func(a, b executorRow) int {
	name, descending := strings.CutPrefix(sort, "-")
	order := map[string]func(a, b executorRow) int{
		"name":      func(a, b executorRow) int { return strings.Compare(a.Title, b.Title) },
		"addresses": func(a, b executorRow) int { return cmp.Compare(a.Count, b.Count) },
		"beat":      func(a, b executorRow) int { return a.LastBeat.Compare(b.LastBeat) },
		"inflight":  func(a, b executorRow) int { return cmp.Compare(a.InFlight, b.InFlight) },
		"queued":    func(a, b executorRow) int { return cmp.Compare(a.Queued, b.Queued) },
	}[name]
	switch {
	case order == nil:
		return byNeed
	case descending:
		return func(a, b executorRow) int { return order(b, a) }
	}
	return order
}

// unknown adds the executors whose app names no group has, for who sees every
// group.
func (c *call) unknown(ctx context.Context, p *executorsPage) error {
	if !c.who.SeesUnknown() {
		return nil
	}
	list, names, err := c.s.cfg.Ops.Unknown(ctx, c.who)
	p.Unknown, p.MoreUnknown = list, names-len(list)
	return err
}

// executorPage is a group with its addresses.
type executorPage struct {
	*ops.Group
	Rows     []addressRow
	MayProbe bool
	Node     string // whose numbers these are, where there are several nodes
	Renew    string // path of what renews itself; "" when it does not
	Token    string // a new one, shown this once
	Jobs     int
	May      rights
	Members  membersPart
	Muted    []string // until when its alarms are not sent; empty when they are
}

// executor shows a group.
func (c *call) executor(ctx context.Context) error {
	p, err := c.executorPage(ctx)
	if err != nil {
		return err
	}
	if c.str("part") != "" {
		return c.part("executor", "executornow", p)
	}
	return c.showExecutor(ctx, p)
}

func (c *call) showExecutor(ctx context.Context, p *executorPage) error {
	return c.render(ctx, "executor", head{
		Title: p.Title, Section: "executors", Crumbs: []crumb{{c.t("nav.executors"), "/executors"}}, Script: "renew.js",
	}, p)
}

func (c *call) executorPage(ctx context.Context) (*executorPage, error) {
	id := c.id32("id")
	g, err := c.s.cfg.Ops.Group(ctx, c.who, id)
	if err != nil {
		return nil, err
	}
	_, list, err := c.s.cfg.Ops.Addresses(ctx, c.who, id)
	if err != nil {
		return nil, err
	}
	p := &executorPage{
		Group: g, May: c.rightsIn(id), Node: c.oneOfNodes(ctx), Renew: executorPath(id) + "?part=1",
	}
	p.MayProbe = c.s.cfg.Executors.Probe != nil && len(list) > 0 && p.May.Run
	if err := c.fillMembers(ctx, p); err != nil {
		return nil, err
	}
	if p.Muted, err = c.mutedGroups(ctx, id); err != nil {
		return nil, err
	}
	states := map[string]model.AddressState{}
	if c.s.cfg.Executors.Addresses != nil {
		if states, err = c.s.cfg.Executors.Addresses(ctx, g.AppName, list); err != nil {
			return nil, err
		}
	}
	for _, a := range list {
		st := states[a]
		p.Rows = append(p.Rows, c.addressRow(id, a, &st))
	}
	_, p.Jobs, err = c.s.cfg.Ops.ListJobs(ctx, c.who, model.JobFilter{GroupID: id, Limit: 1})
	return p, err
}

// probeExecutor asks every address of a group, or the one that is named, and
// shows the page with what they said.
func (c *call) probeExecutor(ctx context.Context) error {
	p, err := c.executorPage(ctx)
	if err != nil {
		return err
	}
	group, _, err := c.s.cfg.Ops.Probing(ctx, c.who, p.ID)
	if err != nil {
		return err
	}
	if !p.MayProbe {
		return c.showExecutor(ctx, p)
	}
	rows := p.Rows
	if only := c.str("address"); only != "" {
		i := slices.IndexFunc(rows, func(r addressRow) bool { return r.Address == only })
		if i < 0 {
			return c.showExecutor(ctx, p)
		}
		rows = rows[i : i+1]
	}
	c.probeRows(ctx, group, rows)
	p.Renew = "" // what was said stays
	return c.showExecutor(ctx, p)
}

// executorForm is the form of a group.
type executorForm struct {
	ID        int32 // 0 for a new one
	AppName   string
	Title     string
	Manual    bool
	Addresses string // one a line
	Problem   string
}

func (c *call) showForm(ctx context.Context, status int, f *executorForm) error {
	h := head{Title: c.t("executor.new"), Section: "executors", Crumbs: []crumb{{c.t("nav.executors"), "/executors"}}}
	if f.ID != 0 {
		h.Title = c.t("edit")
		h.Crumbs = append(h.Crumbs, crumb{f.AppName, executorPath(f.ID)})
	}
	return c.renderStatus(ctx, status, "executor_edit", h, f)
}

func executorPath(id int32) string { return "/executors/" + strconv.Itoa(int(id)) }

func (c *call) newExecutor(ctx context.Context) error {
	app := c.str("app") // of an executor that has registered without one
	if len(app) > maxApp {
		app = ""
	}
	return c.showForm(ctx, http.StatusOK, &executorForm{AppName: app, Title: app})
}

func (c *call) editExecutor(ctx context.Context) error {
	g, err := c.s.cfg.Ops.Group(ctx, c.who, c.id32("id"))
	if err != nil {
		return err
	}
	if err := c.need(model.RoleAdmin, g.ID); err != nil {
		return err
	}
	f := &executorForm{ID: g.ID, AppName: g.AppName, Title: g.Title, Manual: g.Manual}
	if g.Manual {
		f.Addresses = strings.Join(g.Addresses(), "\n")
	}
	return c.showForm(ctx, http.StatusOK, f)
}

// executorForm reads the form of a group.
func (c *call) executorForm() (*executorForm, *model.Group) {
	f := &executorForm{
		ID: c.id32("id"), AppName: c.str("app"), Title: c.str("title"), Manual: c.str("manual") == "1",
		Addresses: c.r.PostForm.Get("addresses"),
	}
	list := strings.FieldsFunc(f.Addresses, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' })
	return f, &model.Group{
		ID: f.ID, AppName: f.AppName, Title: f.Title, Manual: f.Manual, AddressList: model.T(strings.Join(list, ",")),
	}
}

func (c *call) createExecutor(ctx context.Context) error {
	f, g := c.executorForm()
	recording, made := ops.Recording(ctx)
	id, err := c.s.cfg.Ops.CreateGroup(recording, c.who, g)
	if err != nil {
		return c.formRefused(ctx, f, err)
	}
	return c.doneUndo(executorPath(id), c.t("executor.did.create", f.AppName), made)
}

func (c *call) saveExecutor(ctx context.Context) error {
	f, g := c.executorForm()
	recording, made := ops.Recording(ctx)
	if err := c.s.cfg.Ops.UpdateGroup(recording, c.who, g); err != nil {
		return c.formRefused(ctx, f, err)
	}
	return c.doneUndo(executorPath(f.ID), c.t("executor.did.save"), made)
}

// formRefused shows the form again, with what was typed and why it is not taken.
func (c *call) formRefused(ctx context.Context, f *executorForm, err error) error {
	text, ours := c.why(err)
	if !ours {
		return err
	}
	f.Problem = text
	return c.showForm(ctx, http.StatusUnprocessableEntity, f)
}

func (c *call) deleteExecutor(ctx context.Context) error {
	id := c.id32("id")
	ctx, made := ops.Recording(ctx)
	if err := c.s.cfg.Ops.DeleteGroup(ctx, c.who, id); err != nil {
		return c.refuse(executorPath(id), err)
	}
	return c.doneUndo("/executors", c.t("executor.did.delete"), made)
}

// rotateToken makes a new token and shows it on the answer itself: it is in no
// address, no cookie and no other page.
func (c *call) rotateToken(ctx context.Context) error {
	token, err := c.s.cfg.Ops.RotateToken(ctx, c.who, c.id32("id"), c.overlap())
	if err != nil {
		return c.refuse(executorPath(c.id32("id")), err)
	}
	p, err := c.executorPage(ctx)
	if err != nil {
		return err
	}
	p.Token = token
	return c.showExecutor(ctx, p)
}

// overlap is how long the old token is to count beside the new one.
func (c *call) overlap() time.Duration {
	if c.str("overlap") == "endless" {
		return ops.OverlapEndless
	}
	return time.Duration(min(c.num("overlap", 0), int(ops.MaxOverlap/time.Second))) * time.Second
}

// endOldToken ends the token from before.
func (c *call) endOldToken(ctx context.Context) error {
	id := c.id32("id")
	if err := c.s.cfg.Ops.EndOldToken(ctx, c.who, id); err != nil {
		return c.refuse(executorPath(id), err)
	}
	return c.done(executorPath(id), c.t("executor.did.endold"))
}

func (c *call) clearToken(ctx context.Context) error {
	id := c.id32("id")
	if err := c.s.cfg.Ops.SetGroupToken(ctx, c.who, id, "", c.overlap()); err != nil {
		return c.refuse(executorPath(id), err)
	}
	return c.done(executorPath(id), c.t("executor.did.clear"))
}
