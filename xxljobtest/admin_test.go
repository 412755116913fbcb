package xxljobtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// limit bounds what a test waits for.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// register gives an executor the handlers of these tests.
func register(executor *xxljob.Executor) {
	executor.Register("echo", func(_ context.Context, run *xxljob.Run) error {
		run.Logf("param %s", run.Param())
		run.SetResult(run.Param())
		return nil
	})
	executor.Register("fail", func(_ context.Context, run *xxljob.Run) error {
		return xxljob.NoRetry(errors.New(run.Param()))
	})
	executor.Register("wait", func(ctx context.Context, _ *xxljob.Run) error {
		<-ctx.Done()
		return ctx.Err()
	})
}

// TestAdminDrivesAnExecutor goes through every call in every dialect.
func TestAdminDrivesAnExecutor(t *testing.T) {
	t.Parallel()
	for _, dialect := range []xxljobtest.Dialect{xxljobtest.Dialect3, xxljobtest.DialectLegacy, xxljobtest.DialectMaster} {
		t.Run(dialect.String(), func(t *testing.T) {
			t.Parallel()
			ctx := limit(t)
			admin := xxljobtest.NewAdmin(t, xxljobtest.Options{Dialect: dialect, Token: "secret"})
			executor := xxljobtest.StartExecutor(t, admin, xxljob.Config{AppName: "demo"}, register)

			addr, err := executor.Address()
			require.NoError(t, err)
			registered := admin.Registered()
			require.Len(t, registered, 1)
			assert.Equal(t, "demo", registered[0].AppName)
			assert.Equal(t, addr, registered[0].Address)
			require.NoError(t, admin.Beat(ctx))

			at := time.UnixMilli(1_700_000_000_000)
			logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "echo", Param: "hello <b>", Time: at})
			require.NoError(t, err)
			report, err := admin.Result(ctx, logID)
			require.NoError(t, err)
			assert.Equal(t, xxljobtest.Report{LogID: 1, TriggerTime: at, Code: 200, Msg: "hello <b>", At: report.At}, report)
			text, err := admin.Log(ctx, logID)
			require.NoError(t, err)
			assert.Contains(t, text, "param hello <b>\n")
			page, err := admin.LogPage(ctx, logID, 2)
			require.NoError(t, err)
			assert.Equal(t, 2, page.From)
			assert.True(t, strings.HasSuffix(text, page.Content))

			logID, err = admin.Trigger(ctx, xxljobtest.Trigger{Handler: "fail", Param: "broken", JobID: 2})
			require.NoError(t, err)
			report, err = admin.Result(ctx, logID)
			require.NoError(t, err)
			assert.Equal(t, 500, report.Code)
			assert.Equal(t, "broken", report.Msg)
			assert.True(t, report.NoRetry)

			logID, err = admin.Trigger(ctx, xxljobtest.Trigger{Handler: "wait", JobID: 3})
			require.NoError(t, err)
			var refused *xxljobtest.RefusedError
			require.ErrorAs(t, admin.IdleBeat(ctx, 3), &refused)
			assert.Equal(t, 500, refused.Code)
			_, err = admin.Trigger(ctx, xxljobtest.Trigger{Handler: "wait", JobID: 3, BlockStrategy: xxljobtest.DiscardLater})
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "block strategy effect：Discard Later", refused.Msg)
			require.NoError(t, admin.Kill(ctx, 3))
			report, err = admin.Result(ctx, logID)
			require.NoError(t, err)
			assert.Equal(t, "scheduling center kill job. [job running, killed]", report.Msg)
			require.NoError(t, admin.IdleBeat(ctx, 3))

			assert.Len(t, admin.Reports(), 3)
		})
	}
}

