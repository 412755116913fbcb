//go:build unix

package script

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// limited returns a context that ends a test which would hang.
func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func prepare(t testing.TB, opts Options, source string) *Script {
	t.Helper()
	script, err := NewStore(t.TempDir(), opts).Prepare(1, 1, shell(t), source)
	require.NoError(t, err)
	return script
}

// run returns what a shell script wrote, its exit status and its error.
func run(t testing.TB, opts Options, source string, args Args) (output string, exit int, err error) {
	t.Helper()
	var out bytes.Buffer
	exit, err = prepare(t, opts, source).Run(limited(t), &out, args)
	return out.String(), exit, err
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		source   string
		args     Args
		want     string
		wantExit int
	}{
		{name: "arguments", source: `echo "$1 $2 $3 $#"`, args: Args{"p q", 2, 5}, want: "p q 2 5 3\n"},
		{name: "empty param", source: `echo "[$1] $2 $3 $#"`, args: Args{"", 0, 1}, want: "[] 0 1 3\n"},
		{name: "param like an option", source: `printf '%s' "$1"`, args: Args{"-c 'rm *' $(id)", 0, 1}, want: "-c 'rm *' $(id)"},
		{name: "exit status", source: "exit 3", wantExit: 3},
		{name: "status above 128", source: "exit 200", wantExit: 200},
		{name: "status of the last command", source: "false", wantExit: 1},
		{name: "standard error", source: "echo oops >&2", want: "oops\n"},
		{
			name:   "both streams in the order of the writes",
			source: "for i in 1 2 3; do echo out$i; echo err$i >&2; done",
			want:   "out1\nerr1\nout2\nerr2\nout3\nerr3\n",
		},
		{name: "no newline at the end", source: "printf abc", want: "abc"},
		{name: "bytes that are no text", source: `printf '\377\000\r\n'`, want: "\xff\x00\r\n"},
		{name: "empty source", source: ""},
		{
			name:   "standard input is an open and silent pipe",
			source: `[ -p /dev/stdin ] && echo pipe; read -t 0.05 x; [ $? -gt 128 ] && echo silent`,
			want:   "pipe\nsilent\n",
		},
		{name: "leads its own group", source: `kill -0 -- -$$ && echo leader`, want: "leader\n"},
		{
			name:   "child without the output is not waited for, nor ended",
			source: `sleep 1 >/dev/null 2>&1 & echo $!; kill -0 $! && echo alive`,
			want:   "*alive\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, exit, err := run(t, Options{}, tt.source, tt.args)
			require.NoError(t, err)
			assert.Equal(t, tt.wantExit, exit)
			if suffix, ok := strings.CutPrefix(tt.want, "*"); ok {
				assert.True(t, strings.HasSuffix(got, suffix), "output %q", got)
			} else {
				assert.Equal(t, tt.want, got)
			}
		})
	}
}

// The child writes only after it has seen the end of its parent, whose end of
// the FIFO it reads.
func TestRunWaitsForAChildThatHoldsTheOutput(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	got, exit, err := run(t, Options{},
		`( cat "$1"; echo late ) & exec 9>"$1"; echo parent; exit 4`, Args{Param: fifo})
	require.NoError(t, err)
	assert.Equal(t, "parent\nlate\n", got)
	assert.Equal(t, 4, exit)
}

func TestRunEnvironment(t *testing.T) {
	t.Setenv("SCRIPT_TEST", "inherited")
	tests := []struct {
		name string
		env  func() []string
		want string
	}{
		{"inherited", nil, "inherited\n"},
		{"replaced", func() []string { return []string{"SCRIPT_TEST=replaced"} }, "replaced\n"},
		{"nothing allowed", func() []string { return nil }, "unset\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := run(t, Options{Env: tt.env}, `echo "${SCRIPT_TEST-unset}"`, Args{})
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestRunWorkingDirectory(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	other, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for dir, want := range map[string]string{"": here, other: other} {
		got, _, err := run(t, Options{Dir: dir}, "pwd -P", Args{})
		require.NoError(t, err)
		assert.Equal(t, want+"\n", got)
	}
}

func TestRunErrors(t *testing.T) {
	missing := Options{Commands: map[string][]string{"GLUE_SHELL": {"no-such-shell", "/nor/this"}}}
	tests := []struct {
		name   string
		opts   Options
		source string
		param  string
		want   []string
		exit   int // -1 unless a signal ended it
	}{
		{name: "no interpreter", opts: missing, want: []string{"no-such-shell, /nor/this", "install one"}},
		{name: "no working directory", opts: Options{Dir: "/no/such/dir"}, want: []string{"not started", "/no/such/dir"}},
		{name: "NUL in the param", param: "a\x00b", want: []string{"NUL byte"}},
		{name: "param too long", param: strings.Repeat("x", 8<<20), want: []string{"8388608 bytes", "pass a reference"}},
		{name: "killed", source: "kill -KILL $$", want: []string{"signal 9 (killed)"}, exit: 137},
		{name: "terminated", source: "kill -TERM $$", want: []string{"signal 15 (terminated)"}, exit: 143},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, exit, err := run(t, tt.opts, tt.source, Args{Param: tt.param})
			assert.Equal(t, cmp.Or(tt.exit, -1), exit)
			assert.Empty(t, got)
			for _, text := range tt.want {
				assert.ErrorContains(t, err, text)
			}
		})
	}
	_, _, err := run(t, missing, "", Args{})
	assert.ErrorIs(t, err, ErrNoInterpreter)
}

// Linux bounds one argument at 128 KiB, its end included.
func TestRunLongestParam(t *testing.T) {
	size := 128<<10 - 1
	if runtime.GOOS != "linux" {
		size = 64 << 10
	}
	got, _, err := run(t, Options{}, `printf '%s' "${#1}"`, Args{Param: strings.Repeat("x", size)})
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(size), got)
}

