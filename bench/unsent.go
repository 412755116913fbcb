//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// growUnsent measures a start with results that no admin has taken yet.
func (b *bench) growUnsent(ctx context.Context) error {
	counts := []int{10_000, 50_000}
	if b.opt.short {
		counts = []int{1_000}
	}
	t := table{
		title: "With unsent results: killed, and started again",
		head:  []string{"Unsent results", "answers after", "all delivered after", "memory", "lost", "doubled"},
	}
	for _, n := range counts {
		progress("growth with unsent results: %d", n)
		err := b.disk.within(func(dir string) error {
			row, err := b.unsentRow(ctx, dir, n)
			t.add(append([]string{count(n)}, row...)...)
			return err
		})
		b.admin.refuses.Store(false)
		if err != nil {
			return err
		}
	}
	b.report.tables = append(b.report.tables, t)
	return nil
}

// unsentRow lets n runs end while the admin takes no results, kills the
// executor and starts it again with an admin that does.
func (b *bench) unsentRow(ctx context.Context, dir string, n int) ([]string, error) {
	first, err := b.start(ctx, b.ours, dir, 0)
	if err != nil {
		return nil, err
	}
	b.admin.refuses.Store(true)
	book := b.newBook(n)
	_, answerErr := first.send(load{handler: "bench", jobs: b.opt.jobs, book: book, count: n}, b.opt.conns)
	err = b.awaitIdle(ctx, first)
	first.kill()
	if err != nil {
		return nil, err
	}
	b.admin.refuses.Store(false)

	begin := time.Now()
	second, err := b.start(ctx, b.ours, dir, first.port)
	if err != nil {
		return nil, err
	}
	delivered := await(ctx, book).Sub(begin)
	used, err := second.usage()
	if err != nil {
		second.kill()
		return nil, err
	}
	pause(ctx, aftermath)
	sum := book.totals(wire.CodeSuccess)
	b.judge(second, sum, answerErr)
	if err := second.stop(); err != nil {
		b.report.fault("%v", err)
	}
	return []string{
		seconds(second.ready), seconds(delivered), mega(megabytes(used.peak)), count(sum.lost), count(sum.doubled),
	}, ctx.Err()
}

// awaitIdle waits until no job runs or waits.
func (b *bench) awaitIdle(ctx context.Context, e *executor) error {
	job := 1
	return poll(ctx, time.Minute, "jobs were still running", func() (bool, error) {
		select {
		case <-e.done:
			return false, fmt.Errorf("%s ended: %w", e.name, e.err)
		default:
		}
		for job <= b.opt.jobs && e.idle(int32(job)) == nil {
			job++
		}
		return job > b.opt.jobs, nil
	})
}
