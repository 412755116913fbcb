package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// startLimit bounds the waits for a process.
const startLimit = 30 * time.Second

// process is the program, running on its own.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when its output has ended

	mu     sync.Mutex
	output bytes.Buffer
	grown  chan struct{} // closed and replaced when output grows
}

// start runs the program in dir.
func start(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{cmd: exec.CommandContext(t.Context(), self, args...), done: make(chan struct{}), grown: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), runProgram+"=1", "TMPDIR="+dir)
	p.cmd.Env = append(p.cmd.Env, env...)
	pipe, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.cmd.Stderr = p.cmd.Stdout
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		lines := bufio.NewReader(pipe)
		for {
			line, err := lines.ReadString('\n')
			p.mu.Lock()
			p.output.WriteString(line)
			close(p.grown)
			p.grown = make(chan struct{})
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { p.end(t, syscall.SIGKILL) })
	return p
}

func (p *process) text() (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String(), p.grown
}

// wait returns the groups of the pattern once the output has it.
func (p *process) wait(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	timer := time.NewTimer(startLimit)
	defer timer.Stop()
	for {
		text, grown := p.text()
		if found := re.FindStringSubmatch(text); found != nil {
			return found
		}
		select {
		case <-grown:
		case <-p.done:
			text, _ = p.text()
			if found := re.FindStringSubmatch(text); found != nil {
				return found
			}
			require.FailNow(t, "the process ended without "+pattern, text)
		case <-timer.C:
			require.FailNow(t, "no "+pattern+" in time", text)
		}
	}
}

// end sends a signal, and returns the exit code and how long the end took.
func (p *process) end(t *testing.T, sig os.Signal) (code int, took time.Duration) {
	t.Helper()
	if p.cmd.ProcessState == nil {
		begin := time.Now()
		_ = p.cmd.Process.Signal(sig) // it may have ended
		code = p.exit(t)
		return code, time.Since(begin)
	}
	return p.cmd.ProcessState.ExitCode(), 0
}

// exit waits for the end and returns the exit code. What was logged is looked at.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	timer := time.AfterFunc(startLimit, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	<-p.done
	_ = p.cmd.Wait() // the state has the code
	text, _ := p.text()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, strings.Count(line, `"part":`), 1, "a key twice in one object: %s", line)
	}
	return p.cmd.ProcessState.ExitCode()
}

// get asks the program.
func get(t *testing.T, url string, header ...string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	return do(t, req, header...)
}

func post(t *testing.T, url, body string, header ...string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	return do(t, req, header...)
}

func do(t *testing.T, req *http.Request, header ...string) (status int, body string) {
	t.Helper()
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	req.Close = true
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(raw)
}

const listening = `"msg":"listening","addr":"([^"]+)"`

