// Package model holds the nouns of the scheduling centre as plain data: job,
// group, run, log row, user, and the enumerations of the xxl-job protocol. It
// imports nothing of ours, and decides nothing.
//
// Ids of jobs, groups and users are 32-bit as on the wire; ids of log rows,
// which are the run ids, are 64-bit. Instants that the database keeps in
// milliseconds are int64 Unix milliseconds with a name that ends in Ms;
// instants that it keeps as DATETIME are time.Time at whole seconds.
package model
