//go:build unix

package script

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	testGrace = 300 * time.Millisecond
	stopSlack = 10 * time.Second // promised are 200 ms; a loaded machine is given more
)

var errStopped = errors.New("stopped by the test")

// transcript is an output that closes ready when a line "ready" has come.
type transcript struct {
	ready chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	seen bool
}

func newTranscript() *transcript { return &transcript{ready: make(chan struct{})} }

func (tr *transcript) Write(p []byte) (int, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	n, err := tr.text.Write(p)
	if !tr.seen && strings.Contains(tr.text.String(), "ready\n") {
		tr.seen = true
		close(tr.ready)
	}
	return n, err
}

func (tr *transcript) String() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.text.String()
}

// pid returns the number in the line that begins with name.
func (tr *transcript) pid(t *testing.T, name string) int {
	t.Helper()
	for line := range strings.Lines(tr.String()) {
		if text, ok := strings.CutPrefix(line, name+" "); ok {
			pid, err := strconv.Atoi(strings.TrimSpace(text))
			require.NoError(t, err)
			return pid
		}
	}
	require.FailNow(t, "no pid", "%s in %q", name, tr.String())
	return 0
}

// stopped is what came of a run that was stopped when it was ready.
type stopped struct {
	out     *transcript
	exit    int
	err     error
	elapsed time.Duration // from the stop to the return
}

// runAndStop runs a script, stops it when it has written "ready", and waits.
func runAndStop(t *testing.T, opts Options, source string, args Args) stopped {
	t.Helper()
	ctx, cancel := context.WithCancelCause(limited(t))
	defer cancel(nil)
	got := stopped{out: newTranscript()}
	script := prepare(t, opts, source)
	done := make(chan struct{})
	go func() {
		defer close(done)
		got.exit, got.err = script.Run(ctx, got.out, args)
	}()
	select {
	case <-got.out.ready:
	case <-done:
		require.FailNow(t, "run ended too early", "exit %d, error %v, output %q", got.exit, got.err, got.out)
	}
	start := time.Now()
	cancel(errStopped)
	<-done
	got.elapsed = time.Since(start)
	return got
}

// groupMembers returns the living processes of a group; zombies are not. Without
// /proc it asks the kernel only whether there is any.
func groupMembers(t *testing.T, pgid int) (pids []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	if len(stats) == 0 {
		if syscall.Kill(-pgid, 0) == nil {
			return []string{"some"}
		}
		return nil
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		_, rest, _ := strings.Cut(string(text), ") ") // after the command's name
		if fields := strings.Fields(rest); fields[0] != "Z" && fields[2] == strconv.Itoa(pgid) {
			pids = append(pids, strings.Fields(string(text))[0])
		}
	}
	return pids
}

func TestStop(t *testing.T) {
	const long = "sleep 1000"
	tests := []struct {
		name     string
		source   string
		wantKill bool // SIGTERM is not enough
		wantText string
	}{
		{name: "foreground child", source: "echo ready; " + long},
		{name: "busy loop", source: "echo ready; while :; do :; done"},
		{name: "endless output", source: "echo ready; yes"},
		{
			name:   "children and grandchildren",
			source: "bash -c '" + long + " & (" + long + " &) ; echo ready; wait' & " + long,
		},
		{
			name:     "handler of SIGTERM is heard",
			source:   `trap 'echo cleaning; exit 0' TERM; echo ready; while :; do read -t 0.02; done`,
			wantText: "ready\ncleaning\n",
		},
		{
			name:   "script has ended, child holds the output",
			source: "(" + long + " & echo ready) & exit 0",
		},
		{
			name:   "output closed, script goes on",
			source: "echo ready; exec >/dev/null 2>&1; " + long,
		},
		{
			name:     "all ignore SIGTERM",
			source:   "trap '' TERM; " + long + " & bash -c '" + long + "; :' & echo ready; while :; do " + long + "; done",
			wantKill: true,
		},
		{
			name: "script obeys, silent child ignores SIGTERM",
			source: `fifo=$1; (trap '' TERM; exec >/dev/null 2>&1; echo up >"$fifo"; ` + long + `) &
				read x <"$fifo"; echo ready; ` + long,
			wantKill: true,
		},
		{
			name:     "script has ended, child ignores SIGTERM and holds the output",
			source:   `(trap '' TERM; echo ready; ` + long + `; :) & exit 0`,
			wantKill: true,
		},
		{
			name:     "stopped script",
			source:   `(until grep -q '^State:.T' /proc/$$/status; do :; done; echo ready) & kill -STOP $$`,
			wantKill: true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := os.Stat("/proc/self/status"); err != nil && tt.name == "stopped script" {
				tt.source = "echo ready; kill -STOP $$" // stopped before or after: both must end
				tt.wantKill = false
			}
			fifo := filepath.Join(t.TempDir(), "fifo")
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			got := runAndStop(t, Options{KillGrace: testGrace, MaxOutputBytes: 1 << 20},
				"echo group $$\n"+tt.source, Args{Param: fifo})

			group := got.out.pid(t, "group")
			assert.Empty(t, groupMembers(t, group), "processes of the group are left")
			assert.ErrorIs(t, got.err, errStopped)
			assert.Equal(t, -1, got.exit)
			assert.NotContains(t, got.err.Error(), "could not be ended")
			assert.Less(t, got.elapsed, testGrace+stopSlack)
			if tt.wantKill {
				assert.GreaterOrEqual(t, got.elapsed, testGrace, "killed without its grace")
			}
			assert.Contains(t, got.out.String(), tt.wantText)
		})
	}
}

