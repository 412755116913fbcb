// Package route chooses which of a group's addresses gets a run, by the ten
// strategies of xxl-job (admin.md 4.4). It asks nobody: FAILOVER and BUSYOVER
// ask executors in the order that Order gives, and SHARDING_BROADCAST goes to
// each address, for which Shard says.
//
// ROUND, LEAST_FREQUENTLY_USED and LEAST_RECENTLY_USED remember something for
// each job, in the memory of one node and for 24 hours at most, as in the Java
// admin: nodes turn their own rounds. CONSISTENT_HASH chooses what every node,
// a Java one too, chooses for the same list.
package route
