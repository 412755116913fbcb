package admin

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/alarm"
	"github.com/xxljob-go/xxljob/admin/internal/api"
	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/completion"
	"github.com/xxljob-go/xxljob/admin/internal/dispatch"
	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/forecast"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/metrics"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/pulse"
	"github.com/xxljob-go/xxljob/admin/internal/recovery"
	"github.com/xxljob-go/xxljob/admin/internal/registry"
	"github.com/xxljob-go/xxljob/admin/internal/retention"
	"github.com/xxljob-go/xxljob/admin/internal/route"
	"github.com/xxljob-go/xxljob/admin/internal/scheduler"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/supervise"
)

// system is an opened database with every part on it. build makes it, run
// starts it and ends it in order.
type system struct {
	cfg   Config
	lang  i18n.Lang
	log   *slog.Logger
	store *store.Store

	loops      *supervise.Loops
	metrics    *metrics.Metrics
	client     *execclient.Client
	registry   *registry.Registry
	leases     *lease.Manager
	dispatcher *dispatch.Dispatcher
	writer     *completion.Writer
	scheduler  *scheduler.Scheduler
	recovery   *recovery.Recovery
	alarms     *alarm.Manager // nil without channels
	book       *alarm.Book
	watcher    *alarm.Watcher
	cleaner    *retention.Cleaner
	auth       *auth.Service
	ops        *ops.Service
	pulse      *pulse.Pulse
	forecast   *forecast.Forecast
	refusals   api.Refusals

	javaSeen  atomic.Int64 // when a run of a Java node was last taken over, Unix milliseconds
	shared    bool         // Java nodes work on the same database
	node      string
	started   time.Time
	adopted   atomic.Int64                // open runs of Java nodes that were taken over
	addresses chan execclient.AddressInfo // learnt dialects, on their way to the store
}

// part logs under the name of a part.
func (s *system) part(name string) *slog.Logger { return s.log.With(slog.String("part", name)) }

