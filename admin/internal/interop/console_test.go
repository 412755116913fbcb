//go:build interop && linux

package interop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	adminUser     = "admin"
	adminPassword = "interop-password-1"

	callLimit = 10 * time.Second
	pageRows  = "200"
)

// console uses the endpoints of the Java console as a script of its release
// would. Its methods fail the test on an answer that is no success.
type console struct {
	base    string
	dialect dialect
	http    *http.Client
}

// newConsole logs in.
func newConsole(t *testing.T, base string, d dialect) *console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &console{base: base, dialect: d, http: &http.Client{
		Jar: jar, Timeout: callLimit, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	path := "/login"
	if d == dialectC {
		path = "/auth/doLogin"
	}
	c.call(t, path, url.Values{"userName": {adminUser}, "password": {adminPassword}})
	return c
}

// post sends a form and returns the body of the answer.
func (c *console) post(ctx context.Context, path string, form url.Values) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP status %d: %s", res.StatusCode, body)
	}
	return body, err
}

// envelope is an answer of either dialect.
type envelope struct {
	Code    int             `json:"code"`
	Msg     string          `json:"msg"`
	Content json.RawMessage `json:"content"` // A
	Data    json.RawMessage `json:"data"`    // C
}

// call posts a form and returns the payload of an answer with code 200.
func (c *console) call(t *testing.T, path string, form url.Values) json.RawMessage {
	t.Helper()
	body, err := c.post(t.Context(), path, form)
	require.NoError(t, err, path)
	var e envelope
	require.NoErrorf(t, json.Unmarshal(body, &e), "%s: %s", path, body)
	require.Equalf(t, http.StatusOK, e.Code, "%s: %s", path, e.Msg)
	if c.dialect == dialectC {
		require.Emptyf(t, e.Content, "%s answered in the form of before 3.3.0: %s", path, body)
		return e.Data
	}
	require.Emptyf(t, e.Data, "%s answered in the form of 3.3.0: %s", path, body)
	return e.Content
}

// rows posts a form for a page of a list and decodes its rows.
func rows[T any](t *testing.T, c *console, path string, form url.Values) []T {
	t.Helper()
	var page struct {
		Data []T `json:"data"`
	}
	form = maps.Clone(form)
	body := json.RawMessage(nil)
	if c.dialect == dialectC {
		form["offset"], form["pagesize"] = []string{"0"}, []string{pageRows}
		body = c.call(t, path, form)
	} else {
		form["start"], form["length"] = []string{"0"}, []string{pageRows}
		var err error
		body, err = c.post(t.Context(), path, form)
		require.NoError(t, err, path)
	}
	require.NoErrorf(t, json.Unmarshal(body, &page), "%s: %s", path, body)
	return page.Data
}

// named picks the name of an endpoint or parameter.
func (c *console) named(a, other string) string {
	if c.dialect == dialectC {
		return other
	}
	return a
}

// group is an executor as the console shows it.
type group struct {
	ID       int      `json:"id"`
	AppName  string   `json:"appname"`
	Registry []string `json:"registryList"`
}

// addGroup makes an executor whose addresses register themselves.
func (c *console) addGroup(t *testing.T, app string) int {
	t.Helper()
	c.call(t, c.named("/jobgroup/save", "/jobgroup/insert"),
		url.Values{"appname": {app}, "title": {"Interop"}, "addressType": {"0"}, "addressList": {""}})
	found := rows[group](t, c, "/jobgroup/pageList", url.Values{"appname": {app}, "title": {""}})
	require.Len(t, found, 1, "groups named %s", app)
	return found[0].ID
}

// addresses lists the executors that are registered for a group.
func (c *console) addresses(t *testing.T, id int) []string {
	t.Helper()
	var g group
	payload := c.call(t, "/jobgroup/loadById", url.Values{"id": {strconv.Itoa(id)}})
	require.NoErrorf(t, json.Unmarshal(payload, &g), "%s", payload)
	return g.Registry
}

// jobForm is a job as the console's form sends it.
func jobForm(group int, handler string) url.Values {
	return url.Values{
		"jobGroup": {strconv.Itoa(group)}, "jobDesc": {handler}, "author": {"interop"}, "alarmEmail": {""},
		"scheduleType": {"NONE"}, "scheduleConf": {""}, "misfireStrategy": {"DO_NOTHING"}, "glueType": {"BEAN"},
		"glueSource": {""}, "glueRemark": {"interop"},
		"executorRouteStrategy": {"FIRST"}, "executorHandler": {handler}, "executorParam": {""},
		"executorBlockStrategy": {"SERIAL_EXECUTION"}, "executorTimeout": {"0"},
		"executorFailRetryCount": {"0"}, "childJobId": {""},
	}
}

