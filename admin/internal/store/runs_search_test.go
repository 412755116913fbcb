package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

func TestNextWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		rows int
		took time.Duration
		want int
	}{
		{name: "as fast as it may be", rows: 200, took: runPace, want: 200},
		{name: "too slow", rows: 400, took: 2 * runPace, want: 200},
		{name: "far too slow", rows: 600, took: time.Minute, want: runWindowMin},
		{name: "fast", rows: 200, took: runPace / 2, want: 400},
		{name: "very fast", rows: 200, took: 0, want: 400},
		{name: "never too large", rows: 500, took: 0, want: runWindowMax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, nextWindow(tt.rows, tt.took))
		})
	}
}

// TestLookAt: a search that has no time left ends behind its window, and the next
// one finds what lies behind that, until everything was looked at.
func TestLookAt(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	const rows = 1000
	require.NoError(t, s.db.InTx(t.Context(), func(q sqldb.Querier) error {
		for i := range rows {
			_, err := q.ExecContext(t.Context(), "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, "+
				"handle_code, handle_msg) VALUES (1, 1, ?, 200, 200, ?)",
				fmt.Sprintf("2026-05-20 12:%02d:%02d", i/60%60, i%60), fmt.Sprintf("message %d", i))
			if err != nil {
				return err
			}
		}
		return nil
	}))
	for _, f := range []model.RunFilter{
		{Text: "message 17"}, {Text: "message 17", From: time.Date(2026, 1, 1, 0, 0, 0, 0, s.loc)},
	} {
		rq, ok := s.runQuery(&f)
		require.True(t, ok)
		var found []int64
		at, pages := model.RunCursor{}, 0
		for more := true; more; pages++ {
			end, err := s.lookAt(t.Context(), rq, at, pace{rows: runLook, window: runWindowMax}, rows, func(list []runKey) bool {
				for _, k := range list {
					found = append(found, k.id)
				}
				return true
			})
			require.NoError(t, err)
			at, more = end, end.ID != 0
			if more {
				told, err := s.triggeredAt(t.Context(), end.ID)
				require.NoError(t, err)
				assert.False(t, told.IsZero(), "how far was looked")
			}
		}
		assert.Equal(t, rows/runWindowMin+1, pages, "windows")
		want := []int64{18}
		for i := range int64(10) {
			want = append(want, 171+i)
		}
		assert.ElementsMatch(t, want, found)
	}
}
