package ops

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

var update = flag.Bool("update", false, "write the golden files")

// action is one call on an object of group gold.
type action struct {
	name string
	do   func(ctx context.Context, w *world, p Principal) error
}

// target are the objects that the actions name: all of group gold.
type target struct {
	job, running, shell int32
	log                 int64
	user                int32
}

func (w *world) target() target {
	w.t.Helper()
	var o target
	o.job, o.shell = w.create(bean(w.gold)), w.create(bean(w.gold, shell))
	o.running = w.create(bean(w.gold, everySecond))
	o.log = w.run(o.job, noon, accepted())
	u := &model.User{Username: fmt.Sprintf("user%d", o.job), JavaHash: "unusable"}
	require.NoError(w.t, w.db.CreateUser(w.t.Context(), u))
	o.user = u.ID
	w.exec.resp = wire.Response{Code: 200, Msg: wire.Str("Success")}
	return o
}

func actions(o target) []action {
	drop := func(_ any, err error) error { return err }
	return []action{
		{"ListJobs, the group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListJobs(ctx, p, model.JobFilter{GroupID: w.gold})
			return err
		}},
		{"ListJobs, any group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListJobs(ctx, p, model.JobFilter{})
			return err
		}},
		{"Job", func(ctx context.Context, w *world, p Principal) error { return drop(w.Job(ctx, p, o.job)) }},
		{"CreateJob", func(ctx context.Context, w *world, p Principal) error { return drop(w.CreateJob(ctx, p, bean(w.gold))) }},
		{"CreateJob, with code", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.CreateJob(ctx, p, bean(w.gold, shell)))
		}},
		{"UpdateJob", func(ctx context.Context, w *world, p Principal) error {
			return w.UpdateJob(ctx, p, bean(w.gold, withID(o.job)))
		}},
		{"UpdateJob, pulled into group silver", func(ctx context.Context, w *world, p Principal) error {
			return w.UpdateJob(ctx, p, bean(w.silver, withID(o.shell)))
		}},
		{"StartJob", func(ctx context.Context, w *world, p Principal) error { return w.StartJob(ctx, p, o.running) }},
		{"StopJob", func(ctx context.Context, w *world, p Principal) error { return w.StopJob(ctx, p, o.running) }},
		{"TriggerJob", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.TriggerJob(ctx, p, o.job, TriggerInput{}))
		}},
		{"as a child of a job in silver", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.CreateJob(ctx, p, bean(w.silver, children(o.job))))
		}},
		{"SaveGlue", func(ctx context.Context, w *world, p Principal) error {
			return w.SaveGlue(ctx, p, o.shell, "echo 3", "version 3")
		}},
		{"GlueVersions", func(ctx context.Context, w *world, p Principal) error { return drop(w.GlueVersions(ctx, p, o.shell)) }},
		{"ListLogs, the group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListLogs(ctx, p, model.LogFilter{GroupID: w.gold})
			return err
		}},
		{"ListLogs, any group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListLogs(ctx, p, model.LogFilter{})
			return err
		}},
		{"Log", func(ctx context.Context, w *world, p Principal) error { return drop(w.Log(ctx, p, o.log)) }},
		{"LogText", func(ctx context.Context, w *world, p Principal) error { return drop(w.LogText(ctx, p, o.log, 1)) }},
		{"Kill", func(ctx context.Context, w *world, p Principal) error { return drop(w.Kill(ctx, p, o.log)) }},
		{"ClearLogs, the group", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.ClearLogs(ctx, p, ClearInput{GroupID: w.gold, Type: 9}))
		}},
		{"ClearLogs, its job named under silver", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.ClearLogs(ctx, p, ClearInput{GroupID: w.silver, JobID: o.job, Type: 9}))
		}},
		{"ClearLogs, any group", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.ClearLogs(ctx, p, ClearInput{JobID: o.job, Type: 9}))
		}},
		{"BulkJobs, move to silver", func(ctx context.Context, w *world, p Principal) error {
			r, err := w.BulkJobs(ctx, p, Bulk{Do: BulkMove, IDs: []int32{o.job}, GroupID: w.silver})
			if err == nil && len(r.Refused) > 0 {
				return r.Refused[0].Err
			}
			return err
		}},
		{"JobIDs, the group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.JobIDs(ctx, p, model.JobFilter{GroupID: w.gold})
			return err
		}},
		{"TagCounts", func(ctx context.Context, w *world, p Principal) error { return drop(w.TagCounts(ctx, p)) }},
		{"SaveView", func(ctx context.Context, w *world, p Principal) error {
			return w.SaveView(ctx, p, model.View{Page: "jobs", Name: "a"})
		}},
		{"DeleteJob", func(ctx context.Context, w *world, p Principal) error { return w.DeleteJob(ctx, p, o.job) }},
		{"Group", func(ctx context.Context, w *world, p Principal) error { return drop(w.Group(ctx, p, w.gold)) }},
		{"PermittedGroups", func(ctx context.Context, w *world, p Principal) error { return drop(w.PermittedGroups(ctx, p)) }},
		{"ListGroups", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListGroups(ctx, p, model.GroupFilter{})
			return err
		}},
		{"CreateGroup", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.CreateGroup(ctx, p, &model.Group{AppName: "new-app", Title: "x"}))
		}},
		{"UpdateGroup", func(ctx context.Context, w *world, p Principal) error {
			return w.UpdateGroup(ctx, p, &model.Group{ID: w.gold, AppName: "golden-app", Title: "x"})
		}},
		{"SetGroupToken", func(ctx context.Context, w *world, p Principal) error {
			return w.SetGroupToken(ctx, p, w.gold, "a-token-of-16-chars", 0)
		}},
		{"EndOldToken", func(ctx context.Context, w *world, p Principal) error { return w.EndOldToken(ctx, p, w.gold) }},
		{"RotateToken", func(ctx context.Context, w *world, p Principal) error { return drop(w.RotateToken(ctx, p, w.gold, 0)) }},
		{"DeleteGroup", func(ctx context.Context, w *world, p Principal) error {
			if err := w.DeleteGroup(ctx, p, w.gold); err != nil {
				var e *Error
				if errors.As(err, &e) && e.Kind == Conflict {
					return nil // it has jobs, so the permission was there
				}
				return err
			}
			return nil
		}},
		{"ListUsers", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.ListUsers(ctx, p, model.UserFilter{})
			return err
		}},
		{"CreateUser", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.CreateUser(ctx, p, UserInput{Username: "another", Password: "pass1234", Admin: true}))
		}},
		{"UpdateUser", func(ctx context.Context, w *world, p Principal) error {
			return w.UpdateUser(ctx, p, o.user, UserInput{Admin: true})
		}},
		{"DeleteUser", func(ctx context.Context, w *world, p Principal) error { return w.DeleteUser(ctx, p, o.user) }},
		{"Audits", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Audits(ctx, p, model.AuditFilter{}))
		}},
		{"Dashboard", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Dashboard(ctx, p, noon, noon.Add(time.Hour)))
		}},
		{"StartedByGroup", func(ctx context.Context, w *world, p Principal) error { return drop(w.StartedByGroup(ctx, p)) }},
		{"Totals", func(ctx context.Context, w *world, p Principal) error { return drop(w.Totals(ctx, p)) }},
	}
}

