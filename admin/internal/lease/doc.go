// Package lease decides which node of a cluster schedules which jobs.
//
// Jobs are split into shards (job id modulo their number). A node holds a shard
// by a lease of a few seconds that carries a token; the token grows each time
// that the shard changes hands. Whoever writes under a lease checks the token
// in its transaction, by the clock of the database; whoever sends under it asks
// [Manager.MaySend], which goes by this process's monotonic clock and gives up
// a second before anyone else may take over (ADR 0008).
//
// The provider of leases is a small interface: SQL first, and nothing in here
// knows that it is SQL.
package lease
