// Package dbtest gives tests, benchmarks and fault runs real databases: MariaDB
// and PostgreSQL from the system's own packages, each in a temporary directory
// on a free port of the loopback interface, and SQLite files. It is test
// equipment and never part of a shipped program.
//
// [MySQL] and [Postgres] return the DSN of a fresh, empty database on a server
// that the whole test binary shares; [StartMySQL] and [StartPostgres] start a
// server that one test may stop, kill, pause and restart. Durability is the
// server's default unless [Fast] is given.
//
// # How servers end
//
// A shared server lives as long as the test binary. Each server has a watchdog,
// a small shell process that holds the other end of a pipe: when the test
// binary ends, whether it returned, panicked or was killed, the pipe closes,
// and the watchdog ends the server by its process id and removes its directory.
// Nothing here starts a goroutine that outlives the call, so a leak check
// (goleak) in the tests that use it stays exact.
//
// # Missing servers
//
// If a server binary is not installed, install.sh installs it when the process
// is root or CI=true is set; otherwise the test fails with the command that does.
package dbtest