// TestAdminChecksCalls sends what executors send, and what they should not.
func TestAdminChecksCalls(t *testing.T) {
	t.Parallel()
	const (
		beat   = `{"registryGroup":"EXECUTOR","registryKey":"demo","registryValue":"http://10.0.0.1:9999/"}`
		array  = `[{"logId":5,"logDateTim":1700000000000,"handleCode":200,"handleMsg":"done"}]`
		object = `{"callbackList":[{"logId":5,"logDateTime":1700000000000,"handleCode":200}]}`
	)
	legacy, three, master := xxljobtest.DialectLegacy, xxljobtest.Dialect3, xxljobtest.DialectMaster
	tests := []struct {
		name    string
		dialect xxljobtest.Dialect
		method  string
		path    string
		token   string
		appName string
		body    string
		want    string
	}{
		{name: "legacy beat", dialect: legacy, body: beat, want: `{"code":200,"msg":null,"content":null}`},
		{name: "beat", dialect: three, body: beat, want: `{"code":200,"data":null,"msg":"Success","success":true}`},
		{name: "master beat", dialect: master, body: beat, appName: "demo", want: `{"code":200,"data":null,"msg":"Success","success":true}`},
		{name: "master without appname", dialect: master, body: beat, want: `{"code":500,"data":null,"msg":"invalid request, accessToken or appname is empty.","success":false}`},
		{name: "master with a wrong token", dialect: master, token: "x", appName: "demo", body: beat, want: `{"code":500,"data":null,"msg":"invalid request, accessToken or appname invalid.","success":false}`},
		{name: "legacy with a wrong token", dialect: legacy, token: "x", body: beat, want: `{"code":500,"msg":"The access token is wrong.","content":null}`},
		{name: "wrong token", dialect: three, token: "x", body: beat, want: `{"code":500,"data":null,"msg":"The access token is wrong.","success":false}`},
		{name: "empty body before the token", dialect: three, token: "x", want: `{"code":500,"data":null,"msg":"invalid request, requestBody empty.","success":false}`},
		{name: "legacy empty body", dialect: legacy, want: `{"code":500,"msg":"java.lang.NullPointerException: the request body is empty or null","content":null}`},
		{name: "blank field", dialect: three, body: `{"registryGroup":"EXECUTOR","registryKey":" ","registryValue":"x"}`, want: `{"code":500,"data":null,"msg":"Illegal Argument.","success":false}`},
		{name: "GET", dialect: three, method: http.MethodGet, body: beat, want: `{"code":500,"data":null,"msg":"invalid request, HttpMethod not support.","success":false}`},
		{name: "unknown path", dialect: three, path: "nothing", body: beat, want: `{"code":500,"data":null,"msg":"invalid request, uri-mapping(nothing) not found.","success":false}`},
		{name: "results", dialect: three, path: "callback", body: array, want: `{"code":200,"data":null,"msg":"Success","success":true}`},
		{name: "results for master", dialect: master, path: "callback", appName: "demo", body: object, want: `{"code":200,"data":null,"msg":"Success","success":true}`},
		{name: "object for an older admin", dialect: legacy, path: "callback", body: object, want: `{"code":500,"msg":"com.google.gson.JsonSyntaxException: java.lang.IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1 column 2 path $","content":null}`},
		{name: "array for master", dialect: master, path: "callback", appName: "demo", body: array, want: `{"code":500,"data":null,"msg":"openapi invoke error: com.google.gson.JsonSyntaxException: java.lang.IllegalStateException: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $","success":false}`},
		{name: "no JSON", dialect: legacy, path: "callback", body: `[{"logId":5`, want: `{"code":500,"msg":`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			admin := xxljobtest.NewAdmin(t, xxljobtest.Options{Dialect: tt.dialect, Token: "secret", ContextPath: "/"})
			call := call{method: tt.method, path: "/api/" + tt.path, token: tt.token, appName: tt.appName, body: tt.body}
			if tt.path == "" {
				call.path = "/api/registry"
			}
			if tt.token == "" {
				call.token = "secret"
			}
			status, got := call.send(t, admin)
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, got, tt.want)

			accepted := strings.Contains(tt.want, `"code":200`)
			isCallback := tt.path == "callback"
			assert.Equal(t, accepted && !isCallback, len(admin.Registered()) == 1)
			assert.Equal(t, accepted && isCallback, len(admin.Reports()) == 1)
		})
	}
}

