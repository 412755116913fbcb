//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHangingExecutor has one executor among twenty that takes connections and
// answers nothing: what the others get is less than 0.2 s later than before.
func TestHangingExecutor(t *testing.T) {
	t.Parallel()
	const executors, hanging = 20, 7
	w := newWorld(t, newDatabase(t, sqlite))
	w.newNode(t).start(t)
	x := w.newExecutor(t, executors, hanging)
	w.setUp(t, executors)
	w.addJobs(t, pick(100, 500), plain, 1) // by turns to each of the twenty
	pass(t, 5*time.Second)
	length := pick(8*time.Second, 30*time.Second)
	before := time.Now()
	pass(t, length)
	w.away()
	x.signal(t, syscall.SIGUSR1)
	hung := time.Now()
	pass(t, length)
	x.signal(t, syscall.SIGUSR1)
	healed := time.Now()
	pass(t, 8*time.Second) // what was sent to it is settled
	e := w.gather(t)
	prove(t, e)

	port := x.port(t, hanging)
	lateIn := func(from, to time.Time) []time.Duration {
		return e.latenesses(func(r record) bool {
			return r.port != port && r.trigger >= from.UnixMilli() && r.trigger < to.UnixMilli()
		})
	}
	calm, rough := lateIn(before, hung), lateIn(hung, healed)
	for _, q := range []float64{0.5, 0.99, 1} {
		was, is := quantile(calm, q), quantile(rough, q)
		t.Logf("quantile %v of the others: %v late, with the hanging one %v", q, was, is)
		assert.Less(t, is-was, inShort(200*time.Millisecond), "quantile %v of the others' lateness", q)
	}
}

// port returns the port of the i-th executor of the process.
func (x *executor) port(t *testing.T, i int) string {
	t.Helper()
	for k, arg := range x.args {
		if arg == "-ports" {
			return strings.Split(x.args[k+1], ",")[i]
		}
	}
	require.FailNow(t, "no -ports")
	return ""
}

// TestManyJobsAtOnce has 10,000 jobs due in one second, besides some that fire
// each second: each is run once. How late they come is logged: their executor
// writes and syncs a line for each, beside them on the same machine.
func TestManyJobsAtOnce(t *testing.T) {
	for _, db := range pick([]string{sqlite}, []string{sqlite, mysql, postgres}) {
		t.Run(db, func(t *testing.T) { manyAtOnce(t, db) })
	}
}

func manyAtOnce(t *testing.T, db string) {
	t.Helper()
	const many = 10_000
	w := newWorld(t, newDatabase(t, db))
	w.newNode(t).start(t)
	w.newExecutor(t, 4, -1)
	w.setUp(t, 4)
	w.addJobs(t, 20, plain, 1)
	pass(t, 2*time.Second)
	at := time.Now().Add(12 * time.Second).Truncate(time.Second)
	w.insertJobs(t, many, at)
	require.Less(t, time.Now(), at.Add(-3*time.Second), "the machine is too slow for this test")
	pass(t, time.Until(at.Add(3*time.Second)))
	waitFor(t, quietLimit, "the burst has ended", func() bool {
		return w.db.count(t, fmt.Sprintf("SELECT count(*) FROM xxljob_run WHERE planned_ms = %d", at.UnixMilli())) == 0
	})
	e := w.gather(t)
	prove(t, e)
	burst := e.latenesses(func(r record) bool { return r.trigger == at.UnixMilli() })
	t.Logf("%d jobs at one instant: late p50 %v p99 %v max %v", len(burst),
		quantile(burst, 0.5), quantile(burst, 0.99), quantile(burst, 1))
	require.Len(t, burst, many+20)
}

// insertJobs writes n jobs that are due once, at an instant, into the database.
func (w *world) insertJobs(t *testing.T, n int, at time.Time) {
	t.Helper()
	first := w.db.count(t, "SELECT max(id) FROM xxl_job_info")
	for done := 0; done < n; {
		var values []string
		for range min(500, n-done) {
			done++
			id := first + int64(done)
			values = append(values, fmt.Sprintf("(%d, %d, 'burst', 'CRON', '0 0 0 1 1 ? 2099', 'DO_NOTHING', 'ROUND', 'mark', "+
				"'', 'SERIAL_EXECUTION', 'BEAN', 1, %d)", id, w.group, at.UnixMilli()))
			w.jobs = append(w.jobs, plan{
				id: int32(id), every: at.UnixMilli(), shards: 1, // it divides no other instant
				must: span{at.UnixMilli(), at.UnixMilli()}, may: span{at.UnixMilli(), at.UnixMilli()},
			})
		}
		w.db.exec(t, "INSERT INTO xxl_job_info (id, job_group, job_desc, schedule_type, schedule_conf, misfire_strategy, "+
			"executor_route_strategy, executor_handler, executor_param, executor_block_strategy, glue_type, trigger_status, "+
			"trigger_next_time) VALUES "+strings.Join(values, ", "))
	}
}

// TestMailServerBlackHole has failing jobs whose alarms go to a mail server
// that takes connections and says nothing: nothing else is delayed, every run
// ends, and so does the admin.
func TestMailServerBlackHole(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // answers at once
	require.NoError(t, err)
	var callers atomic.Int64
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			callers.Add(1)
			t.Cleanup(func() { conn.Close() })
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, ln.Close())
		<-closed
	})
	w := newWorld(t, newDatabase(t, sqlite))
	alarms := filepath.Join(w.dir, "alarms.json")
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	text, err := json.Marshal([]any{map[string]any{
		"name": "hole", "type": "mail",
		"mail": map[string]any{"host": "127.0.0.1", "port": number, "encryption": "none", "from": "a@example.org", "to": []string{"b@example.org"}},
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(alarms, text, 0o600))
	n := w.newNode(t, "--alarms", alarms)
	n.start(t)
	w.newExecutor(t, 2, -1)
	w.setUp(t, 2)
	w.addJobs(t, pick(60, 300), func(i int) jobForm {
		f := plain(i)
		if i%2 == 0 {
			f.Handler = "fail"
		}
		return f
	}, 1)
	pass(t, pick(12*time.Second, time.Minute))
	e := w.gather(t)
	prove(t, e)
	late := e.latenesses(func(record) bool { return true })
	assert.Positive(t, callers.Load(), "nobody tried to send a mail")
	assert.Less(t, quantile(late, 1), inShort(time.Second), "lateness beside a mail server that hangs")
	t.Logf("the admin ended %v after SIGTERM", n.terminate(t, 20*time.Second).Round(time.Millisecond))
}
