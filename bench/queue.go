//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// growQueue measures what it costs to accept a trigger that has to wait.
func (b *bench) growQueue(ctx context.Context) error {
	all := 10_000
	depths := []int{100, 1_000, 10_000}
	if b.opt.short {
		all, depths = 1_000, []int{100, 1_000}
	}
	t := table{
		title: fmt.Sprintf("With waiting triggers: %s wait, spread over jobs", count(all)),
		head: []string{
			"Waiting a job", "jobs", "CPU an accept", "accepted/s", "memory a waiting trigger",
			"killed and reported after",
		},
	}
	for _, depth := range depths {
		progress("growth with waiting triggers: %d a job", depth)
		err := b.withExecutor(ctx, b.ours, b.disk, func(e *executor) error {
			if err := b.warmUp(ctx, e, "bench", b.opt.jobs); err != nil {
				return err
			}
			row, err := b.queueRow(ctx, e, all/depth, all)
			t.add(append([]string{count(depth), count(all / depth)}, row...)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	b.report.tables = append(b.report.tables, t)
	return nil
}

// queueRow holds up some jobs, lets n triggers wait for them, and kills them.
func (b *bench) queueRow(ctx context.Context, e *executor, jobs, n int) ([]string, error) {
	book := b.newBook(jobs + n)
	holders := load{handler: "sleep", param: holdParam, jobs: jobs, book: book, count: jobs}
	if _, err := e.send(holders, b.opt.conns); err != nil {
		return nil, err
	}
	before, err := e.usage()
	if err != nil {
		return nil, err
	}
	waiting := load{handler: "sleep", param: "0", jobs: jobs, book: book, from: jobs, count: n}
	wall, answerErr := e.send(waiting, b.opt.conns)
	after, err := e.usage()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	for job := range jobs {
		if err := e.killJob(int32(job + 1)); err != nil {
			return nil, fmt.Errorf("kill of job %d: %w", job+1, err)
		}
	}
	drained := await(ctx, book).Sub(begin)
	pause(ctx, aftermath)
	b.judge(e, book.totals(wire.CodeFail), answerErr)
	return []string{
		micro(micros(after.cpu-before.cpu, n)), rate(perSecond(n, wall)),
		fmt.Sprintf("%.0f bytes", float64(after.now-before.now)/float64(n)), seconds(drained),
	}, ctx.Err()
}