// call is one call of an executor.
type call struct {
	method, path, token, appName, body string
}

// send returns the status and the body of the answer, 0 without one.
func (c *call) send(t *testing.T, admin *xxljobtest.Admin) (int, string) {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), c.method, admin.URL()+c.path, strings.NewReader(c.body))
	require.NoError(t, err)
	req.Header.Set("XXL-JOB-ACCESS-TOKEN", c.token)
	if c.appName != "" {
		req.Header.Set("XXL-JOB-APPNAME", c.appName)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body)
}

func TestAdminForgetsWhoDeregisters(t *testing.T) {
	t.Parallel()
	var seen []xxljobtest.Beat
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{OnBeat: func(b xxljobtest.Beat) { seen = append(seen, b) }})
	executor, err := admin.NewExecutor(xxljob.Config{AppName: "demo"})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(limit(t))
	ended := make(chan error, 1)
	go func() { ended <- executor.Run(ctx) }()
	found, err := admin.Executor(limit(t), "demo", "")
	require.NoError(t, err)
	stop()
	require.NoError(t, <-ended)

	assert.Empty(t, admin.Registered())
	beats := admin.Beats()
	require.Len(t, beats, 2)
	assert.Equal(t, found.Address, beats[1].Address)
	assert.True(t, beats[1].Removed)
	assert.Equal(t, beats, seen)
}

func TestAdminWaits(t *testing.T) {
	t.Parallel()
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = admin.Trigger(short, xxljobtest.Trigger{Handler: "echo"})
	require.ErrorIs(t, err, context.DeadlineExceeded, "nobody is registered")
	_, err = admin.LogPage(limit(t), 4711, 1)
	require.ErrorIs(t, err, xxljobtest.ErrUnknownRun)

	ended := make(chan error, 1)
	go func() {
		_, err := admin.Result(t.Context(), 1)
		ended <- err
	}()
	require.NoError(t, admin.Close())
	require.ErrorIs(t, <-ended, xxljobtest.ErrClosed)
	require.NoError(t, admin.Close(), "a second Close does nothing")
	require.ErrorIs(t, admin.Beat(t.Context()), xxljobtest.ErrClosed)

	_, err = xxljobtest.StartAdmin(xxljobtest.Options{Addr: "no address"})
	require.ErrorContains(t, err, "no address")
}

// TestAdminTakesRunsTriggeredByHand shows the log of a run that somebody else
// triggered.
func TestAdminTakesRunsTriggeredByHand(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{FirstLogID: 100})
	executor := xxljobtest.StartExecutor(t, admin, xxljob.Config{}, register)
	addr, err := executor.Address()
	require.NoError(t, err)
	other := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	beat := call{
		path: "/api/registry", token: other.Token(),
		body: `{"registryGroup":"EXECUTOR","registryKey":"demo","registryValue":"` + addr + `"}`,
	}
	status, _ := beat.send(t, other)
	require.Equal(t, http.StatusOK, status)
	_, err = other.Trigger(ctx, xxljobtest.Trigger{Handler: "echo", Param: "by hand", LogID: 77})
	require.NoError(t, err)
	report, err := admin.Result(ctx, 77)
	require.NoError(t, err)
	assert.Equal(t, "by hand", report.Msg)
	text, err := admin.Log(ctx, 77)
	require.NoError(t, err)
	assert.Contains(t, text, "param by hand")

	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "echo"})
	require.NoError(t, err)
	assert.Equal(t, int64(100), logID)
}

