//go:build databases && linux

package besidejava

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin"
	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// long selects the full length.
var long = os.Getenv("XXLJOB_LONG") != ""

func pick[T any](short, full T) T {
	if long {
		return full
	}
	return short
}

const (
	appName  = "beside"
	groupID  = 5
	token    = "token-of-both"
	settling = 60 * time.Second // for the last runs to end
)

// TestBesideJava has both admins on one database, for each way in which Java
// admins write.
func TestBesideJava(t *testing.T) {
	t.Parallel()
	for _, rel := range Releases() {
		t.Run(rel.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, rel)
			w.live(t, pick(20*time.Second, 10*time.Minute))
			w.settle(t)
			w.judge(t)
		})
	}
}

// world is a database with two admins and an executor.
type world struct {
	db       *sql.DB
	dsn      string
	release  Release
	java     *Node
	executor *Executor
	port     string // of our admin
	stopOurs func()
	jobs     map[int32]planned
}

// planned is a job as it was seeded.
type planned struct {
	cron  string // "" is FIX_RATE
	param string
}

func newWorld(t *testing.T, rel Release) *world {
	t.Helper()
	w := &world{dsn: dbtest.MySQL(t), release: rel, jobs: map[int32]planned{}}
	address, name, ok := strings.Cut(strings.TrimPrefix(w.dsn, "mysql://root@"), "/")
	require.True(t, ok, w.dsn)
	db, err := sql.Open("mysql", "root@tcp("+address+")/"+name+"?loc=UTC&innodb_lock_wait_timeout=50")
	require.NoError(t, err)
	db.SetMaxOpenConns(30)
	db.SetMaxIdleConns(10)
	t.Cleanup(func() { db.Close() })
	w.db = db
	generation := "S2"
	if rel.OneTransaction {
		generation = "S4"
	}
	for _, statement := range dbtest.JavaSchema(generation) {
		w.exec(t, statement)
	}

	pace := pick(Pace{
		Fail: time.Second, Lost: time.Second, Registry: 2 * time.Second, Report: 2 * time.Second,
		LostAfter: 4 * time.Second,
	}, Pace{
		Fail: JavaPace().Fail, Lost: 10 * time.Second, Registry: JavaPace().Registry, Report: JavaPace().Report,
		LostAfter: time.Minute, // or no run of ten minutes would be old enough
	})
	ctx := context.WithoutCancel(t.Context()) // everything is stopped in order
	w.java = NewNode(ctx, Config{DB: db, Release: rel, Pace: pace, Token: token, Logger: slog.New(slog.DiscardHandler)})
	javaBase := serve(t, "127.0.0.1:0", w.java.Handler())
	w.port = freePort(t)
	executorListener := listen(t, "127.0.0.1:0")
	w.executor = NewExecutor(ctx, "http://"+executorListener.Addr().String()+"/", ExecutorConfig{
		AppName: appName, Token: token, Ours: "http://127.0.0.1:" + w.port, Java: javaBase,
		Long: pace.LostAfter + 3*time.Second, Slow: callTimeout + time.Second, Beat: 5 * time.Second,
	})
	serveOn(t, executorListener, w.executor.Handler())
	w.seed(t)
	return w
}

// live lets both work. The Java node rests again and again, and ours is
// restarted in the middle.
func (w *world) live(t *testing.T, length time.Duration) {
	t.Helper()
	w.startOurs(t)
	w.executor.Start()
	w.java.Start()
	end := time.Now().Add(length)
	half := time.Now().Add(length / 2)
	for time.Now().Before(end) {
		w.java.Rest(false)
		require.True(t, pause(t.Context(), 2*time.Second))
		w.java.Rest(true)
		require.True(t, pause(t.Context(), 5*time.Second))
		if !half.IsZero() && time.Now().After(half) {
			half = time.Time{}
			w.stopOurs()
			w.startOurs(t)
		}
	}
}

