package ops

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The order is Java's; where it has recorded texts they are the same.
var jobChecks = []struct {
	name   string
	change func(*model.Job)
	want   string
}{
	{"no description", func(j *model.Job) { j.Name = " " }, "please input Job description"},
	{"no author", func(j *model.Job) { j.Author = model.Text{} }, "please input Author"},
	{"description before author", func(j *model.Job) { j.Name, j.Author = "", model.Text{} }, "please input Job description"},
	{"unknown schedule type", func(j *model.Job) { j.ScheduleType = "X" }, "Schedule Typeillegal"},
	{"bad cron", func(j *model.Job) {
		j.ScheduleType, j.ScheduleConf = model.ScheduleCron, model.T("0 0 0 * * *")
	}, "Cronillegal"},
	{"no cron", func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleCron, model.Text{} }, "Cronillegal"},
	{"no rate", func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.Text{} }, "Schedule Type"},
	{"empty rate", func(j *model.Job) { j.ScheduleType = model.ScheduleFixRate }, "Schedule Typeillegal"},
	{"rate 0", func(j *model.Job) { j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("0") }, "Schedule Typeillegal"},
	{"rate too large", func(j *model.Job) {
		j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("2147483648")
	}, "Schedule Typeillegal"},
	{"unknown zone", func(j *model.Job) { j.TimeZone = "Mars/Olympus" }, "Time zoneillegal"},
	{"zone of the machine", func(j *model.Job) { j.TimeZone = "Local" }, "Time zoneillegal"},
	{"no handler", func(j *model.Job) { j.Handler = model.T(" ") }, "please input JobHandler"},
	{"handler missing", func(j *model.Job) { j.Handler = model.Text{} }, "please input JobHandler"},
	{"unknown route", func(j *model.Job) { j.Route = "X" }, "Route Strategyillegal"},
	{"unknown misfire", func(j *model.Job) { j.Misfire = "" }, "Misfire strategyillegal"},
	{"unknown block", func(j *model.Job) { j.Block = "X" }, "Block Strategyillegal"},
	{"route before misfire before block", func(j *model.Job) { j.Route, j.Misfire, j.Block = "X", "X", "X" }, "Route Strategyillegal"},
	{"child word", func(j *model.Job) { j.Children = model.T("abc") }, "Child Job ID(abc)illegal"},
	{"child unknown", func(j *model.Job) { j.Children = model.T("99999") }, "Child Job ID(99999)not exist"},
	{"child 0", func(j *model.Job) { j.Children = model.T("0") }, "Child Job ID(0)illegal"},
	{"child item empty", func(j *model.Job) { j.Children = model.T(",") }, "Child Job ID()illegal"},
	{"description too long", func(j *model.Job) { j.Name = strings.Repeat("名", 256) }, "Job description Length limit[0-255]"},
	{"author too long", func(j *model.Job) { j.Author.S = strings.Repeat("x", 65) }, "Author Length limit[0-64]"},
	{"mail too long", func(j *model.Job) { j.AlarmEmail.S = strings.Repeat("x", 256) }, "Alarm mail Length limit[0-255]"},
	{"param too long", func(j *model.Job) { j.Param.S = strings.Repeat("x", 65536) }, "Param Length limit[0-65535]"},
	{"not UTF-8", func(j *model.Job) { j.Param.S = "\xff" }, "Paramillegal"},
	{"NUL", func(j *model.Job) { j.Author.S = "a\x00" }, "Authorillegal"},
}

func TestCreateJobChecks(t *testing.T) {
	w := newWorld(t)
	for _, tt := range jobChecks {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.CreateJob(t.Context(), w.admin, bean(w.gold, tt.change))
			refusal(t, err, Invalid, tt.want)
		})
	}
	_, err := w.CreateJob(t.Context(), w.admin, bean(99999))
	refusal(t, err, Invalid, "please choose Executor")
	_, err = w.CreateJob(t.Context(), w.admin, bean(w.gold, func(j *model.Job) { j.GlueType = "X" }))
	refusal(t, err, Invalid, "GLUE Typeillegal")
	n, err := w.db.CountJobs(t.Context(), 0)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Empty(t, w.sched.told())
}

