package admin

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/lease"
	"github.com/xxljob-go/xxljob/admin/internal/metrics"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/retention"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// addressEvery is how often what was learnt of executors is written.
const addressEvery = time.Second

// adoptBack is how old an open run of a Java admin may be to be taken over.
const adoptBack = 30 * 24 * time.Hour

// expect names the loops and how long each may take, for the readiness probe.
func (s *system) expect() {
	for name, limit := range map[string]time.Duration{
		"scheduler": 15 * time.Second, "dispatch": 5 * time.Second, "completion": 30 * time.Second,
		"lease": 10 * time.Second, "registry": time.Minute, "recovery": 5 * time.Minute,
	} {
		s.loops.Expect(name, limit)
	}
}

// saveAddresses writes what the client learns of executors, in batches.
func (s *system) saveAddresses(ctx context.Context) {
	tick := time.NewTicker(addressEvery)
	defer tick.Stop()
	learnt := make(map[string]store.AddressInfo)
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-s.addresses:
			learnt[a.Address] = addressInfo(a)
		case <-tick.C:
			if len(learnt) == 0 {
				continue
			}
			batch := make([]store.AddressInfo, 0, len(learnt))
			for _, a := range learnt {
				batch = append(batch, a)
			}
			if err := s.store.SaveAddressInfo(ctx, batch); err != nil {
				s.report(ctx, "addresses", err)
				continue
			}
			clear(learnt)
		}
	}
}

func addressInfo(a execclient.AddressInfo) store.AddressInfo {
	return store.AddressInfo{Address: a.Address, Dialect: string(a.Dialect), Native: a.Native, SeenMs: a.SeenMs}
}

// buildUpkeep makes what keeps the database small.
func (s *system) buildUpkeep(context.Context) error {
	var err error
	s.cleaner, err = retention.New(retention.Config{
		Store: s.store, Days: s.cfg.LogDays, KeepPerJob: s.cfg.LogKeepPerJob,
		Limits: s.limits, Cleaned: s.cleaned,
		Recount:  !s.store.Info().MadeByUs,
		Mine:     func() bool { return s.leases.Holds(0) }, // one node cleans
		Location: s.cfg.TimeZone, Logger: s.log,
	})
	return err
}

// watch shows the state of the parts as metrics.
func (s *system) watch() {
	s.metrics.Watch(metrics.Sources{
		OpenRuns: s.store.CountOpenRuns,
		Lanes:    s.lanes,
		Loops: func() []metrics.Loop {
			var list []metrics.Loop
			for _, l := range s.loops.Status() {
				list = append(list, metrics.Loop{Name: l.Name, Last: l.Last, Late: l.Late})
			}
			return list
		},
		Restarts: s.loops.Restarts,
		Shards: func() (owned, total int) {
			st := s.leases.Status()
			return st.Held, st.Total
		},
		Waiting: func() map[string]int {
			return map[string]int{"dispatch": s.dispatcher.Waiting(), "completion": s.writer.Waiting()}
		},
		Deleted:        s.deleted,
		InsecureTokens: s.insecureTokens,
		Unknown: func() int {
			_, names := s.registry.Unknown(0)
			return names
		},
	})
}

func (s *system) deleted() map[string]int64 {
	st := s.cleaner.Stats()
	return map[string]int64{
		"xxl_job_log": st.Logs, "xxljob_session": st.Sessions, "xxljob_audit": st.Audits, "xxljob_alarm": st.Alarms,
	}
}

func (s *system) lanes() []metrics.Lane {
	var list []metrics.Lane
	for addr, st := range s.client.Stats() {
		list = append(list, metrics.Lane{
			Address: addr, Depth: st.Depth, InFlight: st.InFlight, Conns: st.Conns, Dead: !st.DeadSince.IsZero(),
		})
	}
	return list
}

// alarmSweepAfter is when an alarm that was being sent is given up: whoever
// sent it is gone. alarmSweepBack is how far back the sweep looks.
const (
	alarmSweepEvery = time.Minute
	alarmSweepAfter = 5 * time.Minute
	alarmSweepBack  = 24 * time.Hour
	alarmSweepRows  = 1000
)

// sweepAlarms marks the rows as failed whose alarm nobody sends any more.
func (s *system) sweepAlarms(ctx context.Context) {
	tick := time.NewTicker(alarmSweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.leases.Holds(0) {
			continue
		}
		now := time.Now()
		_, err := s.store.SweepAlarms(ctx, now.Add(-alarmSweepBack), now.Add(-alarmSweepAfter),
			model.AlarmFailed, alarmSweepRows)
		s.report(ctx, "alarm sweep", err)
	}
}

// adoptEvery is how often open runs of Java nodes are looked for, where there
// may be some.
const adoptEvery = time.Minute

// adoptLoop keeps the list of open runs true on a database that Java nodes
// write too: theirs are put on it, so that the sweep for lost runs sees them
// also when no Java node lives any more, and what they have ended goes. Their
// own lost monitor may act on the same rows: the first result wins.
func (s *system) adoptLoop(ctx context.Context) {
	tick := time.NewTicker(adoptEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.leases.Holds(0) {
			s.report(ctx, "open runs of Java nodes", s.adoptJava(ctx))
		}
	}
}

// adoptJava takes over what Java admins left open.
func (s *system) adoptJava(ctx context.Context) error {
	if s.store.Info().MadeByUs {
		return nil
	}
	n, err := s.store.AdoptJavaRuns(ctx, time.Now().Add(-adoptBack).UnixMilli())
	if err != nil {
		return fmt.Errorf("take over the open runs of the Java admin: %w", err)
	}
	if n > 0 {
		s.javaSeen.Store(time.Now().UnixMilli())
		s.adopted.Add(int64(n))
		s.log.InfoContext(ctx, "open runs of Java admins taken over", slog.Int("count", n))
	}
	return nil
}

// freeLeases gives back what processes before this one held on a SQLite file:
// the lock on the file proves that they are gone.
func (s *system) freeLeases(ctx context.Context) error {
	if s.store.Info().Dialect != "sqlite" {
		return nil
	}
	view, err := s.store.Renew(ctx, s.node, lease.DefaultTTL)
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	for _, n := range view.Nodes {
		if n.Name == s.node {
			continue
		}
		if err := s.store.Leave(ctx, n.Name); err != nil {
			return fmt.Errorf("free the leases of %s: %w", n.Name, err)
		}
	}
	return nil
}

// publicToken is the token with which the Java admin is shipped.
const publicToken = "default_token"

// insecureTokens counts what AllowInsecureToken lets in: an empty or the public
// token, the common one and those of groups.
func (s *system) insecureTokens() int {
	if !s.cfg.AllowInsecureToken {
		return 0
	}
	n := 0
	if s.cfg.AccessToken == "" || s.cfg.AccessToken == publicToken {
		n++
	}
	for _, g := range s.registry.Groups() {
		if g.AccessToken == publicToken {
			n++
		}
	}
	return n
}

// warnToken says aloud what AllowInsecureToken allows.
func (s *system) warnToken(ctx context.Context) {
	switch s.cfg.AccessToken {
	case "":
		s.log.WarnContext(ctx, "no access token: whoever reaches this address may register and report")
	case publicToken:
		s.log.WarnContext(ctx, "the access token is the public default: everybody knows it")
	}
}
