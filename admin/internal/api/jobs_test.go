package api

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// parts are those that ops needs beside the store: they do at once what the
// scheduler and the dispatcher do later.
type parts struct {
	groups    map[int32]*model.Group
	triggered []ops.TriggerInput
	err       error
}

func (p *parts) Started(context.Context, int32) error { return nil }
func (p *parts) Owns(int32) bool                      { return true }

func (p *parts) Change(ctx context.Context, _ int32, write func(context.Context) error) error {
	return write(ctx)
}

func (p *parts) Trigger(_ context.Context, _ *model.Job, in ops.TriggerInput) ([]int64, error) {
	p.triggered = append(p.triggered, in)
	return []int64{7}, p.err
}
func (p *parts) Group(id int32) (*model.Group, bool) { g, ok := p.groups[id]; return g, ok }
func (p *parts) GroupsChanged()                      {}
func (p *parts) Results(context.Context, []*model.Outcome) error {
	return nil
}

func (p *parts) Kill(context.Context, string, *model.Group, int32) (wire.Response, error) {
	return wire.Response{}, errors.New("no executor")
}

func (p *parts) Log(context.Context, string, *model.Group, wire.LogRequest) (wire.Response, wire.LogResult, error) {
	return wire.Response{}, wire.LogResult{}, errors.New("no executor")
}

func (p *parts) HashPassword(context.Context, string) (java, own string, err error) {
	return "", "", nil
}

func (p *parts) CheckPassword(context.Context, *model.User, string) (bool, error) { return false, nil }
func (p *parts) EndSessions(context.Context, int32) error                         { return nil }

// jobWorld is a world whose jobs are in a real database.
type jobWorld struct {
	*world
	parts *parts
	store *store.Store
	h     http.Handler
}

func newJobWorld(t *testing.T) *jobWorld {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{
		DSN: "sqlite:" + filepath.Join(t.TempDir(), "jobs.db"), Location: time.UTC,
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close()) })
	require.NoError(t, st.Migrate(t.Context()))
	w := &jobWorld{world: newWorld(), parts: &parts{groups: map[int32]*model.Group{}}, store: st}
	for _, g := range w.groups {
		want := g.ID
		g.Title, g.AddressList, g.UpdateTime = g.AppName, model.T("http://10.0.0.5:9999/"), time.Now()
		require.NoError(t, st.CreateGroup(t.Context(), g))
		require.Equal(t, want, g.ID)
		w.parts.groups[g.ID] = g
	}
	service, err := ops.New(ops.Config{
		Store: st, Scheduler: w.parts, Dispatcher: w.parts, Executors: w.parts, Registry: w.parts,
		Completion: w.parts, Passwords: w.parts, Location: time.UTC,
	})
	require.NoError(t, err)
	w.h = w.serve(t, func(c *Config) { c.Jobs = service })
	return w
}

// call posts as an app with the right token of it.
func (w *jobWorld) call(t *testing.T, app, call, body string) wire.Response {
	t.Helper()
	token := common
	if app == "billing" {
		token = ownToken
	}
	return post(t, w.h, "/api/"+call, body, wire.HeaderToken, token, wire.HeaderAppName, app)
}

// newJob is a body of addJob with some keys replaced or, with "-", left out.
func newJob(replace ...string) string {
	fields := []string{
		"jobGroup", "1", "name", `"close the day"`, "author", `"ann"`, "scheduleType", `"CRON"`,
		"scheduleConf", `"0 0 1 * * ?"`, "misfireStrategy", `"DO_NOTHING"`, "executorRouteStrategy", `"FIRST"`,
		"executorHandler", `"close"`, "executorParam", `"p"`, "executorBlockStrategy", `"SERIAL_EXECUTION"`,
		"executorTimeout", "0", "executorFailRetryCount", "2", "glueType", `"BEAN"`, "id", "1",
	}
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		value := fields[i+1]
		for j := 0; j < len(replace); j += 2 {
			if replace[j] == fields[i] {
				value = replace[j+1]
			}
		}
		if value != "-" {
			b.WriteString(`,"` + fields[i] + `":` + value)
		}
	}
	return "{" + b.String()[1:] + "}"
}