func TestUpdateJobChecks(t *testing.T) {
	w := newWorld(t)
	id := w.create(bean(w.gold))
	before := w.load(id)
	for _, tt := range jobChecks {
		t.Run(tt.name, func(t *testing.T) {
			j := bean(w.gold, tt.change)
			j.ID = id
			refusal(t, w.UpdateJob(t.Context(), w.admin, j), Invalid, tt.want)
		})
	}
	tests := []struct {
		name   string
		change func(*model.Job)
		kind   Kind
		want   string
	}{
		{"unknown id", func(j *model.Job) { j.ID = 99999 }, NotFound, "Job IDnot exist"},
		{"unknown group", func(j *model.Job) { j.GroupID = 99999 }, Invalid, "Executorillegal"},
		{"own child", func(j *model.Job) { j.Children = model.T(id32(id)) }, Invalid, "Child Job ID(" + id32(id) + ")illegal"},
		{"children before group", func(j *model.Job) { j.GroupID, j.Children = 99999, model.T("x") }, Invalid, "Child Job ID(x)illegal"},
		{"group before id", func(j *model.Job) { j.GroupID, j.ID = 99999, 99999 }, Invalid, "Executorillegal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := bean(w.gold, func(j *model.Job) { j.ID = id }, tt.change)
			refusal(t, w.UpdateJob(t.Context(), w.admin, j), tt.kind, tt.want)
		})
	}
	assert.Equal(t, before, w.load(id), "a refused edit changes nothing")
}

func TestCreateJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold, func(j *model.Job) {
		j.ID, j.LastMs, j.NextMs = 77, 5, 6
		j.Handler = model.T(" bbHandler ")
		j.TimeoutSec, j.Retries = -1, -2
		j.GlueSource = model.T("rm -rf /")
	}))
	j := w.load(id)
	assert.NotEqual(t, int32(77), id)
	assert.Equal(t, "bbHandler", j.Handler.S)
	assert.Zero(t, j.TimeoutSec)
	assert.Zero(t, j.Retries)
	assert.Empty(t, j.GlueSource.S, "a BEAN job has no code")
	assert.False(t, j.Running)
	assert.Zero(t, j.LastMs)
	assert.Zero(t, j.NextMs)
	assert.True(t, noon.Equal(j.AddTime))
	assert.True(t, noon.Equal(j.GlueUpdated), "the Java admin does not bear NULL there")
	assert.Contains(t, w.lastAudit(), `admin | job.create | job `+id32(id)+` | group: 0 → `)
	assert.Empty(t, w.sched.told())
}

func TestCreateRunningJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold, everySecond, func(j *model.Job) { j.Running, j.NextMs = true, 1 }))
	j := w.load(id)
	assert.True(t, j.Running)
	assert.Equal(t, noon.Add(time.Second).UnixMilli(), j.NextMs)
	assert.Equal(t, []string{"started " + id32(id)}, w.sched.told())

	_, err := w.CreateJob(t.Context(), w.admin, bean(w.gold, func(j *model.Job) { j.Running = true }))
	refusal(t, err, Conflict, "The current schedule type disables startup")
	_, err = w.CreateJob(t.Context(), w.admin, bean(w.gold, func(j *model.Job) {
		j.Running, j.ScheduleType, j.ScheduleConf = true, model.ScheduleCron, model.T("0 0 0 1 1 ? 2001")
	}))
	refusal(t, err, Invalid, "Schedule Typeillegal")
}

func TestStartAndStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, everySecond))

	require.NoError(t, w.StartJob(ctx, w.mine, id))
	j := w.load(id)
	assert.True(t, j.Running)
	assert.Equal(t, noon.Add(time.Second).UnixMilli(), j.NextMs, "at most 2 s after start")
	assert.Equal(t, []string{"started " + id32(id)}, w.sched.told())
	assert.Equal(t, "golden1 | job.start | job "+id32(id)+" | ", w.lastAudit())

	require.NoError(t, w.db.SetRunning(ctx, id, true, noon.Add(time.Hour).UnixMilli()))
	require.NoError(t, w.StartJob(ctx, w.mine, id), "again")
	assert.Equal(t, noon.Add(time.Hour).UnixMilli(), w.load(id).NextMs, "a running job keeps its next time")
	assert.Empty(t, w.sched.told())

	require.NoError(t, w.StopJob(ctx, w.mine, id))
	j = w.load(id)
	assert.False(t, j.Running)
	assert.Zero(t, j.NextMs)
	assert.Equal(t, []string{"changed " + id32(id)}, w.sched.told())
	require.NoError(t, w.StopJob(ctx, w.mine, id), "again")

	none := w.create(bean(w.gold))
	refusal(t, w.StartJob(ctx, w.mine, none), Conflict, "The current schedule type disables startup")
	past := w.create(bean(w.gold, func(j *model.Job) {
		j.ScheduleType, j.ScheduleConf = model.ScheduleCron, model.T("0 0 0 1 1 ? 2001")
	}))
	refusal(t, w.StartJob(ctx, w.mine, past), Invalid, "Schedule Typeillegal")
	refusal(t, w.StartJob(ctx, w.admin, 99999), NotFound, "Job ID is illegal")
	refusal(t, w.StopJob(ctx, w.admin, 99999), NotFound, "Job ID is illegal")
}

