package ops

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
	log, ended          int64
	deleted             int32 // a job
	version             int32
	row                 *model.Log
	user                int32
	username            string
	change              int64 // an edit of the job
	key                 int64
	alarm               int64 // an open one
}

func (w *world) target() target {
	w.t.Helper()
	var o target
	o.job, o.shell = w.create(bean(w.gold)), w.create(bean(w.gold, shell))
	o.running = w.create(bean(w.gold, everySecond))
	o.log = w.run(o.job, noon, accepted())
	u := &model.User{Username: fmt.Sprintf("user%d", o.job), JavaHash: "unusable"}
	u.Grant(w.gold, model.RoleViewer)
	require.NoError(w.t, w.db.CreateUser(w.t.Context(), u))
	o.user, o.username = u.ID, u.Username
	var err error
	o.row, err = w.db.Log(w.t.Context(), o.log)
	require.NoError(w.t, err)
	require.NoError(w.t, w.UpdateJob(w.t.Context(), w.admin, bean(w.gold, withID(o.job), named("edited"))))
	o.deleted = w.create(bean(w.gold))
	require.NoError(w.t, w.DeleteJob(w.t.Context(), w.admin, o.deleted))
	o.ended = w.run(o.job, noon, accepted())
	w.end(o.ended)
	require.NoError(w.t, w.SaveGlue(w.t.Context(), w.admin, o.shell, "echo 2", "version 2"))
	versions, err := w.db.GlueVersions(w.t.Context(), o.shell)
	require.NoError(w.t, err)
	o.version = versions[0].ID
	changes, err := w.db.Changes(w.t.Context(), model.ChangeJob, o.job, 1, 0)
	require.NoError(w.t, err)
	o.change = changes[0].ID
	k, _, err := w.CreateKey(w.t.Context(), w.admin, KeyInput{
		Name: u.Username, Verbs: []model.Verb{model.VerbRead}, AllGroups: true,
	})
	require.NoError(w.t, err)
	o.key = k.ID
	require.NoError(w.t, w.db.RaiseAlarms(w.t.Context(), []model.AlarmRecord{{
		AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: o.job},
		GroupID:  w.gold, Last: noon, Count: 1,
	}}))
	open, err := w.db.Alarms(w.t.Context(), model.AlarmFilter{Kind: model.ChangeJob, ObjectID: o.job})
	require.NoError(w.t, err)
	o.alarm = open[0].ID
	w.exec.resp = wire.Response{Code: 200, Msg: wire.Str("Success")}
	return o
}

func named(name string) func(*model.Job) { return func(j *model.Job) { j.Name = name } }