func TestStopWithoutGrace(t *testing.T) {
	got := runAndStop(t, Options{KillGrace: -1},
		`trap 'echo asked; exit 0' TERM; echo group $$; echo ready; while :; do read -t 1; done`, Args{})
	assert.ErrorIs(t, got.err, errStopped)
	assert.Less(t, got.elapsed, stopSlack)
	assert.NotContains(t, got.out.String(), "asked")
	assert.Empty(t, groupMembers(t, got.out.pid(t, "group")))
}

// A process that made a session of its own is out of reach. It must neither hold
// up the run nor write to its output any more.
func TestStopWithAnEscapedProcess(t *testing.T) {
	tests := []struct {
		name   string
		parent string
	}{
		{"script runs", "echo ready; sleep 1000"},
		{"script ignores SIGTERM", "trap '' TERM; echo ready; sleep 1000; :"},
		{"script has ended", "echo ready"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "fifo")
			require.NoError(t, syscall.Mkfifo(fifo, 0o600))
			// Job control (set -m) is what bash has to make a group.
			got := runAndStop(t, Options{KillGrace: testGrace}, `set -m
				(trap '' TERM PIPE; echo up >"$1"; read x <"$1"; echo late; echo written >"$1") & escaped=$!
				set +m; read x <"$1"; echo group $$; echo escaped $escaped
				`+tt.parent, Args{Param: fifo})
			escaped := got.out.pid(t, "escaped")
			defer func() { _ = syscall.Kill(-escaped, syscall.SIGKILL) }()

			assert.ErrorIs(t, got.err, errStopped)
			assert.Less(t, got.elapsed, testGrace+stopSlack)
			assert.Empty(t, groupMembers(t, got.out.pid(t, "group")))
			require.NotEmpty(t, groupMembers(t, escaped), "nothing had escaped")

			before := got.out.String()
			require.NoError(t, os.WriteFile(fifo, []byte("go\n"), 0o600))
			answer, err := os.ReadFile(fifo)
			require.NoError(t, err)
			assert.Equal(t, "written\n", string(answer))
			assert.Equal(t, before, got.out.String(), "output after the end of Run")
		})
	}
}

func TestStopManyAtOnce(t *testing.T) {
	script := prepare(t, Options{KillGrace: testGrace}, "echo group $$; echo ready; sleep 1000")
	ctx, cancel := context.WithCancelCause(limited(t))
	outs := make([]*transcript, 10)
	var wg sync.WaitGroup
	for i := range outs {
		outs[i] = newTranscript()
		wg.Go(func() {
			_, err := script.Run(ctx, outs[i], Args{})
			assert.ErrorIs(t, err, errStopped)
		})
	}
	for _, out := range outs {
		<-out.ready
	}
	cancel(errStopped)
	wg.Wait()
	for _, out := range outs {
		assert.Empty(t, groupMembers(t, out.pid(t, "group")))
	}
}
