package xxljob

import (
	"bytes"
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/joblog"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Limits of the executor's own server.
const (
	maxHeaderBytes = 16 << 10
	maxSwallow     = 64 << 20
	maxStranger    = 32 << 10 // body of a request without the right token: it is read before it is refused
	swallowPause   = 200 * time.Millisecond
	readTimeout    = 10 * time.Second
	idleTimeout    = 90 * time.Second // as Java's
	idleWorker     = time.Second / 5  // fasthttp's cleaner lives so long after the end
)

// request is what the protocol looks at in an HTTP request. It is only valid
// while it is served.
type request struct {
	method  []byte
	target  []byte // the raw request target: path and query
	token   []byte
	appName []byte
	body    []byte
}

// service answers requests. It is plain data in and out; the shells below put
// it on an HTTP server.
type service struct {
	cfg      *Config
	dispatch *dispatcher
	logs     *joblog.Store
	full     func() error // why no trigger can be taken now, or nil
}

// serve returns the body of the answer to req (wire.md 1.2), whose HTTP status
// is always 200.
func (s *service) serve(req *request) []byte {
	if string(req.method) != http.MethodPost {
		return refusal(wire.TextMethod)
	}
	if text := s.authorise(req); text != "" {
		return refusal(text)
	}
	switch string(req.target) {
	case wire.PathBeat:
		return s.beat()
	case wire.PathIdleBeat:
		return s.idleBeat(req.body)
	case wire.PathRun, wire.PathTrigger:
		return s.trigger(req.body)
	case wire.PathKill:
		return s.kill(req.body)
	case wire.PathLog:
		return s.log(req.body)
	default:
		return refusal(wire.NotFoundText(string(req.target)))
	}
}

// successBody is the answer without payload, made once.
var successBody = wire.AppendResponse(nil, wire.Response{Code: wire.CodeSuccess})

// answer encodes r.
func answer(r wire.Response) []byte {
	if r.Code == wire.CodeSuccess && !r.Msg.Valid && !r.Payload.Valid {
		return successBody
	}
	return wire.AppendResponse(nil, r)
}

func refusal(text string) []byte {
	return answer(wire.Response{Code: wire.CodeFail, Msg: wire.Str(text)})
}

// badRequest answers a body that could not be read.
func badRequest(err error) []byte { return refusal(wire.PrefixRequestError + err.Error()) }

// authorise returns the text with which a request is refused. A request of
// master's generation, which names the executor, is held to master's rules; it
// is known by its path or its header.
func (s *service) authorise(req *request) string {
	own := s.cfg.AccessToken
	right := s.cfg.isToken(req.token)
	if string(req.target) != wire.PathTrigger && len(req.appName) == 0 {
		if !right {
			return wire.TextTokenWrong
		}
		return ""
	}
	switch {
	case len(bytes.TrimSpace(req.appName)) == 0, own != "" && len(bytes.TrimSpace(req.token)) == 0:
		return wire.TextTokenEmpty
	case !right, string(req.appName) != s.cfg.AppName:
		return wire.TextTokenInvalid
	default:
		return ""
	}
}

// isToken reports whether token is the executor's own, or none is needed.
func (cfg *Config) isToken(token []byte) bool {
	return cfg.AccessToken == "" || subtle.ConstantTimeCompare([]byte(cfg.AccessToken), token) == 1
}

// maxBody returns how much of a body is read for this token. Strangers must not
// fill the memory.
func (cfg *Config) maxBody(token []byte) int {
	if cfg.isToken(token) {
		return wire.MaxBody
	}
	return maxStranger
}

// refusesAll returns why every trigger would be refused now, or "". The probes
// of the FAILOVER and BUSYOVER strategies then find another executor.
func (s *service) refusesAll() string {
	if text := s.dispatch.refusal.Load(); text != nil {
		return *text
	}
	if err := s.full(); err != nil {
		return err.Error()
	}
	return ""
}

func (s *service) beat() []byte {
	if text := s.refusesAll(); text != "" {
		return refusal(text)
	}
	return successBody
}

func (s *service) idleBeat(body []byte) []byte {
	req, err := wire.DecodeJob(body)
	if err != nil {
		return badRequest(err)
	}
	if text := s.refusesAll(); text != "" {
		return refusal(text)
	}
	return answer(s.dispatch.idleBeat(req.JobID))
}

func (s *service) trigger(body []byte) []byte {
	req, err := wire.DecodeTrigger(body)
	if err != nil {
		return badRequest(err)
	}
	return answer(s.dispatch.trigger(&req))
}

func (s *service) kill(body []byte) []byte {
	req, err := wire.DecodeJob(body)
	if err != nil {
		return badRequest(err)
	}
	return answer(s.dispatch.kill(req.JobID))
}

func (s *service) log(body []byte) []byte {
	req, err := wire.DecodeLog(body)
	if err != nil {
		return badRequest(err)
	}
	page, err := s.readLog(&req)
	if err != nil {
		return refusal("read the run's log: " + err.Error())
	}
	return wire.AppendLogResponse(nil, page)
}

// newServer returns the fasthttp shell of serve.
func newServer(cfg *Config, serve func(*request) []byte, logger *slog.Logger) *fasthttp.Server {
	return &fasthttp.Server{
		Handler: fastHandler(serve),
		HeaderReceived: func(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
			return fasthttp.RequestConfig{MaxRequestBodySize: cfg.maxBody(h.Peek(wire.HeaderToken))}
		},
		ErrorHandler:          fastError,
		Concurrency:           cfg.MaxConns,
		ReadBufferSize:        maxHeaderBytes,
		ReadTimeout:           readTimeout,
		WriteTimeout:          readTimeout,
		IdleTimeout:           idleTimeout,
		MaxIdleWorkerDuration: idleWorker,
		MaxRequestBodySize:    wire.MaxBody,
		TCPKeepalive:          true,
		NoDefaultServerHeader: true,
		NoDefaultDate:         true,
		NoDefaultContentType:  true,
		CloseOnShutdown:       true,
		Logger:                log.New(&logWriter{logger}, "", 0),
	}
}

// fastHandler is serve for fasthttp.
func fastHandler(serve func(*request) []byte) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		h := &ctx.Request.Header
		body := serve(&request{
			method:  h.Method(),
			target:  h.RequestURI(),
			token:   h.Peek(wire.HeaderToken),
			appName: h.Peek(wire.HeaderAppName),
			body:    ctx.Request.Body(),
		})
		if bytes.HasPrefix(h.UserAgent(), []byte(wire.Native)) {
			ctx.Response.Header.Set(wire.HeaderExecutor, wire.Native)
		}
		fastAnswer(ctx, body)
	}
}

