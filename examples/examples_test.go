package examples_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/xxljobtest"
)

// limit bounds what a test waits for.
func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

// program is an example at work.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	port string

	mu     sync.Mutex
	output bytes.Buffer
	stdout io.Reader
}

// Write collects what the program prints.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(b)
}

// text returns what the program has printed so far.
func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// start runs an example in a folder of its own. It is killed at the end of the
// test unless it was stopped.
func start(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{t: t, port: freePort(t)}
	p.cmd = exec.CommandContext(limit(t), filepath.Join(programs, name), append(args, "-port", p.port)...)
	p.cmd.Dir = t.TempDir()
	p.cmd.Stderr = p
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.stdout = io.TeeReader(stdout, p)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("output of %s:\n%s", name, p.text())
		}
	})
	return p
}

// startUnder runs an example under a stand-in admin and waits until it has
// registered.
func startUnder(t *testing.T, admin *xxljobtest.Admin, name string, args ...string) *program {
	t.Helper()
	p := start(t, name, append(args, "-admin", admin.URL(), "-token", admin.Token())...)
	_, err := admin.Executor(limit(t), name, "")
	require.NoError(t, err, "%s does not register: %s", name, p.text())
	return p
}

// stop ends the program as Ctrl-C does. It must end well.
func (p *program) stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(os.Interrupt))
	_, err := io.Copy(io.Discard, p.stdout)
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Wait(), p.text())
}

// run triggers a run and returns its result and its log.
func run(t *testing.T, admin *xxljobtest.Admin, trigger xxljobtest.Trigger) (xxljobtest.Report, string) {
	t.Helper()
	ctx := limit(t)
	logID, err := admin.Trigger(ctx, trigger)
	require.NoError(t, err)
	report, err := admin.Result(ctx, logID)
	require.NoError(t, err)
	text, err := admin.Log(ctx, logID)
	require.NoError(t, err)
	return report, text
}

func TestBasic(t *testing.T) {
	t.Parallel()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	p := startUnder(t, admin, "basic")
	report, text := run(t, admin, xxljobtest.Trigger{Handler: "greet", Param: "Ada"})
	assert.Equal(t, 200, report.Code)
	assert.Equal(t, "hello Ada", report.Msg)
	assert.Contains(t, text, "greeting Ada\n")
	report, _ = run(t, admin, xxljobtest.Trigger{Handler: "greet"})
	assert.Equal(t, 500, report.Code)
	assert.True(t, report.NoRetry)
	p.stop()
	assert.Empty(t, admin.Registered())
}

// TestBasicNeedsAToken starts it as somebody does who has not read on.
func TestBasicNeedsAToken(t *testing.T) {
	t.Parallel()
	p := start(t, "basic")
	_, err := io.Copy(io.Discard, p.stdout)
	require.NoError(t, err)
	require.Error(t, p.cmd.Wait())
	assert.Contains(t, p.text(), "AccessToken is empty")
}

// TestStandalone reads what the basic example prints on its own, and does by
// hand what it and the README say.
func TestStandalone(t *testing.T) {
	t.Parallel()
	p := start(t, "basic", "-standalone")
	lines := bufio.NewScanner(p.stdout)
	await := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("it does not print %q", want)
	}
	await("result of run 1: 200 hello world")
	await("greeting world")
	await("result of run 2: 200 hello world") // the schedule goes on

	head, rest, found := strings.Cut(p.text(), "NOW=$(date +%s)\n")
	require.True(t, found, head)
	commands, _, _ := strings.Cut("NOW=$(date +%s)\n"+rest, "\n\n")
	commands += "\n"
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	assert.Contains(t, string(readme), strings.ReplaceAll(commands, ":"+p.port+"/", ":9999/"),
		"README.md and examples/basic give the same commands")

	calls := regexp.MustCompile(`(?m)^curl -s -w '\\n' (\S+) -H '([^:']+): ([^']+)' \\\n  -d '((?:.|\n)+?)'$`).FindAllStringSubmatch(commands, -1)
	require.Len(t, calls, 2, commands)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	body := curl(t, calls[0], now)
	assert.JSONEq(t, `{"code":200,"msg":"Success"}`, body)
	await("result of run " + now + ": 200 hello curl")
	assert.Contains(t, curl(t, calls[1], now), `greeting curl\n`)
	p.stop()
	assert.Contains(t, p.text(), "executor stopped")
}

// curl does what a command of the README does: url, header, value and body.
func curl(t *testing.T, command []string, now string) string {
	t.Helper()
	body := strings.ReplaceAll(command[4], `'$NOW'`, now)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, command[1], strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set(command[2], command[3])
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded") // curl's
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(answer)
}

// TestJobs: an admin that knows nothing of jobs from code is told nothing of
// them; the program says so, and its handlers run.
func TestJobs(t *testing.T) {
	t.Parallel()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	p := startUnder(t, admin, "jobs")
	report, _ := run(t, admin, xxljobtest.Trigger{Handler: "report", Param: "daily"})
	assert.Equal(t, 200, report.Code)
	assert.Equal(t, "daily report written", report.Msg)
	p.stop()
	assert.Contains(t, p.text(), "jobs declared in code are not created")
}

