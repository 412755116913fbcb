package executorpages

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	probesAtOnce = 16
	probeLimit   = 10 * time.Second
	fewAddresses = 3 // of a group in the list
	maxApp       = 64
)

// executorRow is a line of the list.
type executorRow struct {
	*ops.Standing

	Count int         // of the addresses
	First []listedRow // the first ones, and those that do not answer before others
	Rest  []listedRow
	Lost  []listedRow // that the group does not have any more, and where runs of it run
}

// listedRow is an address in the list.
type listedRow struct {
	addressRow

	Open int // runs of the group that run there
	Runs string
	Gone bool
}

// executorsPage is the list of executors.
type executorsPage struct {
	Rows   []executorRow
	Lonely int // groups without an address that have started jobs
	Node   string
	Renew  string

	Columns []web.Column
	Sorts   []web.Order
	// Unknown are the executors whose app names no group has.
	Unknown     []model.UnknownApp
	MoreUnknown int // that are not in the list
	// Refused have come with a wrong token.
	Refused []model.Refused
}

// executors lists the groups, those first that need a look.
func (c *call) executors(ctx context.Context) error {
	list, err := c.Cfg.Ops.Standings(ctx, c.Who)
	if err != nil {
		return err
	}
	v := c.Filter("sort")
	sort := v.Get("sort")
	if !slices.Contains(ops.StandingSorts(), strings.TrimPrefix(sort, "-")) {
		sort = "need"
	}
	slices.SortFunc(list, func(a, b *ops.Standing) int {
		return ops.ComparePlaces(sort, a.Place(sort), b.Place(sort))
	})
	p := executorsPage{Node: c.oneOfNodes(ctx)}
	for _, st := range list {
		if len(st.At) == 0 && st.Started > 0 {
			p.Lonely++
		}
		p.Rows = append(p.Rows, c.executorRow(st))
	}
	p.Sorts = c.Orders(v.Get("sort"), "", executorColumns)
	p.Columns, p.Renew = c.Columns("/executors", v, "", executorColumns), web.PathWith("/executors", v, "part", "1")
	if err := c.strangers(ctx, &p); err != nil {
		return err
	}
	if c.Str("part") != "" {
		return c.Part("executors", "executorsnow", p)
	}
	return c.Render(ctx, "executors", web.Head{
		Title: c.T("nav.executors"), Section: "executors", Script: "renew.js",
	}, p)
}

// executorRow makes a line of the list. Of many addresses those that do not answer
// stand among the first.
func (c *call) executorRow(st *ops.Standing) executorRow {
	row := executorRow{Standing: st, Count: len(st.At)}
	listed := func(list []ops.AddressStanding, gone bool) []listedRow {
		rows := make([]listedRow, len(list))
		for i, a := range list {
			rows[i] = listedRow{
				addressRow: c.addressRow(st.ID, a.Address, &a.AddressState), Open: a.Open, Gone: gone,
				Runs: "/runs?" + url.Values{"address": {a.Address}, "result": {"running"}}.Encode(),
			}
		}
		return rows
	}
	all := listed(st.At, false)
	if len(all) > fewAddresses {
		slices.SortStableFunc(all, func(a, b listedRow) int {
			return cmp.Compare(alive(a), alive(b))
		})
	}
	row.First = all[:min(len(all), fewAddresses)]
	row.Rest, row.Lost = all[len(row.First):], listed(st.Gone, true)
	return row
}

// alive is 0 for an address that does not answer, and 1 for others.
func alive(r listedRow) int {
	if r.DeadSince.IsZero() {
		return 1
	}
	return 0
}

// executorColumns are the columns of the list.
var executorColumns = []web.Sortable{
	{Name: "name", Key: "executor.title", Class: "", Descending: false},
	{Name: "", Key: "executor.how", Class: "", Descending: false},
	{Name: "addresses", Key: "executor.addresses", Class: "", Descending: true},
	{Name: "beat", Key: "executor.beat", Class: "", Descending: true},
	{Name: "open", Key: "executor.open", Class: "num fit", Descending: true},
	{Name: "inflight", Key: "executor.inflight", Class: "num fit", Descending: true},
	{Name: "queued", Key: "executor.queued", Class: "num fit", Descending: true},
	{Name: "", Key: "executor.token", Class: "", Descending: false},
}

// strangers adds the executors whose app names no group has and those that come with
// a wrong token, for who sees every group.
func (c *call) strangers(ctx context.Context, p *executorsPage) error {
	if !c.Who.SeesUnknown() {
		return nil
	}
	list, names, err := c.Cfg.Ops.Unknown(ctx, c.Who)
	if err != nil {
		return err
	}
	p.Unknown, p.MoreUnknown = list, names-len(list)
	p.Refused, err = c.Cfg.Ops.Refused(ctx, c.Who)
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
	May      web.Rights
	Members  membersPart
	Muted    []string // until when its alarms are not sent; empty when they are
}

// executor shows a group.
func (c *call) executor(ctx context.Context) error {
	p, err := c.executorPage(ctx)
	if err != nil {
		return err
	}
	if c.Str("part") != "" {
		return c.Part("executor", "executornow", p)
	}
	return c.showExecutor(ctx, p)
}

func (c *call) showExecutor(ctx context.Context, p *executorPage) error {
	return c.Render(ctx, "executor", web.Head{
		Title: p.Title, Section: "executors", Crumbs: c.Under("executors"), Script: "renew.js",
	}, p)
}