// TestAddJob holds addJob to the order and the English texts of wire.md 2.8.
func TestAddJob(t *testing.T) {
	tests := []struct {
		name string
		body string
		msg  string
	}{
		{name: "blank name", body: newJob("name", `" "`, "author", "-"), msg: "please input Job description"},
		{name: "no author", body: newJob("author", "-", "scheduleType", "-"), msg: "please input Author"},
		{name: "no name, and a foreign group", body: newJob("name", "-", "jobGroup", "2"), msg: "please input Job description"},
		{name: "no author, and an unknown group", body: newJob("author", `" "`, "jobGroup", "99"), msg: "please input Author"},
		{name: "unknown group", body: newJob("jobGroup", "99", "scheduleType", `"X"`), msg: "please choose Executor"},
		{name: "no group", body: newJob("jobGroup", "-"), msg: "please choose Executor"},
		{name: "foreign group", body: newJob("jobGroup", "2", "scheduleType", `"X"`), msg: "Permission limit"},
		{name: "unknown schedule", body: newJob("scheduleType", `"X"`), msg: "Schedule Typeillegal"},
		{name: "bad cron", body: newJob("scheduleConf", `"x"`), msg: "Cronillegal"},
		{name: "no interval", body: newJob("scheduleType", `"FIX_RATE"`, "scheduleConf", "-"), msg: "Schedule Type"},
		{name: "bad interval", body: newJob("scheduleType", `"FIX_RATE"`, "scheduleConf", `"0"`), msg: "Schedule Typeillegal"},
		{name: "unknown glue type", body: newJob("glueType", `"X"`), msg: "GLUE Typeillegal"},
		{name: "no handler", body: newJob("executorHandler", "-"), msg: "please input JobHandler"},
		{name: "unknown route", body: newJob("executorRouteStrategy", "-"), msg: "Route Strategyillegal"},
		{name: "case 98: no misfire strategy", body: newJob("misfireStrategy", "-"), msg: "Misfire strategyillegal"},
		{name: "unknown block strategy", body: newJob("executorBlockStrategy", `"X"`), msg: "Block Strategyillegal"},
	}
	w := newJobWorld(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := w.call(t, "orders", "addJob", tt.body)
			assert.Equal(t, int32(500), res.Code)
			assert.True(t, strings.HasPrefix(res.Msg.String, tt.msg), "%q, want %q", res.Msg.String, tt.msg)
			assert.False(t, res.Payload.Valid)
		})
	}
	n, err := w.store.CountJobs(t.Context(), 0)
	require.NoError(t, err)
	assert.Zero(t, n)

	res := w.call(t, "orders", "addJob", newJob())
	require.Equal(t, wire.Response{Code: 200, Msg: wire.Str("Success"), Payload: wire.Str("1")}, res)
	j, err := w.store.Job(t.Context(), 1)
	require.NoError(t, err)
	assert.False(t, j.Running)
	assert.Equal(t, "close the day", j.Name)
	assert.Equal(t, int32(2), j.Retries)
}

// TestJobLife walks through all calls of the job API on one job.
func TestJobLife(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	require.Equal(t, int32(200), w.call(t, "orders", "addJob", newJob()).Code)
	require.Equal(t, int32(200), w.call(t, "orders", "addJob", newJob("scheduleType", `"NONE"`)).Code)
	j, err := w.store.Job(t.Context(), 1)
	require.NoError(t, err)
	j.Children, j.TimeZone = model.T("2"), "Asia/Tokyo"
	require.NoError(t, w.store.UpdateJob(t.Context(), j, nil))

	res := w.call(t, "orders", "updateJob", newJob("name", `"new name"`, "executorHandler", `"other"`, "jobGroup", "3"))
	require.Equal(t, int32(200), res.Code, res.Msg.String)
	j, err = w.store.Job(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, "new name", j.Name)
	assert.Equal(t, "other", j.Handler.S)
	assert.Equal(t, int32(1), j.GroupID, "the group stays")
	assert.Equal(t, "2", j.Children.S, "the children stay")
	assert.Equal(t, "Asia/Tokyo", j.TimeZone)

	assert.Equal(t, int32(200), w.call(t, "orders", "startJob", `{"id":1}`).Code)
	j, err = w.store.Job(t.Context(), 1)
	require.NoError(t, err)
	assert.True(t, j.Running)
	assert.Equal(t, "The current schedule type disables startup", w.call(t, "orders", "startJob", `{"id":2}`).Msg.String)
	assert.Equal(t, int32(200), w.call(t, "orders", "stopJob", `{"id":1}`).Code)

	assert.Equal(t, int32(200), w.call(t, "orders", "triggerJob", `{"id":1}`).Code, "case 99")
	assert.Equal(t, int32(200), w.call(t, "orders", "triggerJob", `{"id":1,"executorParam":"q","addressList":"http://10.0.0.5:9999"}`).Code)
	require.Len(t, w.parts.triggered, 2)
	assert.Empty(t, *w.parts.triggered[0].Param)
	assert.Equal(t, model.TriggerAPI, w.parts.triggered[0].Type)
	assert.Equal(t, "q", *w.parts.triggered[1].Param)
	assert.Equal(t, []string{"http://10.0.0.5:9999/"}, w.parts.triggered[1].Addresses)
	for _, address := range []string{"http://169.254.169.254/", "http://127.0.0.1:1/", "http://10.0.0.5:9999@evil/"} {
		res = w.call(t, "orders", "triggerJob", `{"id":1,"addressList":"`+address+`"}`)
		assert.Equal(t, int32(500), res.Code, "only registered addresses")
	}
	assert.Len(t, w.parts.triggered, 2)

	assert.Equal(t, int32(200), w.call(t, "orders", "removeJob", `{"id":1}`).Code)
	assert.Equal(t, int32(200), w.call(t, "orders", "removeJob", `{"id":1}`).Code, "case 100: an unknown id")
	for _, call := range []string{"startJob", "stopJob", "triggerJob"} {
		assert.Equal(t, "Job ID is illegal", w.call(t, "orders", call, `{"id":1}`).Msg.String, call)
	}
	assert.Equal(t, "Job IDnot exist", w.call(t, "orders", "updateJob", newJob()).Msg.String)
	audits, err := w.store.Audits(t.Context(), model.AuditFilter{Limit: 10})
	require.NoError(t, err)
	require.NotEmpty(t, audits)
	assert.Equal(t, "openapi:orders", audits[0].User)
}