// build makes the parts. It starts nothing but reads the database.
func (s *system) build(ctx context.Context) error {
	info := s.store.Info()
	s.shared = s.cfg.SharedWithJava == SharedYes || s.cfg.SharedWithJava == SharedAuto && !info.MadeByUs
	s.loops = supervise.New(s.part("supervise"))
	s.metrics = metrics.New(version())
	s.pulse = pulse.New(nil)
	s.forecast = forecast.New(forecast.Config{
		Jobs: s.store.StartedJobs, Location: s.cfg.TimeZone, IgnoreZones: s.shared, Logger: s.part("forecast"),
	})
	for _, step := range []func(context.Context) error{
		s.buildClient, s.buildAlarms, s.buildDispatch, s.buildScheduling, s.buildUpkeep, s.buildOps,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.watch()
	return nil
}

func (s *system) buildClient(ctx context.Context) error {
	s.addresses = make(chan execclient.AddressInfo, 1024)
	cfg := execclient.Config{
		Timeout: s.cfg.ExecutorTimeout, GlobalToken: s.cfg.AccessToken, Logger: s.part("client"),
		OnLearn: func(a execclient.AddressInfo) {
			select {
			case s.addresses <- a:
			default: // learnt again at the next call
			}
		},
	}
	if s.cfg.InsecureExecutorTLS {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // asked for by name: Java does the same
	}
	var err error
	if s.client, err = execclient.New(cfg); err != nil { //nolint:contextcheck // its lanes live until its Run ends
		return err
	}
	known, err := s.store.AddressInfos(ctx)
	if err != nil {
		return fmt.Errorf("read what is known of executors: %w", err)
	}
	infos := make([]execclient.AddressInfo, 0, len(known))
	for _, a := range known {
		infos = append(infos, execclient.AddressInfo{
			Address: a.Address, Dialect: execclient.Dialect(a.Dialect), Native: a.Native, SeenMs: a.SeenMs,
		})
	}
	s.client.Remember(infos)
	s.registry = registry.New(registry.Config{
		Store: s.store, AllowPublicToken: s.cfg.AllowInsecureToken,
		Logger: s.part("registry"), Ticked: s.loops.Ticker("registry"),
	})
	if err := s.registry.Refresh(ctx); err != nil {
		return err
	}
	return nil
}

func (s *system) buildDispatch(ctx context.Context) error {
	total, err := s.store.InitShards(ctx, int32(s.cfg.Shards))
	if err != nil {
		return fmt.Errorf("set up scheduling shards: %w", err)
	}
	if err := s.freeLeases(ctx); err != nil {
		return err
	}
	s.leases, err = lease.New(lease.Config{
		Provider: leaseProvider{s.store}, Node: s.node, Total: total, Logger: s.part("lease"),
		Events: lease.Events{
			Gained: func(ctx context.Context, g []lease.Gained) {
				s.recovery.Gained(ctx, g)
				s.scheduler.Kick()
			},
			Lost:   func(shards []int32) { s.recovery.Lost(shards) },
			Lapsed: func() { s.recovery.Lapsed() },

			NodeGone: func() { s.recovery.NodeGone() },
		},
		Ticked: s.loops.Ticker("lease"),
	})
	if err != nil {
		return err
	}
	// Its probes and settling go on after the stop has begun, until its own Run
	// ends.
	s.dispatcher, err = dispatch.New(context.WithoutCancel(ctx), dispatch.Config{
		Client: s.client, Router: route.New(), Group: s.registry.Group,
		MaySend: func(jobID int32, token int64) bool { return s.leases.MaySend(jobID%total, token) },
		Keeps:   func(jobID int32, token int64) bool { return s.leases.Keeps(jobID%total, token) },
		// A schedule that has ended by itself keeps its last time.
		Stopped: func(ctx context.Context, id int32) bool {
			job, err := s.store.Job(ctx, id)
			return err == nil && !job.Running && job.LastMs == 0
		},
		Report: func(o model.Outcome) { s.writer.Trigger(o) },
		SetAddresses: func(ctx context.Context, addresses map[int64]string) (map[int64]error, error) {
			failed, err := s.store.SetRunAddresses(ctx, addresses)
			for id, err := range failed {
				if errors.Is(err, store.ErrNotFound) {
					failed[id] = dispatch.ErrGone
				}
			}
			return failed, err
		},
		Missing: s.registry.Missed,
		Lang:    s.lang, Node: s.node, Location: s.cfg.TimeZone, Timeout: s.cfg.ExecutorTimeout,
		Logger: s.part("dispatch"),
		Sent: func(t model.TriggerType, late time.Duration) {
			s.metrics.Fired(t, late)
			if t == model.TriggerCron {
				s.pulse.Sent(late)
			}
		},
		Ticked: s.loops.Ticker("dispatch"),
	})
	if err != nil {
		return err
	}
	s.writer, err = completion.New(completion.Config{
		Store:   results{Store: s.store, void: s.metrics.Voided, log: s.part("completion")},
		NewRuns: s.dispatcher.NewRuns, Assign: s.dispatcher.Assign, Created: s.dispatcher.Add,
		Bursting: s.dispatcher.Bursting, Ended: s.ended, RetryDelay: s.cfg.RetryDelay, Lang: s.lang,
		Logger: s.part("completion"), Alarms: s.alarms != nil,
		Knows: s.dispatcher.Knows, Maker: model.MakerToken(s.node),
		Stored: func(rows int, took time.Duration) {
			s.metrics.Stored(rows, took)
			s.metrics.StoreOp("finish", took, nil)
		},
		Ticked: s.loops.Ticker("completion"),
	})
	return err
}

func (s *system) buildScheduling(ctx context.Context) error {
	var err error
	s.scheduler, err = scheduler.New(scheduler.Config{
		Store: s.store, Leases: s.leases, Dispatcher: s.dispatcher, Node: s.node,
		Location: s.cfg.TimeZone, IgnoreZones: s.shared, SharedLock: s.shared,
		Horizon: s.cfg.Horizon, Every: s.cfg.PlanEvery, Lang: s.lang, Logger: s.part("scheduler"),
		Planned: func(runs int, took time.Duration) {
			s.metrics.Planned(runs, took)
			s.metrics.StoreOp("plan", took, nil)
		},
		Misfired: s.metrics.Misfired,
		Ticked:   s.loops.Ticker("scheduler"),
	})
	if err != nil {
		return err
	}
	s.recovery, err = recovery.New(context.WithoutCancel(ctx), recovery.Config{
		Store: s.store, Dispatcher: s.dispatcher, Client: s.client, Held: s.leases.Held, Total: s.leases.Total(),
		Leases: leaseProvider{s.store}, TTL: s.leases.TTL(), Node: s.node,
		Group: s.registry.Group, Registered: s.registry.Registered, Finish: s.writer.Results,
		Pending: s.writer.Pending,
		Timeout: s.cfg.ExecutorTimeout, Lang: s.lang, Logger: s.part("recovery"), Ticked: s.loops.Ticker("recovery"),
	})
	return err
}

// ended tells metrics and alarms of a run that has ended.
func (s *system) ended(e *store.Ending) {
	code := model.CodeFail
	switch out := e.Outcome; {
	case out.Handle != nil:
		code = out.Handle.Code
	case out.Trigger != nil:
		code = out.Trigger.Code
	}
	kind := cmp.Or(e.Kind, model.EndByCode(model.CodeSuccess, code))
	s.metrics.Ended(code, kind)
	s.pulse.Ended(kind)
	if kind.Wanted() { // no fault, and nothing that works again
		return
	}
	told := e.AlarmStatus == model.AlarmLocked
	if code != model.CodeSuccess && e.Job != nil && (told || s.alarms == nil && e.AlarmStatus == model.AlarmNone) {
		s.raised(e)
	}
	if s.alarms == nil {
		return
	}
	job := jobOf(e)
	if code == model.CodeSuccess {
		s.alarms.Recovered(job)
		return
	}
	if !told || e.Job == nil {
		return
	}
	a := alarm.Alarm{Kind: alarm.RunFailed, Job: e.Job, LogID: e.Outcome.LogID, At: time.Now()}
	if g, ok := s.registry.Group(e.Job.GroupID); ok {
		a.Group = g.Title
	}
	if e.Run != nil {
		a.Address, a.TriggerCode = e.Run.Address, model.CodeSuccess
	}
	if t := e.Outcome.Trigger; t != nil {
		a.TriggerCode, a.TriggerMsg = t.Code, t.Msg
	}
	if h := e.Outcome.Handle; h != nil {
		a.HandleCode, a.HandleMsg = h.Code, h.Msg.S
	}
	s.alarms.Notify(a)
}

func jobOf(e *store.Ending) int32 {
	switch {
	case e.Run != nil:
		return e.Run.JobID
	case e.Log != nil:
		return e.Log.JobID
	}
	return 0
}

func (s *system) buildOps(context.Context) error {
	info := s.store.Info()
	java := auth.JavaUnusable
	if s.shared {
		java = auth.JavaMD5
		if info.TokenColumn {
			java = auth.JavaSHA256
		}
	}
	s.auth = auth.New(auth.Config{
		Users: s.store, Sessions: s.store, Settings: s.store, JavaHash: java, MaxAge: s.cfg.SessionLife, Logger: s.log,
		NotFound: func(err error) bool { return errors.Is(err, store.ErrNotFound) },
	})
	var err error
	s.ops, err = ops.New(ops.Config{
		Store: s.store, Scheduler: s.scheduler,
		Dispatcher: manual{store: s.store, dispatcher: s.dispatcher, now: time.Now},
		Executors:  executors{s.client}, Registry: s.registry, Completion: s.writer, Passwords: s.auth,
		Unknown: s.registry.Unknown,
		Refused: s.refusals.List,
		States:  s.groupStates, LastBeat: s.lastBeat,
		FirstStart:  s.auth,
		CodeEditing: s.cfg.CodeEditing, SharedWithJava: s.shared, Location: s.cfg.TimeZone, Lang: s.lang,
		Logins: s.auth, System: s, Retention: s.retention(),
		Alarms:   channels{sender: s.alarms, book: s.book, list: s.cfg.Alarms},
		Links:    s.links(),
		ParamMax: info.ParamMax, TitleMax: info.TitleMax, Logger: s.log,
	})
	return err
}
