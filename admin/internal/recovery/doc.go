// Package recovery finishes what nobody else will: runs that a node which is
// gone had on record, and runs of which no executor reports anything any more
// (promise A4; design 4.3).
//
// When this node gains a shard, [Recovery.Gained] takes its open runs over:
// what was planned for after the end of the old lease was sent by nobody and is
// simply sent; the rest may have been sent and is settled by package dispatch,
// not before the old owner's last call can have ended. Runs that a node made
// without a lease (retries, children, what people start) carry the name of their
// maker: when that node is gone, [Recovery.NodeGone] takes them over. Once a minute the sweep
// looks at runs that executors took long ago.
package recovery
