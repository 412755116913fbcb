package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
)

// readyTimeout bounds the readiness probe's question to the database.
const readyTimeout = 2 * time.Second

// health are the routes for probes and metrics.
func (s *system) health() httpx.Table {
	get := []string{http.MethodGet, http.MethodHead}
	return httpx.Table{Name: "health", Routes: []httpx.Route{
		{Path: "/healthz", Methods: get, Permission: httpx.Anonymous, Handler: s.healthz},
		{Path: "/readyz", Methods: get, Permission: httpx.Anonymous, Handler: s.readyz},
		{Path: "/metrics", Methods: get, Permission: httpx.Anonymous, Handler: s.scrape},
	}}
}

// healthz says that the process answers.
func (s *system) healthz(w http.ResponseWriter, _ *http.Request) error {
	httpx.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz says whether this node works: the database answers, leases are fresh,
// and no loop is late. It names what is wrong, and nothing secret.
func (s *system) readyz(w http.ResponseWriter, r *http.Request) error {
	faults := s.faults(r.Context())
	status, word := http.StatusOK, "ready"
	if len(faults) > 0 {
		status, word = http.StatusServiceUnavailable, "not ready"
	}
	httpx.WriteJSON(w, status, struct {
		Status string   `json:"status"`
		Faults []string `json:"faults,omitempty"`
	}{word, faults})
	return nil
}

func (s *system) faults(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	var faults []string
	if err := s.store.Ping(ctx); err != nil {
		faults = append(faults, "the database does not answer")
	}
	if !s.leases.Status().Fresh {
		faults = append(faults, "leases are not renewed")
	}
	for _, l := range s.loops.Status() {
		if l.Late {
			faults = append(faults, "loop "+l.Name+" is late")
		}
	}
	return faults
}

// scrape answers Prometheus: on this machine, and elsewhere with the token.
func (s *system) scrape(w http.ResponseWriter, r *http.Request) error {
	if !s.mayScrape(r) {
		return &httpx.Error{Status: http.StatusForbidden, Msg: "metrics are for this machine, " +
			"or for a request with Authorization: Bearer and the metrics token"}
	}
	s.metrics.Handler().ServeHTTP(w, r)
	return nil
}

func (s *system) mayScrape(r *http.Request) bool {
	if want := s.cfg.MetricsToken; want != "" {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
		return ok && subtle.ConstantTimeCompare(a[:], b[:]) == 1
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	// A proxy on this machine speaks for the world.
	proxied := r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != ""
	return err == nil && ip != nil && ip.IsLoopback() && !proxied
}
