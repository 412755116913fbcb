package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// BenchmarkRunView measures the lists of runs and their counts. It is meant for
// -log-rows 1000000.
func BenchmarkRunView(b *testing.B) {
	for name, dsn := range benchDatabases {
		b.Run(name, func(b *testing.B) {
			s, db := openBoth(b, dsn(b), nil)
			fillLogs(b, db, name, *logRows)
			day := func(d int) time.Time { return benchEnd.AddDate(0, 0, -d) }
			for _, bb := range []struct {
				name string
				give model.RunFilter
			}{
				{"all", model.RunFilter{}},
				{"deep", model.RunFilter{Before: model.RunCursor{ID: int64(*logRows / 10)}}},
				{"group", model.RunFilter{GroupID: 1}},
				{"group_old", model.RunFilter{GroupID: 3}},
				{"groups", model.RunFilter{GroupIDs: []int32{2, 3}}},
				{"job", model.RunFilter{JobID: 700}},
				{"job_old", model.RunFilter{JobID: 999}},
				{"old_day", model.RunFilter{From: day(29), To: day(28)}},
				{"old_day_deep", model.RunFilter{From: day(29), To: day(20), Before: model.RunCursor{ID: 1000, At: day(29)}}},
				{"failed", model.RunFilter{Result: model.RunFailed}},
				{"failed_none", model.RunFilter{GroupID: 3, Result: model.RunFailed}},
				{"ok_group_old", model.RunFilter{GroupID: 3, Result: model.RunOK}},
				{"running", model.RunFilter{Result: model.RunRunning}},
				{"address", model.RunFilter{Address: "10.0.0.5"}},
				{"at", model.RunFilter{At: "http://10.0.0.5:9999/"}},
				{"at_running", model.RunFilter{At: "http://10.0.0.5:9999/", Result: model.RunRunning}},
				{"text_none", model.RunFilter{Text: "there is no such text"}},
				{"took_none", model.RunFilter{MinTook: time.Hour}},
			} {
				b.Run(bb.name, func(b *testing.B) {
					for b.Loop() {
						_, err := s.Runs(b.Context(), bb.give)
						require.NoError(b, err)
					}
				})
				b.Run(bb.name+"_count", func(b *testing.B) {
					for b.Loop() {
						_, _, err := s.CountRuns(b.Context(), bb.give)
						require.NoError(b, err)
					}
				})
			}
		})
	}
}
