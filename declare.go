package xxljob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// The pauses after a declaration that failed, the first and the longest, and
// the limit of one call: an admin may have a thousand jobs to write.
const (
	declareRetry    = 5 * time.Second
	declareRetryMax = 10 * time.Minute
	declareTimeout  = 30 * time.Second
)

// JobStats tells what became of the jobs that the executor declares. It is part
// of Stats.
type JobStats struct {
	Declared  int // given to Register; 0 if there is nothing to tell
	Created   int // made by the last declaration that an admin took
	Updated   int // changed by it
	Unchanged int // as declared already
	Kept      int // different, because a person or the admin's policy wants it so
	Refused   int // faulty, the log says why

	Failures int64     // declarations that no admin took
	At       time.Time // of the last one that an admin took; zero if none
}

// declarer declares jobs after a heartbeat that was accepted, in a goroutine of
// its own: nothing waits for it.
type declarer struct {
	jobs int
	body []byte // nil without jobs
	log  *slog.Logger
	beat chan struct{} // size 1: a heartbeat was accepted
	java *javaAdder    // nil: no job goes to a Java admin
	all  []string      // addresses of the admins

	node atomic.Pointer[adminClient] // that accepted it

	mu    sync.Mutex
	stats JobStats
}

// newDeclarer returns the declarer of these jobs.
func newDeclarer(cfg *Config, list []wire.DeclaredJob, log *slog.Logger) *declarer {
	d := &declarer{jobs: len(list), log: log, beat: make(chan struct{}, 1), all: cfg.AdminAddrs}
	if cfg.JavaJobs.Group > 0 {
		d.java = &javaAdder{cfg: cfg.JavaJobs, path: javaBookPath(cfg), list: list, log: log}
	}
	if len(list) > 0 {
		req := wire.DeclareRequest{Jobs: list}
		d.body = req.Append(nil)
	}
	d.stats.Declared = len(list)
	return d
}

// accepted says that the node took a heartbeat. It does not block.
func (d *declarer) accepted(node *adminClient) {
	d.node.Store(node)
	select {
	case d.beat <- struct{}{}:
	default:
	}
}

// run declares the jobs once for each policy that an admin tells, until ctx is
// done.
func (d *declarer) run(ctx context.Context) {
	if d.body == nil {
		return
	}
	told := noPolicy // what was settled
	pause := declareRetry
	for {
		select {
		case <-d.beat:
		case <-ctx.Done():
			return
		}
		node := d.node.Load()
		policy := node.policy()
		if policy == told {
			continue
		}
		err := d.settle(ctx, node, policy)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			told, pause = policy, declareRetry
			continue
		}
		d.failed()
		d.log.WarnContext(ctx, "jobs not declared, they will be again", slog.Duration("pause", pause),
			slog.Any("err", err))
		wait(ctx, pause+rand.N(pause/4)) //nolint:gosec // spreads executors
		pause = min(2*pause, declareRetryMax)
	}
}

// noPolicy is the policy of an admin that has told none.
const noPolicy = "\x00"

// settle does what the admin's policy asks for. An error means that it is to be
// tried again.
func (d *declarer) settle(ctx context.Context, node *adminClient, policy string) error {
	switch policy {
	case "":
		return d.settleJava(ctx, node)
	case wire.DeclareOff:
		d.log.WarnContext(ctx, "jobs declared in code are not created: the admin refuses them; its operator "+
			"allows them with --jobs-from-code=create or --jobs-from-code=update",
			slog.String("admin", node.name), slog.Int("jobs", d.jobs))
		return nil
	}
	payload, err := node.ask(ctx, wire.PathDeclareJobs, d.body, declareTimeout)
	if err != nil {
		return err
	}
	var result wire.DeclareResult
	if err := json.Unmarshal([]byte(payload), &result); err != nil {
		return fmt.Errorf("answer of admin %s: %w", node.name, err)
	}
	d.tell(ctx, &result)
	return nil
}

// settleJava adds the jobs to a Java admin, where that is wanted and possible, and
// else says once that they are not created.
func (d *declarer) settleJava(ctx context.Context, node *adminClient) error {
	if d.java == nil {
		d.log.WarnContext(ctx, "jobs declared in code are not created: this admin is a Java one, or older than "+
			"they are; create them in its console, set Config.JavaJobs if it is 3.5.0 or later, or use the admin of "+
			"this project", slog.String("admin", node.name), slog.Int("jobs", d.jobs))
		return nil
	}
	result, err := d.java.settle(ctx, node, d.all)
	if errors.Is(err, errNoJobAPI) {
		d.log.WarnContext(ctx, "jobs declared in code are not created: this Java admin is older than 3.5.0 and has "+
			"no job API; create them in its console, or use the admin of this project",
			slog.String("admin", node.name), slog.Int("jobs", d.jobs))
		return nil
	}
	if err != nil {
		return err
	}
	d.tell(ctx, result)
	return nil
}

// tell counts and logs what became of the jobs.
func (d *declarer) tell(ctx context.Context, result *wire.DeclareResult) {
	stats := JobStats{Declared: d.jobs, At: time.Now()}
	for _, j := range result.Jobs {
		level := slog.LevelDebug
		switch j.Outcome {
		case wire.OutcomeCreated:
			stats.Created++
		case wire.OutcomeUpdated:
			stats.Updated++
		case wire.OutcomeKept:
			stats.Kept++
			level = slog.LevelInfo
		case wire.OutcomeRefused:
			stats.Refused++
			level = slog.LevelWarn
		default:
			stats.Unchanged++
		}
		if j.Note != "" && level == slog.LevelDebug {
			level = slog.LevelInfo
		}
		d.log.Log(ctx, level, "job declared", slog.String("job", j.Name), slog.String("outcome", j.Outcome),
			slog.Int("job_id", int(j.ID)), slog.String("note", j.Note))
	}
	for _, name := range result.Gone {
		d.log.InfoContext(ctx, "job was declared once and is no more: it is left as it is, delete it in the admin",
			slog.String("job", name))
	}
	d.mu.Lock()
	stats.Failures = d.stats.Failures
	d.stats = stats
	d.mu.Unlock()
	d.log.InfoContext(ctx, "jobs declared", slog.String("policy", result.Policy),
		slog.Int("created", stats.Created), slog.Int("updated", stats.Updated),
		slog.Int("unchanged", stats.Unchanged), slog.Int("kept", stats.Kept), slog.Int("refused", stats.Refused))
}

func (d *declarer) failed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.Failures++
}

// snapshot returns the counters.
func (d *declarer) snapshot() JobStats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}
