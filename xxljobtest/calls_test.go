package xxljobtest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/xxljobtest"
)

// fakeExecutor registers a server that answers with handle.
func fakeExecutor(t *testing.T, admin *xxljobtest.Admin, handle http.HandlerFunc) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	beat := call{
		path: "/api/registry", token: admin.Token(), appName: "demo",
		body: `{"registryGroup":"EXECUTOR","registryKey":"demo","registryValue":"` + server.URL + `/"}`,
	}
	status, answer := beat.send(t, admin)
	require.Equal(t, http.StatusOK, status, answer)
}

// TestAdminSendsWhatJavaSends looks at a trigger on the wire.
func TestAdminSendsWhatJavaSends(t *testing.T) {
	t.Parallel()
	trigger := xxljobtest.Trigger{
		JobID: 3, LogID: 1 << 40, Time: time.UnixMilli(1_700_000_000_000), Handler: "h", Param: "p",
		ShardIndex: 1, ShardTotal: 2, Timeout: time.Millisecond, BlockStrategy: xxljobtest.CoverEarly,
		GlueType: "GLUE_SHELL", GlueSource: "echo", GlueUpdated: time.UnixMilli(1_600_000_000_000),
	}
	const body = `{"jobId":3,"executorHandler":"h","executorParams":"p","executorBlockStrategy":"COVER_EARLY",
		"executorTimeout":1,"logId":1099511627776,"logDateTime":1700000000000,"glueType":"GLUE_SHELL",
		"glueSource":"echo","glueUpdatetime":1600000000000,"broadcastIndex":1,"broadcastTotal":2}`
	tests := []struct {
		dialect      xxljobtest.Dialect
		wantPath     string
		wantAppName  string
		wantBeatBody string
	}{
		{dialect: xxljobtest.DialectLegacy, wantPath: "/run", wantBeatBody: `""`},
		{dialect: xxljobtest.Dialect3, wantPath: "/run"},
		{dialect: xxljobtest.DialectMaster, wantPath: "/trigger", wantAppName: "demo"},
	}
	for _, tt := range tests {
		t.Run(tt.dialect.String(), func(t *testing.T) {
			t.Parallel()
			type seen struct{ method, path, token, appName, body string }
			calls := make(chan seen, 2)
			admin := xxljobtest.NewAdmin(t, xxljobtest.Options{Dialect: tt.dialect, Token: "secret"})
			fakeExecutor(t, admin, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				calls <- seen{
					r.Method, r.URL.Path, r.Header.Get("XXL-JOB-ACCESS-TOKEN"), r.Header.Get("XXL-JOB-APPNAME"), string(body),
				}
				_, _ = io.WriteString(w, `{"code":200}`)
			})
			logID, err := admin.Trigger(limit(t), trigger)
			require.NoError(t, err)
			assert.Equal(t, trigger.LogID, logID)
			got := <-calls
			assert.JSONEq(t, body, got.body)
			got.body = ""
			assert.Equal(t, seen{http.MethodPost, tt.wantPath, "secret", tt.wantAppName, ""}, got)

			require.NoError(t, admin.Beat(limit(t)))
			assert.Equal(t, seen{http.MethodPost, "/beat", "secret", tt.wantAppName, tt.wantBeatBody}, <-calls)
		})
	}
}

// TestAdminJudgesAnswers gives every call a bad answer.
func TestAdminJudgesAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		wantErr string
	}{
		{
			name: "refusal", wantErr: "xxljobtest: the executor answered code 500: no room",
			answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"code":500,"msg":"no room"}`) },
		},
		{
			name: "status", wantErr: "HTTP status 503",
			answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		},
		{
			name: "redirect, which would take the token elsewhere", wantErr: "HTTP status 302",
			answer: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
			},
		},
		{
			name: "no JSON", wantErr: "answer to /",
			answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `<html>`) },
		},
		{
			name: "cut off", wantErr: "unexpected EOF",
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"code":200`)
			},
		},
		{
			name: "no answer", wantErr: "EOF",
			answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
			fakeExecutor(t, admin, tt.answer)
			logID, err := admin.Trigger(limit(t), xxljobtest.Trigger{Handler: "h"})
			require.ErrorContains(t, err, tt.wantErr)
			assert.Equal(t, int64(1), logID)
			require.ErrorContains(t, admin.Beat(limit(t)), tt.wantErr)
			require.ErrorContains(t, admin.IdleBeat(limit(t), 1), tt.wantErr)
			require.ErrorContains(t, admin.Kill(limit(t), 1), tt.wantErr)
			_, err = admin.Log(limit(t), logID)
			require.ErrorContains(t, err, tt.wantErr)
		})
	}
}

// TestLogReadsEveryPage puts a long log together.
func TestLogReadsEveryPage(t *testing.T) {
	t.Parallel()
	pages := []string{
		`{"code":200,"data":{"fromLineNum":1,"toLineNum":2,"logContent":"a\nb\n","isEnd":false}}`,
		`{"code":200,"data":{"fromLineNum":3,"toLineNum":3,"logContent":"c\n","isEnd":false}}`,
		`{"code":200,"content":{"fromLineNum":4,"toLineNum":3,"logContent":"","isEnd":false}}`,
	}
	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
	fakeExecutor(t, admin, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/log" {
			_, _ = io.WriteString(w, `{"code":200}`)
			return
		}
		_, _ = io.WriteString(w, pages[0])
		pages = pages[1:]
	})
	logID, err := admin.Trigger(limit(t), xxljobtest.Trigger{Handler: "h"})
	require.NoError(t, err)
	text, err := admin.Log(limit(t), logID)
	require.NoError(t, err)
	assert.Equal(t, "a\nb\nc\n", text)
	assert.Empty(t, pages)
}