// end ends a run with a success.
func (w *world) end(log int64) {
	w.t.Helper()
	require.NoError(w.t, w.done.Results(w.t.Context(), []*model.Outcome{{
		LogID: log, Handle: &model.HandleResult{Code: model.CodeSuccess, AtMs: noon.UnixMilli()},
	}}))
	w.done.outs = nil
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
		{"ViewLog", func(ctx context.Context, w *world, p Principal) error { return drop(w.ViewLog(ctx, p, o.log)) }},
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
		{"Deletion", func(ctx context.Context, w *world, p Principal) error {
			d, err := w.Deletion(ctx, p, []int32{o.job})
			if err == nil && d.Jobs == 0 {
				return &Error{Kind: Forbidden}
			}
			return err
		}},
		{"DeletedJobs, the group", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.DeletedJobs(ctx, p, model.DeletedFilter{GroupID: w.gold}))
		}},
		{"DeletedJob", func(ctx context.Context, w *world, p Principal) error { return drop(w.DeletedJob(ctx, p, o.deleted)) }},
		{"RestoreJob", func(ctx context.Context, w *world, p Principal) error { return drop(w.RestoreJob(ctx, p, o.deleted)) }},
		{"DeletedGroups", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.DeletedGroups(ctx, p, model.DeletedFilter{}))
		}},
		{"RestoreGroup", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.RestoreGroup(ctx, p, w.gold)
			return conflict(err)
		}},
		{"EditGroup, its AppName", func(ctx context.Context, w *world, p Principal) error {
			name := "gold" + id32(o.job)
			return w.EditGroup(ctx, p, &model.Group{ID: w.gold, AppName: name, Title: "x"}, nil)
		}},
		{"Members", func(ctx context.Context, w *world, p Principal) error { return drop(w.Members(ctx, p, w.gold, 10, 0)) }},
		{"SetMember", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.SetMember(ctx, p, w.gold, o.username, model.RoleAdmin))
		}},
		{"SetMember, take away", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.SetMember(ctx, p, w.gold, o.username, model.RoleNone))
		}},
		{"Addresses", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.Addresses(ctx, p, w.gold)
			return err
		}},
		{"AwaitAddress", func(ctx context.Context, w *world, p Principal) error { return drop(w.AwaitAddress(ctx, p, w.gold)) }},
		{"Probing", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.Probing(ctx, p, w.gold)
			return err
		}},
		{"GroupChanges", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.GroupChanges(ctx, p, w.gold, 1, 0))
		}},
		{"JobChanges", func(ctx context.Context, w *world, p Principal) error { return drop(w.JobChanges(ctx, p, o.job, 1, 0)) }},
		{"Change", func(ctx context.Context, w *world, p Principal) error { return drop(w.Change(ctx, p, o.change)) }},
		{"Undo", func(ctx context.Context, w *world, p Principal) error { return drop(w.Undo(ctx, p, o.change, false)) }},
		{"EditJob", func(ctx context.Context, w *world, p Principal) error {
			return w.EditJob(ctx, p, JobEdit{Job: bean(w.gold, withID(o.job))})
		}},
		{"CreateTagged", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.CreateTagged(ctx, p, bean(w.gold), []string{"a"}))
		}},
		{"CheckJobs", func(ctx context.Context, w *world, p Principal) error {
			found, err := w.CheckJobs(ctx, p, []Draft{{Job: bean(w.gold, withID(o.job))}})
			if err == nil && len(found[0]) > 0 {
				err = found[0][0]
			}
			return err
		}},
		{"CheckChildren", func(ctx context.Context, w *world, p Principal) error {
			found, err := w.CheckChildren(ctx, p, 0, id32(o.job))
			if err == nil && len(found) > 0 {
				err = found[0]
			}
			return err
		}},
		{"JobsOf", func(ctx context.Context, w *world, p Principal) error {
			list, err := w.JobsOf(ctx, p, []int32{o.job})
			if err == nil && len(list) == 0 {
				return &Error{Kind: Forbidden}
			}
			return err
		}},
		{"GlueVersion", func(ctx context.Context, w *world, p Principal) error {
			return conflict(drop(w.GlueVersion(ctx, p, o.shell, 1<<30)))
		}},
		{"RestoreGlue", func(ctx context.Context, w *world, p Principal) error {
			return w.RestoreGlue(ctx, p, o.shell, o.version, "back again")
		}},
		{"Runs, the group", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Runs(ctx, p, model.RunFilter{GroupID: w.gold, Limit: 1}))
		}},
		{"Unknown", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.Unknown(ctx, p)
			return err
		}},
		{"Refused", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Refused(ctx, p))
		}},
		{"CountRuns, the group", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.CountRuns(ctx, p, model.RunFilter{GroupID: w.gold})
			return err
		}},
		{"RunFamily", func(ctx context.Context, w *world, p Principal) error { return drop(w.RunFamily(ctx, p, o.row)) }},
		{"Retry", func(ctx context.Context, w *world, p Principal) error { return drop(w.Retry(ctx, p, o.ended)) }},
		{"ClearEffect, the group", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.ClearEffect(ctx, p, ClearInput{GroupID: w.gold, Type: 9}))
		}},
		{"Alarms", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Alarms(ctx, p, model.AlarmFilter{Limit: 1}))
		}},
		{"AckAlarm", func(ctx context.Context, w *world, p Principal) error { return drop(w.AckAlarm(ctx, p, o.alarm)) }},
		{"UnackAlarm", func(ctx context.Context, w *world, p Principal) error { return drop(w.UnackAlarm(ctx, p, o.alarm)) }},
		{"AlarmChannels", func(ctx context.Context, w *world, p Principal) error { return drop(w.AlarmChannels(ctx, p)) }},
		{"TestAlarm", func(ctx context.Context, w *world, p Principal) error {
			return conflict(w.TestAlarm(ctx, p, "none"))
		}},
		{"AlarmRules", func(ctx context.Context, w *world, p Principal) error { return drop(w.AlarmRules(ctx, p)) }},
		{"SetAlarmRule, of the job", func(ctx context.Context, w *world, p Principal) error {
			return w.SetAlarmRule(ctx, p, model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeJob, ObjectID: o.job}, time.Minute)
		}},
		{"DeleteAlarmRule, of the group", func(ctx context.Context, w *world, p Principal) error {
			return w.DeleteAlarmRule(ctx, p, model.AlarmKey{What: model.AlarmOnLate, Kind: model.ChangeGroup, ObjectID: w.gold})
		}},
		{"Mutes", func(ctx context.Context, w *world, p Principal) error { return drop(w.Mutes(ctx, p)) }},
		{"Mute, the group", func(ctx context.Context, w *world, p Principal) error {
			return w.Mute(ctx, p, model.Mute{Kind: model.ChangeGroup, ObjectID: w.gold, Until: noon.Add(time.Hour)})
		}},
		{"Unmute, the job", func(ctx context.Context, w *world, p Principal) error {
			return w.Unmute(ctx, p, model.ChangeJob, o.job)
		}},
		{"Views", func(ctx context.Context, w *world, p Principal) error { return drop(w.Views(ctx, p, "jobs")) }},
		{"DeleteView", func(ctx context.Context, w *world, p Principal) error { return w.DeleteView(ctx, p, "jobs", "none") }},
		{"Retention", func(ctx context.Context, w *world, p Principal) error { return drop(w.Retention(ctx, p)) }},
		{"SetRetention", func(ctx context.Context, w *world, p Principal) error { return w.SetRetention(ctx, p, nil) }},
		{"RetentionEffect", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.RetentionEffect(ctx, p, Retention{}))
		}},
		{"LastCleaned", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.LastCleaned(ctx, p)
			return err
		}},
		{"Cluster", func(ctx context.Context, w *world, p Principal) error { return conflict(drop(w.Cluster(ctx, p))) }},
		{"About", func(ctx context.Context, w *world, p Principal) error { return conflict(drop(w.About(ctx, p))) }},
		{"SetNewJobZone", func(ctx context.Context, w *world, p Principal) error { return w.SetNewJobZone(ctx, p, "UTC") }},
		{"EndSession", func(ctx context.Context, w *world, p Principal) error { return conflict(w.EndSession(ctx, p, "none")) }},
		{"EndUserSessions, of another", func(ctx context.Context, w *world, p Principal) error {
			return conflict(drop(w.EndUserSessions(ctx, p, o.user, "")))
		}},
		{"CreateKey", func(ctx context.Context, w *world, p Principal) error {
			_, _, err := w.CreateKey(ctx, p, KeyInput{Name: "x", Verbs: []model.Verb{model.VerbRead}, AllGroups: true})
			return err
		}},
		{"ListKeys", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.ListKeys(ctx, p, model.KeyFilter{}))
		}},
		{"ListSessions", func(ctx context.Context, w *world, p Principal) error {
			return conflict(drop(w.ListSessions(ctx, p, model.SessionFilter{UserID: o.user})))
		}},
		{"Key", func(ctx context.Context, w *world, p Principal) error { return drop(w.Key(ctx, p, o.key)) }},
		{"RevokeKey", func(ctx context.Context, w *world, p Principal) error { return w.RevokeKey(ctx, p, o.key) }},
		{"User", func(ctx context.Context, w *world, p Principal) error { return drop(w.User(ctx, p, o.user)) }},
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
		{"Overview", func(ctx context.Context, w *world, p Principal) error {
			return drop(w.Overview(ctx, p, noon, noon))
		}},
		{"Standings", func(ctx context.Context, w *world, p Principal) error { return drop(w.Standings(ctx, p)) }},
		{"Standing", func(ctx context.Context, w *world, p Principal) error { return drop(w.Standing(ctx, p, w.gold)) }},
		{"OpenAt", func(ctx context.Context, w *world, p Principal) error { return drop(w.OpenAt(ctx, p, w.gold)) }},
		{"StartedByGroup", func(ctx context.Context, w *world, p Principal) error { return drop(w.StartedByGroup(ctx, p)) }},
		{"Totals", func(ctx context.Context, w *world, p Principal) error { return drop(w.Totals(ctx, p)) }},
	}
}