// TestServe is the life of an admin: first start, use, second start on the same
// file, stop, start again.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, "notify")
	systemd, err := new(net.ListenConfig).ListenPacket(t.Context(), "unixgram", socket)
	require.NoError(t, err)
	defer systemd.Close()
	states := make(chan string, 4)
	go func() {
		defer close(states)
		buf := make([]byte, 100)
		for {
			n, _, err := systemd.ReadFrom(buf)
			if err != nil {
				return
			}
			states <- string(buf[:n])
		}
	}()

	p := start(t, dir, []string{"NOTIFY_SOCKET=" + socket}, "--listen", "127.0.0.1:0")
	base := "http://" + p.wait(t, listening)[1]
	token := p.wait(t, `token     (\S+)`)[1]
	password := p.wait(t, `user      admin\n    password  (\S+)\n    setup     `+base+`/setup\n`)[1]
	p.wait(t, `"msg":"admin ready"`)
	p.wait(t, `"msg":"shards gained"`)
	assert.Equal(t, "READY=1", <-states)

	info, err := os.Stat(filepath.Join(dir, defaultDataDir, tokenFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/xxl-job-admin/healthz": http.StatusOK, "/readyz": http.StatusOK, "/metrics": http.StatusOK,
	} {
		status, body := get(t, base+path)
		assert.Equal(t, want, status, "%s: %s", path, body)
	}
	status, _ := get(t, base+"/metrics", "X-Forwarded-For", "10.0.0.1")
	assert.Equal(t, http.StatusForbidden, status, "a proxy asks for somebody else")

	beat := `{"registryGroup":"EXECUTOR","registryKey":"app","registryValue":"http://10.0.0.5:9999/"}`
	_, answer := post(t, base+"/xxl-job-admin/api/registry", beat, "XXL-JOB-ACCESS-TOKEN", token)
	assert.Contains(t, answer, `"code":200`)
	_, answer = post(t, base+"/api/registry", beat, "XXL-JOB-ACCESS-TOKEN", "default_token")
	assert.Contains(t, answer, "The access token is wrong.")
	setUp(t, base, password)

	second := start(t, dir, nil, "--listen", "127.0.0.1:0")
	assert.Equal(t, cli.ExitFault, second.exit(t))
	text, _ := second.text()
	assert.Contains(t, text, "in use by another process")
	other := start(t, dir, nil, "user", "list")
	assert.Equal(t, cli.ExitFault, other.exit(t))

	code, took := p.end(t, syscall.SIGTERM)
	assert.Equal(t, cli.ExitOK, code)
	assert.Less(t, took, 60*time.Second)
	assert.Equal(t, "STOPPING=1", <-states)
	text, _ = p.text()
	assert.NotContains(t, strings.ReplaceAll(text, "    password  "+password, ""), password, "printed once")
	assert.NotContains(t, strings.ReplaceAll(text, "    token     "+token, ""), token, "printed once")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "{") {
			assert.True(t, json.Valid([]byte(line)), line)
		}
	}

	again := start(t, dir, nil, "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0")
	base = "http://" + again.wait(t, listening)[1]
	again.wait(t, `"msg":"admin ready"`)
	_, answer = post(t, base+"/api/registry", beat, "XXL-JOB-ACCESS-TOKEN", token)
	assert.Contains(t, answer, `"code":200`, "the token is kept")
	status, _ = get(t, base+"/metrics")
	assert.Equal(t, http.StatusNotFound, status, "metrics have their own address")
	text, _ = again.text()
	assert.NotContains(t, text, "first start")
	code, _ = again.end(t, os.Interrupt)
	assert.Equal(t, cli.ExitOK, code)
	systemd.Close()
	for state := range states { // until its reader has ended
		assert.Contains(t, []string{"READY=1", "STOPPING=1"}, state)
	}
}

// setUp replaces the printed password, which is good for nothing else.
func setUp(t *testing.T, base, printed string) {
	t.Helper()
	const form, own = "application/x-www-form-urlencoded", "a-password-of-mine"
	login := func(password string) string {
		_, answer := post(t, base+"/login", url.Values{"userName": {"admin"}, "password": {password}}.Encode(), "Content-Type", form)
		return answer
	}
	assert.Contains(t, login(printed), "/setup")
	assert.Contains(t, login(own), `"code":500`)
	status, _ := post(t, base+"/setup", url.Values{
		"printed": {printed}, "password": {own}, "again": {own}, "lang": {"en"}, "zone": {""},
	}.Encode(), "Content-Type", form)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, login(own), `"code":200`)
	assert.NotContains(t, login(printed), "/setup", "it is worth nothing any more")
}

// TestKilled: after SIGKILL the file is free, and everything goes on.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--access-token", "a-token-of-ours", "--log-format", "text", "--log-level", "debug"}
	for range 2 {
		p := start(t, dir, []string{"XXL_JOB_ADMIN_ADMIN_PASSWORD=sesame-open"}, args...)
		p.wait(t, "admin ready")
		text, _ := p.text()
		assert.NotContains(t, text, "sesame-open")
		assert.NotContains(t, text, "a-token-of-ours")
		p.end(t, syscall.SIGKILL)
	}
}

// TestPortInUse: the message names the flag, and nothing is left behind.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	p := start(t, dir, nil, "--listen", ln.Addr().String())
	assert.Equal(t, cli.ExitFault, p.exit(t))
	text, _ := p.text()
	assert.Contains(t, text, "--listen "+ln.Addr().String())
	assert.NoDirExists(t, filepath.Join(dir, defaultDataDir), "no token that nobody saw")
}

