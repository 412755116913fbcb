package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Completion takes the results of runs.
type Completion interface {
	// Results returns when all results are durable. After an error at least one
	// may not be: the executor is told to send them again, and the first one
	// wins.
	Results(ctx context.Context, outs []*model.Outcome) error
}

// Registry takes heartbeats and knows the groups. It does not block; the texts
// of its errors are for the executor.
type Registry interface {
	// Beat takes a heartbeat.
	Beat(group, app, address string) error
	// Remove ends a registration; an unknown one is no error.
	Remove(group, app, address string) error
	// Groups returns all groups with their tokens. They are not changed.
	Groups() []*model.Group
}

// Logs knows whose runs are whose.
type Logs interface {
	// GroupsOfLogs returns the groups of those log rows that exist.
	GroupsOfLogs(ctx context.Context, ids []int64) (map[int64]int32, error)
}

// Declarer makes the jobs that executors declare; declare.Service does.
type Declarer interface {
	// Policy is a Declare constant of wire.
	Policy() string
	// Declare makes jobs of a group, which the executor called app is of.
	Declare(ctx context.Context, group int32, app string, list []wire.DeclaredJob) (wire.DeclareResult, error)
}

// Observation is one call that was answered, for metrics.
type Observation struct {
	Call  string // the last part of the path, or "other": few values
	Items int    // results of a callback, else 0
	Code  int32  // of the answer; 413 for a body that is too large
	Took  time.Duration
	// Refused says that its token was wrong.
	Refused bool
}

// Config describes an API. Completion, Registry and Logs are required.
type Config struct {
	// Token is the token of executors whose group has none of its own. An empty
	// one lets everybody in, but not to groups that have a token.
	Token      string
	Completion Completion
	Registry   Registry
	Logs       Logs
	// Jobs does what the job API asks for. Default nil: there is no job API,
	// and its calls are unknown ones.
	Jobs Jobs
	// Declarer makes the jobs that executors declare in their code. Default
	// nil: nobody is told that they could, and the call is an unknown one.
	Declarer Declarer
	// Lang is the language of the job API's refusals. Default zh_CN.
	Lang   i18n.Lang
	Logger *slog.Logger // default: discards
	// Client is the address of who calls. Default: the peer's.
	Client func(*http.Request) netip.Addr
	// Refusals keeps the calls with a wrong token. Default: nobody reads them.
	Refusals *Refusals
	// Observe is told of every call. It must not block. Default: nobody is.
	Observe func(Observation)
}

// API is the interface of the admin for executors, and master's job API for
// programs. It is an http.Handler, safe for concurrent use, and owns no
// goroutine.
type API struct {
	cfg    Config
	tokens tokenTable
	bodies bodies
	bucket bucket
}

// New returns an API.
func New(cfg Config) (*API, error) {
	if cfg.Completion == nil || cfg.Registry == nil || cfg.Logs == nil {
		return nil, errors.New("api: Completion, Registry and Logs are required")
	}
	cfg.Lang = cmp.Or(cfg.Lang, i18n.ZhCN)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Client == nil {
		cfg.Client = peer
	}
	if cfg.Refusals == nil {
		cfg.Refusals = new(Refusals)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(Observation) {}
	}
	return &API{
		cfg:    cfg,
		tokens: tokenTable{global: hash(cfg.Token), open: cfg.Token == "", groups: cfg.Registry.Groups},
		bodies: bodies{large: semaphore.NewWeighted(maxLargeTotal)},
	}, nil
}

// pathRoot stands before the name of a call.
const pathRoot = "/api/"

// Table returns the routes, to be mounted under every prefix. The handler
// checks tokens and methods itself, because the protocol has an order and
// texts for that.
func (a *API) Table() httpx.Table {
	h := func(w http.ResponseWriter, r *http.Request) error {
		a.ServeHTTP(w, r)
		return nil
	}
	t := httpx.Table{
		Name:        "executor api",
		Guard:       func(route httpx.Route) httpx.Handler { return route.Handler },
		WrongMethod: func(httpx.Route) httpx.Handler { return h },
		Logger:      a.cfg.Logger,
	}
	paths := []string{
		pathRoot + "{$}", pathRoot + "{uri}", wire.PathCallback, wire.PathRegistry, wire.PathRegistryRemove,
	}
	if a.cfg.Jobs != nil {
		paths = append(paths, wire.PathAddJob, wire.PathUpdateJob, wire.PathRemoveJob,
			wire.PathStartJob, wire.PathStopJob, wire.PathTriggerJob)
	}
	if a.cfg.Declarer != nil {
		paths = append(paths, wire.PathDeclareJobs)
	}
	for _, path := range paths {
		t.Routes = append(t.Routes, httpx.Route{
			Path: path, Methods: []string{http.MethodPost}, Permission: httpx.ExecutorToken, Changes: true, Handler: h,
		})
	}
	return t
}