// TestForeignJobs closes the trap of Java, where any token manages all jobs.
func TestForeignJobs(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	require.Equal(t, int32(200), w.call(t, "orders", "addJob", newJob()).Code)
	require.Equal(t, int32(200), w.call(t, "billing", "addJob", newJob("jobGroup", "2")).Code)
	for _, who := range []struct {
		app string
		own string
		alt string
	}{{"orders", "1", "2"}, {"billing", "2", "1"}, {"stock", "", "1"}, {"stock", "", "2"}} {
		assert.Equal(t, int32(500), w.call(t, who.app, "addJob", newJob("jobGroup", who.alt)).Code, who)
		assert.Equal(t, int32(500), w.call(t, who.app, "updateJob", newJob("id", who.alt, "name", `"x"`)).Code, who)
		for _, call := range []string{"startJob", "stopJob", "triggerJob", "removeJob"} {
			assert.Equal(t, int32(500), w.call(t, who.app, call, `{"id":`+who.alt+`}`).Code, "%s of %v", call, who)
		}
	}
	for id := range int32(2) {
		j, err := w.store.Job(t.Context(), id+1)
		require.NoError(t, err)
		assert.Equal(t, "close the day", j.Name)
		assert.False(t, j.Running)
	}
	assert.Empty(t, w.parts.triggered)
	n, err := w.store.CountJobs(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
}

// TestJobTokens: the job API wants app and token as master does.
func TestJobTokens(t *testing.T) {
	w := newJobWorld(t)
	tests := []struct {
		name, token, app, msg string
	}{
		{"no app", common, "-", wire.TextTokenEmpty},
		{"no token", "-", "orders", wire.TextTokenEmpty},
		{"wrong token", "x", "orders", wire.TextTokenInvalid},
		{"unknown app", common, "new", wire.TextTokenInvalid},
		{"common token for a group with its own", common, "billing", wire.TextTokenInvalid},
		{"own token under another name", ownToken, "orders", wire.TextTokenInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := post(t, w.h, "/api/addJob", newJob(), wire.HeaderToken, tt.token, wire.HeaderAppName, tt.app)
			assert.Equal(t, wire.Response{Code: 500, Msg: wire.Str(tt.msg)}, res)
		})
	}
}

// stopper is an operation that takes no time.
type stopper struct{ Jobs }

func (stopper) StopJob(context.Context, ops.Principal, int32) error { return nil }

func TestJobRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		h := w.serve(t, func(c *Config) { c.Jobs = stopper{} })
		for range 300 { // strangers cost nothing
			res := post(t, h, "/api/stopJob", `{"id":1}`, wire.HeaderToken, "x", wire.HeaderAppName, "orders")
			assert.Equal(t, int32(500), res.Code)
		}
		start := time.Now()
		answers := make(chan wire.Response)
		var group sync.WaitGroup
		for range 250 {
			group.Go(func() { answers <- post(t, h, "/api/stopJob", `{"id":1}`, wire.HeaderAppName, "orders") })
		}
		go func() { group.Wait(); close(answers) }()
		counts := map[wire.Response]int{}
		for res := range answers {
			counts[res]++
		}
		assert.Equal(t, map[wire.Response]int{
			success: 200,
			{Code: 502, Msg: wire.Str("Too many requests, please try again later.")}: 50,
		}, counts)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

// TestFaultOfTheAdmin: an error that is no refusal stays in the log.
func TestFaultOfTheAdmin(t *testing.T) {
	t.Parallel()
	w := newJobWorld(t)
	require.Equal(t, int32(200), w.call(t, "orders", "addJob", newJob()).Code)
	w.parts.err = errors.New("password=secret refused")
	res := w.call(t, "orders", "triggerJob", `{"id":1}`)
	assert.Equal(t, int32(500), res.Code)
	assert.Equal(t, wire.PrefixInvokeError+"the admin could not do it, its log says why", res.Msg.String)
}
