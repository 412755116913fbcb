package storetest

import (
	"database/sql"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Zone is the Options.Location with which the cases of CRUD want their stores
// opened: one that has an offset and changes its clocks.
var Zone = func() *time.Location {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return time.FixedZone("UTC+1", 3600) // a system without zones
	}
	return loc
}()

// CRUD exercises what people and scripts read and write of a store: jobs, code
// versions, groups, the registry, logs, day counters, users, sessions, settings,
// the audit, and what the REST API keeps. Each call of open returns a migrated store in [Zone] with a
// plain connection to its database; the rows of a Java admin's seed may be
// there, others not.
func CRUD(t *testing.T, open func(t *testing.T) (*store.Store, *sql.DB)) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, f *fixture)
	}{
		{"jobs", crudJobs},
		{"groups", crudGroups},
		{"logs", crudLogs},
		{"run view", crudRunView},
		{"users", crudUsers},
		{"api", crudAPI},
		{"alarms", crudAlarms},
	} {
		t.Run(group.name, func(t *testing.T) {
			s, db := open(t)
			group.run(t, &fixture{Store: s, db: db, info: s.Info()})
		})
	}
}

// fixture is a store and what the cases do behind its back.
type fixture struct {
	*store.Store

	db   *sql.DB
	info store.Info
}

// bind numbers the placeholders where the database wants it.
func (f *fixture) bind(text string) string {
	if f.info.Dialect != "postgres" {
		return text
	}
	for n := 1; strings.Contains(text, "?"); n++ {
		text = strings.Replace(text, "?", "$"+strconv.Itoa(n), 1)
	}
	return text
}

// exec runs a statement beside the store.
func (f *fixture) exec(t *testing.T, text string, args ...any) {
	t.Helper()
	_, err := f.db.ExecContext(t.Context(), f.bind(text), args...)
	require.NoError(t, err, text)
}

// number runs a query for one number beside the store.
func (f *fixture) number(t *testing.T, text string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, f.db.QueryRowContext(t.Context(), f.bind(text), args...).Scan(&n), text)
	return n
}

// wall is the text of a DATETIME column.
func wall(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.In(Zone).Format(time.DateTime)
}

// addLogs inserts rows as a Java admin does, and sets their ids.
func (f *fixture) addLogs(t *testing.T, logs ...*model.Log) {
	t.Helper()
	for _, l := range logs {
		if l.ID == 0 {
			l.ID = 1 + f.number(t, "SELECT COALESCE(MAX(id), 0) FROM xxl_job_log")
		}
		f.exec(t, "INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, "+
			"executor_param, executor_sharding_param, executor_fail_retry_count, trigger_time, trigger_code, "+
			"trigger_msg, handle_time, handle_code, handle_msg, alarm_status) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
			l.ID, l.GroupID, l.JobID, nullable(l.Address), nullable(l.Handler), nullable(l.Param),
			nullable(l.ShardingParam), l.RetriesLeft, wall(l.TriggerTime), l.TriggerCode, nullable(l.TriggerMsg),
			wall(l.HandleTime), l.HandleCode, nullable(l.HandleMsg), int(l.AlarmStatus))
	}
}

// openRun inserts the row that says that the run of a log row is open.
func (f *fixture) openRun(t *testing.T, l *model.Log) {
	t.Helper()
	f.exec(t, "INSERT INTO xxljob_run (log_id, job_id, planned_ms, shard_index, shard_total, trigger_ms, type, "+
		"token, sent_ms) VALUES (?,?,NULL,0,0,?,'MANUAL',0,0)", l.ID, l.JobID, l.TriggerTime.UnixMilli())
}

func nullable(t model.Text) any {
	if !t.Valid {
		return nil
	}
	return t.S
}

// sameTime asserts that two times are the same instant.
func sameTime(t *testing.T, want, got time.Time, what string) {
	t.Helper()
	assert.True(t, want.Equal(got), "%s is %v, want %v", what, got, want)
}

// refused asserts the error for a text that does not fit, which names the field.
func refused(t *testing.T, err, want error, field string) {
	t.Helper()
	require.ErrorIs(t, err, want, field)
	assert.ErrorContains(t, err, field)
}
