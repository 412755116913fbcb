//go:build browser

package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	password = "sesame-open-1"
	token    = "a-token-of-these-tests"
	// evil is written into every field that anybody can write.
	evil = `"><script>window.marked=1</script><img src=x onerror="window.marked=2">'`
)

// world is an admin with an executor, and a browser.
type world struct {
	url     string
	ctx     context.Context // of the browser
	mu      sync.Mutex
	faults  []string
	jobs    []int32
	runs    []int64
	release chan struct{} // lets a run with the parameter "wait" go on
}

// seed fills a database before the admin opens it.
func seed(t *testing.T, dsn string, w *world, crowded bool) {
	t.Helper()
	ctx := t.Context()
	st, err := store.Open(ctx, store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	defer func() { assert.NoError(t, st.Close()) }()
	require.NoError(t, st.Migrate(ctx))
	if !crowded {
		return
	}
	now := time.Now().Truncate(time.Second)
	groups := []*model.Group{
		{AppName: "billing-executor", Title: "Billing", UpdateTime: now},
		{AppName: "reports", Title: "报表服务", Manual: true, AddressList: model.T("http://127.0.0.1:1/"), UpdateTime: now},
		{AppName: "evil-group", Title: evil[:60], UpdateTime: now},
	}
	for _, g := range groups {
		require.NoError(t, st.CreateGroup(ctx, g))
	}
	names := []string{
		"settle orders", "每日对账", "send invoices", evil, strings.Repeat("a very long name ", 14), "مهمة يومية", "🚀 launch",
	}
	crons := []string{"0 0/5 * * * ?", "0 30 2 * * ?", "0 0 9 ? * MON-FRI", "0/20 * * * * ?", "0 0 0 L * ?"}
	for i := range 60 {
		j := &model.Job{
			GroupID: groups[i%3].ID, Name: names[i%len(names)], Author: model.T("lin"), AlarmEmail: model.T(""),
			ScheduleType: model.ScheduleCron, ScheduleConf: model.T(crons[i%len(crons)]), Misfire: model.MisfireDoNothing,
			Route: model.RouteFirst, Handler: model.T("settle"), Param: model.T(`{"day": "yesterday"}`),
			Block: model.BlockSerial, GlueType: model.GlueBean, GlueSource: model.T(""), GlueRemark: model.T(""),
			Children: model.T(""), AddTime: now, UpdateTime: now, GlueUpdated: now,
		}
		if i == 0 {
			j.Param, j.Author, j.Children = model.T(evil), model.T(evil[:40]), model.T("2,3")
		}
		if i == 1 {
			j.Children = model.T("4")
		}
		if i%3 == 0 && i < 30 {
			j.Running, j.NextMs = true, now.Add(time.Duration(i+1)*time.Minute).UnixMilli()
		}
		require.NoError(t, st.CreateJob(ctx, j))
		w.jobs = append(w.jobs, j.ID)
		if i < 12 {
			w.seedRuns(t, st, j, i, now)
		}
	}
}

func (w *world) seedRuns(t *testing.T, st *store.Store, j *model.Job, i int, now time.Time) {
	t.Helper()
	for k := range 60 {
		at := now.Add(time.Duration(k-70) * 10 * time.Minute)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
			ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://127.0.0.1:1/",
		}
		require.NoError(t, st.CreateRuns(t.Context(), []*model.Run{r}))
		w.runs = append(w.runs, r.LogID)
		code, msg := model.CodeSuccess, "settled 1,204 orders"
		if (k+i)%9 == 0 {
			code, msg = model.CodeFail, "the ledger does not balance: "+evil
		}
		out := &model.Outcome{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle: &model.HandleResult{
				Code: code, Msg: model.T(msg), AtMs: at.Add(time.Duration(1+k*k) * time.Second / 3).UnixMilli(), NoRetry: true,
			},
		}
		_, err := st.Finish(t.Context(), []*model.Outcome{out}, func(ends []*store.Ending, _ store.Loader) error {
			for _, e := range ends {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
			return nil
		})
		require.NoError(t, err)
	}
}

// newWorld starts an admin, an executor and a browser. They end with the test.
func newWorld(t *testing.T, crowded bool) *world {
	t.Helper()
	w := &world{release: make(chan struct{})}
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "admin.db")
	seed(t, dsn, w, crowded)
	zone, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	centre, err := admin.New(admin.Config{
		DB: dsn, AccessToken: token, AdminPassword: password, Language: "zh_CN", TimeZone: zone, SharedWithJava: admin.SharedNo,
		CodeEditing: true,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- centre.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	select {
	case <-centre.Ready():
	case err := <-ended:
		require.NoError(t, err)
	}
	server := httptest.NewServer(centre.Handler())
	t.Cleanup(server.Close)
	w.url = server.URL
	if crowded {
		w.startExecutor(t)
	}
	w.startBrowser(t)
	return w
}

// startExecutor starts an executor of our library under the name of the first
// group.
func (w *world) startExecutor(t *testing.T) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	exec, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{w.url}, AppName: "billing-executor", AccessToken: token, Listener: l,
		LogPath: t.TempDir(), RegistryInterval: time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, exec.Register("settle", w.settle))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- exec.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("executor: %v", err)
		}
	})
}

