package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// newcomer is a browser of few words.
type newcomer struct {
	t      *testing.T
	base   string
	client *http.Client
}

func (n *newcomer) do(method, path string, form url.Values) (page, at string) {
	n.t.Helper()
	status, page, at := n.ask(method, path, form)
	require.Equal(n.t, http.StatusOK, status, "%s %s: %s", method, path, page)
	return page, at
}

func (n *newcomer) ask(method, path string, form url.Values) (status int, page, at string) {
	n.t.Helper()
	req, err := http.NewRequestWithContext(n.t.Context(), method, n.base+path, strings.NewReader(form.Encode()))
	require.NoError(n.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Close = true
	res, err := n.client.Do(req)
	require.NoError(n.t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	require.NoError(n.t, err)
	return res.StatusCode, html.UnescapeString(string(raw)), res.Request.URL.Path
}

// until reads a page again and again until it has a text.
func (n *newcomer) until(path, text string) string {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), startLimit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		_, page, _ := n.ask(http.MethodGet, path, nil)
		if strings.Contains(page, text) {
			return page
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.FailNow(n.t, path+" never says "+text, page)
		}
	}
}

// tutorialCommands are the commands of docs/tutorial.md.
func tutorialCommands(t *testing.T, root string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	require.NoError(t, err)
	var list []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		list = append(list, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	return list
}

// TestTutorial does what docs/tutorial.md says: it runs its commands, but for
// the clone, and sends the forms of the pages.
func TestTutorial(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	commands := tutorialCommands(t, root)
	require.Len(t, commands, 4)
	assert.Equal(t, []string{"git clone https://github.com/xxljob-go/xxljob", "cd xxljob"}, commands[:2])
	serve, ok := strings.CutPrefix(commands[2], "go run ./admin/cmd/xxl-job-admin ")
	require.True(t, ok)

	dir := t.TempDir()
	p := start(t, dir, nil, append(strings.Fields(serve), "--listen", "127.0.0.1:0")...)
	printed := p.wait(t, `    password  (\S+)\n    setup     (\S+)/setup\n`)
	p.wait(t, `"msg":"admin ready"`)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	n := &newcomer{t: t, base: printed[2], client: &http.Client{Jar: jar, Transport: transport}}
	_, at := n.do(http.MethodGet, "/", nil)
	assert.Equal(t, "/setup", at)
	page, at := n.do(http.MethodPost, "/setup", url.Values{
		"printed": {printed[1]}, "password": {"a-password-of-mine"}, "again": {"a-password-of-mine"}, "lang": {"en"}, "zone": {""},
	})
	assert.Equal(t, "/setup", at)

	shown := regexp.MustCompile(`>(go run ./examples/basic[^<]*)</code>`).FindStringSubmatch(page)
	require.NotNil(t, shown, page)
	token, err := os.ReadFile(filepath.Join(dir, defaultDataDir, tokenFile))
	require.NoError(t, err)
	told := strings.NewReplacer("THE-TOKEN", strings.TrimSpace(string(token)), "http://localhost:8080", n.base)
	assert.Equal(t, told.Replace(commands[3]), shown[1], "the page shows the command of the tutorial")
	basic(t, root, dir, shown[1], freePort(t))

	n.until("/setup?part=wait", "data-found")
	csrf := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, csrf)
	_, run := n.do(http.MethodPost, "/setup/job", url.Values{
		"csrf": {csrf[1]}, "app": {"basic"}, "name": {"greetings"}, "handler": {"greet"}, "param": {"Ada"},
		"every": {"0/10 * * * * ?"},
	})
	require.Regexp(t, `^/runs/\d+$`, run)
	n.until(run, "hello Ada")
	n.until("/runs/2", "hello Ada") // by its schedule
	code, _ := p.end(t, os.Interrupt)
	assert.Equal(t, cli.ExitOK, code)
}

// basic starts the example as the command says, built beforehand, so that its
// process can be ended, and on a port of its own.
func basic(t *testing.T, root, dir, command, port string) {
	t.Helper()
	program := filepath.Join(dir, "basic")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./examples/basic")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	args, ok := strings.CutPrefix(command, "go run ./examples/basic ")
	require.True(t, ok)
	run := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("exec %s %s -port %s", program, args, port))
	run.Dir = dir
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Signal(os.Interrupt) // it may have ended
		_ = run.Wait()
	})
}
