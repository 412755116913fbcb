//go:build browser

package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// What is written into every field that anyone can write. audit.js finds it
// when any of it has become an element, an attribute or a script that ran.
const (
	mark = `"><script class=xss>window.__xss=1</script>` // fits the shortest fields
	evil = `'"><img class=xss src=x onerror="window.__xss=2;alert(2)">` + mark + `{{.}}javascript:alert(3)`
)

// seeds is what the database had before the admin opened it.
type seeds struct {
	groups, jobs, users []int32
	runs                []int64
	shard, attempt      int64 // a run of a broadcast to many, and one that was tried again
	gone, goneGroup     int32 // a script job and an executor that were deleted
}

// empty fills nothing in.
func empty(*testing.T, string) seeds { return seeds{} }

// seeding fills a database.
type seeding struct {
	seeds
	t   *testing.T
	st  *store.Store
	now time.Time
}

func seed(t *testing.T, dsn string, fill func(*seeding)) seeds {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	require.NoError(t, st.Migrate(t.Context()))
	s := &seeding{t: t, st: st, now: time.Now().Truncate(time.Second)}
	fill(s)
	require.NoError(t, st.Close())
	return s.seeds
}

// plain has the group of the executor and a job for each of its handlers.
func plain(t *testing.T, dsn string) seeds {
	t.Helper()
	return seed(t, dsn, (*seeding).plain)
}

// few has what every action needs something of.
func few(t *testing.T, dsn string) seeds {
	t.Helper()
	return seed(t, dsn, (*seeding).few)
}

// crowded has more of everything than a page shows, and markup in every field.
func crowded(t *testing.T, dsn string) seeds {
	t.Helper()
	return seed(t, dsn, (*seeding).crowd)
}

func (s *seeding) plain() {
	group := s.group(&model.Group{AppName: appName, Title: "Demo"})
	for _, handler := range []string{"tick", "fail", "endless"} {
		s.job(group, handler, func(j *model.Job) { j.Handler = model.T(handler) })
	}
}

func (s *seeding) few() {
	s.plain()
	s.job(s.groups[0], "endless too", func(j *model.Job) { j.Handler = model.T("endless") })
	job := s.job(s.groups[0], "a script", func(j *model.Job) {
		j.GlueType, j.GlueSource, j.GlueRemark = "GLUE_SHELL", model.T("#!/bin/sh\necho one\n"), model.T("one")
	})
	s.glue(job, "#!/bin/sh\necho nought\n", "nought")
	s.history(job, 0)
	s.alarm(job, "it has failed")
	require.NoError(s.t, s.st.CreateUser(s.t.Context(), &model.User{Username: "jane", JavaHash: "!"}))
}

// glue keeps a version of a job's code.
func (s *seeding) glue(j *model.Job, source, remark string) {
	s.t.Helper()
	require.NoError(s.t, s.st.SaveGlue(s.t.Context(), &model.GlueVersion{
		JobID: j.ID, GlueType: j.GlueType, Source: model.T(source), Remark: remark, AddTime: s.now, Updated: s.now,
	}))
}

// alarm raises one that is open, about a job.
func (s *seeding) alarm(j *model.Job, message string) {
	s.t.Helper()
	require.NoError(s.t, s.st.RaiseAlarms(s.t.Context(), []model.AlarmRecord{{
		AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: j.ID}, GroupID: j.GroupID,
		First: s.now.Add(-time.Hour), Last: s.now, Count: 1, LogID: s.runs[len(s.runs)-1], Message: message,
	}}))
}

