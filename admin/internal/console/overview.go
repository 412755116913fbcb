package console

import (
	"cmp"
	"context"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	homeDays = 14
	// homeTroubles is how many things to look at are named one by one.
	homeTroubles = 8
	// openAlarms is how far open alarms are counted.
	openAlarms = 1000
)

// trouble is something to look at: a part of the sentence at the top, or one of
// the things that it counts.
type trouble struct{ Text, Path string }

// overviewPage answers whether all is well.
type overviewPage struct {
	Sentence []trouble // empty when all is well
	Troubles []trouble // one by one, as far as they have names
	NotNamed int       // troubles that are not in the list
	Acked    string    // how many alarms somebody has acknowledged; "" where there are none
	Muted    []string  // executors whose alarms are not sent for now
	MoreMute int       // those that are not in the list
	Refused  string    // who came with a wrong token last; "" where nobody did
	Unknown  string    // app name of executors that no group has; "" where there are none
	Unknowns int       // how many such names there are
	Totals   *ops.Overview
	Started  int
	Running  string
	Pulse    pulseView
	Days     template.HTML
	Hour     hourView
	Queues   []queueRow
	Waiting  int // triggers that wait, in all
	Failures []failure
	Cluster  web.Cluster
	NoBody   bool // no executor has ever connected
	Setup    bool // the setup of a new database is not finished
}

// say adds a part of the sentence if there is any of it.
func (c *call) say1(p *overviewPage, key string, n int, path string) {
	if n > 0 {
		p.Sentence = append(p.Sentence, trouble{c.some("home.s."+key, n), path})
	}
}

// some is a text with a number; for the one there may be another one.
func (c *call) some(key string, n int) string {
	if n == 1 {
		if text := c.T(key + ".one"); text != key+".one" {
			return text
		}
	}
	return c.T(key, say.Count(n))
}

