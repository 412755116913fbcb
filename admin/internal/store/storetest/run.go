// Package storetest is the conformance suite of package store: what callers may
// rely on, exercised on a real database. It is test equipment and never part of
// a shipped program.
package storetest

import (
	"database/sql"
	"testing"

	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Opener gives a test a migrated store in [Zone], on a database that nobody
// else uses, and a plain connection to it. The rows of a Java admin's seed may
// be there, others not.
type Opener func(t *testing.T) (*store.Store, *sql.DB)

// Run exercises what the scheduler, the dispatcher and the completion of runs
// ask of a store: planning, results, open runs and leases.
func Run(t *testing.T, open Opener) {
	for _, group := range []struct {
		name string
		run  func(t *testing.T, f *fixture)
	}{
		{"plan", hotPlan},
		{"refused", hotRefused},
		{"runs", hotRuns},
		{"finish", hotFinish},
		{"ends", hotEnds},
		{"causes", hotCauses},
		{"texts", hotTexts},
		{"lease", hotLease},
		{"concurrent", hotConcurrent},
	} {
		t.Run(group.name, func(t *testing.T) {
			s, db := open(t)
			group.run(t, &fixture{Store: s, db: db, info: s.Info()})
		})
	}
}
