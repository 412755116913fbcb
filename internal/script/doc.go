// Package script runs GLUE scripts: sources that come over the wire with a
// trigger, are kept as files under <LogPath>/gluesource and are run by an
// interpreter of the machine as a process of their own. It decides nothing
// about whether scripts may run at all; the executor does, and says no unless
// the program switched them on.
//
// # What a script sees
//
// Its argument vector is
//
//	<command> <script file> <param> <shard index> <shard total>
//
// with an empty param where the trigger had none. Standard input is a pipe that
// stays open and silent. Standard output and standard error are one pipe, so
// what is written to either arrives in the order of the writes, without any
// prefix. Environment and working directory are those of the executor, unless
// Options says otherwise.
//
// # When a run ends
//
// A run ends when the process has exited and its output has reached the end. A
// background child that keeps the output open therefore keeps the run open;
// one that redirected its output does not, and lives on when the script ends by
// itself.
//
// A run whose context is done is stopped. The script leads a process group of
// its own: the group gets SIGTERM, and SIGKILL after Options.KillGrace. Run
// returns at most 0.1 s later. No process of the group is left by then; one
// that moved to a group or session of its own (setsid) is out of reach, loses
// the reader of its output and goes on. So does a process that runs as another
// user (sudo), which the error of Run then says.
//
// On Windows the group gets CTRL_BREAK, which reaches it only if it shares the
// executor's console, and after KillGrace the tree is ended with taskkill, which
// finds no children once the script itself has ended. On systems with neither
// only the script itself is killed.
//
// A script may outlive an executor that is killed with SIGKILL or crashes, as
// nobody is left to stop it: the parent-death signal of Linux is bound to the
// thread that forked, which in Go may end at any time. It then notices that its
// standard input has ended and gets SIGPIPE when it writes.
package script
