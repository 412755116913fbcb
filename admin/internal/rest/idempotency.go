package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	keepRequests = 24 * time.Hour
	expireEvery  = 10 * time.Minute
	maxKey       = 128
)

// keptHeaders are what is kept of an answer beside its body.
var keptHeaders = []string{"Content-Type", "Content-Language", "Location", "Etag"}

// buffered is an answer that is not sent yet.
type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header { return b.header }

func (b *buffered) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

func (b *buffered) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}

// once carries a POST with an idempotency key out, or answers as the first
// time. What was refused is forgotten, for nothing was done; a fault is kept,
// for nobody knows what was.
func (c *call) once(ctx context.Context, e endpoint) error {
	key := c.r.Header.Get("Idempotency-Key")
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return problem(kindBad, "see errors", fieldFault{"Idempotency-Key", "1 to 128 visible ASCII characters"})
	}
	c.s.expire(ctx)
	sum := sha256.Sum256([]byte(c.r.Method + "\n" + c.r.URL.RequestURI() + "\n" + string(c.body)))
	request := &model.Request{
		Owner: c.owner, Key: key, Fingerprint: hex.EncodeToString(sum[:]), Created: c.s.now(),
	}
	old, err := c.s.cfg.Requests.BeginRequest(ctx, request)
	if err != nil {
		return err
	}
	if old != nil {
		return c.again(request, old)
	}
	answer := &buffered{header: c.w.Header().Clone()}
	out := c.w
	c.w = answer
	err = c.s.answer(answer, c.r, e.do(ctx, c))
	if err != nil {
		c.s.log.ErrorContext(ctx, "request failed", slog.String("method", c.r.Method),
			slog.String("path", c.r.URL.Path), slog.Any("err", err))
		c.s.write(answer, c.r, problem(kindInternal, "the log of the admin says more"))
	}
	c.keep(context.WithoutCancel(ctx), e, request, answer)
	maps.Copy(out.Header(), answer.header)
	out.WriteHeader(answer.status)
	_, _ = out.Write(answer.body.Bytes()) // the client is gone when this fails
	return nil
}

// keep stores an answer, or forgets a request that was refused.
func (c *call) keep(ctx context.Context, e endpoint, request *model.Request, answer *buffered) {
	var err error
	if answer.status >= http.StatusBadRequest && answer.status < http.StatusInternalServerError ||
		answer.status == http.StatusServiceUnavailable {
		err = c.s.cfg.Requests.DropRequest(ctx, request.Owner, request.Key)
	} else {
		request.Status, request.Body = answer.status, answer.body.String()
		kept := map[string]string{}
		for _, name := range keptHeaders {
			if v := answer.header.Get(name); v != "" {
				kept[name] = v
			}
		}
		if e.secret && answer.status < http.StatusBadRequest {
			request.Body = ""
			kept = map[string]string{"Location": answer.header.Get("Location")}
		}
		var raw []byte
		if raw, err = json.Marshal(kept); err == nil {
			request.Headers = string(raw)
			err = c.s.cfg.Requests.EndRequest(ctx, request)
		}
	}
	if err != nil {
		c.s.log.ErrorContext(ctx, "answer to an idempotent request not kept", slog.Any("err", err))
	}
}

// again answers a request that was sent before.
func (c *call) again(request, old *model.Request) error {
	switch {
	case old.Fingerprint != request.Fingerprint:
		return problem(kindKeyReused, "make a new key for each request",
			fieldFault{"Idempotency-Key", "it belongs to another request"})
	case old.Status == 0:
		p := problem(kindKeyBusy, "ask again later; after a crash of the admin its outcome is unknown")
		p.retry = time.Second
		return p
	}
	headers := map[string]string{}
	if err := json.Unmarshal([]byte(old.Headers), &headers); err != nil {
		return err
	}
	if old.Body == "" && old.Status < http.StatusBadRequest {
		return problem(kindSecret, strings.TrimSpace("make another one if it is lost "+headers["Location"]))
	}
	for name, value := range headers {
		c.w.Header().Set(name, value)
	}
	c.w.Header().Set("Idempotency-Replayed", "true")
	c.w.WriteHeader(old.Status)
	_, _ = c.w.Write([]byte(old.Body)) // the client is gone when this fails
	return nil
}

// expire forgets old requests, now and then.
func (s *Server) expire(ctx context.Context) {
	now := s.now()
	if now.UnixMilli()-s.expired.Load() < expireEvery.Milliseconds() || !s.expiring.TryLock() {
		return
	}
	defer s.expiring.Unlock()
	s.expired.Store(now.UnixMilli())
	if _, err := s.cfg.Requests.ExpireRequests(ctx, now.Add(-keepRequests)); err != nil {
		s.log.WarnContext(ctx, "old idempotency keys not deleted", slog.Any("err", err))
	}
}
