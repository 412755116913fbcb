//go:build browser && pictures

package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// TestPictures makes the pictures of README and tutorial anew: `make pictures`.
func TestPictures(t *testing.T) {
	t.Run("setup", func(t *testing.T) {
		w, printed := newSetup(t)
		b := w.open(t)
		b.size(1100)
		b.visit("/setup")
		b.prefer("en", "light")
		b.visit("/setup")
		b.publish("setup")
		b.choose(printed, "a-password-of-mine", "en")
		w.greeter(t)
		b.until(`document.querySelector('[data-found]')`)
		b.publish("setup-job")
	})
	t.Run("at work", func(t *testing.T) {
		w := newWorld(t, func(t *testing.T, dsn string) seeds {
			t.Helper()
			return seed(t, dsn, (*seeding).shop)
		})
		w.clerk(t)
		b := w.enter(t, 1280, true)
		failed := b.runJob(w.seeds.jobs[0], "bad")
		for _, p := range []struct{ name, path string }{
			{"overview", "/"},
			{"jobs", "/jobs"},
			{"run", fmt.Sprintf("/runs/%d", failed)},
		} {
			b.visit(p.path)
			b.publish(p.name)
		}
	})
}

// publish leaves a picture of what is in the window in docs/images.
func (b *tab) publish(name string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void document.activeElement.blur()`))
	dir := filepath.Join("..", "..", "..", "docs", "images")
	require.NoError(b.t, os.MkdirAll(dir, 0o755))
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), ask(b, chromedp.CaptureScreenshot()), 0o644))
}

// clerk starts the executor of the shop.
func (w *world) clerk(t *testing.T) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{w.url}, AppName: appName, AccessToken: token, Listener: l, LogPath: t.TempDir(),
		ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, e.Register("fail", func(_ context.Context, run *xxljob.Run) error {
		for i := range 5 {
			run.Logf("batch %d: %d orders read, %d settled", i+1, 200, 200)
		}
		run.Logf("\x1b[31mbatch 6: 200 orders read, 197 settled\x1b[0m")
		return errors.New("the ledger does not balance: 3 orders are paid twice")
	}))
	start(t, e.Run)
	require.Eventually(t, func() bool { return !e.Stats().LastBeat.IsZero() }, patience, interval)
}

// shop fills in what an operator of a shop has.
func (s *seeding) shop() {
	demo := s.group(&model.Group{AppName: appName, Title: "Orders"})
	for i, one := range []struct{ name, handler, cron string }{
		{"settle orders", "fail", "0 30 2 * * ?"},
		{"send invoices", "tick", "0 0 9 ? * MON-FRI"},
		{"import exchange rates", "tick", "0 0/15 * * * ?"},
		{"refresh stock", "tick", "0 0/5 * * * ?"},
		{"remind of open carts", "tick", "0 0 18 * * ?"},
		{"close the month", "tick", "0 0 4 1 * ?"},
		{"rebuild the search index", "tick", "0 15 3 ? * SUN"},
	} {
		j := s.job(demo, one.name, func(j *model.Job) {
			j.Handler, j.ScheduleConf, j.Running = model.T(one.handler), model.T(one.cron), i != 5
			if i == 2 {
				j.Children = model.T("4")
			}
			j.NextMs = s.now.Add(time.Duration(4+7*i) * time.Minute).UnixMilli()
		})
		s.past(j, i)
	}
}

// past gives a job fifty runs, of which few have failed.
func (s *seeding) past(j *model.Job, n int) {
	s.t.Helper()
	for k := range 50 {
		at := s.now.Add(time.Duration(k-51) * 6 * time.Hour)
		r := &model.Run{
			JobID: j.ID, GroupID: j.GroupID, Type: model.TriggerCron, PlannedMs: at.UnixMilli(), TriggerMs: at.UnixMilli(),
			ShardTotal: 1, Handler: j.Handler, Param: j.Param, Address: "http://10.0.0.5:9999/",
		}
		require.NoError(s.t, s.st.CreateRuns(s.t.Context(), []*model.Run{r}))
		code, msg := model.CodeSuccess, fmt.Sprintf("%d rows", 900+k*37%211)
		if n == 0 && k == 31 || n == 3 && k%23 == 11 {
			code, msg = model.CodeFail, "the ledger does not balance: 3 orders are paid twice"
		}
		out := &model.Outcome{
			LogID:   r.LogID,
			Trigger: &model.TriggerResult{Code: model.CodeSuccess, Msg: "sent", Address: r.Address, AtMs: at.UnixMilli()},
			Handle: &model.HandleResult{
				Code: code, Msg: model.T(msg), AtMs: at.Add(time.Duration(3+n*2+k*(n+3)%17) * time.Second).UnixMilli(), NoRetry: true,
			},
		}
		_, err := s.st.Finish(s.t.Context(), []*model.Outcome{out}, func(ends []*store.Ending, _ store.Loader) error {
			for _, e := range ends {
				e.HandleMsg = e.Outcome.Handle.Msg
			}
			return nil
		})
		assert.NoError(s.t, err)
	}
}
