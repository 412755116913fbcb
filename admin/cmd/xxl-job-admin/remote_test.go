package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// kitchen is an admin of its own process with an executor of this one.
type kitchen struct {
	url  string
	env  []string
	text bytes.Buffer // what was typed and what came of it
	rest []byte       // standard output of the last command
	dir  string
	addr string        // of the executor
	let  chan struct{} // closed to let runs of the handler wait end

	close func()
}

func newKitchen(t *testing.T, flags ...string) *kitchen {
	t.Helper()
	k := &kitchen{dir: t.TempDir(), let: make(chan struct{})}
	p := start(t, k.dir, nil, append([]string{
		"serve", "--listen", "127.0.0.1:0", "--data-dir", "data", "--language", "en",
		"--admin-password", "correct-horse", "--access-token", "a-token-of-the-test",
	}, flags...)...)
	k.url = "http://" + p.wait(t, listening)[1]
	p.wait(t, "admin ready")
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	k.addr = "http://" + ln.Addr().String() + "/"
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{k.url}, AppName: "kitchen", AccessToken: "a-token-of-the-test", Listener: ln,
		LogPath: filepath.Join(k.dir, "logs"), Logger: slog.New(slog.DiscardHandler), RegistryInterval: time.Second,
	})
	require.NoError(t, err)
	for name, handler := range map[string]xxljob.HandlerFunc{
		"echo": func(_ context.Context, run *xxljob.Run) error {
			run.Logger().Info("echo " + run.Param()) //nolint:sloglint // the parameter is what is echoed
			return nil
		},
		"fail": func(context.Context, *xxljob.Run) error { return errors.New("no money") },
		"mood": func(_ context.Context, run *xxljob.Run) error {
			if run.Param() == "bad" {
				return errors.New("in a bad mood")
			}
			return nil
		},
		"wait": func(ctx context.Context, _ *xxljob.Run) error {
			select {
			case <-k.let:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
		"hold": func(ctx context.Context, _ *xxljob.Run) error {
			<-ctx.Done()
			return context.Cause(ctx)
		},
	} {
		require.NoError(t, e.Register(name, handler))
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	k.close = func() {
		stop()
		require.NoError(t, <-ended)
		code, _ := p.end(t, syscall.SIGTERM)
		assert.Equal(t, cli.ExitOK, code)
	}
	return k
}

// run types a command, and returns its exit code.
func (k *kitchen) run(t *testing.T, stdin string, args ...string) int {
	t.Helper()
	if stdin == "y\n" || stdin == "n\n" { // the program takes an answer from a terminal alone
		return k.answer(t, stdin, args...)
	}
	cmd := exec.CommandContext(t.Context(), programFile(t), args...)
	cmd.Env = append(append(os.Environ(), "XXL_JOB_SERVER="+k.url), k.env...)
	cmd.Dir = k.dir
	cmd.Stdin = strings.NewReader(stdin)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	code := cmd.ProcessState.ExitCode()
	k.rest = out.Bytes()
	k.text.WriteString("$ xxl-job-admin " + strings.Join(args, " ") + "\n" + out.String() + errOut.String())
	if code != 0 {
		k.text.WriteString("exit code " + string(rune('0'+code)) + "\n")
	}
	k.text.WriteString("\n")
	return code
}

// answer is run with somebody who answers a question.
func (k *kitchen) answer(t *testing.T, answer string, args ...string) int {
	t.Helper()
	k.text.WriteString("$ xxl-job-admin " + strings.Join(args, " ") + "\n")
	code := k.here(t, answer, args...)
	if code != 0 {
		k.text.WriteString("exit code " + string(rune('0'+code)) + "\n")
	}
	k.text.WriteString("\n")
	return code
}

// plain is the session without what differs each time.
func (k *kitchen) plain() string {
	text := k.text.String()
	for _, r := range [][2]string{
		{` {2,}`, "  "},
		{`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`, "TIME"},
		{`127\.0\.0\.1:\d+`, "HOST:PORT"},
		{`xja_[0-9a-f]{64}`, "xja_SECRET"},
		{`xja_[0-9a-f]{6}\b`, "xja_BEGIN"},
		{`  [0-9.]+(?:m?s|µs)  `, "  Ns  "},
		{`\d+ ms`, "N ms"},
		{`process \d+`, "process N"},
		{`\d+ connections, as node`, "N connections, as node"},
		{`as node \S+ sees`, "as node NODE sees"},
		{`(token of \w+: )[a-z2-7]{26}`, "${1}TOKEN"},
		{`JobThread-\d+-\d+`, "JobThread-N"},
		{`#[\w.]+\]-\[\d+\]`, "#func]-[N]"},
		{`(?m)^.*\n.*callback finish\.\n`, ""}, // it may come later than the end
		{`(automatic  \S+  )(-|TIME)`, "${1}BEAT"},
		{`(?m) +$`, ""},
	} {
		text = regexp.MustCompile(r[0]).ReplaceAllString(text, r[1])
	}
	return text
}

func (k *kitchen) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(k.dir, name), []byte(text), 0o600))
}

