package pagebench

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// size says how much a database holds.
type size struct{ runs, jobs, audits int }

const (
	groups   = 40
	busyJobs = 20 // which have a third of all runs
	openRuns = 300
	days     = 30 // that the runs cover, up to now

	// rowsAtOnce is how many rows one statement makes, a multiple of 1,000.
	rowsAtOnce = 50_000
)

// dialect is how a database says what the seeds need.
type dialect struct {
	number string // from which the rows are counted, wide enough to multiply
	div    string // whole-number division
	at     string // an instant so many seconds behind the first one
	after  []string

	numbered bool // placeholders are $1, $2 …
}

var dialects = map[string]dialect{
	"sqlite": {
		number: "n.i", div: "/", at: "strftime('%%Y-%%m-%%d %%H:%%M:%%S', '%[1]s', '+' || (%[2]s) || ' seconds')",
	},
	"mysql": {
		number: "n.i", div: "DIV", at: "TIMESTAMP('%[1]s') + INTERVAL (%[2]s) SECOND",
		after: []string{"ANALYZE TABLE xxl_job_log, xxl_job_info, xxljob_audit, xxljob_log_end"}, //nolint:misspell // it is SQL
	},
	"postgres": {
		number: "n.i::bigint", div: "/", at: "TIMESTAMP '%[1]s' + (%[2]s) * INTERVAL '1 second'", numbered: true,
		after: []string{
			"SELECT setval(pg_get_serial_sequence('xxl_job_log', 'id'), (SELECT MAX(id) FROM xxl_job_log))",
			"SELECT setval(pg_get_serial_sequence('xxl_job_info', 'id'), (SELECT MAX(id) FROM xxl_job_info))",
			"SELECT setval(pg_get_serial_sequence('xxl_job_group', 'id'), (SELECT MAX(id) FROM xxl_job_group))",
			"VACUUM ANALYZE", //nolint:misspell // it is SQL
		},
	},
}

// seeder fills an empty database that was migrated.
type seeder struct {
	tb  testing.TB
	db  *sql.DB
	d   dialect
	n   size
	now time.Time
}

func (s *seeder) fill() {
	s.tb.Helper()
	s.groups()
	s.jobs()
	s.runs()
	s.open()
	s.ends()
	s.around()
	for _, text := range s.d.after {
		s.exec(text)
	}
}

// exec runs a statement; its ? are numbered where the database wants that.
func (s *seeder) exec(text string, args ...any) {
	s.tb.Helper()
	for i := range args {
		if s.d.numbered {
			text = strings.Replace(text, "?", fmt.Sprintf("CAST($%d AS text)", i+1), 1)
		}
	}
	_, err := s.db.ExecContext(s.tb.Context(), text, args...)
	require.NoError(s.tb, err, "%.300s", text)
}

// insert writes rows that are made here.
func (s *seeder) insert(into string, n int, row func(i int) string) {
	s.tb.Helper()
	const atOnce = 250
	for begin := 0; begin < n; begin += atOnce {
		values := make([]string, 0, atOnce)
		for i := begin; i < min(begin+atOnce, n); i++ {
			values = append(values, row(i))
		}
		s.exec("INSERT INTO " + into + " VALUES " + strings.Join(values, ","))
	}
}

// rows writes rows that the database makes itself: selected is what is selected
// of n.i, which counts from 0.
func (s *seeder) rows(into, selected string, n int, args ...any) {
	s.tb.Helper()
	for from := 0; from < n; from += rowsAtOnce {
		to := min(from+rowsAtOnce, n)
		s.exec("INSERT INTO "+into+" WITH RECURSIVE d(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 999), "+
			fmt.Sprintf("n(i) AS (SELECT a.i * 1000 + b.i FROM (SELECT i FROM d WHERE i >= %d AND i < %d) a CROSS JOIN d b "+
				"WHERE a.i * 1000 + b.i < %d) ", from/1000, (to+999)/1000, to)+selected, args...)
	}
}

