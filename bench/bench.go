//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

const (
	// patience is how long results may stay away before they count as lost.
	patience = 20 * time.Second
	// aftermath is how long a result could still come a second time.
	aftermath = 300 * time.Millisecond
)

// place is where the log path of an executor lies.
type place struct {
	name string // "disk" or "memory"
	dir  string
	keep bool // nothing in it is deleted before the end; see spread
}

// bench is one run of the benchmark.
type bench struct {
	opt    options
	admin  *standIn
	report *report
	ours   kind
	java   *kind // nil: not measured
	disk   place
	memory *place // nil: not measured
	nextID int64  // log id of the next trigger
}

// scenario is a part of the benchmark that can be chosen by its name.
type scenario struct {
	name string
	run  func(*bench, context.Context) error
}

func scenarios() []scenario {
	return []scenario{
		{name: "throughput", run: (*bench).throughput},
		{name: "onejob", run: (*bench).oneJob},
		{name: "jobs", run: (*bench).growJobs},
		{name: "queue", run: (*bench).growQueue},
		{name: "log", run: (*bench).growLog},
		{name: "unsent", run: (*bench).growUnsent},
	}
}

func scenarioNames() []string {
	return each(scenarios(), func(s scenario) string { return s.name })
}

// newBench builds the executors and makes the directories.
func newBench(ctx context.Context, opt options) (b *bench, err error) {
	b = &bench{opt: opt, report: &report{}, nextID: time.Now().UnixMilli() * 1000}
	defer func() {
		if err != nil {
			b.close(ctx)
		}
	}()
	if b.disk.dir, err = workDir(opt.dir); err != nil {
		return b, err
	}
	b.disk.name, b.disk.keep = "disk", true
	spread(b.disk.dir)
	if opt.mem != "" {
		dir, err := os.MkdirTemp(opt.mem, "xxljob-bench-")
		if err != nil {
			return b, fmt.Errorf("no folder in memory (-mem= goes without): %w", err)
		}
		b.memory = &place{name: "memory", dir: dir}
	}
	if b.admin, err = newStandIn(); err != nil {
		return b, err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return b, err
	}
	progress("building the executors")
	if b.ours, err = buildOurs(ctx, root, opt); err != nil {
		return b, err
	}
	java, err := buildJava(ctx, root, opt)
	if err != nil {
		b.report.note("Java's executor is left out: %v", err)
	}
	b.java = java
	b.report.machine = describeMachine(ctx, b)
	if opt.short {
		b.report.note("this was a short run; a JVM is not warm after so few triggers, and times are coarse")
	}
	return b, nil
}

// workDir makes a directory of its own below parent.
func workDir(parent string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	parent, err := filepath.Abs(parent)
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "run-")
}

// close ends the stand-in and removes what was written, also if ctx is done.
func (b *bench) close(ctx context.Context) {
	if b.admin != nil {
		_ = b.admin.close(context.WithoutCancel(ctx)) // the process ends anyway
	}
	for _, dir := range []string{b.disk.dir, b.memoryDir()} {
		if dir == "" {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "bench: could not remove its files:", err)
		}
	}
}

func (b *bench) memoryDir() string {
	if b.memory == nil {
		return ""
	}
	return b.memory.dir
}

// runAll runs the chosen scenarios. The error is of what could not be measured;
// wrong results are in the report.
func (b *bench) runAll(ctx context.Context) error {
	begin := time.Now()
	for _, s := range scenarios() {
		if !strings.Contains(","+strings.Join(b.opt.scenarios, ",")+",", ","+s.name+",") {
			continue
		}
		if err := s.run(b, ctx); err != nil {
			return fmt.Errorf("scenario %s: %w", s.name, err)
		}
	}
	if n := b.admin.garbage.Load(); n > 0 {
		b.report.fault("%d posts of results could not be read", n)
	}
	b.report.took = time.Since(begin)
	return nil
}

// places are the log paths to measure with.
func (b *bench) places() []place {
	if b.memory == nil {
		return []place{b.disk}
	}
	return []place{b.disk, *b.memory}
}

// within makes a directory for one executor and removes it afterwards, unless
// the place keeps them.
func (p place) within(f func(dir string) error) error {
	dir, err := os.MkdirTemp(p.dir, "x-")
	if err != nil {
		return err
	}
	if !p.keep {
		defer func() { _ = os.RemoveAll(dir) }() // close tries again
	}
	return f(dir)
}

// withExecutor runs f with an executor that has just started. One that still
// runs afterwards is asked to end, and a bad end is a fault.
func (b *bench) withExecutor(ctx context.Context, k kind, p place, f func(*executor) error) error {
	return p.within(func(dir string) error {
		e, err := b.start(ctx, k, dir, 0)
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			e.kill()
			return err
		}
		if err := e.stop(); err != nil {
			b.report.fault("%v", err)
		}
		return nil
	})
}

// newBook opens a ledger for n triggers; the stand-in enters results in it.
func (b *bench) newBook(n int) *ledger {
	book := newLedger(b.nextID, n)
	b.nextID += int64(n)
	b.admin.book.Store(book)
	return book
}

// await waits until no result is outstanding, or none has come for patience,
// and returns when the last one came.
func await(ctx context.Context, book *ledger) time.Time {
	last := time.Now()
	for book.outstanding() > 0 && ctx.Err() == nil {
		select {
		case <-book.progress:
			last = time.Now()
		case <-time.After(patience):
			return last
		case <-ctx.Done():
		}
	}
	return last
}

// warmUp sends triggers that nobody counts, and waits for their results.
func (b *bench) warmUp(ctx context.Context, e *executor, handler string, jobs int) error {
	book := b.newBook(b.opt.warm)
	if _, err := e.send(load{handler: handler, jobs: jobs, book: book, count: b.opt.warm}, b.opt.conns); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	await(ctx, book)
	if t := book.totals(wire.CodeSuccess); !t.clean() && e.ours {
		b.report.fault("warm-up: %+v", t)
	}
	pause(ctx, aftermath)
	return ctx.Err()
}

// usage is what a process has used at one moment.
type usage struct {
	cpu time.Duration
	memory
}

func (e *executor) usage() (usage, error) {
	cpu, err := cpuTime(e.pid())
	if err != nil {
		return usage{}, err
	}
	mem, err := memoryOf(e.pid())
	return usage{cpu: cpu, memory: mem}, err
}

func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }

// moduleRoot returns the top of the checkout.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "github.com/xxljob-go/xxljob").Output()
	if err != nil {
		return "", fmt.Errorf("top of the checkout (run the benchmark inside of it): %w", explain(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// explain adds to the failure of a command what it wrote.
func explain(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