// settle stops all jobs, as a Java console does, waits until everything has
// ended, and ends both admins.
func (w *world) settle(t *testing.T) {
	t.Helper()
	w.java.Rest(false)
	w.exec(t, "UPDATE xxl_job_info SET trigger_status = 0, trigger_last_time = 0, trigger_next_time = 0")
	require.True(t, pause(t.Context(), preRead+time.Second)) // what is planned goes out
	deadline := time.Now().Add(settling + pick(0, 2*time.Minute))
	open := "SELECT count(*) FROM xxl_job_log WHERE (trigger_code IN (0, 200) AND handle_code = 0) OR alarm_status = -1 " +
		"OR (NOT (trigger_code = 200 AND handle_code = 200) AND alarm_status = 0)"
	for quiet := 0; quiet < 10; quiet++ { // a retry may be on its way between two looks
		if w.count(t, open) > 0 || !w.executor.Idle() {
			quiet = 0
		}
		require.Truef(t, time.Now().Before(deadline), "still open: %d rows; results delivered: %t\n%s",
			w.count(t, open), w.executor.Idle(), w.openRows(t))
		require.True(t, pause(t.Context(), 200*time.Millisecond))
	}
	w.stopOurs()
	w.executor.Stop()
	w.java.Stop()
}

// openRows shows some rows that have not ended.
func (w *world) openRows(t *testing.T) string {
	t.Helper()
	return w.lines(t, "SELECT CONCAT_WS(' ', l.id, l.job_id, l.executor_param, l.trigger_time, l.trigger_code, "+
		"l.handle_code, l.alarm_status, 'run:', IFNULL(r.type, '-'), r.sent_ms) FROM xxl_job_log l "+
		"LEFT JOIN xxljob_run r ON r.log_id = l.id WHERE (l.trigger_code IN (0, 200) AND l.handle_code = 0) OR "+
		"(l.alarm_status < 1 AND NOT (l.trigger_code = 200 AND l.handle_code = 200)) LIMIT 20")
}

// lines returns the first column of a query, a line each.
func (w *world) lines(t *testing.T, query string) string {
	t.Helper()
	rows, err := w.db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	require.NoError(t, rows.Err())
	return strings.Join(lines, "\n")
}

// judge compares what arrived with what was due, and with the rows.
func (w *world) judge(t *testing.T) {
	t.Helper()
	fires, counts := w.executor.Fires(), w.java.Counts()
	arrived, sends := map[Instant]int{}, map[int64]int{}
	ours, java := 0, 0
	for _, f := range fires {
		if sends[f.LogID]++; sends[f.LogID] > 1 {
			assert.Failf(t, "run sent twice", "log id %d, job %d, %s", f.LogID, f.Job, f.Param)
		}
		if w.retried(f.Job) {
			continue // their retries look like fires; the rows tell
		}
		if arrived[f.Instant]++; arrived[f.Instant] > 1 {
			assert.Failf(t, "fired twice", "job %d at %v", f.Job, time.UnixMilli(f.Ms).UTC())
		}
		if f.FromJava {
			java++
		} else {
			ours++
		}
	}
	missed := w.missed(arrived, counts.Skipped)
	assert.Empty(t, missed, "instants that nobody fired")
	assert.Empty(t, counts.Errors, "faults that a Java admin would have had; the last deadlock of the server:\n%s",
		w.deadlock(t))
	assert.Positive(t, ours, "fires of ours")
	assert.Positive(t, java, "fires of the Java node")
	assert.Zero(t, counts.Lost, "runs that Java's lost monitor failed")
	assert.Zero(t, w.count(t, "SELECT count(*) FROM xxl_job_log l JOIN xxl_job_info j ON j.id = l.job_id WHERE "+
		"j.executor_fail_retry_count = 0 AND NOT (l.trigger_code = 200 AND l.handle_code = 200)"), "good runs that failed")
	first := w.count(t, "SELECT count(*) FROM xxl_job_log l JOIN xxl_job_info j ON j.id = l.job_id "+
		"WHERE j.executor_fail_retry_count = 1 AND l.executor_fail_retry_count = 1")
	second := w.count(t, "SELECT count(*) FROM xxl_job_log l JOIN xxl_job_info j ON j.id = l.job_id "+
		"WHERE j.executor_fail_retry_count = 1 AND l.executor_fail_retry_count = 0")
	assert.Equal(t, first, second, "failed runs and their retries: \n%s", w.unlike(t))
	assert.Positive(t, first)
	assert.Equal(t, w.count(t, "SELECT count(*) FROM xxl_job_log"), len(sends), "rows, and runs that arrived")
	assert.Less(t, counts.LongestLock, 30*time.Second, "a Java node's wait for schedule_lock")
	t.Logf("%d fires of ours, %d of Java %s (%d passes), %d failed runs with one retry each, %d results through Java, "+
		"%d repeats there; longest wait for schedule_lock %v; %d instants that a late job lost in Java",
		ours, java, w.release.Name, counts.Passes, first, counts.Results, counts.Repeats,
		counts.LongestLock.Round(time.Millisecond), len(counts.Skipped))
}

