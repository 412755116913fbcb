package retention

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

var _ Store = (*store.Store)(nil)

// TestOnTheStore cleans a SQLite database with rows of every age, one of which
// belongs to a run that is open.
func TestOnTheStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dsn := dbtest.SQLite(t)
	s, err := store.Open(ctx, store.Options{DSN: dsn, Location: time.UTC})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(ctx))
	group := &model.Group{AppName: "orders", Title: "orders"}
	require.NoError(t, s.CreateGroup(ctx, group))
	busy, quiet := newJob(t, s, group.ID), newJob(t, s, group.ID)
	now := time.Now().UTC()
	require.NoError(t, s.CreateSession(ctx, &model.Session{
		Key: strings.Repeat("a", 64), UserID: 1, Created: now, Seen: now, Expires: now.Add(-time.Hour),
	}))
	require.NoError(t, s.AddAudit(ctx, model.Audit{At: now.AddDate(-2, 0, 0), User: "admin", Action: "job.update"}))
	require.NoError(t, s.AddAudit(ctx, model.Audit{At: now, User: "admin", Action: "job.update"}))
	oldID, freshID := newJob(t, s, group.ID), newJob(t, s, group.ID)
	for id, at := range map[int32]time.Time{oldID: now.AddDate(-2, 0, 0), freshID: now} {
		c := &model.Change{At: at, Kind: model.ChangeJob, ObjectID: id, Action: "delete", Before: model.T("{}")}
		d := &model.Deleted{Kind: c.Kind, ObjectID: id, GroupID: group.ID, At: at, Name: "gone"}
		require.NoError(t, s.RemoveJob(ctx, c, d))
	}
	for job, ended := range map[int32]int{busy: 31, quiet: 29} {
		key := model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: job}
		require.NoError(t, s.RaiseAlarms(ctx, []model.AlarmRecord{{AlarmKey: key, Last: now.AddDate(0, 0, -40), Count: 1}}))
		require.NoError(t, s.SaveDelivery(ctx, key, model.AlarmDelivery{Channel: "ding", At: now}))
		open, err := s.Alarms(ctx, model.AlarmFilter{})
		require.NoError(t, err)
		require.Len(t, open, 1)
		_, err = s.EndAlarm(ctx, open[0].ID, now.AddDate(0, 0, -ended))
		require.NoError(t, err)
	}

	db, err := sql.Open("sqlite", strings.TrimPrefix(dsn, "sqlite:"))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	exec := func(text string, args ...any) {
		_, err := db.ExecContext(ctx, text, args...)
		require.NoError(t, err, text)
	}
	log := func(id int, job int32, daysAgo int) {
		exec("INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (?,?,?,?,200,200)",
			id, group.ID, job, now.AddDate(0, 0, -daysAgo).Format(time.DateTime))
	}
	exec("BEGIN")
	const old, fresh = 1200, 40
	for id := 1; id <= old; id++ {
		log(id, busy, 40)
	}
	for id := old + 1; id <= old+fresh; id++ {
		log(id, busy, 1)
	}
	log(5000, quiet, 40)
	log(5001, quiet, 0)
	exec("INSERT INTO xxljob_run (log_id, job_id, shard_index, shard_total, trigger_ms, type, token, sent_ms) " +
		"VALUES (700, 1, 0, 1, 0, 'MANUAL', 0, 0)")
	exec("COMMIT")
	require.NoError(t, db.Close())

	c, err := New(Config{Store: s, Days: 30, KeepPerJob: 25, Recount: true, Location: time.UTC, Pause: time.Microsecond})
	require.NoError(t, err)
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- c.Run(running) }()
	require.Eventually(t, func() bool { return c.Stats().Passes > 0 }, time.Minute, time.Millisecond)
	stop()
	require.NoError(t, <-done)

	stats := c.Stats()
	assert.Empty(t, stats.LastErr)
	assert.False(t, stats.Behind)
	assert.Equal(t, int64(1), stats.Sessions)
	assert.Equal(t, int64(1), stats.Audits)
	assert.Equal(t, int64(1), stats.Alarms)
	kept, err := s.Alarms(ctx, model.AlarmFilter{Ended: true})
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.Equal(t, quiet, kept[0].ObjectID)
	assert.Equal(t, int64(old-1+1+fresh-25), stats.Logs, "by age all but the open one, then by number")
	_, err = s.Deleted(ctx, model.ChangeJob, oldID)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Deleted(ctx, model.ChangeJob, freshID)
	require.NoError(t, err)
	_, err = s.Log(ctx, 700)
	require.NoError(t, err, "the row of an open run is gone")
	_, left, err := s.Logs(ctx, model.LogFilter{JobID: busy})
	require.NoError(t, err)
	assert.Equal(t, 25+1, left)
	_, left, err = s.Logs(ctx, model.LogFilter{JobID: quiet})
	require.NoError(t, err)
	assert.Equal(t, 1, left)
	reports, err := s.Reports(ctx, now.AddDate(0, 0, -2), now.AddDate(0, 0, 1))
	require.NoError(t, err)
	require.NotEmpty(t, reports)
}

func newJob(t *testing.T, s *store.Store, groupID int32) int32 {
	t.Helper()
	j := &model.Job{
		GroupID: groupID, Name: "nightly", ScheduleType: model.ScheduleNone, Misfire: model.MisfireDoNothing,
		Route: model.RouteFirst, Block: model.BlockSerial, GlueType: model.GlueBean, Handler: model.T("nightly"),
	}
	require.NoError(t, s.CreateJob(t.Context(), j))
	return j.ID
}