// overview shows whether all is well.
func (c *call) overview(ctx context.Context) error {
	p := overviewPage{Cluster: c.Status(ctx)}
	var err error
	y, m, d := c.Now().Date()
	first := time.Date(y, m, d-homeDays+1, 0, 0, 0, 0, c.Cfg.Location)
	p.Totals, err = c.Cfg.Ops.Overview(ctx, c.Who, first, time.Date(y, m, d, 0, 0, 0, 0, c.Cfg.Location))
	if err != nil {
		return err
	}
	p.NoBody = p.Totals.Executors == 0
	if c.User.Admin {
		state, err := c.Cfg.Auth.Setup(ctx)
		if err != nil {
			return err
		}
		p.Setup = state.Phase == auth.SetupExecutor
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	open, acked, err := c.openAlarms(ctx, &p)
	if err != nil {
		return err
	}
	if err := c.failures(ctx, &p, acked); err != nil {
		return err
	}
	if err := c.lonely(ctx, &p, groups); err != nil {
		return err
	}
	if p.Totals.All != nil { // what a node measures is of all groups
		c.pulse(&p)
		p.Days = c.days(first, p.Totals.All.Chart)
	}
	c.queues(&p, groups)
	c.say1(&p, "alarms", open, "/alarms")
	if p.Muted, err = c.MutedGroups(ctx, 0); err != nil {
		return err
	}
	p.MoreMute = max(len(p.Muted)-homeTroubles, 0)
	p.Muted = p.Muted[:len(p.Muted)-p.MoreMute]
	if c.Who.SeesUnknown() {
		list, names, err := c.Cfg.Ops.Unknown(ctx, c.Who)
		if err != nil {
			return err
		}
		if p.Unknowns = names; len(list) > 0 {
			p.Unknown = list[0].AppName
		}
		refused, err := c.Cfg.Ops.Refused(ctx, c.Who)
		if err != nil {
			return err
		}
		if len(refused) > 0 {
			p.Refused = strings.TrimSpace(refused[0].AppName + " " + refused[0].Client)
		}
	}
	c.clusterTroubles(&p)
	n, more, err := c.Cfg.Ops.CountRuns(ctx, c.Who, model.RunFilter{Result: model.RunRunning})
	if err != nil {
		return err
	}
	if p.Running = say.Count(n); more {
		p.Running += "+"
	}
	c.hour(ctx, &p, groups)
	p.NotNamed = max(len(p.Troubles)-homeTroubles, 0)
	p.Troubles = p.Troubles[:len(p.Troubles)-p.NotNamed]
	if c.Str("part") != "" {
		return c.Part("overview", "overviewnow", p)
	}
	return c.Render(ctx, "overview", web.Head{Title: c.T("nav.overview"), Section: "overview", Script: "renew.js"}, p)
}

// lonely counts the started jobs, and finds the executors with some that nobody is
// there to run.
func (c *call) lonely(ctx context.Context, p *overviewPage, groups []*ops.Group) error {
	started, err := c.Cfg.Ops.StartedByGroup(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, n := range started {
		p.Started += n
	}
	found := 0
	for _, g := range groups {
		if n := started[g.ID]; n > 0 && len(g.Addresses()) == 0 {
			found++
			text := c.T("home.noaddress", g.Title, say.Count(n))
			p.Troubles = append(p.Troubles, trouble{text, parts.ExecutorPath(g.ID)})
		}
	}
	c.say1(p, "lonely", found, "/executors")
	return nil
}

// openAlarms counts the alarms that are open and not acknowledged, and returns the
// jobs of which somebody has acknowledged that they fail.
func (c *call) openAlarms(ctx context.Context, p *overviewPage) (open int, acked map[int32]bool, err error) {
	list, err := c.Cfg.Ops.Alarms(ctx, c.Who, model.AlarmFilter{Limit: openAlarms})
	seen := 0
	acked = map[int32]bool{}
	for _, a := range list {
		if a.Acked.IsZero() {
			open++
			continue
		}
		seen++
		if a.What == model.AlarmOnFailure {
			acked[a.ObjectID] = true
		}
	}
	if seen > 0 {
		p.Acked = c.some("home.acked", seen)
	}
	return open, acked, err
}

// clusterTroubles says what is wrong with the nodes.
func (c *call) clusterTroubles(p *overviewPage) {
	path := "/settings"
	if c.Has("/settings/cluster") {
		path = "/settings/cluster"
	}
	idle := 0
	for _, n := range p.Cluster.Nodes {
		if n.Shards == 0 && len(p.Cluster.Nodes) <= p.Cluster.Total {
			idle++
			p.Troubles = append(p.Troubles, trouble{c.T("home.idlenode", n.Name), path})
		}
	}
	c.say1(p, "idle", idle, path)
	c.say1(p, "silent", len(p.Cluster.Silent), path)
	for _, name := range p.Cluster.Silent {
		p.Troubles = append(p.Troubles, trouble{c.T("home.silentnode", name), path})
	}
	c.say1(p, "orphans", p.Cluster.Orphans, path)
	c.say1(p, "node", len(p.Cluster.Faults), path)
	for _, text := range p.Cluster.Faults {
		p.Troubles = append(p.Troubles, trouble{Text: c.T("home.node", text)})
	}
}

const (
	failureDay  = 24 * time.Hour
	failureRuns = 200 // failed runs that are looked at
	failureJobs = 12  // jobs in the list
	failureLast = 5   // runs of a job that say whether it works again
)

// failure is a job with failed runs.
type failure struct {
	parts.RunRow
	Count   int  // failed runs among those that were looked at
	Failing bool // its last run that has ended has failed too
	Ran     bool // it has run since: it works again
	Acked   bool // it fails, and somebody has acknowledged that
}

// failures lists the jobs with failed runs of a day, the newest failure first. Those
// of which that is acknowledged do not count among what is wrong.
func (c *call) failures(ctx context.Context, p *overviewPage, acked map[int32]bool) error {
	f := model.RunFilter{Result: model.RunFailed, From: c.Now().Add(-failureDay), Limit: failureRuns}
	page, err := c.Cfg.Ops.Runs(ctx, c.Who, f)
	if err != nil || len(page.Runs) == 0 {
		return err
	}
	at := map[int32]int{}
	var newest []*model.Log
	var ids []int32
	counts := map[int32]int{}
	for _, l := range page.Runs {
		counts[l.JobID]++
		if _, known := at[l.JobID]; !known {
			at[l.JobID] = len(newest)
			newest, ids = append(newest, l), append(ids, l.JobID)
		}
	}
	recent, err := c.Cfg.History.RecentRuns(ctx, ids, failureLast)
	if err != nil {
		return err
	}
	failing := 0
	for _, id := range ids {
		if stillFails(recent[id]) && !acked[id] {
			failing++
		}
	}
	shown := newest[:min(len(newest), failureJobs)]
	rows, err := c.RunRows(ctx, shown)
	if err != nil {
		return err
	}
	for _, row := range rows {
		row.Job = cmp.Or(row.Job, "#"+strconv.Itoa(int(row.JobID)))
		fails := stillFails(recent[row.JobID])
		p.Failures = append(p.Failures, failure{
			RunRow: row, Count: counts[row.JobID], Failing: fails, Ran: !fails,
			Acked: fails && acked[row.JobID],
		})
	}
	c.say1(p, "failing", failing, "/runs?result=failed")
	return nil
}

// stillFails reports whether the last of the runs that have ended has failed.
func stillFails(runs []model.Recent) bool {
	for i := len(runs) - 1; i >= 0; i-- {
		switch kind := runs[i].Kind(); {
		case kind == model.EndOK:
			return false
		case kind.Fault():
			return true
		}
	}
	return true // those that run now do not say that it works
}
