// Command bench runs the published benchmark of the admin and prints its
// tables in Markdown, the same that docs/performance.md holds:
//
//	go run ./bench          everything, on SQLite and MariaDB: about an hour
//	go run ./bench -short   a small form, for CI: about three minutes
//	go run ./bench -hold -db mysql -jobs 50000   sets all up, for another load tool
//
// It poses as the executors: it seeds jobs that fire every ten seconds, a tenth
// of them at each whole second, starts the real xxl-job-admin and waits for the
// triggers. Each is answered at once, and its result is posted back in
// batches, as executors do. It counts what was missed and doubled, how late
// triggers came, how long results waited for their acknowledgement, and what
// admin and database used; after each window it ends the admin and compares the
// rows with what was acknowledged. Admin, database and load share the machine.
//
// No time makes it fail. Its exit status is 1 if a fire was missed or doubled
// or an acknowledged result was not stored at a rate that is a goal, and 2 if it
// could not measure.
//
// It runs on Linux only, because it reads CPU and memory from /proc. Everything
// listens on loopback, on free ports; what it writes lies in temporary folders
// that it removes.
package main
