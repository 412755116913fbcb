package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

var update = flag.Bool("update", false, "write the golden files anew")

// runProgram makes the test binary behave as the program itself.
const runProgram = "XXLJOB_TEST_RUN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(runProgram) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(run(ctx, os.Args[1:], cli.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	build()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(built.folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}))
}

// built is the program that programFile returns.
var built struct {
	folder string
	err    error
}

// build makes it before the first test begins: compilers beside them would take
// the time of those that wait for other processes.
func build() {
	if built.folder, built.err = os.MkdirTemp("", "xxl-job-admin-"); built.err != nil {
		return
	}
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", built.folder, ".").CombinedOutput()
	if err != nil {
		built.err = fmt.Errorf("go build: %w\n%s", err, out)
	}
}

// programFile is the program for commands that people type. It is built without the
// race detector: with it, each command takes a second until it begins. The
// server of a test is the test binary itself, so that it has the detector.
func programFile(t *testing.T) string {
	t.Helper()
	require.NoError(t, built.err)
	return filepath.Join(built.folder, "xxl-job-admin")
}

// call runs a command in this process.
func call(t *testing.T, stdin string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, cli.Console{In: strings.NewReader(stdin), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644)) //nolint:gosec // part of the repository
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run with -update if this is right")
}

// TestHelp keeps the whole command line in view.
func TestHelp(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"help.txt":         {"--help"},
		"help_serve.txt":   {"serve", "--help"},
		"help_demo.txt":    {"demo", "--help"},
		"help_migrate.txt": {"migrate", "--help"},
		"help_import.txt":  {"import", "--help"},
		"help_job.txt":     {"job", "--help"},
		"help_apply.txt":   {"job", "apply", "--help"},
		"help_run.txt":     {"job", "run", "--help"},
		"help_key.txt":     {"key", "create", "--help"},
		"help_user.txt":    {"user", "--help"},
		"help_passwd.txt":  {"user", "passwd", "--help"},
		"help_cron.txt":    {"cron", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errOut := call(t, "", args...)
			assert.Equal(t, cli.ExitOK, code)
			assert.Empty(t, errOut)
			golden(t, name, out)
		})
	}
}

// TestUsage: mistakes end with code 2 and say what to do.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	local := []string{"serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data")}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"unknown flag", []string{"--nope"}, "unknown flag --nope"},
		{"unknown command", []string{"nope"}, "there is no command \"nope\"\nRun \"xxl-job-admin --help\" for the commands."},
		{"nearly a command", []string{"jobs", "list"}, `there is no command "jobs", did you mean "job"?`},
		{"too much for serve", []string{"serve", "nope"}, "unexpected argument nope"},
		{"unknown value", []string{"job", "list", "--state", "x"}, `--state must be one of "started","stopped" but got "x"`},
		{"unknown order", []string{"job", "list", "--sort", "-x"}, `,"-next_fire" but got "-x"`},
		{"limit of no wait", []string{"job", "run", "x", "--wait-timeout", "1s"}, "--wait-timeout is for --wait or --follow"},
		{"limit of no wait for a retry", []string{"run", "retry", "1", "--wait-timeout", "1s"}, "--wait-timeout is for --wait"},
		{"limit below 0", []string{"job", "run", "x", "--wait", "--wait-timeout=-1s"}, "must not be below 0"},
		{"unknown dialect", []string{"serve", "--dialect", "B"}, `--dialect must be one of "auto","A","C"`},
		{"no duration", []string{"serve", "--retry-delay", "soon"}, "--retry-delay: expected duration"},
		{"no file", []string{"--config", filepath.Join(dir, "none"), "version"}, "no such file"},
		{"file that is no JSON", []string{"--config", file("a", "listen: x"), "version"}, "a JSON object of flags is expected"},
		{"file with a rest", []string{"--config", file("b", "{} {}"), "version"}, "something follows the JSON object"},
		{"file with an unknown flag", []string{"--config", file("c", `{"lisen":":1"}`), "version"}, "there is no flag lisen"},
		{"file with an object", []string{"--config", file("d", `{"listen":{"port":1}}`), "version"}, `the value of "listen" must be a text`},
		{"no address", []string{"serve", "--listen", "x"}, `--listen "x" is not of the form HOST:PORT, such as :8080`},
		{"no port", []string{"serve", "--listen", "127.0.0.1:"}, `--listen "127.0.0.1:" is not of the form HOST:PORT`},
		{"no such port", append(local, "--metrics-listen", ":65536"), `--metrics-listen ":65536" is not of the form`},
		{"database of an unknown kind", append(local, "--db", "oracle://u:s3cret@h/x", "--access-token", "t"), "--db: the database must be named as sqlite:FILE, mysql://"},
		{"database with the parameters of Java", append(local, "--db", "mysql://u:s3cret@h/x?useSSL=false"), "--db: database mysql://u:xxxxx@h/x?useSSL=false: parameter useSSL belongs"},
		{"migrate: database", []string{"migrate", "--db", "jdbc:mysql://h/x"}, "--db: the database must be named as"},
		{"migrate: list", []string{"migrate", "--dry-run", "--db", "mysql:x"}, "--db: database mysql:x: host and database are needed"},
		{"import: database", []string{"import", "--from", "oracle://u:s3cret@h/x"}, "--from: the database must be named as"},
		{"import: target", []string{"import", "--from", "mysql://u:s3cret@h:1/x", "--to", "x.db"}, "--to: the database must be named as"},
		{"import: itself", []string{"import", "--from", "mysql://u:s3cret@h:1/x", "--to", "mysql://v@h:1/x"}, "are the same database"},
		{"import: no file", []string{"import", "--from", "sqlite:" + filepath.Join(dir, "none.db")}, "--from: there is no file"},
		{"import: days", []string{"import", "--from", "mysql://u:s3cret@h:1/x", "--logs=-1"}, "--logs must be a number of days"},
		{"import: zone", []string{"import", "--from", "mysql://u:s3cret@h:1/x", "--from-time-zone", "Mars"}, "--from-time-zone"},
		{"user: database", []string{"user", "list", "--db", "x.db"}, "--db: the database must be named as"},
		{"zone", append(local, "--time-zone", "Mars"), `"Mars" is no IANA time zone`},
		{"public address", append(local, "--public-url", "https://admin:secret@jobs.example.com"), "--public-url holds a user"},
		{"public token", append(local, "--access-token", "default_token"), "public default of xxl-job"},
		{"server database without a token", []string{"serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "new"), "--db", "mysql://u:p@127.0.0.1:1/x"}, "give --access-token (or XXL_JOB_ADMIN_ACCESS_TOKEN)"},
		{"short password", append(local, "--admin-password", "x"), "--admin-password must have 8 to 64"},
		{"language", append(local, "--language", "fr"), "use zh_CN, zh_TC or en"},
		{"executor timeout", append(local, "--executor-timeout", "1m"), "ExecutorTimeout 1m0s is not between 1s and 10s"},
		{"alarms", append(local, "--alarms", file("e", "{}")), "alarm channels: a JSON array is expected"},
		{"demo", []string{"demo", "--executors", "0"}, "--executors 0 is not between 1 and 9"},
		{"cron count", []string{"cron", "-n", "0", "* * * * * ?"}, "--count 0 is not between"},
		{"cron zone", []string{"cron", "--zone", "Local", "* * * * * ?"}, `"Local" is no IANA time zone`},
		{"cron after", []string{"cron", "--after", "noon", "* * * * * ?"}, `--after "noon" is no time`},
		{"no password", []string{"user", "passwd", "admin", "--password-stdin"}, "standard input is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errOut := call(t, "", tt.args...)
			assert.Equal(t, cli.ExitUsage, code, errOut)
			assert.Contains(t, errOut, tt.want)
			assert.NotContains(t, errOut, "s3cret")
		})
	}
	assert.NoDirExists(t, filepath.Join(dir, "data"), "nothing is made for a mistake")
	assert.NoDirExists(t, filepath.Join(dir, "new"))
}