// conflict makes a success of what is refused for another reason than permission:
// that was there.
func conflict(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind != Forbidden {
		return nil
	}
	return err
}

// elsewhere are operations that have tests of their own: they are about what
// belongs to the principal, or ask nothing of it.
var elsewhere = map[string]string{
	"MayCode":             "an answer, no operation",
	"ChangeOwnPassword":   "TestChangeOwnPassword",
	"DeletedGroup":        "the tests of what was deleted",
	"ChooseFirstPassword": "package auth keeps who may",
	"FinishSetup":         "the tests of the setup, of package console",
}

// TestAccessHoldsAll: every operation that somebody asks for is among those of
// TestAccess, so that none is added without a role.
func TestAccessHoldsAll(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for name := range elsewhere {
		known[name] = true
	}
	for _, a := range actions(target{}) {
		name, _, _ := strings.Cut(a.name, ",")
		known[name] = true
	}
	known["CreateJob"] = true // "as a child"
	service := reflect.TypeFor[*Service]()
	for m := range service.Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[Principal]() {
				assert.True(t, known[m.Name], "add %s to the actions of TestAccess", m.Name)
			}
		}
	}
}

// TestAccess compares who may do what, on objects of group gold, with
// testdata/access.golden. What is refused is a Forbidden, and changes nothing.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := func(id int32, role model.Role, group int32) Principal {
		name := fmt.Sprintf("%v%d", role, group)
		return Principal{UserID: id, Name: name, Roles: SameRole(role, group), Source: "login"}
	}
	roles := []struct {
		name string
		p    Principal
	}{
		{"nobody", Principal{}},
		{"no group", Principal{UserID: 8, Name: "lonely", Source: "login"}},
		{"silver", in(9, model.RoleEditor, w.silver)},
		{"viewer", in(10, model.RoleViewer, w.gold)},
		{"operator", in(11, model.RoleOperator, w.gold)},
		{"editor", w.mine},
		{"owner", in(12, model.RoleAdmin, w.gold)},
		{"key", Principal{Name: "key:all", Everywhere: model.RoleEditor, Source: sourceKey}},
		{"admin", w.admin},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s", "action on group gold")
	for _, r := range roles {
		fmt.Fprintf(&b, " %-8s", r.name)
	}
	b.WriteString("\n")
	o := w.target()
	for i, a := range actions(target{}) {
		fmt.Fprintf(&b, "%-40s", a.name)
		for _, r := range roles {
			a := actions(o)[i]
			before := w.snapshot(o)
			err := a.do(t.Context(), w, r.p)
			var e *Error
			switch {
			case err == nil:
				fmt.Fprintf(&b, " %-8s", "yes")
			case errors.As(err, &e) && e.Kind == Forbidden:
				fmt.Fprintf(&b, " %-8s", "-")
				assert.True(t, before == w.snapshot(o), "%s refused to %s has changed something", a.name, r.name)
			default:
				t.Errorf("%s by %s: %v", a.name, r.name, err)
			}
			if err == nil && before != w.snapshot(o) {
				o = w.target() // what others have allowed to be done is done
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

// snapshot is everything that an action could have changed of the target and of
// what is newer, as text.
func (w *world) snapshot(o target) string {
	w.t.Helper()
	ctx := w.t.Context()
	var b strings.Builder
	jobs, _, err := w.db.Jobs(ctx, model.JobFilter{Limit: 5})
	require.NoError(w.t, err)
	for _, j := range jobs {
		fmt.Fprintf(&b, "%+v\n", *j)
	}
	logs, _, err := w.db.Logs(ctx, model.LogFilter{Limit: 5})
	require.NoError(w.t, err)
	for _, l := range logs {
		fmt.Fprintf(&b, "%+v\n", *l)
	}
	groups, err := w.db.AllGroups(ctx)
	require.NoError(w.t, err)
	for _, g := range groups {
		fmt.Fprintf(&b, "%+v\n", *g)
	}
	users, _, err := w.db.Users(ctx, model.UserFilter{AfterID: o.user - 1, Limit: 1000})
	require.NoError(w.t, err)
	for _, u := range users {
		fmt.Fprintf(&b, "%+v\n", *u)
	}
	k, err := w.db.Key(ctx, o.key)
	require.NoError(w.t, err)
	mutes, err := w.db.Mutes(ctx, noon)
	require.NoError(w.t, err)
	rules, err := w.db.AlarmRules(ctx)
	require.NoError(w.t, err)
	versions, err := w.db.GlueVersions(ctx, o.shell)
	require.NoError(w.t, err)
	fmt.Fprintf(&b, "%+v %+v %+v %d\n", *k, mutes, rules, len(versions))
	fmt.Fprintf(&b, "%v %v %v %v", w.sched.events, w.exec.calls, w.disp.job, len(w.done.outs))
	return b.String()
}