func TestStartBesideJava(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.SharedWithJava = true })
	id := w.create(bean(w.gold, everySecond))
	require.NoError(t, w.StartJob(t.Context(), w.admin, id))
	assert.Equal(t, noon.Add(6*time.Second).UnixMilli(), w.load(id).NextMs, "behind what a Java node has read")
	_, err := w.CreateJob(t.Context(), w.admin, bean(w.gold, func(j *model.Job) { j.TimeZone = "Asia/Tokyo" }))
	refusal(t, err, Invalid, "A time zone of its own is not possible while a Java admin shares the database")
}

func TestUpdateJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, everySecond, func(j *model.Job) { j.TimeZone = "Asia/Tokyo" }))
	edit := func(change ...func(*model.Job)) *model.Job {
		return bean(w.gold, append([]func(*model.Job){everySecond, func(j *model.Job) { j.ID = id }}, change...)...)
	}
	require.NoError(t, w.StartJob(ctx, w.admin, id))
	w.sched.told()
	next := noon.Add(time.Minute).UnixMilli()
	require.NoError(t, w.db.SetRunning(ctx, id, true, next))

	require.NoError(t, w.UpdateJob(ctx, w.mine, edit(func(j *model.Job) {
		j.Name, j.Running, j.GlueType, j.GlueSource = "other", false, "GLUE_SHELL", model.T("x")
	})))
	j := w.load(id)
	assert.Equal(t, "other", j.Name)
	assert.True(t, j.Running, "the status is not edited")
	assert.Equal(t, model.GlueBean, j.GlueType, "nor is what runs")
	assert.Empty(t, j.GlueSource.S)
	assert.Equal(t, "Asia/Tokyo", j.TimeZone, "clients of the Java admin know no zone")
	assert.Equal(t, next, j.NextMs, "the same schedule goes on")
	assert.Empty(t, w.sched.told())
	assert.Equal(t, "golden1 | job.update | job "+id32(id)+` | name: "bb job" → "other"`, w.lastAudit())

	require.NoError(t, w.UpdateJob(ctx, w.mine, edit(func(j *model.Job) { j.TimeZone = ServerZone })))
	j = w.load(id)
	assert.Empty(t, j.TimeZone)
	assert.Equal(t, noon.Add(time.Second).UnixMilli(), j.NextMs, "another zone is another schedule")
	assert.Equal(t, []string{"changed " + id32(id), "started " + id32(id)}, w.sched.told())

	require.NoError(t, w.UpdateJob(ctx, w.mine, edit(func(j *model.Job) {
		j.ScheduleType, j.ScheduleConf = model.ScheduleFixRate, model.T("30")
	})))
	assert.Equal(t, noon.Add(30*time.Second).UnixMilli(), w.load(id).NextMs)
	w.sched.told()

	refusal(t, w.UpdateJob(ctx, w.mine, edit(func(j *model.Job) { j.ScheduleType = model.ScheduleNone })),
		Invalid, "Schedule Typeillegal")
	assert.Empty(t, w.sched.told(), "nothing is cancelled by a refused edit")

	require.NoError(t, w.StopJob(ctx, w.mine, id))
	w.sched.told()
	require.NoError(t, w.UpdateJob(ctx, w.mine, edit(func(j *model.Job) { j.ScheduleType = model.ScheduleNone })))
	j = w.load(id)
	assert.Zero(t, j.NextMs)
	assert.Empty(t, w.sched.told())
}

func TestDeleteJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold, everySecond))
	require.NoError(t, w.StartJob(ctx, w.mine, id))
	w.sched.told()
	require.NoError(t, w.DeleteJob(ctx, w.mine, id))
	assert.Equal(t, []string{"changed " + id32(id)}, w.sched.told(), "what was planned is cancelled")
	assert.Contains(t, w.lastAudit(), "job.delete")
	_, err := w.Job(ctx, w.admin, id)
	refusal(t, err, NotFound, "Job ID is illegal")
	require.NoError(t, w.DeleteJob(ctx, w.mine, id), "a job that is gone")
}

func TestNextTimes(t *testing.T) {
	w := newWorld(t)
	stamp := func(list []time.Time) (out []string) {
		for _, at := range list {
			out = append(out, at.Format("2006-01-02 15:04:05 -0700"))
		}
		return out
	}
	tests := []struct {
		name       string
		kind       model.ScheduleType
		conf, zone string
		want       []string
		wantErr    string
	}{
		{name: "cron that ends", kind: model.ScheduleCron, conf: "0 0 0 1 1 ? 2090-2092", want: []string{
			"2090-01-01 00:00:00 +0800", "2091-01-01 00:00:00 +0800", "2092-01-01 00:00:00 +0800",
		}},
		{name: "rate", kind: model.ScheduleFixRate, conf: "86400", want: []string{
			"2026-11-22 12:00:00 +0800", "2026-11-23 12:00:00 +0800", "2026-11-24 12:00:00 +0800",
			"2026-11-25 12:00:00 +0800", "2026-11-26 12:00:00 +0800",
		}},
		{name: "zone", kind: model.ScheduleCron, conf: "0 0 9 1 1 ? 2090", zone: "UTC", want: []string{"2090-01-01 09:00:00 +0000"}},
		{name: "none", kind: model.ScheduleNone, conf: "x"},
		{name: "unknown", kind: "X", conf: "x"},
		{name: "blank", kind: model.ScheduleCron, conf: " "},
		{
			name: "bad cron", kind: model.ScheduleCron, conf: "0 0 0 * * *",
			wantErr: "Schedule TypeillegalSupport for specifying both a day-of-week AND a day-of-month parameter is not implemented.",
		},
		{name: "bad zone", kind: model.ScheduleCron, conf: "* * * * * ?", zone: "X", wantErr: "Time zoneillegal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := w.NextTimes(tt.kind, tt.conf, tt.zone, 5)
			if tt.wantErr != "" {
				refusal(t, err, Invalid, tt.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, stamp(got))
		})
	}
	many, err := w.NextTimes(model.ScheduleCron, "* * * * * ?", "", 1_000_000)
	require.NoError(t, err)
	assert.Len(t, many, maxPreview)
	_, err = w.NextTimes(model.ScheduleFixRate, "x", "", 5)
	require.Error(t, err)
}

func TestTimesOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.now().Truncate(time.Second)
	j := &model.Job{
		ScheduleType: model.ScheduleFixRate, ScheduleConf: model.T("30"), Running: true,
		NextMs: second.Add(7 * time.Second).UnixMilli(),
	}
	after := func(n int) (list []time.Duration) {
		times, err := w.TimesOf(j, n)
		require.NoError(t, err)
		for _, at := range times {
			list = append(list, at.Sub(second))
		}
		return list
	}
	assert.Equal(t, []time.Duration{7 * time.Second, 37 * time.Second, 67 * time.Second}, after(3), "as it will fire")
	assert.Equal(t, []time.Duration{7 * time.Second}, after(1))
	assert.Empty(t, after(0))
	j.Running = false
	assert.Equal(t, 30*time.Second, after(1)[0].Truncate(time.Second), "if it were started now")
	j.Running, j.ScheduleConf = true, model.T("x")
	_, err := w.TimesOf(j, 1)
	require.Error(t, err)
	j.TimeZone = "X"
	_, err = w.TimesOf(j, 1)
	require.Error(t, err)
}

