package httpx

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// TypeEvents is the content type of server-sent events.
const TypeEvents = "text/event-stream"

// Events is an answer of server-sent events. One goroutine uses it.
type Events struct {
	w     http.ResponseWriter
	ctl   *http.ResponseController
	limit time.Duration
}

// OpenEvents writes the head of the answer, which proxies do not keep back.
// contentType is TypeEvents, with parameters if need be; limit bounds each Send.
func OpenEvents(w http.ResponseWriter, contentType string, limit time.Duration) *Events {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Accel-Buffering", "no") // nginx would keep it back
	w.WriteHeader(http.StatusOK)
	e := &Events{w: w, ctl: http.NewResponseController(w), limit: limit}
	_ = e.ctl.Flush() // a client that is gone is found by the first Send
	return e
}

// Send writes text as it is, and at once. It blocks until the client has taken
// it, at most for the limit where the server has deadlines; then, or when the
// client is gone, it returns an error.
func (e *Events) Send(text string) error {
	if err := e.ctl.SetWriteDeadline(time.Now().Add(e.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.ctl.Flush()
}

// Places bounds how many long answers each caller may have at a time. The zero
// value with Max is ready. Its methods are safe for concurrent use.
type Places[K comparable] struct {
	Max int // of one caller

	mu    sync.Mutex
	taken map[K]int
}

// Enter takes one of the caller's places, until leave is called; ok is false
// when all are taken.
func (p *Places[K]) Enter(caller K) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[caller] >= p.Max {
		return nil, false
	}
	if p.taken == nil {
		p.taken = make(map[K]int)
	}
	p.taken[caller]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.taken[caller]--; p.taken[caller] == 0 {
			delete(p.taken, caller)
		}
	}, true
}

// Callers returns how many callers hold a place.
func (p *Places[K]) Callers() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.taken)
}
