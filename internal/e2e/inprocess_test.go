//go:build linux

package e2e

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
)

// handlerTransport makes an executor of this process answer a client.
type handlerTransport struct{ handler http.Handler }

// RoundTrip serves the request at once, without a network.
func (h handlerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	h.handler.ServeHTTP(rec, req)
	return rec.Result(), nil
}

// runHere runs an executor in this process until the end of the test; the test
// fails if it does not stop cleanly. register gives it its handlers.
func runHere(t *testing.T, cfg xxljob.Config, register func(*xxljob.Executor)) (*xxljob.Executor, *client) {
	t.Helper()
	cfg.AppName, cfg.AccessToken, cfg.LogPath = appName, token, t.TempDir()
	cfg.Address = "http://127.0.0.1:1/"
	cfg.Logger = slog.New(slog.DiscardHandler)
	executor, err := xxljob.NewExecutor(cfg)
	require.NoError(t, err)
	register(executor)
	c := &client{url: "http://in.process", http: &http.Client{Transport: handlerTransport{executor.HTTPHandler()}}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- executor.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-done, "Run")
	})
	waitFor(t, startLimit, "executor runs", func() bool {
		res, err := c.beat()
		return err == nil && res.Code == http.StatusOK
	})
	return executor, c
}

// pause waits for d, which may be negative.
func pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}
