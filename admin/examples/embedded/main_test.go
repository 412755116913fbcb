package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	waitLimit = 30 * time.Second
	waitStep  = 20 * time.Millisecond
)

// The service's own page and the admin below its path are served by one
// server, and both end with the context.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := ln.Addr().String()
	require.NoError(t, ln.Close())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx, addr, t.TempDir(), "a-token-of-this-test") }()

	get := func(path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	require.Eventually(t, func() bool {
		status, _ := get("/xxl-job-admin/readyz")
		return status == http.StatusOK
	}, waitLimit, waitStep)
	status, body := get("/")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "a service of its own")
	status, body = get("/xxl-job-admin/api/registry")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "invalid request, HttpMethod not support.")
	cancel()
	require.NoError(t, <-done)
}
