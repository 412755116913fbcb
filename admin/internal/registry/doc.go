// Package registry knows which executors are there: it takes their heartbeats,
// keeps the groups with their addresses in memory, and writes both to the
// database in batches (admin.md 6, wire.md 2.4).
//
// A heartbeat is seen at once on the node that took it and is in the database
// within two seconds; update_time in the database is the truth, which every
// node reads again every few seconds, so that a beat which reached another node
// counts here too. Ninety seconds without a beat end a registration.
package registry
