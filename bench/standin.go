//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// contextPath is where a Java admin serves by default.
const contextPath = "/xxl-job-admin"

// standIn plays the admin for one executor after the other. It is safe for
// concurrent use. It gets one call for many results, so that net/http does.
type standIn struct {
	server *http.Server
	addr   string
	done   chan error // what Serve returned

	book    atomic.Pointer[ledger] // gets the results; nil: they are not counted
	beats   atomic.Int64
	refuses atomic.Bool  // results are answered with an error, so that they stay unsent
	garbage atomic.Int64 // posts of results that could not be read
}

// newStandIn listens on a free port of loopback.
func newStandIn() (*standIn, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // answers at once
	if err != nil {
		return nil, err
	}
	s := &standIn{addr: ln.Addr().String(), done: make(chan error, 1)}
	s.server = &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute,
	}
	go func() { s.done <- s.server.Serve(ln) }()
	return s, nil
}

// url is the admin address for executors.
func (s *standIn) url() string { return "http://" + s.addr + contextPath }

// close stops serving and waits for it.
func (s *standIn) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// ServeHTTP answers one call of an executor.
func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	res := wire.Response{Code: wire.CodeSuccess}
	switch path := strings.TrimPrefix(r.URL.Path, contextPath); path {
	case wire.PathRegistry:
		s.beats.Add(1)
	case wire.PathRegistryRemove:
	case wire.PathCallback:
		if err := s.take(http.MaxBytesReader(w, r.Body, wire.MaxCallbackBody)); err != nil {
			res = wire.Response{Code: wire.CodeFail, Msg: wire.Str(err.Error())}
		}
	default:
		res = wire.Response{Code: wire.CodeFail, Msg: wire.Str(wire.NotFoundText(path))}
	}
	w.Header().Set("Content-Type", wire.ContentTypeJSON)
	_, _ = w.Write(wire.AppendAdminResponse(nil, res)) // an executor that is gone sends again
}

// take reads a post of results.
func (s *standIn) take(r io.Reader) error {
	if s.refuses.Load() {
		return errors.New("the benchmark takes no results now")
	}
	body, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	items, err := wire.DecodeCallbacks(body)
	if err != nil {
		s.garbage.Add(1)
		return err
	}
	if book := s.book.Load(); book != nil {
		book.deliver(items, time.Now())
	}
	return nil
}
