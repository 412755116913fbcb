package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func TestRecentRuns(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := store.Open(ctx, store.Options{DSN: "sqlite:" + filepath.Join(t.TempDir(), "a.db"), Location: time.UTC})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(ctx))
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for i := range 5 {
		for _, job := range []int32{7, 8} {
			run := &model.Run{
				JobID: job, GroupID: 1, Type: model.TriggerManual, TriggerMs: at.Add(time.Duration(i) * time.Minute).UnixMilli(),
				ShardTotal: 1,
			}
			require.NoError(t, s.CreateRuns(ctx, []*model.Run{run}))
		}
	}
	got, err := s.RecentRuns(ctx, []int32{7, 9}, 3)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Len(t, got[7], 3)
	assert.Equal(t, at.Add(2*time.Minute), got[7][0].TriggerTime.UTC())
	assert.Less(t, got[7][0].ID, got[7][2].ID, "the oldest first")
	assert.Zero(t, got[7][2].Took(at), "no executor has it")

	r := model.Recent{TriggerTime: at, TriggerCode: model.CodeSuccess}
	assert.Equal(t, time.Minute, r.Took(at.Add(time.Minute)), "still at it")
	r.HandleTime = at.Add(time.Second)
	assert.Equal(t, time.Second, r.Took(at.Add(time.Minute)))
}
