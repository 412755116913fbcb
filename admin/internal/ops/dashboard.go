package ops

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// emptyDays is how many days a chart without data shows.
const emptyDays = 7

// Chart holds the runs of a range of days by result.
type Chart struct {
	Days    []model.DayReport // oldest first; days without a run may be missing
	Running int               // sums over Days
	Success int
	Failed  int
}

// Dashboard counts the runs of the days between from and to. When nothing is
// on record there, it returns the last seven days with zeros. The numbers are
// those of all groups, as Java shows them to everybody who is logged in; Overview
// keeps to the principal's groups.
func (s *Service) Dashboard(ctx context.Context, p Principal, from, to time.Time) (*Chart, error) {
	if err := s.needLogin(ctx, p, "dashboard"); err != nil {
		return nil, err
	}
	days, err := s.store.Reports(ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("read the day reports: %w", err)
	}
	if len(days) == 0 {
		y, m, d := s.now().In(s.cfg.Location).Date()
		for i := emptyDays - 1; i >= 0; i-- {
			days = append(days, model.DayReport{Day: time.Date(y, m, d-i, 0, 0, 0, 0, s.cfg.Location)})
		}
	}
	c := &Chart{Days: days}
	for _, day := range days {
		c.Running += day.Running
		c.Success += day.Success
		c.Failed += day.Failed
	}
	return c, nil
}

// Overview is what a principal may see of the numbers of its groups.
type Overview struct {
	Jobs      int
	Executors int   // distinct addresses
	Running   int64 // runs of the days that are open
	// All is nil for a principal that does not see every group: these numbers are
	// not kept by group.
	All *AllGroups
}

// AllGroups are numbers that are kept for all groups together.
type AllGroups struct {
	Triggers int64 // since the database exists
	Chart    *Chart
}

// Overview counts jobs, executors and runs of the days between from and to in
// the groups that the principal may see.
func (s *Service) Overview(ctx context.Context, p Principal, from, to time.Time) (*Overview, error) {
	if err := s.needLogin(ctx, p, "overview"); err != nil {
		return nil, err
	}
	if p.all() {
		t, err := s.Totals(ctx, p)
		if err != nil {
			return nil, err
		}
		chart, err := s.Dashboard(ctx, p, from, to)
		if err != nil {
			return nil, err
		}
		return &Overview{t.Jobs, t.Executors, int64(chart.Running), &AllGroups{t.Triggers, chart}}, nil
	}
	o := new(Overview)
	groups, err := s.PermittedGroups(ctx, p)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, g := range groups {
		n, err := s.store.CountJobs(ctx, g.ID)
		if err != nil {
			return nil, fmt.Errorf("count jobs: %w", err)
		}
		o.Jobs += n
		for _, addr := range g.Addresses() {
			seen[addr] = true
		}
	}
	o.Executors = len(seen)
	for _, result := range []model.RunResult{model.RunWaiting, model.RunRunning} {
		n, _, err := s.CountRuns(ctx, p, model.RunFilter{
			Result: result, From: from, To: to.AddDate(0, 0, 1).Add(-time.Second),
		})
		if err != nil {
			return nil, fmt.Errorf("count runs: %w", err)
		}
		o.Running += int64(n)
	}
	return o, nil
}

// Totals are the numbers at the top of the dashboard.
type Totals struct {
	Jobs      int
	Triggers  int64 // since the database exists
	Executors int   // distinct addresses over all groups
}

// Totals counts jobs, triggers and executors of all groups, as Java's dashboard
// does for everybody who is logged in. Overview keeps to the principal's groups.
func (s *Service) Totals(ctx context.Context, p Principal) (*Totals, error) {
	if err := s.needLogin(ctx, p, "dashboard"); err != nil {
		return nil, err
	}
	var t Totals
	var err error
	if t.Jobs, err = s.store.CountJobs(ctx, 0); err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	if t.Triggers, err = s.store.TotalTriggers(ctx); err != nil {
		return nil, fmt.Errorf("count triggers: %w", err)
	}
	groups, err := s.store.AllGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	seen := make(map[string]bool)
	for _, g := range groups {
		for _, addr := range g.Addresses() {
			seen[addr] = true
		}
	}
	t.Executors = len(seen)
	return &t, nil
}

// StartedByGroup counts the started jobs of each group that the principal may
// see; a group without one is not among them.
func (s *Service) StartedByGroup(ctx context.Context, p Principal) (map[int32]int, error) {
	if err := s.needLogin(ctx, p, "dashboard"); err != nil {
		return nil, err
	}
	started, err := s.store.StartedByGroup(ctx)
	if err != nil {
		return nil, fmt.Errorf("count started jobs: %w", err)
	}
	maps.DeleteFunc(started, func(group int32, _ int) bool { return !p.Can(group, model.RoleViewer) })
	return started, nil
}