func (s *seeder) groups() {
	at := s.now.Format(time.DateTime)
	s.insert("xxl_job_group (id, app_name, title, address_type, address_list, update_time)", groups, func(i int) string {
		list := fmt.Sprintf("'http://10.0.%d.1:9999/,http://10.0.%[1]d.2:9999/,http://10.0.%[1]d.3:9999/'", i)
		kind := 1
		if i%8 == 7 { // those that register; nobody does
			list, kind = "NULL", 0
		}
		return fmt.Sprintf("(%d, 'executor-%[1]d', 'Executor %[1]d', %d, %s, '%s')", i+1, kind, list, at)
	})
}

// jobNames are what people call jobs.
var jobNames = []string{
	"settle orders", "每日对账并发送报表给财务部门", "rebuild the search index", "مهمة يومية لتسوية الطلبات",
	"send reminders 🚀", "import exchange rates", "expire sessions", "同步库存",
}

// job is the group of a job, in SQL and here.
const groupOfJob = "CASE WHEN j.job <= 20 THEN 1 ELSE 1 + j.job % 40 END"

func groupOf(job int) int {
	if job <= busyJobs {
		return 1
	}
	return 1 + job%groups
}

// jobs are due in half an hour at the earliest, so that none fires meanwhile.
func (s *seeder) jobs() {
	at := s.now.Format(time.DateTime)
	glue := strings.Repeat("# a line of a script that somebody has written\n", 50)
	s.insert("xxl_job_info (id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, "+
		"schedule_conf, misfire_strategy, executor_route_strategy, executor_handler, executor_param, "+
		"executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, "+
		"glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time)", s.n.jobs, func(i int) string {
		id := i + 1
		next := s.now.Add(30*time.Minute + time.Duration(i*7919%84_000)*time.Second).Truncate(time.Minute)
		kind, conf := "CRON", fmt.Sprintf("0 %d %d * * ?", next.Minute(), next.Hour())
		glueType, source, children, status := "BEAN", "", "", 1
		switch {
		case i%50 == 3:
			kind, conf, next = "FIX_RATE", "3600", s.now.Add(40*time.Minute)
		case i%50 == 4:
			kind, conf, status = "NONE", "", 0
		case i%20 == 9:
			glueType, source = "GLUE_SHELL", glue
		case i%25 == 11:
			children = fmt.Sprintf("%d,%d", id%s.n.jobs+1, (id+1)%s.n.jobs+1)
		}
		nextMs := next.UnixMilli()
		if i%13 == 5 || status == 0 {
			status, nextMs = 0, 0
		}
		return fmt.Sprintf("(%[1]d, %[2]d, '%[3]s %[1]d', '%[4]s', '%[4]s', '%[5]s', 'ops@example.org', '%[6]s', '%[7]s', "+
			"'DO_NOTHING', 'ROUND', 'handler%[8]d', '{\"day\": \"yesterday\", \"shop\": %[1]d}', 'SERIAL_EXECUTION', 0, 2, "+
			"'%[9]s', '%[10]s', '', '%[4]s', '%[11]s', %[12]d, 0, %[13]d)", id, groupOf(id), jobNames[i%len(jobNames)], at,
			[]string{"lin", "maria", "ops", "chen"}[i%4], kind, conf, i%200, glueType, source, children, status, nextMs)
	})
	s.insert("xxljob_tag (job_id, tag)", s.n.jobs, func(i int) string {
		return fmt.Sprintf("(%d, 'tag-%d')", i+1, i%30)
	})
}

