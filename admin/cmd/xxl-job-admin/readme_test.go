package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// curlBlocks are the blocks of README.md that call something with curl.
func curlBlocks(t *testing.T, root string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	var list []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(block[1], "curl ") {
			list = append(list, block[1])
		}
	}
	return list
}

// sh runs a script, and its last command again and again until that says what is
// wanted. It returns what the script printed the first time.
func sh(t *testing.T, dir, script, wanted string) string {
	t.Helper()
	commands := strings.Split(strings.TrimSpace(script), "\ncurl ")
	again := "curl " + commands[len(commands)-1]
	script += "\necho; echo ==\nuntil " + again + " | grep -q '" + wanted + "'; do sleep 0.1; done\n"
	ctx, cancel := context.WithTimeout(t.Context(), 2*startLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\nnever said %s after\n%s", again, wanted, out)
	first, _, _ := strings.Cut(string(out), "\n==\n")
	return first
}

// freePort is one that nobody listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// TestReadmeCommands runs what README.md shows with curl: an executor that is
// asked by hand, and an admin that is driven as scripts for Java's do it.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	list := curlBlocks(t, root)
	require.Len(t, list, 2, "README.md has another block with curl: run it here too")
	dir := t.TempDir()

	port := freePort(t)
	basic(t, root, dir, "go run ./examples/basic -standalone", port)
	address := "http://127.0.0.1:" + port
	require.Eventually(t, func() bool {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			return false
		}
		req.Close = true
		res, err := http.DefaultClient.Do(req)
		return err == nil && res.Body.Close() == nil
	}, startLimit, 20*time.Millisecond)
	require.Contains(t, list[0], "http://127.0.0.1:9999")
	out := sh(t, dir, strings.ReplaceAll(list[0], "http://127.0.0.1:9999", address), "greeting curl")
	assert.Equal(t, 2, strings.Count(out, `"code":200`), out)

	p := start(t, dir, nil, "serve", "--listen", "127.0.0.1:0", "--language", "en", "--admin-password", "correct-horse")
	base := "http://" + p.wait(t, listening)[1]
	p.wait(t, `"msg":"admin ready"`)
	token, err := os.ReadFile(filepath.Join(dir, defaultDataDir, tokenFile))
	require.NoError(t, err)
	command := "go run ./examples/basic -admin " + base + "/xxl-job-admin -logpath second -token " + strings.TrimSpace(string(token))
	basic(t, root, dir, command, freePort(t))
	require.Contains(t, list[1], "http://127.0.0.1:8080")
	script := strings.NewReplacer("http://127.0.0.1:8080", base, "<your own>", "correct-horse").Replace(list[1])
	out = sh(t, dir, script, "hello Ada")
	assert.Equal(t, 5, strings.Count(out, `"code":200`), "login, group, job, start, trigger: %s", out)
	code, _ := p.end(t, os.Interrupt)
	assert.Equal(t, cli.ExitOK, code)
}
