package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
)

// pageSeen is what a browser without scripts has before it.
type pageSeen struct {
	at   string // its address behind the host
	text string
}

func read(t *testing.T, resp *http.Response, err error) pageSeen {
	t.Helper()
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s\n%.500s", resp.Request.URL, text)
	return pageSeen{resp.Request.URL.RequestURI(), string(text)}
}

// TestAlarmLink: the address in a webhook, in a mail and in the list of alarms
// leads who is not signed in through the login to the failing run, and from there
// the run is retried.
func TestAlarmLink(t *testing.T) {
	t.Parallel()
	hook, post := newPager(t), newPostbox(t, false)
	channels := filepath.Join(t.TempDir(), "alarms.json")
	text := fmt.Sprintf(`[{"name": "hook", "type": "webhook", "url": %q}, %s]`, hook.url, post.channel("post"))
	require.NoError(t, os.WriteFile(channels, []byte(text), 0o600))
	k := newKitchen(t, "--alarms", channels, "--alarms-to-loopback")
	defer k.close()
	c := k.boss(t)
	k.must(t, "executor", "create", "kitchen", "--title", "Kitchen")
	k.addressed(t, c)
	k.write(t, "jobs.yaml", "group: kitchen\nname: mood\nhandler: mood\n")
	k.must(t, "job", "apply", "-f", "jobs.yaml", "--yes")
	k.ends(t, c, "mood", "bad", client.RunFailed)

	told := hook.until(t, "run_failed", "mood")
	want := fmt.Sprintf("%s/runs/%d?at=fail", k.url, told.LogID)
	require.Equal(t, want, told.URL, "the admin listens on a loopback address")
	require.Eventually(t, func() bool { return len(post.mails()) > 0 }, startLimit, 20*time.Millisecond)
	assert.Contains(t, post.body(t), "Open in the console: "+want)
	assert.Contains(t, post.body(t), `<a href="`+want+`">`)
	assert.Equal(t, want, k.alarm(t, c, client.KindJob, told.JobID, client.AlarmFailed).URL)
	k.must(t, "alarm", "list")
	assert.Contains(t, string(k.rest), want)

	for _, prefix := range []string{"", "/xxl-job-admin"} {
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		browser := &http.Client{Jar: jar, Timeout: startLimit}
		stays := &http.Client{Timeout: startLimit, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
		get := func(address string) pageSeen {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
			require.NoError(t, err)
			resp, err := browser.Do(req)
			return read(t, resp, err)
		}
		submit := func(path string, form url.Values) pageSeen {
			resp, err := browser.PostForm(k.url+prefix+path, form) //nolint:noctx // the client has a limit
			return read(t, resp, err)
		}
		run := fmt.Sprintf("/runs/%d", told.LogID)
		login := get(k.url + prefix + run + "?at=fail")
		require.Equal(t, prefix+"/signin?next="+url.QueryEscape(run+"?at=fail"), login.at)
		assert.True(t, strings.Contains(login.text, `name="next" value="`+run+`?at=fail"`), "the login keeps the address")
		who := url.Values{"name": {"admin"}, "password": {"correct-horse"}}
		for _, evil := range []string{
			"https://evil.test/", "//evil.test", "/\\evil.test", prefix + "//evil.test", prefix + prefix + "/x@evil.test",
		} {
			who.Set("next", evil)
			resp, err := stays.PostForm(k.url+prefix+"/signin", who) //nolint:noctx // the client has a limit
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			to, err := resp.Location()
			require.NoError(t, err)
			assert.Equal(t, strings.TrimPrefix(k.url, "http://"), to.Host, "%s leads to %s", evil, to)
		}
		who.Set("next", run+"?at=fail")
		there := submit("/signin", who)
		at := regexp.MustCompile("^" + regexp.QuoteMeta(prefix+run) + `\?fail=(\d+)$`).FindStringSubmatch(there.at)
		require.NotNil(t, at, "%s is not at the failing line", there.at)
		marked := regexp.MustCompile(`(?s)<[^>]*id="L` + at[1] + `"[^>]*>.{0,600}?in a bad mood`)
		assert.True(t, marked.MatchString(there.text), "line %s is the failing one", at[1])
		assert.True(t, strings.Contains(there.text, `action="`+prefix+run+`/retry"`), "the button that retries")
	}
}

// TestPublicURL: links lead to what --public-url says; without it they lead to a
// loopback address that is listened on, and nowhere else.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		listen string
		cmd    serveCmd
		want   string // "" is none; PORT is that of the listener
	}{
		{listen: "127.0.0.1:0", want: "http://127.0.0.1:PORT"},
		{listen: ":0"},
		{listen: "127.0.0.1:0", cmd: serveCmd{settings: settings{TrustedProxies: []string{"127.0.0.1"}}}},
		{listen: "127.0.0.1:0", cmd: serveCmd{settings: settings{TrustedOrigins: []string{"https://a.test"}}}},
		{
			listen: ":0", cmd: serveCmd{settings: settings{PublicURL: "https://a.test", TrustedProxies: []string{"::1"}}},
			want: "https://a.test",
		},
	} {
		s := &server{listen: tt.listen}
		require.NoError(t, s.open(t.Context()))
		_, port, err := net.SplitHostPort(s.addr())
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(tt.want, "PORT", port), tt.cmd.publicURL(s))
		require.NoError(t, s.close())
	}
}
