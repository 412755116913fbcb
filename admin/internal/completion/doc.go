// Package completion ends runs: it takes what executors answered to triggers
// and what they report as results, stores both in groups, and decides in the
// same transaction what follows: a retry, child jobs, an alarm.
//
// The first result of a run wins. [Writer.Results] returns only after its batch
// has been committed, so an executor that is told 200 may forget what it sent
// (promise A3); a transaction whose outcome nobody knows is never reported as
// success, and storing it again changes nothing. When it turns out that such a
// transaction was carried out, its ends are told then, once, and the runs that
// follow are looked for on record and handed over.
package completion