// runs cover the last 30 days. A third of them are of a few busy jobs; half of
// an hour's are triggered at its first second, and those of the early morning
// at three; one in a hundred has failed, some were never sent, some took hours.
func (s *seeder) runs() {
	first := s.now.AddDate(0, 0, -days).Format(time.DateTime)
	i, div := s.d.number, s.d.div
	secs := fmt.Sprintf("%s * %d %s %d", i, days*86_400, div, s.n.runs)
	at := fmt.Sprintf(s.d.at, first, "k.secs")
	ended := fmt.Sprintf(s.d.at, first, "k.secs + CASE WHEN k.i % 5003 = 17 THEN 7200 ELSE k.i * 31 % 90 END")
	s.rows("xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param, "+
		"executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, "+
		"handle_code, handle_msg, alarm_status)",
		"SELECT k.i + 1, "+strings.ReplaceAll(groupOfJob, "j.", "k.")+", k.job, "+
			"CASE WHEN k.i % 211 = 5 THEN NULL ELSE CONCAT('http://10.0.', k.job % 40, '.', 1 + k.i % 3, ':9999/') END, "+
			"CONCAT('handler', k.job % 200), CONCAT('{\"day\": \"yesterday\", \"shop\": ', k.job, '}'), "+
			"CASE WHEN k.job % 50 = 7 THEN CONCAT(k.i % 8, '/8') END, k.i % 3, "+at+", "+
			"CASE WHEN k.i % 211 = 5 THEN 500 ELSE 200 END, "+
			"CONCAT('job ', k.job, ' run ', k.i, SUBSTR(?, 1, CAST(500 + k.i % 300 AS "+s.integer()+"))), "+
			"CASE WHEN k.i % 211 = 5 THEN NULL ELSE "+ended+" END, "+
			"CASE WHEN k.i % 211 = 5 THEN 0 WHEN k.i % 997 = 11 THEN 502 WHEN k.i % 101 = 7 OR k.job = 40 THEN 500 ELSE 200 END, "+
			"CASE WHEN k.i % 211 = 5 THEN NULL WHEN k.i % 101 = 7 THEN SUBSTR(?, 1, CAST(200 + k.i % 9000 AS "+s.integer()+")) "+
			"ELSE CONCAT(k.i % 2000, ' orders settled') END, "+
			"CASE WHEN k.i % 101 = 7 THEN 2 ELSE 0 END FROM (SELECT j.i, j.job, "+
			"CASE WHEN j.secs % 86400 BETWEEN 10800 AND 21599 THEN j.secs - j.secs % 86400 + 10800 "+
			"WHEN j.secs % 3600 < 1800 THEN j.secs - j.secs % 3600 ELSE j.secs END AS secs "+
			"FROM (SELECT n.i, "+secs+" AS secs, CASE WHEN n.i % 3 = 0 THEN 1 + n.i % 20 "+
			fmt.Sprintf("ELSE %d + (n.i * 797) %% %d END AS job FROM n) j) k", busyJobs+1, s.n.jobs-busyJobs),
		s.n.runs, strings.Repeat("任务触发类型：Cron触发<br>调度机器：127.0.0.1<br>", 40),
		strings.Repeat("the ledger does not balance: expected 1,204, found 1,203\n", 180))
}

// integer is the type of a length.
func (s *seeder) integer() string {
	if s.d.div == "DIV" {
		return "SIGNED"
	}
	return "INTEGER"
}

// open makes the newest runs go on.
func (s *seeder) open() {
	newest := s.n.runs - openRuns
	s.exec(fmt.Sprintf("UPDATE xxl_job_log SET trigger_code = 200, handle_code = 0, handle_time = NULL, handle_msg = NULL, "+
		"alarm_status = 0 WHERE id > %d", newest))
	began := s.now.UnixMilli() - openRuns*1000
	s.exec(fmt.Sprintf("INSERT INTO xxljob_run (log_id, job_id, planned_ms, shard_index, shard_total, trigger_ms, type, "+
		"token, sent_ms) SELECT id, job_id, %[1]d + (id - %[2]d) * 1000, 0, 0, %[1]d + (id - %[2]d) * 1000, 'CRON', 1, "+
		"%[1]d + (id - %[2]d) * 1000 FROM xxl_job_log WHERE id > %[2]d", began, newest))
}