func (s *seeding) crowd() {
	s.plain()
	odd := s.group(&model.Group{
		AppName: "odd-names", Title: mark[:min(len(mark), s.st.Info().TitleMax)], Manual: true,
		AddressList: model.T("http://127.0.0.1:1/,http://127.0.0.1:1/" + evil + ",http://[::1]:1/" + strings.Repeat("path/", 40)),
	})
	s.group(&model.Group{AppName: strings.Repeat("nobody-", 9), Title: "没有地址的执行器"})
	names := []string{
		"settle orders", evil, strings.Repeat("unbroken", 31) + "!", "مهمة يومية لتسوية الطلبات", "🚀 launch 👩‍👩‍👧‍👦",
		"每日对账并发送报表给财务部门", strings.Repeat("a long name ", 21),
	}
	crons := []string{"0 0/5 * * * ?", "0 30 2 * * ?", "0 0 9 ? * MON-FRI", "0 15 10 LW 1/3 ? *", "no cron at all " + mark}
	s.tenThousand(s.groups[1])
	for i := range 120 {
		job := s.job(odd, names[i%len(names)], func(j *model.Job) {
			j.ScheduleConf, j.Handler = model.T(crons[i%len(crons)]), model.T(evil)
			j.Author, j.AlarmEmail = model.T(mark), model.T(evil)
			j.Param = model.T(evil + strings.Repeat(`{"day": "yesterday"}`, 50))
			j.Children = model.T("2,3,999")
			if i%10 == 9 {
				j.GlueType, j.GlueSource, j.GlueRemark = "GLUE_SHELL", model.T("#!/bin/sh\n# "+evil+"\n"), model.T(mark)
			}
		})
		if i%10 == 9 {
			s.glue(job, "#!/bin/sh\n# مهمة "+mark+"\n"+strings.Repeat("echo a line\n", 30), strings.Repeat("remark ", 14))
		}
		if i < len(names) {
			s.history(job, i)
			s.alarm(job, evil)
		}
	}
	for _, name := range []string{mark, "مستخدم 🚀", strings.Repeat("u", 50)} {
		u := &model.User{Username: name, JavaHash: "!", Permission: model.T("1,2")}
		require.NoError(s.t, s.st.CreateUser(s.t.Context(), u))
		s.users = append(s.users, u.ID)
	}
	s.settings(odd)
	s.deletions(odd, names)
	s.broadcast(s.job(odd, "broadcast to 143", func(*model.Job) {}))
	s.retries(s.job(odd, "tried again", func(*model.Job) {}))
}

// settings fills what the pages below the settings list.
func (s *seeding) settings(group int32) {
	s.t.Helper()
	ctx, no := s.t.Context(), func(err error) { require.NoError(s.t, err) }
	names := []string{mark, "مفتاح النشر 🚀", strings.Repeat("k", 64), "deploy"}
	for i, name := range names {
		k := &model.Key{
			Name: name, Prefix: fmt.Sprintf("xj_%05d", i), Hash: fmt.Sprintf("%064d", i), AllGroups: i%2 == 0, CreatedBy: names[i],
			Verbs: []model.Verb{model.VerbRead, model.VerbRun, model.VerbEdit}, Created: s.now.Add(-400 * 24 * time.Hour),
		}
		if i%2 == 1 {
			k.GroupIDs = []int32{group, s.groups[0]}
		}
		if i == 2 {
			k.Expires = s.now.Add(-time.Hour)
		}
		no(s.st.CreateKey(ctx, k))
		no(s.st.CreateSession(ctx, &model.Session{
			Key: fmt.Sprintf("%064d", i), UserID: s.users[i%len(s.users)], Created: s.now.Add(-time.Hour), Seen: s.now,
			Expires: s.now.Add(time.Hour), Client: "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
			Agent: []string{evil, strings.Repeat("Agent/1.0 (odd) ", 15), "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", ""}[i],
		}))
	}
	for i := range 120 {
		no(s.st.AddAudit(ctx, model.Audit{
			At: s.now.Add(time.Duration(i-120) * time.Minute), User: names[i%len(names)],
			Action: []string{"job.update", "user.create", "mute.end", "of.a.release.to.come"}[i%4],
			Object: []string{fmt.Sprintf("job %d", s.jobs[0]), "user 1", "group 2", strings.Repeat("object ", 25)}[i%4],
			Detail: []string{"name: a → b", evil, "", strings.Repeat("10,000 characters of a detail ", 330)}[i%4],
		}))
	}
	for i := range 3 {
		no(s.st.SetMute(ctx, model.Mute{
			Kind: model.ChangeJob, ObjectID: s.jobs[3+i], Until: s.now.Add(time.Hour), User: names[i], Reason: evil + names[i],
		}))
		no(s.st.SetAlarmRule(ctx, &model.AlarmRule{
			AlarmKey: model.AlarmKey{What: model.AlarmOnLong, Kind: model.ChangeJob, ObjectID: s.jobs[3+i]}, Limit: 90 * time.Second,
			User: names[i], Created: s.now,
		}))
		no(s.st.SetTags(ctx, s.jobs[3+i], []string{"وسم", "nightly", strings.Repeat("t", 64)}))
	}
}

