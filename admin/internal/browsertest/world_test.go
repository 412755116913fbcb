//go:build browser

package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/alarm"
)

const (
	adminName = "admin"
	password  = "sesame-open-1"
	token     = "a-token-of-these-tests"
	appName   = "demo"

	// patience bounds every wait; nothing fails for being slower than usual.
	patience = time.Minute
	interval = 20 * time.Millisecond
)

// world is an admin with its database and an executor.
type world struct {
	url        string
	seeds      seeds
	alarmsFail bool          // alarms are refused, with markup as the reason
	address    string        // of the executor
	gate       chan struct{} // a run of the handler "endless" ends when it is closed
	trouble    atomic.Int32  // of the server with browsers: a status that it answers, or broken or hanging
}

// Troubles that are no status.
const (
	broken  = -1 // connections are cut
	hanging = -2 // nothing is answered while it lasts
)

// meddle puts the server in trouble with browsers.
func (w *world) meddle(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			switch k := w.trouble.Load(); {
			case k == 0 || r.Header.Get("Sec-Fetch-Mode") == "":
				next.ServeHTTP(rw, r)
				return
			case k == broken:
				panic(http.ErrAbortHandler)
			case k > 0:
				http.Error(rw, evil, int(k))
				return
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	})
}

// newWorld starts an admin on a database of the given kind, and an executor.
// They end with the test.
func newWorld(t *testing.T, fill func(*testing.T, string) seeds) *world {
	t.Helper()
	w := &world{gate: make(chan struct{})}
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "admin.db")
	w.seeds = fill(t, dsn)
	zone, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	centre, err := admin.New(admin.Config{
		DB: dsn, AccessToken: token, AdminUser: adminName, AdminPassword: password, Language: "zh_CN", TimeZone: zone,
		RetryDelay: 100 * time.Millisecond, SharedWithJava: admin.SharedNo, CodeEditing: true,
		Alarms: []admin.AlarmChannel{{Name: "duty", Type: "webhook", URL: alarm.Secret(w.alarms(t))}}, AlarmsToLoopback: true,
	})
	require.NoError(t, err)
	ended := start(t, centre.Run)
	select {
	case <-centre.Ready():
	case err := <-ended:
		require.NoError(t, err)
	}
	server := httptest.NewServer(journal.watch(w.meddle(centre.Handler())))
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// alarms starts what alarms are posted to, and returns its address.
func (w *world) alarms(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if w.alarmsFail {
			http.Error(rw, evil, http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// start runs a part until the test has ended, and waits for it then.
func start(t *testing.T, run func(context.Context) error) <-chan error {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return ended
}

// executor starts an executor of our library and waits until the admin knows
// its address.
func (w *world) executor(t *testing.T) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.address = "http://" + l.Addr().String() + "/"
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{w.url}, AppName: appName, AccessToken: token, Listener: l, LogPath: t.TempDir(),
		RegistryInterval: time.Second, ShutdownTimeout: time.Second,
	})
	require.NoError(t, err)
	for name, h := range w.handlers() {
		require.NoError(t, e.Register(name, h))
	}
	start(t, e.Run)
	require.Eventually(t, func() bool { return !e.Stats().LastBeat.IsZero() }, patience, interval)
}

// addressPath is the page of an address of one of the seeded groups.
func (w *world) addressPath(group int, address string) string {
	return fmt.Sprintf("/executors/%d/address?at=%s", w.seeds.groups[group], url.QueryEscape(address))
}

// handlers are what jobs run.
func (w *world) handlers() map[string]xxljob.HandlerFunc {
	return map[string]xxljob.HandlerFunc{
		"tick": func(_ context.Context, run *xxljob.Run) error {
			run.Logf("the clock has struck")
			return nil
		},
		"fail": func(_ context.Context, run *xxljob.Run) error {
			run.Logf("%s", evil)
			run.Logf("\x1b[31mred\x1b[0m, مهمة يومية, 🚀, and %s", strings.Repeat("a very long line ", 300))
			return errors.New("the ledger does not balance: " + evil)
		},
		"endless": func(ctx context.Context, run *xxljob.Run) error {
			run.Logf("waits \x1b[31mfor the gate\x1b[0m %s", evil)
			select {
			case <-w.gate:
				run.Logf("goes on")
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	}
}

// register announces an address as an executor does, and returns what the admin
// says.
func (w *world) register(t *testing.T, app, address string) string {
	t.Helper()
	return w.tell(t, "/api/registry", map[string]string{
		"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": address,
	})
}

// callback reports that a run has failed, as an executor does.
func (w *world) callback(t *testing.T, run int64, message string) {
	t.Helper()
	answer := w.tell(t, "/api/callback", []map[string]any{
		{"logId": run, "logDateTim": time.Now().UnixMilli(), "handleCode": 500, "handleMsg": message},
	})
	require.Contains(t, answer, `"code":200`)
}

// tell sends what an executor tells the admin, and returns the answer.
func (w *world) tell(t *testing.T, path string, message any) string {
	t.Helper()
	return w.tellWith(t, token, path, message)
}

// wrongToken comes as an executor with a token that is not right.
func (w *world) wrongToken(t *testing.T, app, address string) {
	t.Helper()
	answer := w.tellWith(t, "of-elsewhere", "/api/registry", map[string]string{
		"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": address,
	})
	require.Contains(t, answer, `"code":500`)
}

func (w *world) tellWith(t *testing.T, token, path string, message any) string {
	t.Helper()
	body, err := json.Marshal(message)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Xxl-Job-Access-Token", token)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s", answer)
	return string(answer)
}
