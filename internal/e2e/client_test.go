//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// client calls an executor as an admin does, with pooled connections and no
// retries. It is safe for concurrent use.
type client struct {
	url  string
	http *http.Client
}

// newClient returns a client of the executor on a loopback port; its
// connections end with the test.
func newClient(t *testing.T, port int) *client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &client{
		url:  fmt.Sprintf("http://127.0.0.1:%d", port),
		http: &http.Client{Transport: transport, Timeout: 20 * time.Second},
	}
}

// post sends one request. An error means that no whole answer came.
func (c *client) post(path string, body []byte) ([]byte, error) {
	// With a reader that it does not know, net/http cannot send a request twice.
	req, err := http.NewRequest(http.MethodPost, c.url+path, struct{ io.Reader }{bytes.NewReader(body)}) //nolint:noctx // the client has a timeout
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", wire.ContentTypeJSON)
	req.Header.Set(wire.HeaderToken, token)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP status %d", res.StatusCode)
	}
	return answer, err
}

func (c *client) call(path string, body []byte) (wire.Response, error) {
	answer, err := c.post(path, body)
	if err != nil {
		return wire.Response{}, err
	}
	return wire.DecodeResponse(answer)
}

func (c *client) beat() (wire.Response, error) { return c.call(wire.PathBeat, nil) }

func (c *client) run(t wire.TriggerRequest) (wire.Response, error) {
	return c.call(wire.PathRun, t.Append(nil))
}

func (c *client) killJob(jobID int32) (wire.Response, error) {
	req := wire.JobRequest{JobID: jobID}
	return c.call(wire.PathKill, req.Append(nil))
}

// idle reports whether none of these jobs runs or has triggers waiting.
func (c *client) idle(jobIDs ...int32) bool {
	for _, id := range jobIDs {
		req := wire.JobRequest{JobID: id}
		if res, err := c.call(wire.PathIdleBeat, req.Append(nil)); err != nil || res.Code != wire.CodeSuccess {
			return false
		}
	}
	return true
}

// log asks for the run log of a trigger from a line on.
func (c *client) log(t wire.TriggerRequest, from int32) (wire.LogResult, error) {
	req := wire.LogRequest{LogID: t.LogID, LogDateTime: t.LogDateTime, FromLineNum: from}
	answer, err := c.post(wire.PathLog, req.Append(nil))
	if err != nil {
		return wire.LogResult{}, err
	}
	res, page, err := wire.DecodeLogResponse(answer)
	if err == nil && res.Code != wire.CodeSuccess {
		err = fmt.Errorf("/log answered code %d: %s", res.Code, res.Msg.String)
	}
	return page, err
}