// deletions deletes more jobs than a page lists, the last of them with code, and an
// executor.
func (s *seeding) deletions(group int32, names []string) {
	s.t.Helper()
	var j *model.Job
	for i := range 60 {
		j = s.job(group, names[i%len(names)], func(j *model.Job) {
			if i == 59 {
				j.GlueType, j.GlueSource, j.GlueRemark = "GLUE_SHELL", model.T("#!/bin/sh\n# "+evil+"\n"), model.T(mark)
			}
		})
		if i == 59 {
			s.glue(j, "#!/bin/sh\necho another\n", "another")
		}
		s.remove(model.ChangeJob, j.ID, group, j.Name, `{"name":`+quoted(j.Name)+`,"param":`+quoted(evil)+`}`)
	}
	s.gone = j.ID
	s.goneGroup = s.group(&model.Group{AppName: "was-here", Title: "Was here"})
	s.remove(model.ChangeGroup, s.goneGroup, s.goneGroup, "Was here", `{"app_name":"was-here","title":"Was here"}`)
	s.groups = s.groups[:len(s.groups)-1]
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// remove deletes a job or an executor as a user does.
func (s *seeding) remove(kind string, id, group int32, name, state string) {
	s.t.Helper()
	at := s.now.Add(-time.Hour)
	c := &model.Change{At: at, User: mark, Kind: kind, ObjectID: id, Action: "delete", Before: model.T(state)}
	d := &model.Deleted{Kind: kind, ObjectID: id, GroupID: group, Name: name, At: at, Made: at, User: mark}
	if kind == model.ChangeJob {
		require.NoError(s.t, s.st.RemoveJob(s.t.Context(), c, d))
	} else {
		require.NoError(s.t, s.st.RemoveGroup(s.t.Context(), c, d))
	}
}

// broadcast gives a job a run on each of 143 addresses, of which three failed and
// two go on.
func (s *seeding) broadcast(j *model.Job) {
	s.t.Helper()
	const shards = 143
	at := s.now.Add(-3 * time.Minute)
	for i := range int32(shards) {
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
			ShardIndex: i, ShardTotal: shards, Sharded: true, Handler: j.Handler,
			Address: fmt.Sprintf("http://orders-%d.shop.svc.cluster.local:9999/", i),
		}
		require.NoError(s.t, s.st.CreateRuns(s.t.Context(), []*model.Run{r}))
		out := &model.Outcome{
			LogID: r.LogID, Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle: &model.HandleResult{Code: model.CodeSuccess, AtMs: at.Add(time.Duration(1+i%37) * time.Second).UnixMilli(), NoRetry: true},
		}
		switch {
		case i%50 == 20:
			out.Handle.Code, out.Handle.Msg = model.CodeFail, model.T(evil)
		case i%70 == 60:
			out.Handle = nil
		}
		s.end(out)
		s.shard = r.LogID
	}
}

// retries gives a job a run that failed, and three that tried it again.
func (s *seeding) retries(j *model.Job) {
	s.t.Helper()
	for left := int32(3); left >= 0; left-- {
		at := s.now.Add(-time.Hour + time.Duration(3-left)*20*time.Second)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerRetry, TriggerMs: at.UnixMilli(), ShardTotal: 1, RetriesLeft: left,
			Handler: j.Handler, Address: fmt.Sprintf("http://10.0.0.%d:9999/%s", left, mark),
		}
		require.NoError(s.t, s.st.CreateRuns(s.t.Context(), []*model.Run{r}))
		h := &model.HandleResult{
			Code: model.CodeFail, Msg: model.T("the ledger does not balance: " + evil), AtMs: at.Add(18 * time.Second).UnixMilli(), NoRetry: true,
		}
		if left == 0 {
			h.Code, h.Msg = model.CodeSuccess, model.T("")
		}
		s.end(&model.Outcome{
			LogID: r.LogID, Handle: h,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
		})
		if left == 2 {
			s.attempt = r.LogID
		}
	}
}

