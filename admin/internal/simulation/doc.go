// Package simulation proves the promises of the scheduling core by trying to
// break them: one to three nodes with their real leases, schedulers,
// dispatchers, writers and recoveries run on fake time over a database and
// executors that are played, and that fail in every way that real ones know.
// Afterwards a checker goes through the record (promises A1, A2 and A4, and no
// doubled execution).
//
// What fails, and when, is drawn from the seed and from the name of what is
// about to happen, not from the order of goroutines, so that a seed nearly
// always shows the same fault again. A test that fails prints the command.
//
// The package holds tests only.
package simulation
