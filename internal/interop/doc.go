// Package interop proves that the executor understands the Java world: the
// admin-side classes of xxl-job-core, as published for the releases 2.2.0 to
// 3.3.2, drive it, and decode what it sends.
//
// The package has no code of its own, only tests behind the build tag interop,
// because they need a JDK (17 or later), Maven and, the first time, a network:
//
//	go test -tags interop ./internal/interop/...
//	go test -tags interop -run 'TestJavaDrivesGo/2.4.1/kill' ./internal/interop/
//
// They do not skip: without Maven they fail. Two tests share one list of
// checks, which stands in java/src/main/java/interop/driver:
//
//   - TestJavaDrivesGo drives examples/kitchensink with seven releases.
//   - TestJavaDrivesJava drives Java's own executor with the same checks, which
//     shows that the checks ask for what Java does and not for what we do.
//
// A Maven build of each release is kept in the directory that the environment
// variable XXLJOB_JAVA_CACHE names, by default xxljob-interop in the user's
// cache directory. Its name includes a hash of the sources, so a change builds
// anew; several test processes may share the cache.
//
// One run goes like this. The driver, a JVM, listens as an admin and prints its
// port. The test starts the executor with that admin address. The driver waits
// for the first beat, runs its checks and prints one JSON line for each. Then it
// asks for the executor's end; the test sends SIGTERM, waits, and says so on the
// driver's standard input, for the checks of what an executor does at its end.
package interop
