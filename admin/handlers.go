package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/api"
	"github.com/xxljob-go/xxljob/admin/internal/declare"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/legacy"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// version is what the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// first does what has to be done before anything runs: it sees to an
// administrator, adopts what a Java admin left open, and makes the handler.
func (s *system) first(ctx context.Context) (http.Handler, error) {
	printed, _, err := s.auth.EnsureAdmin(ctx, s.cfg.AdminUser, s.cfg.AdminPassword)
	if err != nil {
		return nil, fmt.Errorf("set up the administrator: %w", err)
	}
	if printed != "" {
		s.cfg.OnPassword(s.cfg.AdminUser, printed)
	}
	if err := s.adoptJava(ctx); err != nil {
		return nil, err
	}
	return s.handler(ctx.Done())
}

// handler mounts every interface under every prefix. What streams ends with
// stopping.
func (s *system) handler(stopping <-chan struct{}) (http.Handler, error) {
	declarer, err := declare.New(declare.Config{
		Policy: string(s.cfg.JobsFromCode), Jobs: s.ops, Store: s.store, Logger: s.part("declare"),
	})
	if err != nil {
		return nil, err
	}
	proxies, err := httpx.ParseProxies(s.cfg.TrustedProxies)
	if err != nil {
		return nil, err
	}
	executors, err := api.New(api.Config{
		Token: s.cfg.AccessToken, Completion: s.writer, Registry: s.registry, Logs: s.store, Jobs: s.ops,
		Declarer: declarer,
		Lang:     s.lang, Logger: s.part("api"), Client: proxies.ClientIP, Refusals: &s.refusals,
		Observe: func(o api.Observation) {
			if o.Items > 0 {
				s.metrics.Callback(o.Items)
			}
			if o.Refused {
				s.metrics.Refused()
			}
		},
	})
	if err != nil {
		return nil, err
	}
	pages, err := s.console(proxies, stopping)
	if err != nil {
		return nil, err
	}
	console, err := legacy.New(legacy.Config{
		Ops: s.ops, Auth: s.auth, Default: dialect(s.cfg.Dialect, s.store.Info()), Location: s.cfg.TimeZone,
		Lang: s.lang, Logger: s.part("legacy"), Proxies: proxies,
		Pages: pages.Pages(),
		Health: func(ctx context.Context) error {
			if faults := s.faults(ctx); len(faults) > 0 {
				return errors.New(strings.Join(faults, ", "))
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	v1, err := s.rest(stopping)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	err = httpx.Mount(mux, httpx.Prefixes(),
		executors.Table(), console.Table(), pages.Table(), v1, s.health())
	if err != nil {
		return nil, err
	}
	return httpx.Harden(mux, httpx.Hardening{
		Logger: s.part("http"), Proxies: proxies, TrustedOrigins: s.cfg.TrustedOrigins,
	})
}

// dialect is that of requests which do not show theirs.
func dialect(d Dialect, info store.Info) legacy.Dialect {
	switch {
	case d == DialectA, d == DialectAuto && !info.TokenColumn:
		return legacy.A
	default:
		return legacy.C
	}
}
