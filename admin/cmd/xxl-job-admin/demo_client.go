package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxConsoleAnswer = 4 << 20
	consoleTimeout   = 5 * time.Second
	logRows          = 60 // the newest ones, which are read each time
)

// consoleClient uses the console's interface as a script would, in the dialect
// of the releases up to 3.1.1.
type consoleClient struct {
	http *http.Client
	base string
}

// login begins a session.
func login(ctx context.Context, base, user, password string) (*consoleClient, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &consoleClient{base: base + contextPath, http: &http.Client{
		Jar: jar, Timeout: consoleTimeout, Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	_, err = c.call(ctx, "/login", url.Values{"userName": {user}, "password": {password}})
	return c, err
}

// post sends a form and returns the body of the answer.
func (c *consoleClient) post(ctx context.Context, path string, form url.Values) ([]byte, error) {
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
	body, err := io.ReadAll(io.LimitReader(res.Body, maxConsoleAnswer))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: HTTP status %d", path, res.StatusCode)
	}
	return body, nil
}

// call posts a form and returns the content of the envelope.
func (c *consoleClient) call(ctx context.Context, path string, form url.Values) (string, error) {
	body, err := c.post(ctx, path, form)
	if err != nil {
		return "", err
	}
	var answer struct {
		Code    int    `json:"code"`
		Msg     string `json:"msg"`
		Content any    `json:"content"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if answer.Code != http.StatusOK {
		return "", fmt.Errorf("%s: %s", path, answer.Msg)
	}
	content, _ := answer.Content.(string)
	return content, nil
}

// page posts a form and decodes the rows of the answer.
func page[T any](ctx context.Context, c *consoleClient, path string, form url.Values) ([]T, error) {
	body, err := c.post(ctx, path, form)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []T `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return answer.Data, nil
}

// errNoGroup is returned for a group that is not there.
var errNoGroup = errors.New("the group is not there")

// group returns the id of a group and how many executors it has.
func (c *consoleClient) group(ctx context.Context, app string) (id, addresses int, err error) {
	type row struct {
		ID       int      `json:"id"`
		AppName  string   `json:"appname"`
		Registry []string `json:"registryList"`
	}
	rows, err := page[row](ctx, c, "/jobgroup/pageList", url.Values{"start": {"0"}, "length": {"10"}})
	if err != nil {
		return 0, 0, err
	}
	for _, r := range rows {
		if r.AppName == app {
			return r.ID, len(r.Registry), nil
		}
	}
	return 0, 0, errNoGroup
}

// logRow is a run as the admin has it on record.
type logRow struct {
	ID          int64  `json:"id"`
	JobID       int    `json:"jobId"`
	Address     string `json:"executorAddress"`
	Shard       string `json:"executorShardingParam"`
	Retries     int    `json:"executorFailRetryCount"`
	TriggerCode int    `json:"triggerCode"`
	HandleCode  int    `json:"handleCode"`
	HandleMsg   string `json:"handleMsg"`
}

// ended reports whether nothing more will come.
func (r *logRow) ended() bool {
	return r.HandleCode != 0 || r.TriggerCode != 0 && r.TriggerCode != http.StatusOK
}

// logs returns the newest runs, newest first.
func (c *consoleClient) logs(ctx context.Context, group int) ([]logRow, error) {
	return page[logRow](ctx, c, "/joblog/pageList", url.Values{
		"jobGroup": {strconv.Itoa(group)}, "jobId": {"0"}, "logStatus": {"-1"}, "filterTime": {""},
		"start": {"0"}, "length": {strconv.Itoa(logRows)},
	})
}
