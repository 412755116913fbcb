//go:build interop && linux

package interop

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// TestTakeOver starts the admin on what a Java admin of each generation leaves
// behind, and lets it work. Then a Java admin could go back.
func TestTakeOver(t *testing.T) {
	adminBinary(t)
	for _, tt := range []struct{ generation, executor string }{
		{generation: "S1", executor: "2.4.1"},
		{generation: "S2", executor: "2.5.0"},
		{generation: "S2'", executor: "3.1.1"},
		{generation: "S3", executor: "3.2.0"},
		{generation: "S4", executor: "3.3.2"},
		{generation: "S5", executor: "3.3.2"}, // of master there is no release
	} {
		t.Run(tt.generation, func(t *testing.T) { takeOver(t, tt.generation, releaseOf(tt.executor)) })
	}
}

// Ids of the rows that a Java admin left behind.
const (
	inheritedGroup = 7

	secondlyJob = 21 // CRON, each second
	fixRateJob  = 22 // FIX_RATE, each 2 s
	stoppedJob  = 23
	failingJob  = 24 // CRON, each 2 s, one retry

	endedLog = 41 // of yesterday
	openLog  = 42 // its executor works on it
)

const inheritedApp = "inherited"

// endedTime is young enough to be kept.
var endedTime = time.Now().UTC().Add(-24 * time.Hour).Format(time.DateTime)

// inheritance is a database of a Java admin that was just stopped.
type inheritance struct {
	db        *sql.DB
	dsn       string
	groupName string // names of columns that generations differ in
	jobName   string
}

func takeOver(t *testing.T, generation string, rel release) {
	in := inherit(t, generation)
	// The executor was told of the Java admin, whose address ours takes over.
	executorToken := token
	if generation == "S5" {
		executorToken = "token-of-the-group"
	}
	port := freePort(t)
	executor := startJava(t, rel, "http://127.0.0.1:"+port+"/xxl-job-admin", inheritedApp, executorToken)
	waitListening(t, executor.address)
	in.fill(t, executor.address, generation == "S5", executorToken)
	before := readSchema(t, in.db)

	begin := time.Now()
	admin, base := startAdmin(t, in.dsn, port)
	in.waitRuns(t, secondlyJob, 6)
	in.waitRuns(t, fixRateJob, 2)
	in.waitRuns(t, failingJob, 2)
	t.Logf("%v after the start of the admin every job had its runs", time.Since(begin).Round(time.Millisecond))
	in.report(t, base, executorToken, openLog)

	c := newConsole(t, base, rel.dialect)
	assert.NotEmpty(t, c.logs(t, inheritedGroup, fmt.Sprint(secondlyJob)), "scripts go on too")
	for _, job := range []int{secondlyJob, fixRateJob, failingJob} {
		c.stop(t, fmt.Sprint(job))
	}
	in.waitQuiet(t)
	assert.Zero(t, admin.terminate(t), "exit status of the admin")

	in.check(t)
	assertOnlyAdditions(t, before, readSchema(t, in.db))
	in.javaGoesBack(t)
	executor.stop(t)
}

// inherit makes a database of a generation.
func inherit(t *testing.T, generation string) *inheritance {
	t.Helper()
	in := &inheritance{dsn: dbtest.MySQL(t), groupName: "title", jobName: "job_desc"}
	if generation == "S5" {
		in.groupName, in.jobName = "name", "name"
	}
	address, name, ok := strings.Cut(strings.TrimPrefix(in.dsn, "mysql://root@"), "/")
	require.True(t, ok, in.dsn)
	db, err := sql.Open("mysql", "root@tcp("+address+")/"+name)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	in.db = db
	for _, statement := range dbtest.JavaSchema(generation) {
		in.exec(t, statement)
	}
	return in
}

func (in *inheritance) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	_, err := in.db.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err, statement)
}

func (in *inheritance) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, in.db.QueryRowContext(t.Context(), query, args...).Scan(&n), query)
	return n
}

// lines returns the first column of a query.
func (in *inheritance) lines(t *testing.T, query string, args ...any) (lines []string) {
	t.Helper()
	rows, err := in.db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	require.NoError(t, rows.Err())
	return lines
}

// fill writes what a Java admin has in its database while it works.
func (in *inheritance) fill(t *testing.T, address string, tokens bool, token string) {
	t.Helper()
	now := time.Now().UTC()
	wall := now.Add(-20 * time.Second).Format(time.DateTime)
	in.exec(t, "INSERT INTO xxl_job_group (id, app_name, "+in.groupName+", address_type, address_list, update_time) "+
		"VALUES (?, ?, 'Inherited', 0, ?, ?)", inheritedGroup, inheritedApp, address, wall)
	if tokens {
		in.exec(t, "UPDATE xxl_job_group SET access_token = ? WHERE id = ?", token, inheritedGroup)
	}
	in.exec(t, "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) "+
		"VALUES ('EXECUTOR', ?, ?, ?)", inheritedApp, address, wall)
	next := now.Truncate(2*time.Second).UnixMilli() - 2000
	in.job(t, secondlyJob, "echo", "CRON", "* * * * * ?", 1, next, 0)
	in.job(t, fixRateJob, "echo", "FIX_RATE", "2", 1, next, 0)
	in.job(t, stoppedJob, "echo", "CRON", "* * * * * ?", 0, 0, 0)
	in.job(t, failingJob, "fail", "CRON", "0/2 * * * * ?", 1, next, 1)
	in.exec(t, "INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param, "+
		"trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status) VALUES "+
		"(?, ?, ?, ?, 'echo', '', ?, 200, 'sent', ?, 200, 'good', 0)",
		endedLog, inheritedGroup, stoppedJob, address, endedTime, endedTime)
	in.exec(t, "INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param, "+
		"trigger_time, trigger_code, trigger_msg, handle_code) VALUES (?, ?, ?, ?, 'echo', '', ?, 200, 'sent', 0)",
		openLog, inheritedGroup, stoppedJob, address, wall)
}