// addJob makes a job and returns its id. Values of set replace those of jobForm.
func (c *console) addJob(t *testing.T, group int, handler string, set ...string) string {
	t.Helper()
	form := jobForm(group, handler)
	for i := 0; i+1 < len(set); i += 2 {
		require.Contains(t, form, set[i])
		form.Set(set[i], set[i+1])
	}
	payload := c.call(t, c.named("/jobinfo/add", "/jobinfo/insert"), form)
	var id string
	require.NoErrorf(t, json.Unmarshal(payload, &id), "id of the new job: %s", payload)
	return id
}

// start begins the schedule of a job; stop ends it.
func (c *console) start(t *testing.T, job string) {
	t.Helper()
	c.call(t, "/jobinfo/start", url.Values{c.named("id", "ids[]"): {job}})
}

func (c *console) stop(t *testing.T, job string) {
	t.Helper()
	c.call(t, "/jobinfo/stop", url.Values{c.named("id", "ids[]"): {job}})
}

// trigger runs a job once.
func (c *console) trigger(t *testing.T, job, param string) {
	t.Helper()
	c.call(t, "/jobinfo/trigger", url.Values{"id": {job}, "executorParam": {param}, "addressList": {""}})
}

// logRow is a run as the console shows it.
type logRow struct {
	ID          int64  `json:"id"`
	Address     string `json:"executorAddress"`
	Handler     string `json:"executorHandler"`
	Param       string `json:"executorParam"`
	Shard       string `json:"executorShardingParam"`
	Retries     int    `json:"executorFailRetryCount"`
	TriggerTime string `json:"triggerTime"`
	TriggerCode int    `json:"triggerCode"`
	TriggerMsg  string `json:"triggerMsg"`
	HandleCode  int    `json:"handleCode"`
	HandleMsg   string `json:"handleMsg"`
}

// ended reports whether nothing more will come.
func (r logRow) ended() bool {
	return r.HandleCode != 0 || (r.TriggerCode != 0 && r.TriggerCode != http.StatusOK)
}

// logs lists the runs of a job, oldest first.
func (c *console) logs(t *testing.T, group int, job string) []logRow {
	t.Helper()
	found := rows[logRow](t, c, "/joblog/pageList", url.Values{
		"jobGroup": {strconv.Itoa(group)}, "jobId": {job}, "logStatus": {"-1"}, "filterTime": {""},
	})
	slices.SortFunc(found, func(a, b logRow) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// ended waits until a job has n runs and all have ended, and returns them.
func (c *console) ended(t *testing.T, group int, job string, n int) []logRow {
	t.Helper()
	var found []logRow
	waitFor(t, runLimit, fmt.Sprintf("%d ended runs of job %s", n, job), func() bool {
		found = c.logs(t, group, job)
		return len(found) >= n && !slices.ContainsFunc(found, func(r logRow) bool { return !r.ended() })
	})
	require.Lenf(t, found, n, "runs of job %s", job)
	return found
}

// running waits until the executor has a job's last run, and returns it.
func (c *console) running(t *testing.T, group int, job string) logRow {
	t.Helper()
	var last logRow
	waitFor(t, runLimit, "a run of job "+job+" at its executor", func() bool {
		found := c.logs(t, group, job)
		if len(found) == 0 {
			return false
		}
		last = found[len(found)-1]
		return last.TriggerCode != 0
	})
	assert.Equal(t, http.StatusOK, last.TriggerCode, last.TriggerMsg)
	assert.Zero(t, last.HandleCode, last.HandleMsg)
	return last
}

// logText is a piece of a run's log.
type logText struct {
	From int    `json:"fromLineNum"`
	To   int    `json:"toLineNum"`
	Text string `json:"logContent"`
	End  bool   `json:"end"`
}

// detail reads the log of a run from a line on, as the rolling log page does.
func (c *console) detail(t *testing.T, logID int64, from int) logText {
	t.Helper()
	payload := c.call(t, "/joblog/logDetailCat",
		url.Values{"logId": {strconv.FormatInt(logID, 10)}, "fromLineNum": {strconv.Itoa(from)}})
	var text logText
	require.NoErrorf(t, json.Unmarshal(payload, &text), "%s", payload)
	return text
}

// kill ends a run.
func (c *console) kill(t *testing.T, logID int64) {
	t.Helper()
	c.call(t, "/joblog/logKill", url.Values{"id": {strconv.FormatInt(logID, 10)}})
}