const kitchenJobs = `group: kitchen
name: hello
author: me
schedule: {cron: '0 0 3 1 1 ? 2099', time_zone: Asia/Shanghai}
handler: echo
param: hello
children: [after]
tags: [demo]
state: started
---
group: kitchen
name: after
author: me
schedule: {every: 90s}
handler: fail
tags: [demo]
`

// TestRemote types every command that talks to a running admin.
func TestRemote(t *testing.T) {
	t.Parallel()
	k := newKitchen(t)
	defer k.close()
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "list"))
	assert.Equal(t, cli.ExitFault, k.run(t, "wrong\n", "key", "create", "boss", "--verb", "admin", "--login", "admin"))
	c := k.boss(t)
	k.write(t, "jobs.yaml", kitchenJobs)
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--yes"), "there is no group")
	require.Eventually(t, func() bool {
		_, n, err := c.UnknownGroups(t.Context())
		return err == nil && n == 1
	}, startLimit, 20*time.Millisecond, "the executor registers, and has no group")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "list", "--unknown"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "list", "--refused"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "executor", "list", "--refused", "--unknown"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "create", "kitchen", "--title", "Kitchen"))
	k.addressed(t, c)

	k.jobs(t)
	k.runs(t, c)
	k.keys(t)
	k.users(t)
	golden(t, "remote.txt", k.plain())
}

