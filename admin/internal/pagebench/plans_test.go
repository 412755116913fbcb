package pagebench

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// planSizes are large enough that reading a table through shows: in the words of
// SQLite's plan, whatever the size, and in the numbers that the servers count.
var planSizes = map[string]size{
	"sqlite":   {runs: 8000, jobs: 1000, audits: 1500},
	"mysql":    {runs: 40_000, jobs: 10_000, audits: 10_000},
	"postgres": {runs: 40_000, jobs: 10_000, audits: 10_000},
}

// mostRows is how many rows of a table one statement may look at.
var mostRows = map[string]int64{
	"xxl_job_log":    12_000, // counting ends at 10,000; a search looks at 600 at once
	"xxljob_log_end": 12_000, // as the rows that they belong to
	"xxl_job_info":   1100,   // a list of names for a page
	"xxljob_audit":   1100,   // a page of an export
	"xxljob_alarm":   1100,
}

// exceptions are statements that may look at more rows, with their reasons.
var exceptions = []struct {
	table, text, reason string
}{
	{
		table: "xxl_job_info", text: `^SELECT (?:job_group, )?COUNT\(\*\) FROM xxl_job_info`,
		reason: "the number of jobs that match is part of the list; 10,000 rows are counted in milliseconds",
	},
	{
		table: "xxl_job_info", text: `^SELECT id FROM xxl_job_info.* ORDER BY .* LIMIT`,
		reason: "orders and parts of names that no index knows: ids of 10,000 rows are sorted in milliseconds, " +
			"an index for each would cost every start and stop of a job",
	},
	{
		table: "xxl_job_info", text: `^SELECT id, job_group, [a-z_]+, child_jobid FROM xxl_job_info WHERE child_jobid <> ''`,
		reason: "which jobs have others as children is asked before a deletion alone; no database indexes a list of ids as text",
	},
}

// statement is a statement that was sent for a target.
type statement struct {
	text string
	args []any
}

// statements asks for a target and returns what was read for it, each text with
// a few of its arguments.
func (w *world) statements(tb testing.TB, t target) []statement {
	tb.Helper()
	const each = 3
	var mu sync.Mutex
	var list []statement
	count := map[string]int{}
	ctx := store.WithObserver(tb.Context(), func(text string, args []any) {
		mu.Lock()
		defer mu.Unlock()
		if count[text]++; count[text] <= each {
			list = append(list, statement{text, plain(args)})
		}
	})
	rec := w.get(ctx, t.path)
	require.True(tb, t.answered(rec.Code), "%d: %s: %s", rec.Code, t.path, rec.Body)
	mu.Lock()
	defer mu.Unlock()
	return list
}

// plain returns arguments as the driver sees them.
func plain(args []any) []any {
	list := slices.Clone(args)
	for i, arg := range list {
		if v, ok := arg.(driver.Valuer); ok {
			if value, err := v.Value(); err == nil {
				list[i] = value
			}
		}
	}
	return list
}

// faults names what is wrong with the plan of a statement.
func (w *world) faults(ctx context.Context, s statement) ([]string, error) {
	visits, err := w.explain(ctx, s.text, s.args)
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", s.text, err)
	}
	var list []string
	for _, v := range visits {
		most := mostRows[v.table]
		if most == 0 || !v.scan && v.rows <= most || excepted(v.table, s.text) {
			continue
		}
		list = append(list, fmt.Sprintf("%s: %s, %d rows: %s %v", v.table, v.how, v.rows, s.text, s.args))
	}
	return list, nil
}

func excepted(table, text string) bool {
	for _, e := range exceptions {
		if e.table == table && regexp.MustCompile(e.text).MatchString(text) {
			return true
		}
	}
	return false
}

// TestPlans holds the plan of every statement that a page or list sends against
// the limits; then it drops an index, and expects a fault.
func TestPlans(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(databases)) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, databases[name](t), planSizes[name])
			looked := map[string]bool{}
			for _, target := range w.targets(t) {
				for _, s := range w.statements(t, target) {
					key := fmt.Sprint(s.text, s.args)
					if looked[key] || !strings.Contains(s.text, "xxl") {
						continue
					}
					looked[key] = true
					found, err := w.faults(t.Context(), s)
					require.NoError(t, err)
					for _, fault := range found {
						t.Errorf("%s (%s): %s", target.name, target.path, fault)
					}
				}
			}
			assert.Greater(t, len(looked), 200, "statements")
			t.Run("can fail", w.plansCanFail)
		})
	}
}

// plansCanFail drops the index over jobs.
func (w *world) plansCanFail(t *testing.T) {
	drop := map[string]string{
		"sqlite": "DROP INDEX i_log_job", "mysql": "DROP INDEX I_jobid ON xxl_job_log", "postgres": "DROP INDEX i_log_job",
	}
	_, err := w.db.ExecContext(t.Context(), drop[w.dialect])
	require.NoError(t, err)
	var all []string
	for _, s := range w.statements(t, target{path: "/runs?job=777"}) {
		found, err := w.faults(t.Context(), s)
		require.NoError(t, err)
		all = append(all, found...)
	}
	assert.NotEmpty(t, all, "a dropped index was not noticed")
}
