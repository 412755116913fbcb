//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// limitName is what a refusal of a trigger above the queue limit must name, so
// that an operator knows what to change.
const limitName = "MaxQueuePerJob"

// holdParam makes the handler sleep wait for longer than the benchmark runs.
const holdParam = "3600000"

// oneJobResult is a row of triggers on one job id.
type oneJobResult struct {
	totals
	name string
	wall time.Duration // until the last answer
	all  time.Duration // until the last result
	peak int64         // resident bytes
}

// oneJob sends all triggers to one job id: once while its handler runs as fast
// as it can, once while a first run holds the queue up and is killed at the
// end.
func (b *bench) oneJob(ctx context.Context) error {
	progress("one job id: triggers as fast as they run")
	err := b.withExecutor(ctx, b.ours, b.disk, func(e *executor) error {
		r, err := b.measure(ctx, e, load{handler: "bench", jobs: 1, count: b.opt.triggers, refusal: limitName})
		b.report.onejob = append(b.report.onejob, oneJobResult{
			totals: r.totals, name: "while they run", wall: r.wall, all: r.all, peak: r.peak,
		})
		return err
	})
	if err != nil {
		return err
	}
	progress("one job id: triggers behind a run that is killed")
	return b.withExecutor(ctx, b.ours, b.disk, func(e *executor) error {
		r, err := b.oneJobHeld(ctx, e)
		b.report.onejob = append(b.report.onejob, r)
		return err
	})
}

// oneJobHeld queues triggers behind a run and kills the job; every accepted one
// must then be reported as failed, once.
func (b *bench) oneJobHeld(ctx context.Context, e *executor) (oneJobResult, error) {
	triggers := max(b.opt.triggers, 12_000) // more than the limit, also with -short
	book := b.newBook(1 + triggers)
	if _, err := e.send(load{handler: "sleep", param: holdParam, jobs: 1, book: book, count: 1}, 1); err != nil {
		return oneJobResult{}, err
	}
	begin := time.Now()
	wall, answerErr := e.send(load{
		handler: "sleep", param: "0", jobs: 1, refusal: limitName, book: book, from: 1, count: triggers,
	}, b.opt.conns)
	used, err := e.usage()
	if err != nil {
		return oneJobResult{}, err
	}
	if err := e.killJob(1); err != nil {
		return oneJobResult{}, fmt.Errorf("kill: %w", err)
	}
	all := await(ctx, book).Sub(begin)
	pause(ctx, aftermath)
	r := oneJobResult{
		totals: book.totals(wire.CodeFail), name: "behind a run, then killed", wall: wall, all: all, peak: used.peak,
	}
	if r.refused == 0 && answerErr == nil {
		answerErr = errors.New("no trigger above the queue limit was refused")
	}
	b.judge(e, r.totals, answerErr)
	return r, ctx.Err()
}

func (r *report) oneJobTable() table {
	t := table{
		title: "All triggers on one job id",
		head: []string{
			"Triggers", "sent", "accepted", "refused", "answered/s", "last result after", "memory", "lost", "doubled",
		},
	}
	for _, o := range r.onejob {
		t.add(o.name, count(o.sent), count(o.accepted), count(o.refused), rate(perSecond(o.sent, o.wall)),
			seconds(o.all), mega(megabytes(o.peak)), count(o.lost), count(o.doubled))
	}
	return t
}