// boss makes the first key, and a client with it.
func (k *kitchen) boss(t *testing.T) *client.Client {
	t.Helper()
	assert.Equal(t, cli.ExitOK, k.run(t, "correct-horse\n", "key", "create", "boss", "--verb", "admin", "--login", "admin"))
	_, secret, _ := strings.Cut(string(k.rest), ": ")
	k.env = []string{"XXL_JOB_KEY=" + strings.TrimSpace(secret)}
	c, err := client.New(client.Config{BaseURL: k.url, Key: strings.TrimSpace(secret)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// addressed waits until the executor has registered, and returns its address.
func (k *kitchen) addressed(t *testing.T, c *client.Client) string {
	t.Helper()
	var list []client.Address
	require.Eventually(t, func() bool {
		var err error
		list, err = c.Addresses(t.Context(), 1)
		return err == nil && len(list) == 1
	}, startLimit, 50*time.Millisecond, "the executor registers")
	return list[0].Address
}

// jobs types what has to do with jobs.
func (k *kitchen) jobs(t *testing.T) {
	t.Helper()
	k.write(t, "wrong.yaml", "group: kitchen\nname: x\nhandel: echo\n---\nname: y\n")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "list"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "list", "--sort", "-open"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "executor", "list", "--sort", "colour"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "get", "kitchen"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "probe", "kitchen"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "executor", "probe", "garage"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "probe", "kitchen", "--address", k.addr))
	assert.Contains(t, string(k.rest), "XXL-JOB-EXECUTOR")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "address", "kitchen", k.addr))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "executor", "address", "kitchen", "http://10.1.2.3/"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "executor", "token", "kitchen", "--overlap", "soon"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "executor", "token", "kitchen", "--overlap", "91d"))
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "executor", "token", "kitchen", "--overlap", "36h"))
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "executor", "token", "kitchen", "--overlap", "7d"))
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "executor", "token", "kitchen", "--overlap", "endless"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "wrong.yaml"))
	k.write(t, "circle.yaml", "group: kitchen\nname: a\nhandler: echo\nchildren: [b]\n---\n"+
		"group: kitchen\nname: b\nhandler: echo\nchildren: [a]\n")
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "circle.yaml", "--yes"))
	k.write(t, "script.yaml", "group: kitchen\nname: fresh\nschedule: {cron: x}\n---\ngroup: kitchen\nname: clean\n"+
		"code_type: glue_shell\ncode: echo\n")
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "script.yaml", "--dry-run"))
	assert.Equal(t, cli.ExitChanges, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--dry-run"))
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "job", "apply", "-f", "jobs.yaml"))
	assert.Equal(t, cli.ExitOK, k.run(t, "y\n", "job", "apply", "-f", "jobs.yaml"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "jobs.yaml"))
	assert.Equal(t, cli.ExitOK, k.run(t, kitchenJobs, "job", "apply", "-f", "-", "--dry-run", "-o", "json"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "list", "--tag", "demo"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "get", "kitchen/hello"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "get", "hello", "-o", "yaml"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "job", "get", "nobody"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "job", "get", "99"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "export"))
	assert.Equal(t, cli.ExitOK, k.run(t, string(k.rest), "job", "apply", "-f", "-", "--yes"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "stop", "hello", "2"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "start", "hello"))

	changed := strings.Replace(kitchenJobs, "[after]", "[after, fresh]", 1)
	changed = strings.Replace(changed, "{every: 90s}", "{every: 2m}", 1)
	k.write(t, "jobs.yaml", changed+"---\ngroup: kitchen\nname: fresh\nhandler: hold\n")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--yes"))
	k.write(t, "twin.yaml", "group: kitchen\nname: twin\nhandler: echo\n")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "twin.yaml", "--yes"))
	assert.Equal(t, cli.ExitChanges, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--prune", "--group", "kitchen", "--dry-run"))
	k.write(t, "lonely.yaml", "group: kitchen\nname: hello\nhandler: echo\nchildren: [after]\n")
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "lonely.yaml", "--prune", "--group", "kitchen", "--yes"),
		"a child that the files name would be deleted")
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--prune"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--prune", "--group", "kitchn", "--dry-run"))
	turned := strings.Replace(changed, "children: [after, fresh]", "children: [fresh]", 1)
	k.write(t, "turned.yaml", strings.Replace(turned, "name: after\n", "name: after\nchildren: [hello]\n", 1)+
		"---\ngroup: kitchen\nname: fresh\nhandler: hold\n")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "turned.yaml", "--yes"), "parent and child change places")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "jobs.yaml", "--yes"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "yes, please\n", "job", "delete", "twin"), "a pipe is no terminal")
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "job", "delete", "twin", "hello", "twin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "y\n", "job", "delete", "twin"))
}

