package store_test

import (
	"database/sql"
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

func TestRunSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) (*store.Store, *sql.DB) { return openBoth(t, dbtest.SQLite(t), nil) })
}
