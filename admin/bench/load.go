//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/lifecycle"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	batchItems   = 50 // of one post, as executors of 3.4.1 and ours do
	beatInterval = 20 * time.Second
	postTimeout  = 60 * time.Second
	queueSize    = 4 << 20
)

// result is a run that is to be reported.
type result struct {
	logID, logTime int64
	at             time.Time // its trigger arrived
}

// load poses as the executors.
type load struct {
	base   string
	client *fasthttp.Client
	group  *lifecycle.Group
	server *fasthttp.Server

	book    atomic.Pointer[ledger] // of the window; nil before
	queue   chan result
	waiting atomic.Int64 // results in the queue or on their way
	acked   atomic.Int64
	errors  atomic.Int64 // posts that were not acknowledged while the admin had to
	closing atomic.Bool
	answer  histogram // from a trigger's arrival to the acknowledgement of its result
	lastErr atomic.Pointer[string]
}

// startLoad begins to serve, to register and to post.
func startLoad(ctx context.Context, s *site, base string, posters int) *load {
	l := &load{
		base: base, group: lifecycle.NewGroup(context.WithoutCancel(ctx)), queue: make(chan result, queueSize),
		client: &fasthttp.Client{MaxConnsPerHost: posters + 8, ReadTimeout: postTimeout, WriteTimeout: postTimeout},
	}
	l.server = &fasthttp.Server{Handler: l.handle, NoDefaultServerHeader: true, IdleTimeout: 2 * time.Minute}
	for i, listener := range s.ports {
		l.group.Go(func(context.Context) {
			if err := l.server.Serve(listener); err != nil {
				progress("executor %d: %v", i+1, err)
			}
		})
		l.group.Go(func(ctx context.Context) { l.beat(ctx, s.addresses()[i]) })
	}
	for range posters {
		l.group.Go(l.post)
	}
	return l
}

// stop ends it and waits.
func (l *load) stop() {
	l.closing.Store(true)
	if err := l.server.Shutdown(); err != nil {
		progress("end of the executors: %v", err)
	}
	l.group.Stop(errors.New("the load stops"))
	l.client.CloseIdleConnections()
}

var (
	paramKey = []byte(`"executorParams":"`)
	logKey   = []byte(`"logId":`)
	timeKey  = []byte(`"logDateTime":`)
	success  = []byte(`{"code":200,"msg":"Success"}`)
)

// handle answers triggers, and everything else with success.
func (l *load) handle(ctx *fasthttp.RequestCtx) {
	if path := string(ctx.Path()); path == wire.PathRun || path == wire.PathTrigger {
		now, body := time.Now(), ctx.PostBody()
		if book := l.book.Load(); book != nil {
			job := -1
			if n, ok := number(body, paramKey); ok {
				job = int(n)
			}
			book.fire(job, now)
		}
		r := result{at: now}
		r.logID, _ = number(body, logKey)
		r.logTime, _ = number(body, timeKey)
		l.waiting.Add(1)
		l.queue <- r
	}
	ctx.SetContentType("application/json;charset=UTF-8")
	ctx.SetBody(success)
}

// number reads the number behind a key. The bodies are those of the admin under
// test, whose form is known, so that the load costs little.
func number(body, key []byte) (int64, bool) {
	_, after, ok := bytes.Cut(body, key)
	if !ok {
		return 0, false
	}
	var n int64
	digits := 0
	for _, c := range after {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
		digits++
	}
	return n, digits > 0
}

// post reports results until ctx is done.
func (l *load) post(ctx context.Context) {
	batch := make([]result, 0, batchItems)
	var body []byte
	for {
		batch = batch[:0]
		select {
		case r := <-l.queue:
			batch = append(batch, r)
		case <-ctx.Done():
			return
		}
		for full := false; !full && len(batch) < batchItems; {
			select {
			case r := <-l.queue:
				batch = append(batch, r)
			default:
				full = true
			}
		}
		body = appendResults(body[:0], batch)
		l.report(ctx, body, batch)
	}
}

// report posts a batch until it is acknowledged, as executors do.
func (l *load) report(ctx context.Context, body []byte, batch []result) {
	for {
		err := l.send(wire.PathCallback, body)
		if err == nil {
			break
		}
		if l.closing.Load() || ctx.Err() != nil {
			return
		}
		text := err.Error()
		l.lastErr.Store(&text)
		l.errors.Add(1)
		pause(ctx, 100*time.Millisecond)
	}
	now := time.Now()
	for _, r := range batch {
		l.answer.add(now.Sub(r.at))
	}
	l.acked.Add(int64(len(batch)))
	l.waiting.Add(-int64(len(batch)))
}

func appendResults(body []byte, batch []result) []byte {
	body = append(body, '[')
	for i, r := range batch {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, `{"logId":`...)
		body = strconv.AppendInt(body, r.logID, 10)
		body = append(body, `,"logDateTim":`...)
		body = strconv.AppendInt(body, r.logTime, 10)
		body = append(body, `,"handleCode":200,"handleMsg":null}`...)
	}
	return append(body, ']')
}

// beat registers an executor and keeps it registered.
func (l *load) beat(ctx context.Context, address string) {
	body := (&wire.RegistryRequest{
		Group: wire.Str(wire.RegistryGroupExecutor), Key: wire.Str(appName), Value: wire.Str(address),
	}).Append(nil)
	for {
		if err := l.send(wire.PathRegistry, body); err != nil && !l.closing.Load() {
			progress("heartbeat: %v", err)
		}
		if !pause(ctx, beatInterval) {
			return
		}
	}
}

// send posts a body; an answer with another code than 200 is an error.
func (l *load) send(path string, body []byte) error {
	req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(res)
	req.SetRequestURI(l.base + path)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType("application/json;charset=UTF-8")
	req.Header.Set(wire.HeaderToken, accessToken)
	req.SetBodyRaw(body)
	if err := l.client.DoTimeout(req, res, postTimeout); err != nil {
		return err
	}
	if res.StatusCode() != fasthttp.StatusOK || !bytes.Contains(res.Body(), []byte(`"code":200`)) {
		return fmt.Errorf("status %d: %.200s", res.StatusCode(), res.Body())
	}
	return nil
}
