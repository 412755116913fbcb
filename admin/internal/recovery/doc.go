// Package recovery finishes what nobody else will: runs that a node which is
// gone had on record, and runs of which no executor reports anything any more
// (promise A4; design 4.3).
//
// When this node gains a shard, [Recovery.Gained] takes its open runs over:
// what was planned for after the end of the old lease was sent by nobody and is
// simply sent; the rest may have been sent and is settled by package dispatch,
// not before the old owner's last call can have ended. Once a minute the sweep
// looks at runs that executors took long ago.
package recovery
