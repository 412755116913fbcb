//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// bench is one run of the benchmark. It belongs to one goroutine.
type bench struct {
	opt    options
	report *report
	binary string
	dir    string
}

// scenario is a part of the benchmark that can be chosen by its name.
type scenario struct {
	name string
	run  func(*bench, context.Context, string) error // with a database
}

func scenarios() []scenario {
	return []scenario{
		{name: "rates", run: (*bench).rates},
		{name: "jobs", run: (*bench).growJobs},
		{name: "logs", run: (*bench).growLogs},
		{name: "ceiling", run: (*bench).ceiling},
	}
}

func scenarioNames() (names []string) {
	for _, s := range scenarios() {
		names = append(names, s.name)
	}
	return names
}

// newBench builds the admin and makes a folder.
func newBench(ctx context.Context, opt options) (*bench, error) {
	dir, err := os.MkdirTemp(opt.dir, "xxljob-admin-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{opt: opt, report: &report{machine: describeMachine(dir)}, dir: dir, binary: opt.admin}
	if b.binary == "" {
		progress("building the admin")
		b.binary = filepath.Join(dir, "xxl-job-admin")
		out, err := exec.CommandContext(ctx, "go", "build", "-o", b.binary,
			"github.com/xxljob-go/xxljob/admin/cmd/xxl-job-admin").CombinedOutput()
		if err != nil {
			return nil, errors.Join(fmt.Errorf("go build of the admin: %w\n%s", err, out), os.RemoveAll(dir))
		}
	}
	return b, nil
}

// close removes what was written.
func (b *bench) close() {
	if err := os.RemoveAll(b.dir); err != nil {
		progress("could not remove its files: %v", err)
	}
}

// runAll runs the chosen scenarios on each database.
func (b *bench) runAll(ctx context.Context) error {
	begin := time.Now()
	for _, s := range scenarios() {
		if !slices.Contains(b.opt.scenarios, s.name) {
			continue
		}
		for _, db := range b.opt.databases {
			if err := s.run(b, ctx, db); err != nil {
				return fmt.Errorf("scenario %s on %s: %w", s.name, db, err)
			}
		}
	}
	b.report.took = time.Since(begin)
	return nil
}

// rates measures the rates that were asked for.
func (b *bench) rates(ctx context.Context, db string) error {
	for _, rate := range b.opt.rates {
		f, err := b.measure(ctx, trial{db: db, rate: rate, window: b.opt.window})
		if err != nil {
			return err
		}
		b.report.rates = append(b.report.rates, f)
		b.report.judge(f)
	}
	return nil
}

// growJobs measures 1,000 fires a second among more and more jobs that are due
// at another time.
func (b *bench) growJobs(ctx context.Context, db string) error {
	for _, n := range b.opt.idleJobs {
		f, err := b.measure(ctx, trial{db: db, rate: 1000, window: b.opt.growth, idleJobs: n})
		if err != nil {
			return err
		}
		b.report.jobs = append(b.report.jobs, f)
		b.report.judge(f)
	}
	return nil
}

// growLogs measures 1,000 fires a second on a longer and longer log.
func (b *bench) growLogs(ctx context.Context, db string) error {
	for _, n := range b.opt.logRows {
		f, err := b.measure(ctx, trial{db: db, rate: 1000, window: b.opt.growth, logRows: n})
		if err != nil {
			return err
		}
		b.report.logs = append(b.report.logs, f)
		b.report.judge(f)
	}
	return nil
}

// Steps of the search for the ceiling.
const (
	firstStep   = 5000
	stepFactor  = 1.25
	lastStep    = 40_000
	shortSteps  = 2
	heldLateMs  = 1000 // a rate is held if 99 of 100 fires are less late
	heldWaiting = time.Second
)

// ceiling raises the rate until fires are missed, or come more than a second
// late, or results pile up. What it finds is no fault.
func (b *bench) ceiling(ctx context.Context, db string) error {
	rate := float64(firstStep)
	for step := 1; rate <= lastStep && (!b.opt.short || step <= shortSteps); step++ {
		f, err := b.measure(ctx, trial{db: db, rate: int(rate) / 100 * 100, window: max(b.opt.growth/2, 2*period)})
		if err != nil {
			return err
		}
		b.report.ceiling = append(b.report.ceiling, f)
		if !f.held() {
			return nil
		}
		rate *= stepFactor
	}
	return nil
}

// hold sets everything up and waits, for another load tool, which brings its own
// executors.
func (b *bench) hold(ctx context.Context) error {
	b.opt.executors = 0
	s, err := b.open(ctx, trial{db: b.opt.databases[0], rate: b.opt.jobs / int(period/time.Second)})
	if err != nil {
		return err
	}
	defer s.close()
	node, err := b.startAdmin(ctx, s)
	if err != nil {
		return err
	}
	defer node.kill()
	fmt.Fprintf(os.Stdout, "-admin %s/xxl-job-admin -token %s -app %s -jobs %d -pids %s\n",
		node.base, accessToken, appName, s.trial.jobs(), s.pids(node))
	<-ctx.Done()
	return node.stop()
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }

// pause waits, and reports whether ctx is still there.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