// deadlock is what the server says of its last one.
func (w *world) deadlock(t *testing.T) string {
	t.Helper()
	var kind, name, text string
	require.NoError(t, w.db.QueryRowContext(t.Context(), "SHOW ENGINE INNODB STATUS").Scan(&kind, &name, &text))
	_, text, found := strings.Cut(text, "LATEST DETECTED DEADLOCK")
	if !found {
		return "none"
	}
	text, _, _ = strings.Cut(text, "\nTRANSACTIONS\n")
	return text
}

// unlike shows the rows of jobs that have other than one retry for each failed
// run.
func (w *world) unlike(t *testing.T) string {
	t.Helper()
	return w.lines(t, "SELECT CONCAT_WS(' ', l.id, 'job', l.job_id, l.trigger_time, l.trigger_code, l.handle_code, "+
		"'alarm', l.alarm_status, 'retries left', l.executor_fail_retry_count, LEFT(l.trigger_msg, 60), l.handle_msg) "+
		"FROM xxl_job_log l JOIN (SELECT l.job_id FROM xxl_job_log l JOIN xxl_job_info j ON j.id = l.job_id "+
		"WHERE j.executor_fail_retry_count = 1 GROUP BY l.job_id HAVING SUM(l.executor_fail_retry_count = 1) <> "+
		"SUM(l.executor_fail_retry_count = 0)) u ON u.job_id = l.job_id ORDER BY l.id")
}

// retried reports whether a job's runs fail and are retried.
func (w *world) retried(job int32) bool {
	return w.jobs[job].param == ParamFail || w.jobs[job].param == ParamRefuse
}

// missed lists instants between a job's first fire and its last that nobody
// fired and that the Java node did not skip by design.
func (w *world) missed(arrived map[Instant]int, skipped map[Instant]bool) (missed []string) {
	first, last := map[int32]int64{}, map[int32]int64{}
	for at := range arrived {
		if first[at.Job] == 0 || at.Ms < first[at.Job] {
			first[at.Job] = at.Ms
		}
		last[at.Job] = max(last[at.Job], at.Ms)
	}
	for id, job := range w.jobs {
		if job.cron == "" || w.retried(id) {
			continue
		}
		schedule, err := cron.Parse(job.cron)
		if err != nil {
			return []string{err.Error()}
		}
		at := Instant{Job: id, Ms: first[id]}
		for at.Ms > 0 && at.Ms < last[id] {
			at.Ms = schedule.Next(time.UnixMilli(at.Ms).UTC()).UnixMilli()
			if arrived[at] == 0 && !skipped[at] {
				missed = append(missed, fmt.Sprintf("job %d at %v", id, time.UnixMilli(at.Ms).UTC()))
			}
		}
	}
	return missed
}