// TestUsers manages users while the admin does not run.
func TestUsers(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	code, _, errOut := call(t, "", "user", "list", "--db", db)
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "run xxl-job-admin migrate")

	code, out, errOut := call(t, "", "migrate", "--db", db)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Contains(t, out, "done: sqlite")

	code, out, errOut = call(t, "", "user", "add", "chief", "--admin", "--db", db)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Regexp(t, `^password of chief: \S{20}\n$`, out)
	addGroups(t, db, "orders", "reports")
	code, _, errOut = call(t, "", "user", "add", "anna", "--groups", "2,1,9", "--db", db)
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "there is no executor (group) 9")
	code, out, errOut = call(t, "sesame-open\n", "user", "add", "anna", "--groups", "2,1", "--password-stdin", "--db", db)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Empty(t, out)
	code, _, errOut = call(t, "", "user", "add", "anna", "--db", db)
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "choose another name")

	_, out, _ = call(t, "", "user", "list", "--db", db)
	assert.Equal(t, "ID  NAME   ROLE   GROUPS\n1   chief  admin  all\n2   anna   user   1=editor,2=editor\n", out)
	for _, args := range [][]string{{"grant", "anna", "1", "viewer"}, {"grant", "anna", "2", "admin"}} {
		code, _, errOut = call(t, "", append([]string{"user"}, append(args, "--db", db)...)...)
		require.Equal(t, cli.ExitOK, code, errOut)
	}
	_, out, _ = call(t, "", "user", "get", "anna", "--db", db)
	assert.Regexp(t, `GROUPS +1=viewer,2=admin\n`, out)
	code, out, errOut = call(t, "", "user", "passwd", "anna", "--db", db)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Contains(t, out, "password of anna: ")
	_, out, _ = call(t, "", "user", "list", "--db", db)
	assert.Contains(t, out, "1=viewer,2=admin", "another password leaves the roles")
	code, _, errOut = call(t, "", "user", "revoke", "anna", "1", "--db", db)
	require.Equal(t, cli.ExitOK, code, errOut)
	code, _, errOut = call(t, "", "user", "revoke", "anna", "1", "--db", db)
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "no role")
	code, _, errOut = call(t, "", "user", "grant", "anna", "2", "boss", "--db", db)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errOut, "viewer")
	code, _, errOut = call(t, "", "user", "delete", "chief", "--db", db)
	assert.Equal(t, cli.ExitFault, code)
	assert.Contains(t, errOut, "the last administrator")
	code, _, errOut = call(t, "", "user", "delete", "bert", "--db", db)
	assert.Equal(t, cli.ExitNotFound, code)
	assert.Contains(t, errOut, `there is no user "bert"`)
	code, _, errOut = call(t, "", "user", "disable", "anna", "--db", db)
	assert.Equal(t, cli.ExitOK, code, errOut)
	code, _, errOut = call(t, "", "user", "role", "anna", "--groups", "orders", "--db", db)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errOut, `"orders" is no id`)
	code, _, errOut = call(t, "", "user", "delete", "anna", "--db", db)
	assert.Equal(t, cli.ExitOK, code, errOut)
}

// addGroups makes groups in a database that nobody has open.
func addGroups(t *testing.T, db string, apps ...string) {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{DSN: db})
	require.NoError(t, err)
	for _, app := range apps {
		require.NoError(t, st.CreateGroup(t.Context(), &model.Group{AppName: app, Title: app}))
	}
	require.NoError(t, st.Close())
}

// TestMigrate lists what it would do, does it, and has nothing left to do.
func TestMigrate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")
	code, out, errOut := call(t, "", "migrate", "--dry-run", "--db", "sqlite:"+file)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Contains(t, out, "xxl_job_info")
	assert.NoFileExists(t, file)
	code, out, errOut = call(t, "", "migrate", "--db", "sqlite:"+file)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Contains(t, out, "xxl_job_info")
	code, out, errOut = call(t, "", "migrate", "--db", "sqlite:"+file)
	require.Equal(t, cli.ExitOK, code, errOut)
	assert.Equal(t, "nothing to do: the schema is up to date\n", out)
}
