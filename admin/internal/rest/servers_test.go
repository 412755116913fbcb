//go:build databases

package rest_test

import (
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

// init adds what `make databases` tests beside SQLite.
func init() {
	databases["mysql"] = func(tb testing.TB) string { return dbtest.MySQL(tb) }
	databases["postgres"] = func(tb testing.TB) string { return dbtest.Postgres(tb) }
}