// runs types what has to do with runs.
func (k *kitchen) runs(t *testing.T, c *client.Client) {
	t.Helper()
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "run", "fresh"))
	var held *client.Run
	require.Eventually(t, func() bool {
		var err error
		held, err = c.Run(t.Context(), 1)
		return err == nil && held.Status == client.RunRunning
	}, startLimit, 20*time.Millisecond)
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "kill", "1"))
	require.Eventually(t, func() bool {
		var err error
		held, err = c.Run(t.Context(), 1)
		return err == nil && held.Ended()
	}, startLimit, 20*time.Millisecond)
	assert.Equal(t, cli.ExitRunFailed, k.run(t, "", "job", "run", "after", "--wait", "--param", "a b"))
	assert.Equal(t, cli.ExitRunFailed, k.run(t, "", "run", "retry", "2", "--wait"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "list", "--job", "after", "--status", "failed", "--since", "1h", "--text", "money"))
	k.write(t, "twin.yaml", "group: kitchen\nname: twin\nhandler: echo\n")
	require.Equal(t, cli.ExitOK, k.run(t, "", "job", "apply", "-f", "twin.yaml", "--yes"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "run", "twin", "--follow", "--param", "loud"))
	assert.Contains(t, string(k.rest), "echo loud")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "logs", "4"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "logs", "-f", "4"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "get", "4", "-o", "json"))
	var run client.Run
	require.NoError(t, json.Unmarshal(k.rest, &run))
	assert.Equal(t, client.RunSuccess, run.Status)
	k.text.Truncate(bytes.LastIndex(k.text.Bytes(), []byte("$ "))) // names this machine
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "address", "kitchen", k.addr))
	assert.Contains(t, string(k.rest), "3 of job 2 after, ")
	k.text.Truncate(bytes.LastIndex(k.text.Bytes(), []byte("$ ")))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "run", "get", "99"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "run", "kill", "99"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "run", "retry", "99", "--wait"))
	assert.Equal(t, cli.ExitFault, k.run(t, "", "run", "kill", "1", "99"))
	require.Equal(t, cli.ExitOK, k.run(t, "", "job", "run", "twin", "--follow", "--param", "aside", "-o", "json"))
	var followed []client.Run
	require.NoError(t, json.Unmarshal(k.rest, &followed), "the log is not in it")
	k.text.Truncate(bytes.LastIndex(k.text.Bytes(), []byte("$ ")))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "list", "--address", "127.0.0.1", "--since", "1h", "--until", "30m"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "run", "list", "--since", "1h", "--until", "2h"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "run", "list", "--sort", "took"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "list", "--name", "afte", "--sort=triggered_at"))
	assert.Contains(t, string(k.rest), "after")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "run", "list", "--name", "nobody-is-called-so"))
	assert.NotContains(t, string(k.rest), "after")
}

// keys types what has to do with keys.
func (k *kitchen) keys(t *testing.T) {
	t.Helper()
	assert.Equal(t, cli.ExitOK, k.run(t, "", "key", "create", "ci", "--verb", "read", "--verb", "run", "--group", "kitchen", "--expires", "24h"))
	admin := k.env
	_, secret, _ := strings.Cut(string(k.rest), ": ")
	k.env = []string{"XXL_JOB_KEY=" + strings.TrimSpace(secret)}
	assert.Equal(t, cli.ExitFault, k.run(t, "", "job", "stop", "hello"))
	k.env = admin
	assert.Equal(t, cli.ExitOK, k.run(t, "", "key", "create", "button", "--verb", "run"))
	_, secret, _ = strings.Cut(string(k.rest), ": ")
	k.env = []string{"XXL_JOB_KEY=" + strings.TrimSpace(secret)}
	assert.Equal(t, cli.ExitFault, k.run(t, "", "job", "run", "hello"), "it may not look for a name")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "job", "run", "1"), "it may run what it knows the id of")
	k.env = append(admin, "XXL_JOB_SERVER="+k.url+"/elsewhere")
	assert.Equal(t, cli.ExitFault, k.run(t, "", "job", "get", "1"), "a wrong address does not say that a job is gone")
	k.env = admin
	assert.Equal(t, cli.ExitOK, k.run(t, "", "key", "revoke", "2"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "key", "list"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "key", "revoke", "ci"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "key", "revoke", "99"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "key", "revoke", "1"), "it is the one that asks")
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "key", "revoke", "1"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "rule", "delete", "--job", "hello", "late"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "rule", "set", "--job", "hello", "late", "10s"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "rule", "delete", "--job", "hello", "long"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "rule", "delete", "--job", "hello", "late"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "mute", "--group", "kitchen", "1h"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "unmute", "--job", "hello"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "alarm", "unmute", "--group", "kitchen"))
}

