//go:build linux

package main

import (
	"context"
	"fmt"
)

// waveOfJob is how many triggers a job gets at once here, so that no queue is
// full.
const waveOfJob = 5_000

// growJobs measures how cost grows with the number of job ids.
func (b *bench) growJobs(ctx context.Context) error {
	counts := []int{1, 10, 100, 1_000, 10_000}
	if b.opt.short {
		counts = []int{1, 10, 100, 1_000}
	}
	triggers := max(b.opt.triggers/2, 1)
	t := table{
		title: fmt.Sprintf("With the number of jobs: %s triggers", count(triggers)),
		head: []string{
			"Job ids", "log path", "CPU a trigger", "accepted/s", "reported/s", "memory", "refused",
			"lost",
		},
		notes: []string{
			"One round each. At most " + count(waveOfJob) +
				" triggers a job are sent at once, so that no queue is full.",
		},
	}
	for _, p := range b.places() {
		for _, jobs := range counts {
			progress("growth with job ids, log path in %s: %d", p.name, jobs)
			r, err := b.jobsRound(ctx, p, jobs, triggers)
			if err != nil {
				return err
			}
			t.add(count(jobs), p.name, micro(r.cpuMicros()), rate(r.acceptRate()), rate(r.completeRate()),
				mega(r.peakMegabytes()), count(r.refused), count(r.lost))
		}
	}
	b.report.tables = append(b.report.tables, t)
	return nil
}

func (b *bench) jobsRound(ctx context.Context, p place, jobs, triggers int) (r round, err error) {
	err = b.withExecutor(ctx, b.ours, p, func(e *executor) error {
		if err := b.warmUp(ctx, e, "bench", jobs); err != nil {
			return err
		}
		r, err = b.measure(ctx, e, load{handler: "bench", jobs: jobs, count: triggers, wave: waveOfJob * jobs})
		return err
	})
	return r, err
}