func TestRunWhoseContextIsDoneStartsNothing(t *testing.T) {
	stopped := errors.New("stopped before")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	proof := filepath.Join(t.TempDir(), "proof")
	exit, err := prepare(t, Options{}, `touch "$1"`).Run(ctx, &bytes.Buffer{}, Args{Param: proof})
	assert.ErrorIs(t, err, stopped)
	assert.Equal(t, -1, exit)
	assert.NoFileExists(t, proof)
}

func TestRunDropsOutputAboveTheLimit(t *testing.T) {
	got, exit, err := run(t, Options{MaxOutputBytes: 6},
		`for i in {1..20000}; do echo "line $i"; done; exit 2`, Args{})
	require.NoError(t, err)
	assert.Equal(t, "line 1\n----------- script output cut: more than 6 bytes -----------\n", got)
	assert.Equal(t, 2, exit, "the script was not blocked, nor did it get SIGPIPE")
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestRunIgnoresAFailingOutput(t *testing.T) {
	exit, err := prepare(t, Options{}, `for i in {1..20000}; do echo "line $i"; done; exit 2`).
		Run(limited(t), fullDisk{}, Args{})
	require.NoError(t, err)
	assert.Equal(t, 2, exit)
}

func TestRunWritesALostSourceAgain(t *testing.T) {
	script := prepare(t, Options{}, "echo original")
	damages := map[string]func() error{
		"removed":        func() error { return os.Remove(script.Path()) },
		"changed":        func() error { return os.WriteFile(script.Path(), []byte("echo tampered"), 0o600) },
		"folder removed": func() error { return os.RemoveAll(filepath.Dir(script.Path())) },
		"job removed":    func() error { return script.store.Remove(1) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, damage())
			var out bytes.Buffer
			_, err := script.Run(limited(t), &out, Args{})
			require.NoError(t, err)
			assert.Equal(t, "original\n", out.String())
		})
	}
}

func TestRunConcurrently(t *testing.T) {
	script := prepare(t, Options{}, `echo "$1"; echo "$1" >&2`)
	ctx := limited(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			var out bytes.Buffer
			param := fmt.Sprint("run", i)
			exit, err := script.Run(ctx, &out, Args{Param: param})
			assert.NoError(t, err)
			assert.Zero(t, exit)
			assert.Equal(t, param+"\n"+param+"\n", out.String())
		})
	}
	wg.Wait()
}

// works reports whether command is an interpreter that runs, and not the shim of
// one that is not installed.
func works(ctx context.Context, command string) bool {
	return exec.CommandContext(ctx, command, "--version").Run() == nil
}

// Every language prints its arguments. Where its interpreter is not installed, a
// stand-in prints what it was called with.
func TestRunLanguages(t *testing.T) {
	t.Parallel()
	standIn := filepath.Join(t.TempDir(), "stand-in")
	require.NoError(t, os.WriteFile(standIn,
		[]byte("#!/usr/bin/env bash\n[ -r \"$1\" ] && [ $# = 4 ] && echo \"$2|$3|$4\"\n"), 0o755))
	sources := map[string]string{
		"GLUE_SHELL":      `echo "$1|$2|$3"`,
		"GLUE_PYTHON":     `import sys; print("|".join(sys.argv[1:]))`,
		"GLUE_PYTHON2":    `import sys; sys.stdout.write("|".join(sys.argv[1:]) + "\n")`,
		"GLUE_NODEJS":     `console.log(process.argv.slice(2).join("|"))`,
		"GLUE_POWERSHELL": `$args -join "|"`,
		"GLUE_PHP":        `<?php echo implode("|", array_slice($argv, 1)), "\n";`,
	}
	require.Len(t, sources, len(languages))
	for _, language := range languages {
		t.Run(language.GlueType, func(t *testing.T) {
			t.Parallel()
			opts := Options{}
			if !works(t.Context(), language.Commands[0]) {
				opts.Commands = map[string][]string{language.GlueType: {"no-such-command", standIn}}
			}
			script, err := NewStore(t.TempDir(), opts).Prepare(1, 1, language, sources[language.GlueType])
			require.NoError(t, err)
			var out bytes.Buffer
			exit, err := script.Run(limited(t), &out, Args{"a b", 1, 3})
			require.NoError(t, err)
			assert.Zero(t, exit)
			assert.Equal(t, "a b|1|3\n", out.String())
		})
	}
}

func TestParamArrivesByteForByte(t *testing.T) {
	script := prepare(t, Options{}, `printf '%s' "$1"`)
	ctx := limited(t)
	rapid.Check(t, func(rt *rapid.T) {
		param := string(rapid.SliceOf(rapid.ByteRange(1, 255)).Draw(rt, "param"))
		var out bytes.Buffer
		_, err := script.Run(ctx, &out, Args{Param: param})
		require.NoError(rt, err)
		assert.Equal(rt, param, out.String())
	})
}

func BenchmarkRun(b *testing.B) {
	script := prepare(b, Options{}, ":")
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if exit, err := script.Run(ctx, &bytes.Buffer{}, Args{}); exit != 0 || err != nil {
			b.Fatal(exit, err)
		}
	}
}
