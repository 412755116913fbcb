//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// console drives the endpoints of the Java console (2.x to 3.1.1), as scripts
// do.
type console struct {
	base   string
	client *http.Client
}

const (
	adminUser     = "admin"
	adminPassword = "e2e-password"
)

func newConsole(t *testing.T, port string) *console {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	return &console{
		base: "http://127.0.0.1:" + port + "/xxl-job-admin",
		client: &http.Client{
			Jar: jar, Transport: transport, Timeout: 30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// post calls an endpoint and returns its content. An error says that there was
// no answer, or what the answer was instead of 200.
func (c *console) post(t *testing.T, path string, form url.Values) (string, error) {
	t.Helper()
	resp, err := c.client.PostForm(c.base+path, form) //nolint:noctx // bounded by the client's limit
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var answer struct {
		Code    int
		Msg     any
		Content any
	}
	if err := json.Unmarshal(body, &answer); err != nil || resp.StatusCode != http.StatusOK || answer.Code != 200 {
		return "", fmt.Errorf("%s answered %d: %s", path, resp.StatusCode, body)
	}
	return fmt.Sprint(answer.Content), nil
}

// must is post for what has to work.
func (c *console) must(t *testing.T, path string, form url.Values) string {
	t.Helper()
	content, err := c.post(t, path, form)
	require.NoError(t, err)
	return content
}

func (c *console) login(t *testing.T) {
	t.Helper()
	c.must(t, "/login", url.Values{"userName": {adminUser}, "password": {adminPassword}})
}

// status asks for a path below the context path and returns the HTTP status, 0
// if nobody answers.
func (c *console) status(path string) int {
	resp, err := c.client.Get(c.base + path) //nolint:noctx // bounded by the client's limit
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// jobForm is a job as the console's form has it.
type jobForm struct {
	Name     string
	Schedule string // a cron expression, or seconds of a FIX_RATE
	Rate     bool
	Misfire  string // default DO_NOTHING
	Route    string // default ROUND
	Handler  string // default mark
	Param    string
	Retries  int
	Block    string // default SERIAL_EXECUTION
}

func (f jobForm) values(group int64) url.Values {
	or := func(s, def string) string {
		if s == "" {
			return def
		}
		return s
	}
	kind := "CRON"
	if f.Rate {
		kind = "FIX_RATE"
	}
	return url.Values{
		"jobGroup": {strconv.FormatInt(group, 10)}, "jobDesc": {f.Name}, "author": {"e2e"}, "alarmEmail": {""},
		"scheduleType": {kind}, "scheduleConf": {f.Schedule}, "misfireStrategy": {or(f.Misfire, "DO_NOTHING")},
		"executorRouteStrategy": {or(f.Route, "ROUND")}, "executorHandler": {or(f.Handler, "mark")},
		"executorParam": {f.Param}, "executorBlockStrategy": {or(f.Block, "SERIAL_EXECUTION")}, "executorTimeout": {"0"},
		"executorFailRetryCount": {strconv.Itoa(f.Retries)}, "glueType": {"BEAN"}, "glueRemark": {"e2e"}, "childJobId": {""},
	}
}

// addGroup makes an executor group whose addresses come from the registry.
func (c *console) addGroup(t *testing.T, appName string) {
	t.Helper()
	c.must(t, "/jobgroup/save", url.Values{"appname": {appName}, "title": {appName}, "addressType": {"0"}})
}

// addJob makes a job and returns its id.
func (c *console) addJob(t *testing.T, group int64, f jobForm) int32 {
	t.Helper()
	id, err := strconv.ParseInt(c.must(t, "/jobinfo/add", f.values(group)), 10, 32)
	require.NoError(t, err)
	return int32(id)
}

// change starts or stops a job.
func (c *console) change(t *testing.T, what string, job int32) {
	t.Helper()
	c.must(t, "/jobinfo/"+what, url.Values{"id": {strconv.Itoa(int(job))}})
}
