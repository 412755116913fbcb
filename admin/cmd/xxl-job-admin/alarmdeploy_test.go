package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin/client"
)

// counter starts an executor of the group counter, and returns what ends it.
func (k *kitchen) counter(t *testing.T) (end func()) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{k.url}, AppName: "counter", AccessToken: "a-token-of-the-test", Listener: ln,
		LogPath: filepath.Join(t.TempDir(), "logs"), RegistryInterval: time.Second,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	return func() {
		stop()
		require.NoError(t, <-ended)
	}
}

// TestDeployWithoutAlarms: one click on the page of an executor, it leaves and
// comes back, nobody is told, and afterwards it is watched as before.
func TestDeployWithoutAlarms(t *testing.T) {
	t.Parallel()
	hook := newPager(t)
	channels := filepath.Join(t.TempDir(), "alarms.json")
	require.NoError(t, os.WriteFile(channels, fmt.Appendf(nil, `[{"name": "hook", "type": "webhook", "url": %q}]`, hook.url), 0o600))
	k := newKitchen(t, "--alarms", channels, "--alarms-to-loopback")
	defer k.close()
	c := k.boss(t)
	k.must(t, "executor", "create", "counter", "--title", "Counter")
	leave := k.counter(t)
	there := func(n int) {
		require.Eventually(t, func() bool {
			list, err := c.Addresses(t.Context(), 1)
			return err == nil && len(list) == n
		}, 2*startLimit, 50*time.Millisecond, "addresses: %d", n)
	}
	there(1)
	k.must(t, "alarm", "rule", "set", "--group", "counter", "nobody", "1s")

	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar, Timeout: startLimit}
	submit := func(path string, form url.Values) pageSeen {
		resp, err := browser.PostForm(k.url+path, form) //nolint:noctx // the client has a limit
		return read(t, resp, err)
	}
	page := submit("/signin", url.Values{
		"name": {"admin"}, "password": {"correct-horse"}, "next": {"/executors/1"},
	})
	form := regexp.MustCompile(`(?s)<form method="post"[^>]* action="/alarms/mute">.*?</form>`).FindString(page.text)
	require.NotEmpty(t, form)
	fields := url.Values{}
	for _, in := range regexp.MustCompile(`name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		fields.Set(in[1], in[2])
	}
	page = submit("/alarms/mute", fields)
	assert.Equal(t, "/executors/1", page.at)
	mutes, err := c.Mutes(t.Context())
	require.NoError(t, err)
	require.Len(t, mutes, 1)
	assert.WithinDuration(t, time.Now().Add(15*time.Minute), mutes[0].Until, time.Minute)

	leave()
	there(0)
	gone := k.alarm(t, c, client.KindGroup, 1, client.AlarmNobody)
	assert.Equal(t, gone.Count, gone.Muted, "on record, and not told")
	defer k.counter(t)()
	there(1)
	require.Eventually(t, func() bool {
		for a, err := range c.Alarms(t.Context(), client.AlarmFilter{Kind: client.KindGroup, ObjectID: 1}) {
			return err != nil || a == nil
		}
		return true
	}, 3*startLimit, 50*time.Millisecond, "it has ended")
	k.must(t, "alarm", "mute", "--group", "counter", "1s") // the end of the quarter of an hour
	require.Eventually(t, func() bool {
		list, err := c.Mutes(t.Context())
		return err == nil && len(list) == 0
	}, startLimit, 50*time.Millisecond)
	all, _ := hook.pages()
	assert.Empty(t, all, "nobody was told")
}
