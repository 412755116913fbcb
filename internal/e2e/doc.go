// Package e2e proves the promises E1 to E5 of docs/guarantees.md on the real
// kitchensink program: its tests start it, kill it at random moments and
// between the records of its journal, take the admin, the disk and the network
// away from it, and then judge from outside what became of every trigger.
//
// The short form takes a few minutes; XXLJOB_LONG=1 selects the full lengths.
// The tests need Linux, and root for the disks that they mount.
package e2e
