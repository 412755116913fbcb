// Package store keeps the scheduling centre's data in SQLite, in MySQL or
// MariaDB, or in PostgreSQL. It knows no behaviour: what a row means is decided
// by the packages above, which hand functions to the few methods that decide
// inside a transaction (Plan, Finish).
//
// # One text
//
// Statements are constants with ? and braces: {group.title} and {job.name} are
// columns that releases of the Java admin name differently, {lock} is the row
// lock of databases that have one. Package sqldb, on which this one stands, binds
// a text to this database, once, and knows how the databases differ beyond that.
//
// # Transactions
//
// A public method is one transaction unless its comment says otherwise. A
// deadlock or a lock that could not be had makes the transaction run again. A
// COMMIT of which nobody knows whether it was carried out is ErrUnknownOutcome:
// the caller reads, or repeats what is safe to repeat.
//
// # The run is the outbox
//
// Every open run has a row in xxljob_run beside its row of xxl_job_log. Both
// are written in the transaction that plans the run, before anything is sent,
// and the run's row goes in the transaction that ends it. The log row carries
// group, handler, param, address and retries; the run's row carries what a Java
// log row has no column for.
//
// # Times
//
// DATETIME columns hold wall clock of Options.Location on every database, as
// Java's JDBC driver writes them. Instants in milliseconds are Unix time.
package store
