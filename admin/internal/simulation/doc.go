// Package simulation proves the promises of the scheduling core by trying to
// break them: one to three nodes with their real leases, schedulers,
// dispatchers, writers and recoveries run on fake time over a database and
// executors that are played, and that fail in every way that real ones know.
// Afterwards a checker goes through the record (promises A1, A2 and A4, and no
// doubled execution).
//
// What fails, and when, is drawn from the seed and from the name of what is
// about to happen, not from the order of goroutines, so that a seed nearly
// always shows the same fault again. A test that fails prints the command; what
// needs goroutines to meet shows again after a few tries (-count=100). Many
// seeds: go test ./admin/internal/simulation -seed=1000 -seeds=2000.
//
// The package holds tests only.
package simulation
