package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

const alarmJobs = `group: kitchen
name: mood
handler: mood
---
group: kitchen
name: sulk
handler: mood
---
group: kitchen
name: wait
handler: wait
---
group: kitchen
name: tick
handler: echo
schedule: {every: 1s}
state: started
---
group: gated
name: gated
handler: echo
schedule: {every: 1s}
`

// gate is a proxy in front of an executor that lets no trigger through before it
// is opened.
type gate struct {
	url  string
	open func()
}

func newGate(t *testing.T, executor string) *gate {
	t.Helper()
	target, err := url.Parse(executor)
	require.NoError(t, err)
	opened := make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	transport := &http.Transport{DisableKeepAlives: true}
	proxy.Transport = transport
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-opened:
			proxy.ServeHTTP(w, r)
		case <-r.Context().Done(): // the admin waits no more
		case <-t.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	return &gate{url: server.URL + "/", open: sync.OnceFunc(func() { close(opened) })}
}

// TestAlarms: the program itself tells a webhook and a mail server what is late,
// takes long, has no executor or failed, once each, and that it is over; what is
// muted is told when the window has ended. A channel with a rate sends no more
// than that, and a mail server that never says a word holds up nothing.
func TestAlarms(t *testing.T) {
	t.Parallel()
	hook, slow, post, hole := newPager(t), newPager(t), newPostbox(t, false), newPostbox(t, true)
	channels := filepath.Join(t.TempDir(), "alarms.json")
	text := fmt.Sprintf(`[{"name": "hook", "type": "webhook", "rate": 1000, "url": %q},
		{"name": "slow", "type": "webhook", "rate": 1, "url": %q}, %s, %s]`,
		hook.url, slow.url, post.channel("post"), hole.channel("hole"))
	require.NoError(t, os.WriteFile(channels, []byte(text), 0o600))
	begin := time.Now()
	k := newKitchen(t, "--alarms", channels, "--alarms-to-loopback", "--executor-timeout", "10s",
		"--public-url", "https://jobs.example.com/xxl-job-admin/")
	defer k.close()
	c := k.boss(t)
	k.must(t, "executor", "create", "kitchen", "--title", "Kitchen")
	gate := newGate(t, k.addressed(t, c))
	defer gate.open()
	k.must(t, "executor", "create", "gated", "--title", "Gated", "--address", gate.url)
	k.must(t, "executor", "create", "garage", "--title", "Garage")
	k.write(t, "jobs.yaml", alarmJobs)
	k.must(t, "job", "apply", "-f", "jobs.yaml", "--yes")

	k.must(t, "alarm", "mute", "--job", "sulk", "1h", "--reason", "deploy")
	k.must(t, "alarm", "mute", "--group", "garage", "1h")
	k.must(t, "alarm", "rule", "set", "--group", "garage", "nobody", "1s")
	k.must(t, "alarm", "rule", "set", "--job", "gated", "late", "1s")
	k.must(t, "alarm", "rule", "set", "--job", "wait", "long", "1s")
	k.must(t, "job", "start", "gated")
	k.ends(t, c, "sulk", "bad", client.RunFailed)
	waiting, err := c.RunJob(t.Context(), k.job(t, c, "wait").ID, client.RunInput{})
	require.NoError(t, err)
	require.NotEmpty(t, waiting)

	k.fails(t, c, hook)
	hook.until(t, "run_long", "wait")
	close(k.let)
	hook.until(t, "recovered", "wait")
	hook.until(t, "run_late", "gated")
	k.must(t, "job", "stop", "gated")
	gate.open()
	hook.until(t, "recovered", "gated")
	k.deafMailServer(t, c, hole)

	// The windows end by themselves.
	garage := k.alarm(t, c, client.KindGroup, 3, client.AlarmNobody)
	assert.Equal(t, garage.Count, garage.Muted, "on record, and not told")
	sulk := k.alarm(t, c, client.KindJob, k.job(t, c, "sulk").ID, client.AlarmFailed)
	assert.Equal(t, []int64{1, 1}, []int64{sulk.Count, sulk.Muted})
	assert.Zero(t, hook.count("run_failed", "sulk")+hook.count("no_executor", "Garage"))
	k.must(t, "alarm", "mute", "--job", "sulk", "2s")
	k.must(t, "alarm", "mute", "--group", "garage", "2s")
	require.Eventually(t, func() bool {
		list, err := c.Mutes(t.Context())
		return err == nil && len(list) == 0
	}, startLimit, 50*time.Millisecond)
	hook.until(t, "no_executor", "Garage")
	k.ends(t, c, "sulk", "bad", client.RunFailed)
	hook.until(t, "run_failed", "sulk")
	group, err := c.Group(t.Context(), 3)
	require.NoError(t, err)
	in := group.GroupInput
	in.AddressMode, in.Addresses = client.AddressManual, []string{gate.url}
	_, err = c.UpdateGroup(t.Context(), 3, "*", in)
	require.NoError(t, err)
	hook.until(t, "recovered", "Garage")

	for _, once := range [][2]string{
		{"run_failed", "mood"},
		{"recovered", "mood"},
		{"run_long", "wait"},
		{"recovered", "wait"},
		{"run_late", "gated"},
		{"no_executor", "Garage"},
		{"recovered", "Garage"},
		{"run_failed", "sulk"},
	} {
		assert.Equal(t, 1, hook.count(once[0], once[1]), once)
	}
	all, _ := hook.pages()
	require.Eventually(t, func() bool { return len(post.mails()) >= len(all) }, startLimit, 50*time.Millisecond)
	assert.Subset(t, post.mails(), []string{"Fire is late", "Run takes long", "No executor", "Job recovered"})
	few, _ := slow.pages()
	assert.LessOrEqual(t, len(few), 1+int(time.Since(begin)/time.Minute), "one a minute")
	assert.NotEmpty(t, few)
}

