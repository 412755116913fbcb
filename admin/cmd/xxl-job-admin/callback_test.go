package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin"
)

// fixture is a whole admin with one job, whose executor takes everything and
// reports nothing.
type fixture struct {
	base    string
	client  *consoleClient
	group   int
	job     string
	trigger chan int64 // ids of runs, as the executor is given them
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{trigger: make(chan int64, 10)}
	executor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var run struct {
			LogID int64 `json:"logId"`
		}
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		if r.URL.Path == "/run" {
			assert.NoError(t, json.Unmarshal(body, &run))
			f.trigger <- run.LogID
		}
		_, _ = io.WriteString(w, `{"code":200}`)
	}))
	t.Cleanup(executor.Close)
	log := slog.New(slog.DiscardHandler)
	a, err := admin.New(admin.Config{
		DB: "sqlite:" + filepath.Join(t.TempDir(), databaseFile), AccessToken: "token-of-test", AdminPassword: "sesame-open",
		Language: "en", Logger: log,
	})
	require.NoError(t, err)
	s := &server{admin: a, log: log, listen: "127.0.0.1:0"}
	require.NoError(t, s.open(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	<-a.Ready()
	f.base = "http://" + s.addr()
	f.client, err = login(t.Context(), f.base, "admin", "sesame-open")
	require.NoError(t, err)
	_, err = f.client.call(t.Context(), "/jobgroup/save", url.Values{
		"appname": {"java"}, "title": {"Java"}, "addressType": {"1"}, "addressList": {executor.URL},
	})
	require.NoError(t, err)
	f.group, _, err = f.client.group(t.Context(), "java")
	require.NoError(t, err)
	f.job, err = f.client.call(t.Context(), "/jobinfo/add", url.Values{
		"jobGroup": {strconv.Itoa(f.group)}, "jobDesc": {"job"}, "author": {"me"}, "scheduleType": {"NONE"},
		"misfireStrategy": {"DO_NOTHING"}, "glueType": {"BEAN"}, "executorRouteStrategy": {"FIRST"},
		"executorHandler": {"h"}, "executorBlockStrategy": {"SERIAL_EXECUTION"},
	})
	require.NoError(t, err)
	return f
}

// run triggers the job, and returns the id of a run that the executor has
// taken.
func (f *fixture) run(t *testing.T) int64 {
	t.Helper()
	form := url.Values{"id": {f.job}, "executorParam": {""}, "addressList": {""}}
	_, err := f.client.call(t.Context(), "/jobinfo/trigger", form)
	require.NoError(t, err)
	id := <-f.trigger
	waitFor(t, func() bool { return f.row(t, id).TriggerCode == 200 })
	return id
}

func (f *fixture) row(t *testing.T, id int64) logRow {
	t.Helper()
	rows, err := f.client.logs(t.Context(), f.group)
	require.NoError(t, err)
	for _, row := range rows {
		if row.ID == id {
			return row
		}
	}
	return logRow{}
}

// TestResultsAreStored is what the conformance cases 84 to 92 say of the
// database, with everything that is real behind the interface.
func TestResultsAreStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long := strings.Repeat("é", 20000)
	tests := []struct {
		number int
		body   string // %d is the run
		code   int
		msg    string
	}{
		{84, `[{"logId":%d,"logDateTim":0,"handleCode":200}]`, 200, ""},
		{85, `[{"logId":%d,"executeResult":{"code":500,"msg":"m"}}]`, 500, "m"},
		{86, `{"callbackList":[{"logId":%d,"logDateTime":0,"handleCode":502,"handleMsg":"job execute timeout "}]}`, 502, "job execute timeout "},
		{90, `[{"logId":%d,"handleCode":200,"handleMsg":"` + long + `"}]`, 200, long[:2*15000]},
	}
	for _, tt := range tests {
		id := f.run(t)
		send := func(body string) {
			_, answer := post(t, f.base+"/api/callback", body, "XXL-JOB-ACCESS-TOKEN", "token-of-test")
			assert.JSONEq(t, `{"code":200,"msg":"Success","content":null,"data":null}`, answer, "case %d", tt.number)
		}
		send(fmt.Sprintf(`[{"logId":%d,"handleCode":0}]`, id))
		assert.Zero(t, f.row(t, id).HandleCode, "a result without a code leaves the run open")
		send(fmt.Sprintf(tt.body, id))
		row := f.row(t, id)
		assert.Equal(t, tt.code, row.HandleCode, "case %d", tt.number)
		assert.Equal(t, tt.msg, row.HandleMsg, "case %d", tt.number)
		send(fmt.Sprintf(`[{"logId":%d,"handleCode":501,"handleMsg":"again"},{"logId":99999,"handleCode":200}]`, id))
		assert.Equal(t, row, f.row(t, id), "cases 87 and 88, after case %d", tt.number)
	}

	id := f.run(t)
	_, err := f.client.call(t.Context(), "/joblog/logKill", url.Values{"id": {strconv.FormatInt(id, 10)}})
	require.NoError(t, err)
	killed := f.row(t, id)
	assert.Equal(t, 500, killed.HandleCode)
	_, answer := post(t, f.base+"/xxl-job-admin/api/callback", fmt.Sprintf(`[{"logId":%d,"handleCode":200}]`, id),
		"XXL-JOB-ACCESS-TOKEN", "token-of-test")
	assert.Contains(t, answer, `"code":200`)
	assert.Equal(t, killed, f.row(t, id), "case 91")
}
