// Package e2e proves the promises A1 to A5 of docs/guarantees.md on the real
// xxl-job-admin program: its tests start it on SQLite, MariaDB and PostgreSQL
// under load, kill it, freeze it and take the database, the disk and the
// network away from it, and then judge from outside what became of every
// planned instant.
//
// The judge is check, a pure function over three kinds of evidence that
// survive every kill: what executors wrote to a synced journal (the program in
// the folder executor), which results the admin acknowledged (a relay between
// executors and admin that lives in the test process), and the rows of the
// database. It has a test of its own, and TestBrokenOutbox shows that it finds
// a fault that was built in on purpose.
//
// The short form takes a few minutes; XXLJOB_LONG=1 selects the full lengths.
// The tests need Linux, MariaDB and PostgreSQL, and root for the small disk.
package e2e
