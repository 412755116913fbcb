package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// typedLine is a command of docs/cli.md with what the page says comes of it.
type typedLine struct {
	command string
	want    []string
	only    bool // the page shows no output
}

// blocks reads the indented blocks of a page: lines with a $ and their output, or
// commands alone.
func blocks(t *testing.T, path string) []typedLine {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []typedLine
	shown := false // the block has lines with a $
	for line := range strings.SplitSeq(string(text), "\n") {
		code, in := strings.CutPrefix(line, "    ")
		switch command, typed := strings.CutPrefix(code, "$ "); {
		case !in:
			shown = shown && line == ""
		case typed:
			shown = true
			all = append(all, typedLine{command: command})
		case shown:
			last := &all[len(all)-1]
			last.want = append(last.want, code)
		case !strings.HasPrefix(code, " "):
			all = append(all, typedLine{command: code, only: true})
		}
	}
	return all
}

// asTyped is a session without what differs each time; a … in the page is
// anything.
func asTyped(text string) string {
	k := &kitchen{}
	k.text.WriteString(text)
	return strings.TrimSpace(k.plain())
}

func matches(want, got string) bool {
	parts := strings.Split(asTyped(want), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, "(?s:.*)") + "$").MatchString(asTyped(got))
}

// TestCommandLinePage types what docs/cli.md shows, from its first line to its
// last, into a shell, and gets what the page says.
func TestCommandLinePage(t *testing.T) {
	t.Parallel()
	channels := filepath.Join(t.TempDir(), "alarms.json")
	text := fmt.Sprintf(`[{"name": "hook", "type": "webhook", "url": %q}]`, newPager(t).url)
	require.NoError(t, os.WriteFile(channels, []byte(text), 0o600))
	k := newKitchen(t, "--alarms", channels, "--alarms-to-loopback")
	defer k.close()
	bin := filepath.Dir(programFile(t))
	k.write(t, "password.txt", "correct-horse\n")
	k.write(t, "state", "export PASSWORD=battery-staple\nexport PATH='"+bin+"':$PATH\n")

	code := 0
	for _, line := range blocks(t, filepath.Join("..", "..", "..", "docs", "cli.md")) {
		if strings.Contains(line.command, "alarm list") {
			k.onRecord(t)
		}
		var got string
		got, code = k.shell(t, line, code)
		if line.only {
			assert.NotContains(t, []int{cli.ExitUsage, cli.ExitNotFound}, code, "%s\n%s", line.command, got)
			continue
		}
		want := strings.Join(line.want, "\n")
		assert.True(t, matches(want, got), "$ %s\nthe page says:\n%s\nbut it is:\n%s", line.command, want, got)
		if strings.Contains(line.command, "executor create") {
			k.registered(t)
		}
	}
}

// shell types a line, and returns what came of it and its exit code. last is that
// of the line before.
func (k *kitchen) shell(t *testing.T, line typedLine, last int) (got string, code int) {
	t.Helper()
	if name, ok := strings.CutPrefix(line.command, "cat "); ok && !strings.Contains(name, ">") { // the page shows a file
		k.write(t, name, strings.Join(line.want, "\n")+"\n")
	}
	command := strings.ReplaceAll(line.command, "http://127.0.0.1:8080", k.url)
	for _, text := range line.want { // what somebody has typed behind a question, in a terminal
		if strings.HasSuffix(text, "[y/N] y") {
			k.env = []string{"XXL_JOB_KEY=" + k.typedKey(t)}
			before := k.text.Len()
			code = k.here(t, "y\n", strings.Fields(command)[1:]...)
			return strings.Replace(k.text.String()[before:], "[y/N] ", "[y/N] y\n", 1), code
		}
	}
	script := fmt.Sprintf(". ./state; (exit %d); %s\ncode=$?; export -p > state; exit $code", last, command)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = k.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// registered waits until the executor has found its group.
func (k *kitchen) registered(t *testing.T) {
	t.Helper()
	c := k.asTyper(t)
	require.Eventually(t, func() bool {
		list, err := c.Addresses(t.Context(), 1)
		return err == nil && len(list) == 1
	}, startLimit, 50*time.Millisecond)
}

// onRecord waits until an alarm is on record, and who was told of it.
func (k *kitchen) onRecord(t *testing.T) {
	t.Helper()
	c := k.asTyper(t)
	require.Eventually(t, func() bool {
		for a, err := range c.Alarms(t.Context(), client.AlarmFilter{}) {
			return err == nil && len(a.Deliveries) == 1
		}
		return false
	}, startLimit, 50*time.Millisecond)
}

// typedKey is the key that was typed.
func (k *kitchen) typedKey(t *testing.T) string {
	t.Helper()
	state, err := os.ReadFile(filepath.Join(k.dir, "state"))
	require.NoError(t, err)
	return regexp.MustCompile(`xja_[0-9a-f]{64}`).FindString(string(state))
}

// asTyper is a client with the key that was typed.
func (k *kitchen) asTyper(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{BaseURL: k.url, Key: k.typedKey(t)})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}