// users types what has to do with users of a running admin.
func (k *kitchen) users(t *testing.T) {
	t.Helper()
	assert.Equal(t, cli.ExitOK, k.run(t, "sesame-open\n", "user", "add", "jane", "--groups", "kitchen", "--password-stdin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "list"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "grant", "jane", "kitchen", "operator"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "get", "jane"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "user", "grant", "jane", "garage", "viewer"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "revoke", "jane", "kitchen"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "user", "revoke", "jane", "kitchen"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "role", "jane", "--admin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "disable", "admin"))
	assert.Equal(t, cli.ExitFault, k.run(t, "correct-horse\n", "key", "create", "x", "--verb", "read", "--login", "admin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "battery-staple\n", "user", "passwd", "admin", "--password-stdin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "battery-staple\n", "key", "create", "x", "--verb", "read", "--login", "admin"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "delete", "admin"))
	for _, args := range [][]string{{"role", "jane"}, {"disable", "jane"}, {"delete", "jane"}} {
		assert.Equal(t, cli.ExitFault, k.run(t, "", append([]string{"user"}, args...)...), "the last administrator")
	}
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "user", "passwd", "nobody"))
	assert.Equal(t, cli.ExitNotFound, k.run(t, "", "user", "role", "jane", "--groups", "garage"))
	assert.Equal(t, cli.ExitFault, k.run(t, "", "user", "list", "--offline", "--data-dir", "data"), "the admin has it open")
	assert.Equal(t, cli.ExitOK, k.run(t, "", "user", "list", "-o", "json"))
	assert.Equal(t, cli.ExitOK, k.run(t, "", "executor", "create", "garage", "--address", "http://127.0.0.1:1/"))
	assert.Equal(t, cli.ExitUsage, k.run(t, "", "executor", "token", "garage", "-o", "json"))
	assert.Equal(t, cli.ExitOK, k.run(t, "y\n", "executor", "token", "garage"))
	assert.Equal(t, cli.ExitFault, k.run(t, "n\n", "executor", "delete", "garage"))
	assert.Equal(t, cli.ExitOK, k.run(t, "y\n", "executor", "delete", "garage"))
	assert.Equal(t, cli.ExitFault, k.run(t, "y\n", "executor", "delete", "kitchen"), "it has jobs")
}

// TestCompletion: bash completes commands and flags; the others are made of the
// same list.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, errOut := call(t, "", "completion", shell)
		require.Equal(t, cli.ExitOK, code, errOut)
		golden(t, "completion."+shell, out)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "completion.bash"))
	require.NoError(t, err)
	for words, want := range map[string]string{
		"xxl-job-admin comp":         "completion",
		"xxl-job-admin job ap":       "apply",
		"xxl-job-admin job list --t": "--timeout\n--tag",
		"xxl-job-admin completion z": "zsh",

		"xxl-job-admin alarm ru":         "rules\nrule",
		"xxl-job-admin alarm rule set l": "late\nlong",

		"xxl-job-admin job list --state s":    "started\nstopped",
		"xxl-job-admin job list -o y":         "yaml",
		"xxl-job-admin job list --state = st": "started\nstopped",
		"xxl-job-admin job list --state =":    "started\nstopped",
		"xxl-job-admin job list --sort = -n":  "-name\n-next_fire",
		"xxl-job-admin key create --verb ":    "read\nrun\nedit\ncode\nadmin",
		"xxl-job-admin job apply --file zzzz": "",
	} {
		list := strings.Fields(words)
		if strings.HasSuffix(words, " ") {
			list = append(list, "")
		}
		args := append([]string{
			"-c", `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xxl_job_admin; printf '%s\n' "${COMPREPLY[@]}"`, script,
		}, list...)
		out, err := exec.CommandContext(t.Context(), "bash", args...).CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, want, strings.TrimSpace(string(out)), words)
	}
}

func TestSafe(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `a\x1b[31m b\n日本`, cli.Safe("a\x1b[31m b\n日本"))
}
