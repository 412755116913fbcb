//go:build linux

package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

const (
	seedRows  = 200  // rows of one INSERT
	seedBatch = 5000 // rows of one transaction
	groupID   = 1
)

const (
	jobColumns = "id, job_group, job_desc, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, " +
		"misfire_strategy, executor_route_strategy, executor_handler, executor_param, executor_block_strategy, " +
		"executor_timeout, executor_fail_retry_count, glue_type, glue_source, glue_remark, glue_updatetime, " +
		"child_jobid, trigger_status, trigger_last_time, trigger_next_time"
	logColumns = "id, job_group, job_id, executor_address, executor_handler, executor_param, " +
		"executor_fail_retry_count, trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, " +
		"alarm_status"
)

// seed writes the group, the jobs and the log.
func (s *site) seed(ctx context.Context) error {
	native := s.native
	if s.driver == "sqlite" {
		native += "?_pragma=synchronous(OFF)&_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(s.driver, native)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	group := fmt.Sprintf("INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list, update_time) "+
		"VALUES (%d, '%s', 'Load', 0, '%s', '%s')", groupID, appName, strings.Join(s.addresses(), ","), now())
	if _, err := db.ExecContext(ctx, group); err != nil {
		return fmt.Errorf("seed the group: %w", err)
	}
	firing := s.trial.jobs()
	if total := firing + s.trial.idleJobs + s.trial.logRows; total > 100_000 {
		progress("%s: seeding %d jobs and %d log rows", s.trial.db, firing+s.trial.idleJobs, s.trial.logRows)
	}
	if err := insert(ctx, db, "xxl_job_info", jobColumns, firing+s.trial.idleJobs, func(i int) string {
		return seedJob(i, firing)
	}); err != nil {
		return err
	}
	s.lastID = int64(s.trial.logRows)
	if err := insert(ctx, db, "xxl_job_log", logColumns, s.trial.logRows, func(i int) string {
		return seedLog(i, firing, s.trial.logRows)
	}); err != nil {
		return err
	}
	if s.driver == "pgx" { // ids were given, so the sequence has not moved
		move := fmt.Sprintf("SELECT setval(pg_get_serial_sequence('xxl_job_log', 'id'), %d)", s.lastID+1)
		if _, err := db.ExecContext(ctx, move); err != nil {
			return fmt.Errorf("move the sequence: %w", err)
		}
	}
	return s.schedule(ctx, db)
}

// seedJob is a row of xxl_job_info: one of those that fire, or one that is due
// tomorrow.
func seedJob(i, firing int) string {
	conf, route := "0 0 3 * * ?", "ROUND"
	next := time.Now().Add(24 * time.Hour).UnixMilli()
	if i < firing {
		every := int(period / time.Second)
		conf, next = fmt.Sprintf("%d/%d * * * * ?", i%every, every), 0
	}
	return fmt.Sprintf("(%d, %d, 'job %d', '%s', '%[4]s', 'bench', '', 'CRON', '%[5]s', 'DO_NOTHING', '%[6]s', "+
		"'bench', '%[3]d', 'SERIAL_EXECUTION', 0, 0, 'BEAN', '', '', '%[4]s', '', 1, 0, %[7]d)",
		i+1, groupID, i, now(), conf, route, next)
}

// seedLog is a row of xxl_job_log, of a run in the last twenty days.
func seedLog(i, jobs, rows int) string {
	at := time.Now().UTC().Add(-20 * 24 * time.Hour / time.Duration(rows) * time.Duration(rows-i))
	return fmt.Sprintf("(%d, %d, %d, 'http://127.0.0.1:9999/', 'bench', '%d', 0, '%s', 200, 'Success', '%[5]s', 200, "+
		"'', 0)", i+1, groupID, i%jobs+1, i%jobs, at.Format(time.DateTime))
}

func now() string { return time.Now().UTC().Format(time.DateTime) }

// schedule gives the jobs that fire their first times, a few seconds from now.
func (s *site) schedule(ctx context.Context, db *sql.DB) error {
	first := time.Now().Truncate(period).Add(period)
	_, err := db.ExecContext(ctx, fmt.Sprintf("UPDATE xxl_job_info "+
		"SET trigger_next_time = %d + ((id - 1) %% %d) * 1000 WHERE trigger_next_time = 0",
		first.UnixMilli(), int(period/time.Second)))
	if err != nil {
		return fmt.Errorf("schedule the jobs: %w", err)
	}
	return nil
}

// insert writes n rows in large transactions.
func insert(ctx context.Context, db *sql.DB, table, columns string, n int, row func(i int) string) error {
	for begin := 0; begin < n; begin += seedBatch {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for i := begin; i < min(begin+seedBatch, n); i += seedRows {
			values := make([]string, 0, seedRows)
			for at := i; at < min(i+seedRows, n); at++ {
				values = append(values, row(at))
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES "+
				strings.Join(values, ",")); err != nil {
				_ = tx.Rollback() // the first error counts
				return fmt.Errorf("seed %s: %w", table, err)
			}
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("seed %s: %w", table, err)
		}
	}
	return nil
}
