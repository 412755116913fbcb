package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
)

// served is a client of an admin that has these runs.
func served(t *testing.T, runs map[string]string) *client.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, runs[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	c, err := client.New(client.Config{BaseURL: s.URL, Key: "k"})
	require.NoError(t, err)
	return c
}

// A run that has a retry is not over before the retry is: that is what counts.
func TestWaitGoesOnToTheRetry(t *testing.T) {
	t.Parallel()
	runs := map[string]string{
		"/v1/runs/1": `{"id":1,"status":"failed","followed_by":[{"id":9,"cause":"child"},{"id":2,"cause":"retry"}]}`,
		"/v1/runs/2": `{"id":2,"status":"timeout","followed_by":[{"id":3,"cause":"retry"}]}`,
		"/v1/runs/3": `{"id":3,"status":"success","followed_by":[{"id":4,"cause":"again"}]}`,
	}
	var out, told bytes.Buffer
	con := Console{Out: &out, Err: &told}
	w := waiting{Wait: true}
	require.NoError(t, w.finish(t.Context(), con, served(t, runs), &Form{Output: "json"}, []int64{1}))
	assert.Contains(t, out.String(), `"id": 3`)
	assert.Equal(t, "run 1: failed; run 2 tries it again\nrun 2: timeout; run 3 tries it again\n", told.String())

	runs["/v1/runs/3"] = `{"id":3,"status":"replaced"}`
	err := w.finish(t.Context(), con, served(t, runs), &Form{Output: "json"}, []int64{1})
	var coded codedError
	require.ErrorAs(t, err, &coded)
	assert.Equal(t, ExitRunFailed, coded.code)
	require.EqualError(t, err, "run 3: replaced")
}

// The wait may have a limit, with a code of its own.
func TestWaitHasALimit(t *testing.T) {
	t.Parallel()
	c := served(t, map[string]string{"/v1/runs/1": `{"id":1,"status":"running"}`})
	w := waiting{Wait: true, WaitTimeout: time.Millisecond}
	err := w.finish(t.Context(), Console{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, c, &Form{Output: "table"}, []int64{1})
	var coded codedError
	require.True(t, errors.As(err, &coded), err)
	assert.Equal(t, ExitWaited, coded.code)
	assert.EqualError(t, err, "the runs have not ended within 1ms; what has not ended goes on: run 1")
}