// fastAnswer writes the answer with Java's headers.
func fastAnswer(ctx *fasthttp.RequestCtx, body []byte) {
	ctx.Response.Header.SetContentType(wire.ContentTypeHTML)
	if !ctx.Request.Header.ConnectionClose() {
		ctx.Response.Header.Set("Connection", "keep-alive")
	}
	ctx.Response.SetBodyRaw(body)
}

// fastError answers what is not HTTP: too large a body with 413, the rest as
// Netty does, which makes it a request with a wrong method.
func fastError(ctx *fasthttp.RequestCtx, err error) {
	ctx.SetConnectionClose()
	if isTimeout(err) {
		// Nobody waits for an answer, and on a connection opened in advance it
		// would be taken for that of a later request.
		_ = ctx.Conn().Close()
		return
	}
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		swallow(ctx.Conn())
		ctx.SetStatusCode(fasthttp.StatusRequestEntityTooLarge)
		return
	}
	ctx.Response.Header.SetContentType(wire.ContentTypeHTML)
	ctx.SetBody(refusal(wire.TextMethod))
}

// swallow reads what a client is still sending, within bounds: closing the
// connection over unread data would reset it, and the client, which reads the
// answer only when it has sent everything, would never see the 413.
func swallow(conn net.Conn) {
	buf := make([]byte, 64<<10)
	end := time.Now().Add(readTimeout)
	for total := 0; total < maxSwallow && time.Now().Before(end); {
		if conn.SetReadDeadline(time.Now().Add(swallowPause)) != nil {
			return
		}
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		total += n
	}
}

// logWriter makes fasthttp's messages lines of our log.
type logWriter struct{ log *slog.Logger }

func (w *logWriter) Write(p []byte) (int, error) {
	w.log.Debug("server", slog.String("err", strings.TrimSpace(string(p))))
	return len(p), nil
}

// listen opens the port, or takes the configured listener, with TLS if that is
// configured.
func listen(ctx context.Context, cfg *Config) (net.Listener, error) {
	ln := cfg.Listener
	if ln == nil {
		var err error
		ln, err = (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("", strconv.Itoa(cfg.Port)))
		if err != nil {
			return nil, err
		}
	}
	if cfg.TLS != nil {
		ln = tls.NewListener(ln, cfg.TLS)
	}
	return ln, nil
}

func listenerPort(ln net.Listener, otherwise int) int {
	if addr, ok := ln.Addr().(*net.TCPAddr); ok {
		return addr.Port
	}
	return otherwise
}

// httpHandler is serve for net/http.
func httpHandler(cfg *Config, serve func(*request) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := []byte(r.Header.Get(wire.HeaderToken))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(cfg.maxBody(token))))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			return // the client is gone
		}
		target := r.URL.EscapedPath()
		if r.URL.RawQuery != "" {
			target += "?" + r.URL.RawQuery
		}
		answer := serve(&request{
			method:  []byte(r.Method),
			target:  []byte(target),
			token:   token,
			appName: []byte(r.Header.Get(wire.HeaderAppName)),
			body:    body,
		})
		if strings.HasPrefix(r.UserAgent(), wire.Native) {
			w.Header().Set(wire.HeaderExecutor, wire.Native)
		}
		w.Header().Set("Content-Type", wire.ContentTypeHTML)
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // the client is gone
	})
}