// TestAdminFaults makes the Admin fail in each way and looks at it as an
// executor sees it.
func TestAdminFaults(t *testing.T) {
	t.Parallel()
	const body = `[{"logId":5,"logDateTim":1700000000000,"handleCode":200}]`
	tests := []struct {
		name       string
		fail       func(*xxljobtest.Admin)
		wantStatus int // 0: no answer
		wantBody   string
		wantTaken  bool
	}{
		{name: "down", fail: (*xxljobtest.Admin).Down},
		{name: "status", fail: func(a *xxljobtest.Admin) { a.Status(503) }, wantStatus: 503},
		{name: "redirect", fail: func(a *xxljobtest.Admin) { a.Status(302) }, wantStatus: 302},
		{name: "refuse", fail: func(a *xxljobtest.Admin) { a.Refuse(502, "busy") }, wantStatus: 200, wantBody: `"msg":"busy"`},
		{name: "lost answer", fail: (*xxljobtest.Admin).LoseAnswers, wantTaken: true},
		{
			name: "refused result", fail: func(a *xxljobtest.Admin) { a.RefuseIf(func(id int64) bool { return id == 5 }) },
			wantStatus: 200, wantBody: `"msg":"result of run 5 is refused"`,
		},
		{
			name: "another result refused", fail: func(a *xxljobtest.Admin) { a.RefuseIf(func(id int64) bool { return id == 6 }) },
			wantStatus: 200, wantBody: `"code":200`, wantTaken: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
			callback := call{path: "/api/callback", token: admin.Token(), body: body}
			tt.fail(admin)
			status, got := callback.send(t, admin)
			assert.Equal(t, tt.wantStatus, status, got)
			assert.Contains(t, got, tt.wantBody)
			assert.Equal(t, tt.wantTaken, len(admin.Reports()) == 1)

			admin.Up()
			before := len(admin.Reports())
			status, got = callback.send(t, admin)
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, got, `"code":200`)
			assert.Len(t, admin.Reports(), before+1)
		})
	}
}

// TestAdminHang lets a call hang until the state ends, and until Close.
func TestAdminHang(t *testing.T) {
	t.Parallel()
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	require.NoError(t, err)
	for _, end := range []func(){admin.Up, func() { assert.NoError(t, admin.Close()) }} {
		admin.Hang()
		callback := call{path: "/api/callback", token: admin.Token(), body: `[{"logId":5,"handleCode":200}]`}
		before := admin.Calls()
		answered := make(chan int, 1)
		go func() {
			status, _ := callback.send(t, admin)
			answered <- status
		}()
		require.NoError(t, admin.AwaitCalls(limit(t), before+1))
		select {
		case <-answered:
			t.Error("a hanging admin answered")
		default:
		}
		end()
		assert.Zero(t, <-answered, "the call is dropped")
		assert.Empty(t, admin.Reports())
	}
}

// TestResultsSurviveAnOutage is what the faults are for: an admin that is away
// while runs end, and an executor that is stopped meanwhile.
func TestResultsSurviveAnOutage(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	logPath := t.TempDir()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	first, err := admin.NewExecutor(xxljob.Config{LogPath: logPath, ShutdownTimeout: 2 * time.Second})
	require.NoError(t, err)
	register(first)
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- first.Run(running) }()

	_, err = admin.Executor(ctx, "", "")
	require.NoError(t, err)
	admin.Down()
	const runs = 20
	for i := range runs {
		_, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "echo", Param: strconv.Itoa(i)})
		require.NoError(t, err)
	}
	require.NoError(t, admin.AwaitCalls(ctx, admin.Calls()+1), "it tries, and fails")
	stop()
	require.NoError(t, <-ended)
	assert.Empty(t, admin.Reports())

	admin.Up()
	xxljobtest.StartExecutor(t, admin, xxljob.Config{LogPath: logPath}, register)
	for logID := int64(1); logID <= runs; logID++ {
		report, err := admin.Result(ctx, logID)
		require.NoError(t, err)
		assert.Equal(t, strconv.FormatInt(logID-1, 10), report.Msg)
	}
}