// must types a command that has to do what it says.
func (k *kitchen) must(t *testing.T, args ...string) {
	t.Helper()
	require.Equal(t, cli.ExitOK, k.here(t, "", args...), "%v\n%s", args, k.text.String())
}

// here is run in this process: a new one for each command takes its time.
func (k *kitchen) here(t *testing.T, stdin string, args ...string) int {
	t.Helper()
	require.NotEmpty(t, k.env, "boss comes first")
	key := strings.TrimPrefix(k.env[0], "XXL_JOB_KEY=")
	for i, arg := range args { // a file of the test's folder
		if i > 0 && args[i-1] == "-f" {
			args[i] = filepath.Join(k.dir, arg)
		}
	}
	code, out, errOut := call(t, stdin, append(args, "--server", k.url, "--key", key)...)
	k.rest = []byte(out)
	k.text.WriteString(out + errOut)
	return code
}

func (k *kitchen) job(t *testing.T, c *client.Client, name string) *client.Job {
	t.Helper()
	j, err := cli.FindJob(t.Context(), c, name)
	require.NoError(t, err)
	return j
}

// ends runs a job and waits for its end.
func (k *kitchen) ends(t *testing.T, c *client.Client, job, param, status string) {
	t.Helper()
	ids, err := c.RunJob(t.Context(), k.job(t, c, job).ID, client.RunInput{Param: &param})
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.Eventually(t, func() bool {
		r, err := c.Run(t.Context(), ids[0])
		return err == nil && r.Status == status
	}, startLimit, 20*time.Millisecond)
}

// alarm waits until there is an open alarm, and returns it.
func (k *kitchen) alarm(t *testing.T, c *client.Client, kind string, id int32, what string) *client.Alarm {
	t.Helper()
	var found *client.Alarm
	require.Eventually(t, func() bool {
		for a, err := range c.Alarms(t.Context(), client.AlarmFilter{Kind: kind, ObjectID: id}) {
			if err == nil && a.What == what {
				found = a
			}
		}
		return found != nil
	}, startLimit, 50*time.Millisecond)
	return found
}

// fails: a job that fails three times is told once, and that it is over with the
// number of all.
func (k *kitchen) fails(t *testing.T, c *client.Client, hook *pager) {
	t.Helper()
	for range 3 {
		k.ends(t, c, "mood", "bad", client.RunFailed)
	}
	first := hook.until(t, "run_failed", "mood")
	assert.Equal(t, 1, first.Count)
	assert.Contains(t, first.Text, "in a bad mood")
	assert.Equal(t, fmt.Sprintf("https://jobs.example.com/xxl-job-admin/runs/%d?at=fail", first.LogID), first.URL)
	require.Eventually(t, func() bool {
		return k.alarm(t, c, client.KindJob, k.job(t, c, "mood").ID, client.AlarmFailed).Count == 3
	}, startLimit, 50*time.Millisecond)
	k.ends(t, c, "mood", "good", client.RunSuccess)
	assert.Equal(t, 3, hook.until(t, "recovered", "mood").Count)
}

// deafMailServer: while a mail server has taken a connection and says nothing,
// jobs fire and their results are stored.
func (k *kitchen) deafMailServer(t *testing.T, c *client.Client, hole *postbox) {
	t.Helper()
	require.Eventually(t, func() bool { return hole.held() > 0 }, startLimit, 20*time.Millisecond)
	from, tick := time.Now(), k.job(t, c, "tick").ID
	require.Eventually(t, func() bool {
		n := 0
		for r, err := range c.Runs(t.Context(), client.RunFilter{JobID: tick, Status: client.RunSuccess, From: from}) {
			if err == nil && r.Ended() {
				n++
			}
		}
		return n >= 5
	}, 2*startLimit, 100*time.Millisecond)
}