// settle is what the jobs do: nothing, or with the parameter "wait" wait until
// the test lets it go on.
func (w *world) settle(ctx context.Context, run *xxljob.Run) error {
	if run.Param() != "wait" {
		return nil
	}
	run.Logger().InfoContext(ctx, "waits \x1b[31mfor the test\x1b[0m "+evil)
	select {
	case <-w.release:
		run.Logger().InfoContext(ctx, "goes on")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startBrowser starts Chromium.
func (w *world) startBrowser(t *testing.T) {
	t.Helper()
	var program string
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	require.NotEmpty(t, program, "run admin/internal/dbtest/install.sh chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("lang", "en"))
	alloc, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	w.ctx = ctx
	require.NoError(t, chromedp.Listen(ctx, w.note))
}

// note keeps what the browser complains of.
func (w *world) note(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		if kind := e.Type.String(); kind == "error" || kind == "warning" {
			fault = fmt.Sprintf("console.%s", e.Type)
		}
	case *log.EventEntryAdded:
		expected := strings.Contains(e.Entry.Text, "status of 4") // a page that says no
		if e.Entry.Level.String() == "error" && !expected {
			fault = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if fault != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.faults = append(w.faults, fault)
	}
}

// clean asserts that the browser had nothing to complain of.
func (w *world) clean(t *testing.T, where string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.Empty(t, w.faults, where)
	w.faults = nil
}

// do runs actions in the browser.
func (w *world) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, stop := context.WithTimeout(w.ctx, time.Minute)
	defer stop()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// ask runs an action in the browser and returns what it gives.
func ask[T any](t *testing.T, w *world, action chromedp.Action[T]) T {
	t.Helper()
	ctx, stop := context.WithTimeout(w.ctx, time.Minute)
	defer stop()
	v, err := chromedp.Run(ctx, action)
	require.NoError(t, err)
	return v
}

// css is a selector.
func css(s string) chromedp.CSS { return chromedp.CSS(s) }

// signIn logs in through the page.
func (w *world) signIn(t *testing.T) {
	t.Helper()
	w.do(t, chromedp.Navigate(w.url+"/signin"),
		chromedp.SendKeys(css(`input[name=name]`), "admin"), chromedp.SendKeys(css(`input[name=password]`), password),
		chromedp.Click(css(`form.signin button.primary`)), chromedp.WaitVisible(css(`#foot`)))
}

// size sets that of the window.
func size(width, height int64) chromedp.Action[chromedp.Void] {
	return chromedp.EmulateViewport(width, height)
}

// screens is where pictures go.
func screens(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "build", "screens")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// choose sets language and theme as the form in the frame does.
func (w *world) choose(t *testing.T, lang, theme string) {
	t.Helper()
	ask(t, w, chromedp.Evaluate[bool](fmt.Sprintf(`(async () => {
		for (const [name, value] of [['lang', %q], ['theme', %q]]) {
			await fetch('/prefs', {method: 'POST', body: new URLSearchParams({[name]: value, back: '/status'})});
		}
		return true;
	})()`, lang, theme), chromedp.EvalAwaitPromise))
}