// TestAccess compares who may do what, on objects of group gold, with
// testdata/access.golden. What is refused is a Forbidden, and changes nothing.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	roles := []struct {
		name string
		p    Principal
	}{
		{"nobody", Principal{}},
		{"no group", Principal{UserID: 8, Name: "lonely", Source: "login"}},
		{"silver", Principal{UserID: 9, Name: "silver1", Groups: []int32{w.silver}, Source: "login"}},
		{"gold", w.mine},
		{"admin", w.admin},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s", "action on group gold")
	for _, r := range roles {
		fmt.Fprintf(&b, " %-8s", r.name)
	}
	b.WriteString("\n")
	for i, a := range actions(target{}) {
		fmt.Fprintf(&b, "%-40s", a.name)
		for _, r := range roles {
			a := actions(w.target())[i] // what others have allowed to be done is done
			before := w.snapshot()
			err := a.do(t.Context(), w, r.p)
			var e *Error
			switch {
			case err == nil:
				fmt.Fprintf(&b, " %-8s", "yes")
			case errors.As(err, &e) && e.Kind == Forbidden:
				fmt.Fprintf(&b, " %-8s", "-")
				assert.Equal(t, before, w.snapshot(), "%s refused to %s has changed something", a.name, r.name)
			default:
				t.Errorf("%s by %s: %v", a.name, r.name, err)
			}
		}
		b.WriteString("\n")
	}
	path := filepath.Join("testdata", "access.golden")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run with -update if this is meant")
}

// snapshot is everything that an action could have changed, as text.
func (w *world) snapshot() string {
	w.t.Helper()
	ctx := w.t.Context()
	var b strings.Builder
	jobs, _, err := w.db.Jobs(ctx, model.JobFilter{Limit: 1000})
	require.NoError(w.t, err)
	for _, j := range jobs {
		fmt.Fprintf(&b, "%+v\n", *j)
	}
	logs, _, err := w.db.Logs(ctx, model.LogFilter{Limit: 1000})
	require.NoError(w.t, err)
	for _, l := range logs {
		fmt.Fprintf(&b, "%+v\n", *l)
	}
	groups, err := w.db.AllGroups(ctx)
	require.NoError(w.t, err)
	for _, g := range groups {
		fmt.Fprintf(&b, "%+v\n", *g)
	}
	users, _, err := w.db.Users(ctx, model.UserFilter{Limit: 1000})
	require.NoError(w.t, err)
	for _, u := range users {
		fmt.Fprintf(&b, "%+v\n", *u)
	}
	fmt.Fprintf(&b, "%v %v %v %v", w.sched.events, w.exec.calls, w.disp.job, len(w.done.outs))
	return b.String()
}
