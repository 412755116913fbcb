// Package execclient is the admin as a client of executors: it sends triggers
// and asks /beat, /idleBeat, /kill and /log of any executor, Java 2.2.0 to
// master or ours.
//
// # Lanes
//
// Every address has a lane of its own: a bounded queue, and at most
// Config.ConnsMax connections that each carry ONE request at a time. A hanging
// executor therefore costs the others nothing. One goroutine owns a connection:
// it takes the next call of its lane, writes the bytes that were encoded before
// (Client.Prepare), reads the answer and reports it. With nothing to do it stays
// parked in a read, so that a connection which the executor closes, or on which
// it says something out of the blue, is dropped at that moment and not found
// dead by the next trigger; a call wakes it by moving the read's deadline into
// the past.
//
// # What was run and what was not
//
// A trigger must not run twice, so nothing is sent again unless it is certain
// that no executor acted upon it:
//
//   - the connection could not be made, or was found closed before the first
//     byte was written (it is looked at once more right before the write);
//   - the request was not written whole: its JSON lacks at least the last brace;
//   - the executor said that it does not know the path, or refused the headers.
//
// Everything else that is not a proper answer is Unknown, and the caller settles
// it. Calls that change nothing (/beat, /idleBeat, /log), and triggers to our own
// executor, which runs an id once however often it hears it, are repeated when a
// pooled connection broke before the first byte of an answer.
//
// # Dialects
//
// Releases up to 3.4.2 take a trigger at /run, master at /trigger. A new address
// is tried with /run; the answer that the path is unknown has no side effect,
// and the other path is taken at once and remembered. Token and XXL-JOB-APPNAME
// are always sent. One exception: our own executor holds a request that names an
// application to master's rules, so when it stands in a manual group of another
// name and refuses, it is asked again without the name, as releases up to 3.4.2
// would ask it, and that is remembered too (wire.HeaderExecutor says which executors
// are ours).
//
// No redirect is followed, no environment proxy is used, and the addresses of
// cloud metadata services are refused after the name was resolved.
package execclient
