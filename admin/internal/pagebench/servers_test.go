//go:build databases

package pagebench

import (
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// init adds what `make databases` and `make page-bench` look at beside SQLite.
func init() {
	databases["mysql"] = func(tb testing.TB) string { return dbtest.MySQL(tb, dbtest.Fast()) }
	databases["postgres"] = func(tb testing.TB) string { return dbtest.Postgres(tb, dbtest.Fast()) }
}