func TestTyped(t *testing.T) {
	t.Parallel()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{Dialect: xxljobtest.DialectLegacy})
	p := startUnder(t, admin, "typed")
	tests := []struct {
		name     string
		param    string
		wantCode int
		wantMsg  string
	}{
		{name: "all fields", param: `{"customer": 4711, "month": "2026-03"}`, wantCode: 200, wantMsg: "sent the invoice of March 2026 to customer 4711"},
		{name: "dry run", param: `{"customer": 4711, "dryRun": true}`, wantCode: 200, wantMsg: "dry run, nothing was sent"},
		{name: "misspelled", param: `{"custmer": 4711}`, wantCode: 500, wantMsg: "custmer"},
		{name: "no parameter", wantCode: 500, wantMsg: "customer is 0: give a customer number"},
	}
	for _, tt := range tests {
		report, _ := run(t, admin, xxljobtest.Trigger{Handler: "invoice", Param: tt.param})
		assert.Equal(t, tt.wantCode, report.Code, tt.name)
		assert.Contains(t, report.Msg, tt.wantMsg, tt.name)
	}
	p.stop()
}

// TestSharding broadcasts to three executors, as an admin does.
func TestSharding(t *testing.T) {
	t.Parallel()
	const total = 3
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	started := make([]*program, total)
	for i := range started {
		started[i] = start(t, "sharding", "-admin", admin.URL(), "-token", admin.Token())
	}
	sum := 0
	for i, p := range started {
		report, text := run(t, admin, xxljobtest.Trigger{
			Handler: "recount", ShardIndex: i, ShardTotal: total, Address: "http://127.0.0.1:" + p.port + "/",
		})
		var index, of, customers int
		_, err := fmt.Sscanf(report.Msg, "shard %d of %d: %d customers", &index, &of, &customers)
		require.NoError(t, err, report.Msg)
		assert.Equal(t, []int{i, total}, []int{index, of})
		assert.Contains(t, text, "300 customers done")
		sum += customers
	}
	assert.Equal(t, 1000, sum, "each customer belongs to one shard")
	for _, p := range started {
		p.stop()
	}
}

func TestMounted(t *testing.T) {
	t.Parallel()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{Dialect: xxljobtest.DialectMaster})
	p := startUnder(t, admin, "mounted")
	assert.Equal(t, "http://127.0.0.1:"+p.port+"/jobs", admin.Registered()[0].Address)
	report, text := run(t, admin, xxljobtest.Trigger{Handler: "ping"})
	assert.Equal(t, "ping 1", report.Msg)
	assert.Contains(t, text, "handleCode=200")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+p.port+"/pings", http.NoBody)
	require.NoError(t, err)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	own, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Equal(t, "1\n", string(own), "the service's own page")
	p.stop()
	assert.Empty(t, admin.Registered())
}

// TestGraceful stops with two runs at work: one that ends in time, one that
// does not.
func TestGraceful(t *testing.T) {
	t.Parallel()
	ctx := limit(t)
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	p := startUnder(t, admin, "graceful", "-stop-time", "4s")
	short, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "import", Param: "50", JobID: 1})
	require.NoError(t, err)
	long, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "import", Param: "1000000", JobID: 2})
	require.NoError(t, err)
	p.stop()

	report, err := admin.Result(ctx, short)
	require.NoError(t, err)
	assert.Equal(t, "50 rows", report.Msg)
	report, err = admin.Result(ctx, long)
	require.NoError(t, err)
	assert.Equal(t, "web container destroy and kill the job. [job running, killed]", report.Msg)
	assert.Contains(t, p.text(), "every result is delivered")
	assert.Empty(t, admin.Registered())

	logs, err := filepath.Glob(filepath.Join(p.cmd.Dir, "xxl-job-logs", "*", strconv.FormatInt(long, 10)+".log"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	text, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), "are left to the next run")
}

func TestScript(t *testing.T) {
	t.Parallel()
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	p := startUnder(t, admin, "script")
	report, text := run(t, admin, xxljobtest.Trigger{
		GlueType: "GLUE_SHELL", GlueSource: "echo \"param $1 in $(basename \"$PWD\")\"\necho \"home ${HOME:-unset}\"", Param: "p1",
	})
	assert.Equal(t, 200, report.Code, report.Msg)
	assert.Contains(t, text, "param p1 in work\n")
	assert.Contains(t, text, "home unset\n")
	report, _ = run(t, admin, xxljobtest.Trigger{
		GlueType: "GLUE_SHELL", GlueSource: "exit 3", GlueUpdated: time.UnixMilli(2),
	})
	assert.Equal(t, 500, report.Code)
	assert.Contains(t, report.Msg, "3")
	p.stop()
}
