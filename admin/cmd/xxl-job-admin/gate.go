package main

import (
	"io"
	"net/http"
	"path"
	"strings"
)

// Paths of what machines look at.
const (
	pathHealth  = "/healthz"
	pathReady   = "/readyz"
	pathMetrics = "/metrics"
	contextPath = "/xxl-job-admin"
)

// gate serves everything on the main address: /healthz itself, since it says
// that the process lives, also while the database is being opened; and
// /metrics only where it has no address of its own.
func (s *server) gate() http.Handler {
	next := s.admin.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(path.Clean(r.URL.Path), contextPath) {
		case pathHealth:
			healthy(w)
		case pathMetrics:
			if s.metricsListen != "" {
				http.NotFound(w, r)
				return
			}
			next.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// metricsOnly serves what machines look at and nothing else.
func (s *server) metricsOnly() http.Handler {
	next := s.admin.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case pathHealth:
			healthy(w)
		case pathReady, pathMetrics:
			next.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func healthy(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "ok\n") // the client is gone when this fails
}
