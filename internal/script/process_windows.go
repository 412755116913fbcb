package script

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	ctrlBreakEvent     = 1
	errFilenameTooLong = syscall.Errno(206) // ERROR_FILENAME_EXCED_RANGE
	statusControlCExit = 0xC000013A

	taskkillLimit = 2 * time.Second
)

var generateConsoleCtrlEvent = syscall.NewLazyDLL("kernel32.dll").NewProc("GenerateConsoleCtrlEvent")

// ownGroup makes the process the first of a new console process group, whose id
// is its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// askGroup sends CTRL_BREAK; without a common console it reaches nobody.
func askGroup(leader *os.Process) {
	_, _, _ = generateConsoleCtrlEvent.Call(ctrlBreakEvent, uintptr(leader.Pid))
}

// killGroup ends the leader and all that descend from it. It may take longer
// than settle, but not longer than taskkillLimit.
func killGroup(leader *os.Process) {
	ctx, cancel := context.WithTimeout(context.Background(), taskkillLimit)
	defer cancel()
	// Not by PATH: a stranger's taskkill.exe must not be run.
	taskkill := filepath.Join(os.Getenv("SystemRoot"), "System32", "taskkill.exe")
	_ = exec.CommandContext(ctx, taskkill, "/T", "/F", "/PID", strconv.Itoa(leader.Pid)).Run()
	_ = leader.Kill() // in case taskkill is not to be had
}

// groupAlive knows nothing but the leader, which has ended.
func groupAlive(*os.Process) bool { return false }

// endSignal names the console event that ended the process, or is empty.
func endSignal(state *os.ProcessState) (exit int, name string) {
	if uint32(state.ExitCode()) == statusControlCExit {
		return -1, "CTRL_C or CTRL_BREAK"
	}
	return 0, ""
}

// tooLong reports whether err says that the arguments are too long.
func tooLong(err error) bool { return errors.Is(err, errFilenameTooLong) }
