// Package dispatch sends runs to executors: at their planned instant, to the
// address that the route strategy chooses, and no later than the node may
// (design: lanes, fencing by time, settling what is in doubt).
//
// A run reaches [Dispatcher.Add] only after it is on record. From there one
// goroutine, the clock, hands due runs to the lanes of package execclient, whose
// answers become outcomes for package completion. No database call lies between
// a planned instant and the socket, except where FAILOVER or BUSYOVER has to
// note the address that it found.
//
// An answer that was lost leaves a run in doubt. Our own executor may simply be
// sent it again, for it runs a trigger once; a Java executor is asked first
// (settle.go).
package dispatch
