package store_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

func count(t *testing.T, db *sql.DB, what string) int {
	t.Helper()
	var n int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+what).Scan(&n))
	return n
}

func manualRuns(n int) []*model.Run {
	runs := make([]*model.Run, n)
	for i := range runs {
		runs[i] = &model.Run{
			JobID: int32(i + 1), GroupID: 1, Type: model.TriggerManual, TriggerMs: 1_780_000_000_000, ShardTotal: 1,
			Param: model.T(fmt.Sprint(i)),
		}
	}
	return runs
}

func none([]*store.Ending, store.Loader) error { return nil }
