package rest_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFollow: the log of a run comes as it is written, and the stream ends with
// the run.
func TestFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.objects(t)
	run := w.run(t, o.job)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	q := request{
		method: http.MethodGet, path: fmt.Sprintf("%s/v1/runs/%d/log/stream", server.URL, run),
		key: w.key(t, "reader", []string{"read"}),
	}
	r := q.make(t)
	r.RequestURI = ""
	res, err := server.Client().Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, res.Body.Close()) })
	assert.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	assert.Equal(t, "no", res.Header.Get("X-Accel-Buffering"))

	scan := bufio.NewScanner(res.Body)
	next := func() string {
		require.True(t, scan.Scan(), "the stream ended early: %v", scan.Err())
		return scan.Text()
	}
	assert.Equal(t, "event: log", next())
	assert.Equal(t, "id: 2", next())
	assert.Contains(t, next(), `"from_line":1,"to_line":2,"text":"line 1 <b>\nline 2 <b>\n"`)
	assert.Empty(t, next())
	w.exec.lines.Store(3)
	assert.Equal(t, "event: log", next())
	assert.Equal(t, "id: 3", next())
	assert.Contains(t, next(), `"from_line":3,"to_line":3,"text":"line 3 <b>\n"`)
	assert.Empty(t, next())
	w.end(t, run, http.StatusOK)
	assert.Equal(t, "event: end", next())
	assert.Equal(t, "data: {}", next())
	assert.Empty(t, next())
	assert.False(t, scan.Scan(), "nothing follows")
}