// ServeHTTP answers one call. The HTTP status is 200, and 413 for a body that
// is too large.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	c := &call{api: a, name: strings.TrimPrefix(httpx.Path(r), pathRoot)}
	status, answer := c.serve(w, r)
	if c.name == registryCall && a.cfg.Declarer != nil && strings.HasPrefix(r.UserAgent(), wire.Native) {
		w.Header().Set(wire.HeaderDeclare, a.cfg.Declarer.Policy())
	}
	buf := a.bodies.get()
	*buf = wire.AppendAdminResponse((*buf)[:0], answer)
	httpx.WriteBody(w, status, httpx.TypeJSON, *buf)
	a.bodies.put(buf)

	o := Observation{Call: a.label(c.name), Items: c.items, Code: answer.Code, Took: time.Since(start)}
	if status != http.StatusOK {
		o.Code = int32(status) //nolint:gosec // 413
	}
	o.Refused = wrongToken(answer)
	switch {
	case o.Refused:
		a.refused(r.Context(), c.stranger(r), o.Call)
	case c.name == registryCall && answer.Code == wire.CodeSuccess:
		a.cfg.Refusals.settled(c.stranger(r))
	}
	a.cfg.Observe(o)
}

// handlers are the calls by the last part of their path.
var handlers = map[string]func(c *call, ctx context.Context, body []byte) wire.Response{
	"callback":    (*call).callback,
	registryCall:  (*call).registry,
	registryLeave: (*call).registryRemove,
}

// jobHandlers are the calls of the job API.
var jobHandlers = map[string]func(c *call, ctx context.Context, body []byte) wire.Response{
	"addJob":     (*call).addJob,
	"updateJob":  (*call).updateJob,
	"removeJob":  (*call).removeJob,
	"startJob":   (*call).startJob,
	"stopJob":    (*call).stopJob,
	"triggerJob": (*call).triggerJob,

	declareCall: (*call).declareJobs,
}

// declareCall is the call with which an executor declares jobs.
const declareCall = "declareJobs"

// isJobCall reports whether the call is one of the job API.
func (a *API) isJobCall(name string) bool {
	if name == declareCall {
		return a.cfg.Declarer != nil
	}
	return a.cfg.Jobs != nil && jobHandlers[name] != nil
}

// label is the name of a call for metrics.
func (a *API) label(name string) string {
	if handlers[name] != nil || a.isJobCall(name) {
		return name
	}
	return "other"
}

// call is one request on its way.
type call struct {
	api    *API
	name   string
	caller caller
	items  int
	said   wire.RegistryRequest // of a call that registers or removes an executor
}

// serve makes the checks in their order (wire.md 2.2, the order of 3.3.0 and
// later) and answers.
func (c *call) serve(w http.ResponseWriter, r *http.Request) (status int, answer wire.Response) {
	if !strings.EqualFold(r.Method, http.MethodPost) {
		return http.StatusOK, refusal(wire.TextMethod)
	}
	if strings.TrimSpace(c.name) == "" {
		return http.StatusOK, refusal(wire.TextURIEmpty)
	}
	refused := c.authenticate(r.Header.Get(wire.HeaderToken), r.Header.Get(wire.HeaderAppName))
	body, release, err := c.api.bodies.read(w, r, c.maxBody(refused))
	defer release()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, refusal(tooLargeText(tooLarge.Limit, refused != ""))
	case err != nil:
		return http.StatusOK, refusal(wire.PrefixInvokeError + err.Error())
	case isBlank(body):
		return http.StatusOK, refusal(wire.TextBodyEmpty)
	case refused != "":
		if c.name == registryCall || c.name == registryLeave {
			c.said, _ = wire.DecodeRegistry(body) // who it is, if it says so
		}
		return http.StatusOK, refusal(refused)
	}
	if h := handlers[c.name]; h != nil {
		return http.StatusOK, h(c, r.Context(), body)
	}
	if !c.api.isJobCall(c.name) {
		return http.StatusOK, refusal(wire.NotFoundText(c.name))
	}
	if !c.api.bucket.take(r.Context()) {
		return http.StatusOK, wire.Response{Code: wire.CodeTimeout, Msg: wire.Str(wire.TextTooMany)}
	}
	return http.StatusOK, jobHandlers[c.name](c, r.Context(), body)
}

// maxBody is how much of the body is read.
func (c *call) maxBody(refused string) int64 {
	switch {
	case refused != "":
		return maxStranger
	case c.name == "callback":
		return wire.MaxCallbackBody
	default:
		return wire.MaxBody
	}
}

// success answers without a payload.
var success = wire.Response{Code: wire.CodeSuccess, Msg: wire.Str("Success")}

// refusal answers with a text.
func refusal(text string) wire.Response {
	return wire.Response{Code: wire.CodeFail, Msg: wire.Str(text)}
}

// unreadable answers a body that is not what the call takes.
func unreadable(err error) wire.Response { return refusal(wire.PrefixInvokeError + err.Error()) }