// TestNoFolderForAServer: a database server keeps everything, whether it answers
// or not.
func TestNoFolderForAServer(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	code, _, errOut := call(t, "", "serve", "--listen", "127.0.0.1:0", "--data-dir", data,
		"--db", "mysql://u:s3cret@127.0.0.1:1/x", "--access-token", "a-token-of-our-own")
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "connect to database mysql://u:xxxxx@127.0.0.1:1/x")
	assert.NoDirExists(t, data)
}

// TestUsersWithoutADatabase: commands on users make no database.
func TestUsersWithoutADatabase(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"user", "list", "--data-dir", dir},
		{"user", "list", "--data-dir", filepath.Join(dir, "new")},
		{"user", "add", "somebody", "--db", "sqlite:" + filepath.Join(dir, "x.db")},
	} {
		code, _, errOut := call(t, "", args...)
		assert.Equal(t, cli.ExitFault, code)
		assert.Contains(t, errOut, "there is no database")
		assert.Contains(t, errOut, "start the admin once")
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestSources: a flag wins over the environment, and that over the file; what
// Kubernetes sets for a service called xxl-job-admin harms nobody.
func TestSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flags.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"zone":"Asia/Tokyo","count":2,"listen":":1"}`), 0o600))
	for name, value := range map[string]string{
		"XXL_JOB_ADMIN_PORT": "tcp://10.0.0.1:8080", "XXL_JOB_ADMIN_SERVICE_HOST": "10.0.0.1",
		"XXL_JOB_ADMIN_SERVICE_PORT": "8080", "XXL_JOB_ADMIN_PORT_8080_TCP": "tcp://10.0.0.1:8080",
		"XXL_JOB_ADMIN_SHARDS": "", "XXL_JOB_ADMIN_LOG_DAYS": "", "XXL_JOB_ADMIN_ALLOW_INSECURE_TOKEN": "",
	} {
		t.Setenv(name, value)
	}
	const expr = "0 0 12 * * ?"
	args := []string{"--config", path, "cron", "--after", "2026-03-28 00:00:00", expr}
	code, out, errOut := call(t, "", args...)
	assert.Equal(t, cli.ExitOK, code, errOut)
	assert.Equal(t, "2026-03-28 12:00:00 +09:00 Sat\n2026-03-29 12:00:00 +09:00 Sun\n", out)

	_, out, _ = call(t, "", append(args, "--count", "1")...)
	assert.Equal(t, "2026-03-28 12:00:00 +09:00 Sat\n", out)

	t.Setenv("XXL_JOB_ADMIN_CONFIG", path)
	_, out, _ = call(t, "", "cron", "--after", "2026-03-28 00:00:00", "-n", "1", expr)
	assert.Equal(t, "2026-03-28 12:00:00 +09:00 Sat\n", out)

	t.Setenv("XXL_JOB_ADMIN_LISTEN", "127.0.0.1:99999")
	code, _, errOut = call(t, "", "serve")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errOut, `--listen "127.0.0.1:99999"`, "the environment wins over the file")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t, "", "version")
	assert.Equal(t, cli.ExitOK, code)
	assert.Regexp(t, `^xxl-job-admin \S+.* \(go1\.\S+, \w+/\w+\)\n$`, out)
}
