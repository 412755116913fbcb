// Command bench runs the published benchmark and prints its tables in Markdown,
// the same that docs/performance.md holds:
//
//	go run ./bench          everything, in less than eight minutes
//	go run ./bench -short   a small form of everything, in less than one
//
// It plays the admin: it starts examples/kitchensink and Java's own executor in
// turns, sends triggers, collects their results, and compares what was accepted
// with what was reported. Java's executor is built from internal/interop/java
// with Maven; without Maven or a JDK its rows are left out, with a line that
// says so.
//
// No time makes it fail. Its exit status is 1 if our executor lost or doubled a
// result or gave a wrong answer, and 2 if it could not measure.
//
// It runs on Linux only, because it reads CPU and memory from /proc. Everything
// listens on loopback, on free ports. What it writes lies below -dir and -mem
// and is removed at its end, but for the two executors that it has built.
package main
