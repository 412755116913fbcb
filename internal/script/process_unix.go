//go:build unix

package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process the leader of a new group, whose id is its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// A signal that finds nobody has nothing to do, so errors are of no interest.
func askGroup(leader *os.Process)  { _ = syscall.Kill(-leader.Pid, syscall.SIGTERM) }
func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// groupAlive reports whether a process of the group is alive. The leader must
// have been reaped. An executor that is the first process of its container
// inherits the orphans of the group; they are reaped here, or nobody would.
func groupAlive(leader *os.Process) bool {
	reapOrphans(leader.Pid)
	switch err := syscall.Kill(-leader.Pid, 0); err {
	case nil:
		if !onlyZombies(leader.Pid) {
			return true
		}
		reapOrphans(leader.Pid) // those that have ended since
		return false
	case syscall.ESRCH:
		return false
	default: // EPERM: it runs as another user
		return true
	}
}

// reapOrphans reaps what has ended in the group and is a child of ours.
func reapOrphans(pgid int) {
	for {
		pid, err := syscall.Wait4(-pgid, nil, syscall.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return
		}
	}
}

// endSignal names the signal that ended the process, with the exit status that
// a shell, and Java, give such an end; or is empty.
func endSignal(state *os.ProcessState) (exit int, name string) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, ""
	}
	return 128 + int(status.Signal()), fmt.Sprintf("signal %d (%s)", int(status.Signal()), status.Signal())
}

// tooLong reports whether err says that the arguments are too long.
func tooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
