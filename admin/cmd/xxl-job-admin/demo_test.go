package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// TestDemo lets the demo run for a while: everything that it is to show
// happens, and nothing is left of it.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, nil, "demo", "--duration", "14s")
	head := p.wait(t, `admin (http://\S+)/   user admin   password (\S+)`)
	status, _ := get(t, head[1]+"/readyz")
	assert.Equal(t, 200, status)
	assert.Equal(t, cli.ExitOK, p.exit(t))
	text, _ := p.text()
	for _, want := range []string{
		`each second +run \d+ +executor [123] +\d+ ms late  200`,
		`every five seconds +run \d+ +executor [123] +\d+ ms late  200 report written`,
		`in shards 0/3 +run \d+ +executor \d +\d+ ms late  200 34 of 100 items`,
		`in shards 2/3 +run \d+ +executor \d +\d+ ms late  200 33 of 100 items`,
		`fails, is retried +run \d+ .* 500 the disk is on fire`,
		`fails, is retried, retry 1 +run \d+ +executor \d +-  500`,
		`fails, is retried, retry 2 +run \d+ +executor \d +-  200`,
		`first of a chain +run \d+ .* 200 40 rows extracted`,
		`second of a chain, child +run \d+ +executor \d +-  200 40 rows loaded`,
		`\d+ runs, \d+ ok, \d+ failed, at most \d+ ms late\n$`,
	} {
		assert.Regexp(t, want, text)
	}
	assert.NotContains(t, text, "level=WARN")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "the temporary folder is gone")
}

// TestDemoInterrupted: it ends within two seconds, also while it starts.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	for _, after := range []string{`ms late`, `^`} {
		dir := t.TempDir()
		p := start(t, dir, nil, "demo", "--plain", "--executors", "1")
		p.wait(t, after)
		if after == "^" { // as soon as it can take a signal: the folder is made after that
			waitFor(t, func() bool { return len(glob(t, dir)) > 0 })
		}
		code, took := p.end(t, os.Interrupt)
		assert.Equal(t, cli.ExitOK, code)
		t.Logf("ended after %v", took)
		assert.Empty(t, glob(t, dir))
	}
}

func glob(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return found
}

// waitFor asks until it is so.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, startLimit, time.Millisecond)
}

// TestPicture draws what has been read, and fits a terminal.
func TestPicture(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newView(&out, true)
	v.jobs = demoJobs()
	for i := range v.jobs {
		v.jobs[i].id = i + 1
	}
	v.head = []string{"title", strings.Repeat("wide", 50)}
	v.name("http://a/", 1)
	at := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	v.begun[1] = begin{at: at.Add(3 * time.Millisecond), planned: at}
	rows := []logRow{
		{ID: 4, JobID: 1},
		{ID: 3, JobID: 4, Retries: 1, Address: "http://b/", TriggerCode: 200, HandleCode: 500, HandleMsg: strings.Repeat("ü", 200)},
		{ID: 2, JobID: 4, Retries: 2, TriggerCode: 500},
		{ID: 1, JobID: 1, Address: "http://a/", TriggerCode: 200, HandleCode: 200, HandleMsg: "done<br><b>x</b>"},
	}
	assert.Len(t, v.take(rows, at), 3)
	assert.Empty(t, v.take(rows, at), "each run is shown once")
	v.draw(rows)
	golden(t, "picture.txt", out.String())
	out.Reset()
	v.totals()
	assert.Equal(t, "3 runs, 1 ok, 2 failed, at most 3 ms late\n", out.String())
}