func TestTrigger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	id := w.create(bean(w.gold))
	w.reg.live = map[int32]string{w.gold: "http://10.0.0.3:9999/"}

	ids, err := w.TriggerJob(ctx, w.mine, id, TriggerInput{})
	require.NoError(t, err)
	assert.Equal(t, []int64{41, 42}, ids)
	by := model.Cause{Kind: model.CauseManual, Who: "golden1"}
	assert.Equal(t, TriggerInput{Type: model.TriggerManual, Cause: by}, w.disp.in, "the job's own parameter and addresses")
	assert.Equal(t, "golden1 | job.trigger | job "+id32(id)+" | MANUAL, log [41 42]", w.lastAudit())

	given := ""
	_, err = w.TriggerJob(ctx, w.mine, id, TriggerInput{
		Param: &given, Type: model.TriggerAPI,
		Addresses: []string{" http://10.0.0.1:9999 ", "", "http://10.0.0.2:9999/", "http://10.0.0.3:9999", "http://10.0.0.1:9999/"},
	})
	require.NoError(t, err)
	by.Kind = model.CauseAPI
	assert.Equal(t, TriggerInput{Param: &given, Type: model.TriggerAPI, Cause: by, Addresses: []string{
		"http://10.0.0.1:9999/", "http://10.0.0.2:9999", "http://10.0.0.3:9999/",
	}}, w.disp.in, "in the known spelling, each once")

	long := strings.Repeat("x", 65536)
	_, err = w.TriggerJob(ctx, w.mine, id, TriggerInput{Param: &long})
	refusal(t, err, Invalid, "Param Length limit[0-65535]")
	_, err = w.TriggerJob(ctx, w.admin, 99999, TriggerInput{})
	refusal(t, err, NotFound, "Job ID is illegal")

	w.disp.err = errors.New("database away")
	_, err = w.TriggerJob(ctx, w.mine, id, TriggerInput{})
	require.ErrorContains(t, err, "database away")
	var e *Error
	assert.NotErrorAs(t, err, &e, "a fault is not the caller's")
}

// Nobody can make the admin talk to an address of his own.
func TestTriggerAddressIsOfTheGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.gold))
	for _, addr := range []string{
		"http://169.254.169.254/", "http://127.0.0.1:9999/", "http://attacker.example/", "http://10.0.9.1:9999/",
		"http://10.0.0.1:9999/../", "http://10.0.0.1:9999@attacker.example/", "HTTP://10.0.0.1:9999/", "http://10.0.0.1:9999/?x",
		"http://10.0.0.1:9999\n", "10.0.0.1:9999", "http://10.0.0.1:99990/", "//10.0.0.1:9999/", "file:///etc/passwd",
	} {
		w.disp.job = nil
		_, err := w.TriggerJob(t.Context(), w.admin, id, TriggerInput{Addresses: []string{"http://10.0.0.1:9999/", addr}})
		if strings.TrimSpace(addr) == "http://10.0.0.1:9999" {
			require.NoError(t, err, "blanks round a known one do not matter")
			continue
		}
		refusal(t, err, Invalid, "machine address("+addr+")not exist")
		assert.Nil(t, w.disp.job, addr)
	}
}

func TestTriggerWithoutGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.create(bean(w.silver))
	require.NoError(t, w.db.DeleteGroup(t.Context(), w.silver))
	_, err := w.TriggerJob(t.Context(), w.admin, id, TriggerInput{})
	refusal(t, err, Conflict, "Executornot exist")
}

func TestListJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	gold, silver := w.create(bean(w.gold)), w.create(bean(w.silver))
	ids := func(p Principal, f model.JobFilter) (ids []int32) {
		list, total, err := w.ListJobs(ctx, p, f)
		require.NoError(t, err)
		assert.Len(t, list, total)
		for _, j := range list {
			ids = append(ids, j.ID)
		}
		return ids
	}
	assert.Equal(t, []int32{silver, gold}, ids(w.admin, model.JobFilter{GroupID: -1}))
	assert.Equal(t, []int32{gold}, ids(w.mine, model.JobFilter{}), "group 0 is what one may see")
	assert.Equal(t, []int32{gold}, ids(w.mine, model.JobFilter{GroupID: w.gold}))
	assert.Empty(t, ids(Principal{Name: "new", Source: "login"}, model.JobFilter{}))
	_, _, err := w.ListJobs(ctx, w.mine, model.JobFilter{GroupID: w.silver})
	refusal(t, err, Forbidden, "Permission limit[username=golden1]")
	assert.True(t, asError(t, err).Thrown)
}