// tenThousand adds as many jobs. Some of them fire in the coming hour, but not
// while the tests run.
func (s *seeding) tenThousand(group int32) {
	s.t.Helper()
	const first = 1000
	zone, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(s.t, err)
	list := make([]*model.Job, 10_000)
	for i := range list {
		j := &model.Job{
			ID: int32(first + i), GroupID: group, Name: fmt.Sprintf("job %d of ten thousand", i), Author: model.T("lin"),
			AlarmEmail: model.T(""), ScheduleType: model.ScheduleNone, ScheduleConf: model.T(""),
			Misfire: model.MisfireDoNothing, Route: model.RouteRound, Handler: model.T("settle"), Param: model.T(""),
			Block: model.BlockSerial, GlueType: model.GlueBean, GlueSource: model.T(""), GlueRemark: model.T(""),
			Children: model.T(""), AddTime: s.now, UpdateTime: s.now, GlueUpdated: s.now,
		}
		if i%10 == 0 {
			at := s.now.In(zone).Truncate(time.Minute).Add(time.Duration(25+i/10%34) * time.Minute)
			j.ScheduleType, j.ScheduleConf = model.ScheduleCron, model.T(fmt.Sprintf("0 %d %d * * ?", at.Minute(), at.Hour()))
			j.Running, j.NextMs = true, at.UnixMilli()
		}
		list[i] = j
	}
	require.NoError(s.t, s.st.Import(s.t.Context(), &store.Import{Jobs: list}))
}

func (s *seeding) group(g *model.Group) int32 {
	s.t.Helper()
	g.UpdateTime = s.now
	require.NoError(s.t, s.st.CreateGroup(s.t.Context(), g))
	s.groups = append(s.groups, g.ID)
	return g.ID
}

func (s *seeding) job(group int32, name string, change func(*model.Job)) *model.Job {
	s.t.Helper()
	j := &model.Job{
		GroupID: group, Name: name, Author: model.T("lin"), AlarmEmail: model.T(""), ScheduleType: model.ScheduleCron,
		ScheduleConf: model.T("0 0 3 1 1 ?"), Misfire: model.MisfireDoNothing, Route: model.RouteFirst,
		Param: model.T(""), Block: model.BlockSerial, GlueType: model.GlueBean, GlueSource: model.T(""),
		GlueRemark: model.T(""), Children: model.T(""), AddTime: s.now, UpdateTime: s.now, GlueUpdated: s.now,
	}
	change(j)
	require.NoError(s.t, s.st.CreateJob(s.t.Context(), j))
	s.jobs = append(s.jobs, j.ID)
	return j
}

// history gives a job sixty runs that have ended: well, badly, and with a text
// that is far too long.
func (s *seeding) history(j *model.Job, n int) {
	s.t.Helper()
	for k := range 60 {
		at := s.now.Add(time.Duration(k-70) * 10 * time.Minute)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
			ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://127.0.0.1:1/" + mark,
		}
		require.NoError(s.t, s.st.CreateRuns(s.t.Context(), []*model.Run{r}))
		s.runs = append(s.runs, r.LogID)
		code, msg := model.CodeSuccess, "1,204 orders settled"
		switch (k + n) % 9 {
		case 0:
			code, msg = model.CodeFail, evil
		case 4:
			code, msg = model.CodeFail, strings.Repeat("10,000 characters of an error: "+mark, 140)[:10_000]
		}
		out := &model.Outcome{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent<br>" + evil, Address: r.Address, AtMs: at.UnixMilli()},
			Handle: &model.HandleResult{
				Code: code, Msg: model.T(msg), AtMs: at.Add(time.Duration(1+k*k) * time.Second / 3).UnixMilli(), NoRetry: true,
			},
		}
		s.end(out)
	}
}

// end stores how a run has ended.
func (s *seeding) end(out *model.Outcome) {
	s.t.Helper()
	_, err := s.st.Finish(s.t.Context(), []*model.Outcome{out}, func(ends []*store.Ending, _ store.Loader) error {
		for _, e := range ends {
			if e.Outcome.Handle != nil {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
		}
		return nil
	})
	require.NoError(s.t, err)
}