// ends says how the runs have ended; of those of the first day nobody does, as if a
// Java admin had ended them.
func (s *seeder) ends() {
	s.exec(fmt.Sprintf("INSERT INTO xxljob_log_end (log_id, planned_ms, sent_ms, ended_ms, kind) "+
		"SELECT id, %[1]d + id * 1000, %[1]d + id * 1000 + 20, %[1]d + id * 1000 + 20 + id * 31 %% 90000, "+
		"CASE WHEN handle_code = 200 THEN 1 WHEN trigger_code = 500 THEN CASE WHEN id %% 5 = 0 THEN 5 ELSE 7 END "+
		"WHEN handle_code = 502 THEN 3 WHEN id %% 7 = 0 THEN 4 WHEN id %% 700 = 1 THEN 6 ELSE 2 END "+
		"FROM xxl_job_log WHERE id > %[2]d AND (handle_code <> 0 OR trigger_code = 500)",
		s.now.UnixMilli()-int64(s.n.runs)*1000, s.n.runs/days))
}

// around is what stands beside jobs and runs.
func (s *seeder) around() {
	ms := s.now.UnixMilli()
	s.rows("xxljob_audit (at_ms, username, action, object, detail)", fmt.Sprintf("SELECT %d - (%d - %s) * 60000, "+
		"CONCAT('user', n.i %% 300), CASE WHEN n.i %% 3 = 0 THEN 'job.update' ELSE 'job.trigger' END, "+
		"CONCAT('job ', 1 + n.i %% 10000), 'schedule: 0 0 3 * * ? -> 0 0 4 * * ?' FROM n", ms, s.n.audits, s.d.number),
		s.n.audits)
	for day := range days + 1 {
		at := s.now.AddDate(0, 0, -day).Format(time.DateOnly) + " 00:00:00"
		s.exec(fmt.Sprintf("INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count) "+
			"VALUES ('%s', 0, %d, %d)", at, s.n.runs/days, s.n.runs/days/100))
	}
	s.insert("xxl_job_user (username, password, role, permission)", 300, func(i int) string {
		return fmt.Sprintf("('user%d', '!', 0, '%d,%d')", i, 1+i%groups, 1+(i+1)%groups)
	})
	s.insert("xxljob_key (name, prefix, secret_hash, verbs, group_ids, created_by, created_ms, expires_ms, used_ms, "+
		"revoked_ms)", 100, func(i int) string {
		return fmt.Sprintf("('key %d', 'xk_%[1]d', 'hash%[1]d', 'read', NULL, 'admin', %[2]d, 0, 0, 0)", i, ms)
	})
	s.insert("xxljob_change (at_ms, username, kind, object_id, action, before_json, after_json)", 5000, func(i int) string {
		return fmt.Sprintf("(%d, 'lin', 'job', %d, 'update', '{\"name\":\"before\"}', '{\"name\":\"after\"}')", ms, 1+i%s.n.jobs)
	})
	s.insert("xxljob_alarm (what, kind, object_id, group_id, first_ms, last_ms, recovered_ms, raised, muted, log_id, message)",
		3000, func(i int) string {
			recovered := ms - int64(i)*60_000
			if i >= 2960 {
				recovered = 0
			}
			return fmt.Sprintf("('failed', 'job', %d, %d, %d, %[3]d, %[4]d, 1, 0, %[5]d, 'the ledger does not balance')",
				i+1, groupOf(i+1), ms-int64(i)*70_000, recovered, s.n.runs-i-openRuns)
		})
	s.insert("xxljob_alarm_rule (kind, object_id, what, limit_ms, username, created_ms)", 100, func(i int) string {
		return fmt.Sprintf("('job', %d, 'late', 60000, 'lin', %d)", i+1, ms)
	})
}
