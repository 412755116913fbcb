// Package interop proves that Java's executors need nothing but the address of
// this admin, and that this admin takes over the database of a Java one.
//
// The package has no code of its own, only tests behind the build tag interop,
// because they need a JDK (17 or later), Maven, MariaDB and, the first time, a
// network:
//
//	go test -tags interop ./internal/interop/...
//	go test -tags interop -run 'TestJavaExecutors/sqlite/2.4.1/kill' ./internal/interop/
//
// They do not skip: what is missing makes them fail.
//
//   - TestJavaExecutors starts the real xxl-job-admin on SQLite and on MariaDB,
//     and under it the executor of each release of xxl-job-core, whose handlers
//     stand in internal/interop/java of the root module. Jobs are made, started,
//     watched and killed through the Java console's endpoints, as scripts do.
//   - TestTakeOver gives the admin a database of each generation as a Java admin
//     leaves it behind, with jobs and runs at work, and afterwards compares every
//     column and index with what they were.
//
// The Java classes are built by Maven into the same cache as those of the root
// module's tests (XXLJOB_JAVA_CACHE, by default xxljob-interop in the user's
// cache directory), so that either finds what the other has built.
package interop