// seed writes the group and the jobs.
func (w *world) seed(t *testing.T) {
	t.Helper()
	w.exec(t, "INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time) "+
		"VALUES (?, ?, 'Beside', 0, ?, ?)", groupID, appName, w.executor.address, wall(time.Now()))
	w.exec(t, "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) "+
		"VALUES ('EXECUTOR', ?, ?, ?)", appName, w.executor.address, wall(time.Now()))
	for _, kind := range []struct {
		count   int
		job     planned
		retries int
	}{
		{count: 8, job: planned{cron: "* * * * * ?", param: ParamGood}},
		{count: 8, job: planned{cron: "0/2 * * * * ?", param: ParamGood}},
		{count: 8, job: planned{cron: "1/5 * * * * ?", param: ParamGood}},
		{count: 3, job: planned{param: ParamGood}},
		{count: 4, job: planned{cron: "0/2 * * * * ?", param: ParamFail}, retries: 1},
		{count: 4, job: planned{cron: "1/4 * * * * ?", param: ParamRefuse}, retries: 1},
		{count: 3, job: planned{cron: "0/3 * * * * ?", param: ParamLong}},
		{count: 3, job: planned{cron: "2/5 * * * * ?", param: ParamSlow}},
	} {
		for range kind.count {
			w.seedJob(t, kind.job, kind.retries)
		}
	}
}

func (w *world) seedJob(t *testing.T, j planned, retries int) {
	t.Helper()
	id := int32(100 + len(w.jobs))
	w.jobs[id] = j
	kind, conf := "CRON", j.cron
	if conf == "" {
		kind, conf = "FIX_RATE", "3"
	}
	next := time.Now().Truncate(time.Second).Add(6 * time.Second)
	if j.cron != "" {
		schedule, err := cron.Parse(j.cron)
		require.NoError(t, err)
		next = schedule.Next(next.UTC())
	}
	w.exec(t, "INSERT INTO xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, "+
		"schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, "+
		"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, "+
		"glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time) VALUES "+
		"(?, ?, 'beside', now(), now(), 'test', '', ?, ?, 'DO_NOTHING', 'ROUND', 'any', ?, 'SERIAL_EXECUTION', 0, ?, "+
		"'BEAN', '', '', now(), '', 1, 0, ?)", id, groupID, kind, conf, j.param, retries, next.UnixMilli())
}

// startOurs starts our admin, which finds out by itself that the database is
// Java's.
func (w *world) startOurs(t *testing.T) {
	t.Helper()
	a, err := admin.New(admin.Config{
		DB: w.dsn, AccessToken: token, AdminPassword: "beside-password", Language: "en", TimeZone: time.UTC,
		RetryDelay: 200 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{
			Level: slog.LevelWarn,
		})),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	select {
	case <-a.Ready():
	case err := <-ended:
		cancel()
		require.NoError(t, err, "start of our admin")
	}
	server := &http.Server{Handler: a.Handler(), ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	listener := listen(t, "127.0.0.1:"+w.port)
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ended by Close
	}()
	stopped := false
	w.stopOurs = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		assert.NoError(t, <-ended, "end of our admin")
		assert.NoError(t, server.Close())
		<-served
	}
	stop := w.stopOurs
	t.Cleanup(func() {
		stop()
		w.executor.Stop()
		w.java.Stop()
	})
}

// testWriter writes log lines to the test's log.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(line []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(line)))
	return len(line), nil
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	return l
}

func freePort(t *testing.T) string {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return port
}

// serve answers with h until the end of the test, and returns its address.
func serve(t *testing.T, address string, h http.Handler) string {
	t.Helper()
	l := listen(t, address)
	serveOn(t, l, h)
	return "http://" + l.Addr().String()
}

func serveOn(t *testing.T, l net.Listener, h http.Handler) {
	t.Helper()
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ended by Close
	}()
	t.Cleanup(func() {
		assert.NoError(t, server.Close())
		<-served
	})
}

func (w *world) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	_, err := w.db.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err, statement)
}

func (w *world) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, w.db.QueryRowContext(t.Context(), query, args...).Scan(&n), query)
	return n
}
