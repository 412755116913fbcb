package httpx

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// ContentSecurityPolicy is the policy of every answer: nothing from elsewhere,
// no inline script, no frames.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Secure sets the security headers on every answer of next, and keeps answers
// out of caches unless a handler says otherwise.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", ContentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// Protect refuses state changes that a foreign page makes a browser send:
// http.CrossOriginProtection, and where a browser tells neither Origin nor
// Sec-Fetch-Site, a Referer of another host. Requests that carry none of the
// three come from programs, not from pages, and pass. Origins in trusted
// ("https://jobs.example.com") may post too, as a console behind a proxy that
// rewrites Host needs it.
func Protect(next http.Handler, trusted ...string) (http.Handler, error) {
	cop := http.NewCrossOriginProtection()
	hosts := map[string]bool{}
	for _, origin := range trusted {
		if err := cop.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
		if u, err := url.Parse(origin); err == nil {
			hosts[strings.ToLower(u.Host)] = true
		}
	}
	refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		RenderJSON(w, r, &Error{
			Status: http.StatusForbidden,
			Msg:    "cross-origin request refused: send it from the console's own address",
		})
	})
	cop.SetDenyHandler(refuse)
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if foreignReferer(r, hosts) {
			refuse(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
	return cop.Handler(guarded), nil
}

func foreignReferer(r *http.Request, trusted map[string]bool) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		return false // CrossOriginProtection has judged them
	}
	referer := r.Header.Get("Referer")
	if referer == "" {
		return false
	}
	u, err := url.Parse(referer)
	if err != nil {
		return true
	}
	return !strings.EqualFold(u.Host, r.Host) && !trusted[strings.ToLower(u.Host)]
}

// LimitBody bounds the body of every request that reaches next.
func LimitBody(next http.Handler, limit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r)
	})
}

// Observe logs every request of next when it has ended, and answers a panic
// with 500 where nothing was written yet. A line names method, path, status,
// size, duration and client; never the query, a header or a body, which may
// hold secrets. Lines are at debug, those of 500s and panics at error.
func Observe(next http.Handler, log *slog.Logger, proxies Proxies) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		ctx := r.Context()
		rec := &recorder{ResponseWriter: w}
		served(ctx, log, rec, r, next)
		level := slog.LevelDebug
		if rec.code() >= http.StatusInternalServerError {
			level = slog.LevelError
		}
		log.LogAttrs(ctx, level, "request served", slog.String("method", r.Method),
			slog.String("path", r.URL.Path), slog.Int("status", rec.code()), slog.Int64("bytes", rec.bytes),
			slog.Duration("duration", time.Since(start)), slog.Any("client", proxies.ClientIP(r)))
	})
}

// served lets next answer, and answers for it when it panics.
func served(ctx context.Context, log *slog.Logger, rec *recorder, r *http.Request, next http.Handler) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(v) // the server's own way to cut a connection
		}
		log.ErrorContext(ctx, "request panicked", slog.String("path", r.URL.Path),
			slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		if rec.status == 0 {
			RenderJSON(rec, r, &Error{Status: http.StatusInternalServerError})
		}
	}()
	next.ServeHTTP(rec, r)
}

// recorder notes what was answered. Unwrap keeps http.ResponseController at
// work (flushing of server-sent events).
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Hardening is what stands before every interface of the admin.
type Hardening struct {
	Logger  *slog.Logger // nil discards
	Proxies Proxies
	// TrustedOrigins may post from elsewhere, see Protect.
	TrustedOrigins []string
	// MaxBody bounds every request body in bytes; 0 leaves it to the handlers.
	MaxBody int64
}

// Harden puts next behind Observe, Secure, Protect and LimitBody. It returns an
// error for an origin that is none.
func Harden(next http.Handler, h Hardening) (http.Handler, error) {
	if h.Logger == nil {
		h.Logger = slog.New(slog.DiscardHandler)
	}
	if h.MaxBody > 0 {
		next = LimitBody(next, h.MaxBody)
	}
	next, err := Protect(next, h.TrustedOrigins...)
	if err != nil {
		return nil, err
	}
	return Observe(Secure(next), h.Logger, h.Proxies), nil
}
