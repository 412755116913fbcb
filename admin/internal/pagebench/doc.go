// Package pagebench holds the console and the REST API against a database that
// has grown: a million runs of ten thousand jobs, a hundred thousand lines of the
// audit log (issue 5: every list page answers within 200 ms).
//
// BenchmarkPages asks the real admin for every page of the console and every
// list of /v1 through its handler, with the session of an administrator and the
// filters that people use, and names the slowest. What it takes from the tables
// of routes it finds by itself; targets_test.go adds filters, orders, and pages
// far behind.
//
// TestPlans looks at the plan of every statement that these requests send: none
// reads a large table through, and none reads more rows of it than its limit,
// except as the list of exceptions says. TestPlansCanFail drops an index and
// expects a fault.
//
//	make page-bench     1,000,000 runs, on SQLite, MariaDB and PostgreSQL
//	make databases      the plans on all three
package pagebench
