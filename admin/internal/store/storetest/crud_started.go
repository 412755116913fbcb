package storetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// jobsStarted: schedules of the jobs that are started, in pages.
func (f *fixture) jobsStarted(t *testing.T) {
	ctx := t.Context()
	on, off, bare := fullJob(7), fullJob(7), plainJob(8, "bare")
	off.Running, bare.Running = false, true
	for _, j := range []*model.Job{on, off, bare} {
		require.NoError(t, f.CreateJob(ctx, j))
	}
	list, err := f.StartedJobs(ctx, on.ID-1, 10)
	require.NoError(t, err)
	assert.Equal(t, []model.StartedJob{
		{
			ID: on.ID, GroupID: 7, Name: on.Name, ScheduleType: model.ScheduleCron, Conf: on.ScheduleConf.S,
			TimeZone: "Asia/Shanghai", NextMs: on.NextMs,
		},
		{ID: bare.ID, GroupID: 8, Name: "bare", ScheduleType: model.ScheduleNone},
	}, list)
	list, err = f.StartedJobs(ctx, on.ID-1, 1)
	require.NoError(t, err)
	assert.Len(t, list, 1)
	list, err = f.StartedJobs(ctx, bare.ID, 1)
	require.NoError(t, err)
	assert.Empty(t, list)
}
