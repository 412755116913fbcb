//go:build !unix && !windows

package script

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// askGroup asks the script itself, if the system can.
func askGroup(leader *os.Process) { _ = leader.Signal(os.Interrupt) }

// killGroup kills the script itself.
func killGroup(leader *os.Process) { _ = leader.Kill() }

// groupAlive knows nothing but the leader, which has ended.
func groupAlive(*os.Process) bool { return false }

// endSignal knows no signals.
func endSignal(*os.ProcessState) (exit int, name string) { return 0, "" }

// tooLong knows no error that says so.
func tooLong(error) bool { return false }