func (c *call) executorPage(ctx context.Context) (*executorPage, error) {
	id := c.ID32("id")
	g, err := c.Cfg.Ops.Group(ctx, c.Who, id)
	if err != nil {
		return nil, err
	}
	_, list, err := c.Cfg.Ops.Addresses(ctx, c.Who, id)
	if err != nil {
		return nil, err
	}
	p := &executorPage{
		Group: g, May: c.RightsIn(id), Node: c.oneOfNodes(ctx), Renew: parts.ExecutorPath(id) + "?part=1",
	}
	p.MayProbe = c.Cfg.Executors.Probe != nil && len(list) > 0 && p.May.Run
	if err := c.fillMembers(ctx, p); err != nil {
		return nil, err
	}
	if p.Muted, err = c.MutedGroups(ctx, id); err != nil {
		return nil, err
	}
	states := map[string]model.AddressState{}
	if c.Cfg.Executors.Addresses != nil {
		if states, err = c.Cfg.Executors.Addresses(ctx, g.AppName, list); err != nil {
			return nil, err
		}
	}
	for _, a := range list {
		st := states[a]
		p.Rows = append(p.Rows, c.addressRow(id, a, &st))
	}
	_, p.Jobs, err = c.Cfg.Ops.ListJobs(ctx, c.Who, model.JobFilter{GroupID: id, Limit: 1})
	return p, err
}

// probeExecutor asks every address of a group, or the one that is named, and
// shows the page with what they said.
func (c *call) probeExecutor(ctx context.Context) error {
	p, err := c.executorPage(ctx)
	if err != nil {
		return err
	}
	group, _, err := c.Cfg.Ops.Probing(ctx, c.Who, p.ID)
	if err != nil {
		return err
	}
	if !p.MayProbe {
		return c.showExecutor(ctx, p)
	}
	rows := p.Rows
	if only := c.Str("address"); only != "" {
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
	h := web.Head{Title: c.T("executor.new"), Section: "executors", Crumbs: c.Under("executors")}
	if f.ID != 0 {
		h.Title = c.T("edit")
		h.Crumbs = append(h.Crumbs, web.Crumb{Text: f.AppName, Path: parts.ExecutorPath(f.ID)})
	}
	return c.RenderStatus(ctx, status, "executor_edit", h, f)
}

func (c *call) newExecutor(ctx context.Context) error {
	app := c.Str("app") // of an executor that has registered without one
	if len(app) > maxApp {
		app = ""
	}
	return c.showForm(ctx, http.StatusOK, &executorForm{AppName: app, Title: app})
}

func (c *call) editExecutor(ctx context.Context) error {
	g, err := c.Cfg.Ops.Group(ctx, c.Who, c.ID32("id"))
	if err != nil {
		return err
	}
	if err := c.Need(model.RoleAdmin, g.ID); err != nil {
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
		ID: c.ID32("id"), AppName: c.Str("app"), Title: c.Str("title"), Manual: c.Str("manual") == "1",
		Addresses: c.R.PostForm.Get("addresses"),
	}
	list := strings.FieldsFunc(f.Addresses, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' })
	return f, &model.Group{
		ID: f.ID, AppName: f.AppName, Title: f.Title, Manual: f.Manual, AddressList: model.T(strings.Join(list, ",")),
	}
}

func (c *call) createExecutor(ctx context.Context) error {
	f, g := c.executorForm()
	recording, made := ops.Recording(ctx)
	id, err := c.Cfg.Ops.CreateGroup(recording, c.Who, g)
	if err != nil {
		return c.formRefused(ctx, f, err)
	}
	return c.DoneUndo(parts.ExecutorPath(id), c.T("executor.did.create", f.AppName), made)
}

func (c *call) saveExecutor(ctx context.Context) error {
	f, g := c.executorForm()
	recording, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.UpdateGroup(recording, c.Who, g); err != nil {
		return c.formRefused(ctx, f, err)
	}
	return c.DoneUndo(parts.ExecutorPath(f.ID), c.T("executor.did.save"), made)
}

// formRefused shows the form again, with what was typed and why it is not taken.
func (c *call) formRefused(ctx context.Context, f *executorForm, err error) error {
	text, ours := c.Why(err)
	if !ours {
		return err
	}
	f.Problem = text
	return c.showForm(ctx, http.StatusUnprocessableEntity, f)
}

func (c *call) deleteExecutor(ctx context.Context) error {
	id := c.ID32("id")
	ctx, made := ops.Recording(ctx)
	if err := c.Cfg.Ops.DeleteGroup(ctx, c.Who, id); err != nil {
		return c.Refuse(parts.ExecutorPath(id), err)
	}
	return c.DoneUndo("/executors", c.T("executor.did.delete"), made)
}

// rotateToken makes a new token and shows it on the answer itself: it is in no
// address, no cookie and no other page.
func (c *call) rotateToken(ctx context.Context) error {
	token, err := c.Cfg.Ops.RotateToken(ctx, c.Who, c.ID32("id"), c.overlap())
	if err != nil {
		return c.Refuse(parts.ExecutorPath(c.ID32("id")), err)
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
	if c.Str("overlap") == "endless" {
		return ops.OverlapEndless
	}
	return time.Duration(min(c.Num("overlap", 0), int(ops.MaxOverlap/time.Second))) * time.Second
}

// endOldToken ends the token from before.
func (c *call) endOldToken(ctx context.Context) error {
	id := c.ID32("id")
	if err := c.Cfg.Ops.EndOldToken(ctx, c.Who, id); err != nil {
		return c.Refuse(parts.ExecutorPath(id), err)
	}
	return c.Done(parts.ExecutorPath(id), c.T("executor.did.endold"))
}

func (c *call) clearToken(ctx context.Context) error {
	id := c.ID32("id")
	if err := c.Cfg.Ops.SetGroupToken(ctx, c.Who, id, "", c.overlap()); err != nil {
		return c.Refuse(parts.ExecutorPath(id), err)
	}
	return c.Done(parts.ExecutorPath(id), c.T("executor.did.clear"))
}
