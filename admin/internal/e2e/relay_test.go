//go:build linux

package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// relay stands between executors and one admin node, in the test process, so
// that no kill takes from it which results were acknowledged.
type relay struct {
	url string

	mu   sync.Mutex
	acks []ack
}

// itemsKey carries the results of a callback to where its answer is seen.
type itemsKey struct{}

// newRelay returns a relay to the admin at the port, for the time of the test.
func newRelay(t *testing.T, adminPort string) *relay {
	t.Helper()
	r := new(relay)
	r.url = newForwarder(t, adminPort, withItems, r.answered) + "/xxl-job-admin"
	return r
}

// newForwarder starts a server that hands what it is asked on to another port,
// for the time of the test, and returns its URL. Requests pass by way of
// request, which may refuse them, and answers by way of answer. Where nobody
// listens there is no answer.
func newForwarder(
	t *testing.T, port string, request func(*http.Request) (*http.Request, bool), answer func(*http.Response) error,
) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:"+freePort(t)) //nolint:noctx // answers at once
	require.NoError(t, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port})
		},
		Transport:      transport,
		ModifyResponse: answer,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler)
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	srv := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			req, ok := request(req)
			if !ok {
				http.Error(w, "unreadable request", http.StatusBadRequest)
				return
			}
			proxy.ServeHTTP(w, req)
		}),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	t.Cleanup(func() {
		assert.NoError(t, srv.Close())
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			assert.NoError(t, err)
		}
		transport.CloseIdleConnections()
	})
	return "http://" + ln.Addr().String()
}

// withItems reads the results of a callback into the request's context.
func withItems(req *http.Request) (*http.Request, bool) {
	if req.URL.Path != "/xxl-job-admin"+wire.PathCallback {
		return req, true
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, wire.MaxCallbackBody))
	if err != nil {
		return nil, false
	}
	items, err := wire.DecodeCallbacks(body)
	if err != nil {
		return nil, false
	}
	req = req.WithContext(context.WithValue(req.Context(), itemsKey{}, items))
	req.Body = io.NopCloser(bytes.NewReader(body))
	return req, true
}

// answered notes the results that the admin has acknowledged.
func (r *relay) answered(resp *http.Response) error {
	items, ok := resp.Request.Context().Value(itemsKey{}).([]wire.CallbackItem)
	if !ok {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	answer, err := wire.DecodeResponse(body)
	if err != nil || resp.StatusCode != http.StatusOK || answer.Code != wire.CodeSuccess {
		return nil //nolint:nilerr // whatever it says is passed on, and acknowledges nothing
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, it := range items {
		r.acks = append(r.acks, ack{it.LogID, it.Code})
	}
	return nil
}

// acknowledged returns what was acknowledged so far.
func (r *relay) acknowledged() []ack {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]ack(nil), r.acks...)
}
