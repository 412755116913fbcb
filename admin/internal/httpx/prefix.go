package httpx

import (
	"context"
	"net/http"
	"strings"
)

type prefixKey struct{}

// WithPrefix notes in the request of next under which context path it came.
func WithPrefix(prefix string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), prefixKey{}, prefix)))
	})
}

// Prefix returns the context path under which the request came, "" or
// "/xxl-job-admin".
func Prefix(r *http.Request) string {
	prefix, _ := r.Context().Value(prefixKey{}).(string)
	return prefix
}

// Path returns the path of the request behind its context path.
func Path(r *http.Request) string {
	path := strings.TrimPrefix(r.URL.Path, Prefix(r))
	if path == "" {
		return "/"
	}
	return path
}
