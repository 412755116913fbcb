// Package retention keeps the database from growing for ever: it deletes log
// rows by age and by number a job, logins that have expired, old audit lines, what
// was deleted as long ago and alarms that have ended, and counts the days again that
// a Java admin counts too.
//
// The Cleaner works in the background and yields to everything else: rows go in
// small transactions with a pause between them that is at least as long as the
// transaction was, each kind of work has a time limit in every pass, and what is
// left waits for the next pass. A fault is logged and costs its own step of its
// own pass, nothing else.
package retention