func (in *inheritance) job(t *testing.T, id int, handler, kind, conf string, status int, next int64, retries int) {
	t.Helper()
	in.exec(t, "INSERT INTO xxl_job_info (id, job_group, "+in.jobName+", add_time, update_time, author, alarm_email, "+
		"schedule_type, schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, "+
		"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, "+
		"glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time) VALUES "+
		"(?, ?, ?, now(), now(), 'java', '', ?, ?, 'DO_NOTHING', 'ROUND', ?, 'p', 'SERIAL_EXECUTION', 0, ?, 'BEAN', "+
		"'', 'first', now(), '', ?, 0, ?)",
		id, inheritedGroup, handler, kind, conf, handler, retries, status, next)
}

// waitRuns waits until a job has n ended runs.
func (in *inheritance) waitRuns(t *testing.T, job, n int) {
	t.Helper()
	waitFor(t, runLimit, fmt.Sprintf("%d ended runs of job %d", n, job), func() bool {
		return in.count(t, "SELECT count(*) FROM xxl_job_log WHERE job_id = ? AND handle_code <> 0", job) >= n
	})
}

// waitQuiet waits until no run is open.
func (in *inheritance) waitQuiet(t *testing.T) {
	t.Helper()
	waitFor(t, runLimit, "no run is open", func() bool {
		return in.count(t, "SELECT count(*) FROM xxljob_run") == 0
	})
}

// report posts a result as the executor does that has worked since before the
// change of admins, in the form of releases before master.
func (in *inheritance) report(t *testing.T, base, token string, logID int64) {
	t.Helper()
	body := fmt.Sprintf(`[{"logId":%d,"logDateTim":0,"handleCode":200,"handleMsg":"worked through it"}]`, logID)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/callback", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json;charset=UTF-8")
	req.Header.Set("XXL-JOB-ACCESS-TOKEN", token)
	client := &http.Client{Timeout: callLimit, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.True(t, bytes.Contains(answer, []byte(`"code":200`)), string(answer))
}

// check looks at what the admin did to the rows of its predecessor.
func (in *inheritance) check(t *testing.T) {
	t.Helper()
	// A run that was late when the test stopped the job says so, and was not sent. A row without an address is the
	// record of instants that were missed before the admin was there.
	const sent = "FROM xxl_job_log WHERE executor_address IS NOT NULL " +
		"AND COALESCE(trigger_msg, '') NOT LIKE '%was stopped before%' AND job_id = ? "
	for _, job := range []int{secondlyJob, fixRateJob} {
		assert.Empty(t, in.lines(t, "SELECT CONCAT_WS(' ', id, trigger_time, trigger_code, handle_code, executor_address, "+
			"trigger_msg, handle_msg) "+sent+"AND NOT (trigger_code = 200 AND handle_code = 200)", job),
			"bad runs of job %d", job)
		assert.Zero(t, in.count(t, "SELECT count(*) - count(DISTINCT trigger_time) "+sent, job),
			"doubled runs of job %d", job)
	}
	fired := in.count(t, "SELECT count(*) "+sent+"AND executor_fail_retry_count = 1", failingJob)
	assert.Equal(t, fired, in.count(t, "SELECT count(*) "+sent+"AND executor_fail_retry_count = 0", failingJob), "retries")
	assert.Equal(t, 2, in.count(t, "SELECT count(*) FROM xxl_job_log WHERE job_id = ?", stoppedJob), "a stopped job ran")
	assert.Equal(t, 1, in.count(t, "SELECT count(*) FROM xxl_job_log WHERE id = ? AND handle_code = 200 "+
		"AND handle_msg LIKE '%worked through it'", openLog), "the result of a run that Java had started")
	assert.Equal(t, 1, in.count(t, "SELECT count(*) FROM xxl_job_log WHERE id = ? AND handle_msg = 'good' "+
		"AND handle_time = ?", endedLog, endedTime), "a row of before")
	assert.Zero(t, in.count(t, "SELECT count(*) FROM xxl_job_log WHERE alarm_status = -1"), "rows that Java would skip")
}

// javaGoesBack runs the writing statements of a Java admin, which name their
// columns and know nothing of ours.
func (in *inheritance) javaGoesBack(t *testing.T) {
	t.Helper()
	in.job(t, 99, "echo", "CRON", "0 0 0 * * ? *", 0, 0, 0)
	in.exec(t, "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) "+
		"VALUES (?, ?, now(), 0, 0)", inheritedGroup, secondlyJob)
	in.exec(t, "INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time) "+
		"VALUES ('EXECUTOR', 'another', 'http://127.0.0.1:1/', now())")
	in.exec(t, "UPDATE xxl_job_info SET trigger_last_time = 1, trigger_next_time = 2, trigger_status = 1 WHERE id = 99")
	assert.Equal(t, 1, in.count(t, "SELECT count(*) FROM xxl_job_lock WHERE lock_name = 'schedule_lock'"))
	assert.Equal(t, 1, in.count(t, "SELECT count(*) FROM xxl_job_user WHERE username = ? AND role = 1", adminUser))
	assert.Equal(t, 3, in.count(t, "SELECT count(*) FROM xxl_job_info WHERE id IN (?, ?, ?) AND trigger_status = 0 "+
		"AND trigger_next_time = 0", secondlyJob, fixRateJob, failingJob), "stopped jobs in Java's form")
}
