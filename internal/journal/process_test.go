package journal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests here start this test binary again, as another process.
const (
	roleVar = "JOURNAL_TEST_ROLE"
	dirVar  = "JOURNAL_TEST_DIR"
	failVar = "JOURNAL_TEST_FAILPOINT"
)

// child runs this test binary in a role; see TestMain.
func child(t *testing.T, role, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), append(env, roleVar+"="+role, dirVar+"="+dir)...)
	return cmd
}

// asChild does what the parent asked for.
func asChild(ctx context.Context, role string) int {
	dir := os.Getenv(dirVar)
	switch role {
	case "hold":
		j, _, err := Open(ctx, Config{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("open")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		_ = j.Close()
	case "kill":
		killedRun(ctx, dir, os.Getenv(failVar))
	}
	return 0
}

// killedRun says what was promised, line by line, until the failpoint kills
// the process.
func killedRun(ctx context.Context, dir, name string) {
	j, _, err := Open(ctx, Config{Dir: dir, SegmentBytes: 16 << 10, Failpoint: func(at string) {
		if at == name {
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	say := func(what string, n int) { _, _ = fmt.Fprintf(os.Stdout, "%s %d\n", what, n) }
	flush := func() { _ = j.Flush(ctx) }
	first, err := j.Accept(trigger(1), false, []byte("first"))
	if err != nil {
		return
	}
	say("accepted", 1)
	second, _ := j.Accept(trigger(2), true, []byte("second"))
	say("accepted", 2)
	j.Start(first, trigger(1))
	flush()
	j.Finish(second, trigger(2), Result{Code: 200, Msg: "done"})
	flush()
	got := j.Next(10, 1<<20)
	for range got {
		say("sent", 2)
	}
	_ = j.Ack(got)
	flush()
	say("acknowledged", 2)
	third, _ := j.Accept(trigger(3), false, nil)
	j.Withdraw(third, trigger(3))
	flush()
	say("withdrawn", 3)
}

// TestKill kills the process before and after each kind of write. What was
// promised until then must hold, and what was not must not be there twice.
func TestKill(t *testing.T) {
	t.Parallel()
	for k := kindAccepted; k <= kindWithdrawn; k++ {
		for _, when := range []string{"before", "after"} {
			name := kindNames[k] + "." + when
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "app-1")
				out, err := child(t, "kill", dir, failVar+"="+name).Output()
				require.Error(t, err, "the failpoint is never reached")
				said := string(out)
				j, rec := reopen(t, nil, Config{Dir: dir})
				require.Empty(t, rec.Problems)
				open := map[int64]OpenRun{}
				for _, run := range rec.Open {
					open[run.ID.LogID] = run
				}
				var unsent []Finished
				for got := j.Next(10, 1<<20); got != nil; got = j.Next(10, 1<<20) {
					unsent = append(unsent, got...)
				}
				for n := int64(1); n <= 2; n++ {
					if !strings.Contains(said, fmt.Sprintf("accepted %d\n", n)) {
						continue
					}
					assert.True(t, j.Known(trigger(int(n))), "accepted, so known")
					_, isOpen := open[n]
					done := n == 2 && (len(unsent) == 1 || strings.Contains(said, "sent 2\n"))
					assert.True(t, isOpen != done, "run %d has exactly one fate: %v", n, said)
				}
				if run, ok := open[1]; ok {
					assert.Equal(t, "first", string(run.Payload))
				}
				if k > kindStarted && k != kindAcknowledged || name == "started.after" {
					assert.True(t, open[1].Started)
				}
				if name == "finished.after" {
					assert.Len(t, unsent, 1, "written, so it survives")
				}
				if name == "acknowledged.before" {
					assert.Len(t, unsent, 1, "not acknowledged, so it is sent again")
				}
				if name == "acknowledged.after" || k == kindWithdrawn {
					assert.Empty(t, unsent)
				}
				if name == "withdrawn.after" {
					assert.NotContains(t, open, int64(3))
					assert.False(t, j.Known(trigger(3)))
				}
			})
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "app-1")
	owner := child(t, "hold", dir)
	in, err := owner.StdinPipe()
	require.NoError(t, err)
	out, err := owner.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, owner.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open\n", line)

	_, _, err = Open(t.Context(), Config{Dir: dir, LockWait: time.Millisecond})
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, fmt.Sprintf("process %d", owner.Process.Pid))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = Open(ctx, Config{Dir: dir})
	require.ErrorIs(t, err, context.Canceled)

	opened := make(chan error, 1)
	go func() {
		j, _, err := Open(t.Context(), Config{Dir: dir})
		if err == nil {
			err = j.Close()
		}
		opened <- err
	}()
	require.NoError(t, in.Close())
	require.NoError(t, owner.Wait())
	require.NoError(t, <-opened, "the second owner waits for the first to end")
}
